#!/usr/bin/env bash
# readme.sh README.md PROGRAM: the README's example in C is readme.c word for word, and PROGRAM, made of it, prints what it should.
set -euo pipefail

here=$(dirname "$0")
diff <(sed -n '/^```c$/,/^```$/p' "$1" | sed '1d;$d') "$here/readme.c" || { echo "README.md and readme.c differ" && exit 1; }
expected=$'1 1 2 2\n1 1 2 2\n3 3 4 4\n3 3 4 4'
output=$("$2")
[ "$output" = "$expected" ] || { printf 'it prints:\n%s\n' "$output" && exit 1; }
