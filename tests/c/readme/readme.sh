#!/usr/bin/env bash
# readme.sh PAGE SOURCE EXPECTED PROGRAM [MODELS]: the first example in C of the page is the source word for word, and the program,
# made of it, prints EXPECTED, in which \n is the end of a line. MODELS, the program vkonnx-models, makes the model that the program
# is given.
set -euo pipefail

page=$1 source=$2 expected=$(printf %b "$3") program=$4 models=${5:-}
first=$(awk '/^```c$/ {inside = 1; next} /^```$/ && inside {exit} inside' "$page")
diff <(echo "$first") "$source" || { echo "$page and $source differ" && exit 1; }
arguments=()
if [ -n "$models" ]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    "$models" "$folder"
    arguments=("$folder/antialias_half.onnx")
fi
output=$("$program" "${arguments[@]}")
[ "$output" = "$expected" ] || { printf 'it prints:\n%s\n' "$output" && exit 1; }
