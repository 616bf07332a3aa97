#!/usr/bin/env bash
# Every page that a source or another page cites is in the tree, and so is whatever a page links to:
#
#   - in pages, the relative links "](path)";
#   - anywhere, names like docs/kernels.md, and like CHANGELOG.md beside the README or, in a page, beside that page;
#   - "SEMANTICS section 3" is a heading "## 3. ..." of docs/SEMANTICS.md.
#
# Exit code 3: git lists no files here.
set -euo pipefail
cd "$(dirname "$0")/../.."

written=docs/full_run.md # by tools/test.sh --full: it is there from the first such run on

# Each function runs in the tree and prints what is missing of what some of its files name. Where grep finds nothing, nothing is.
matches() { # extended regular expression, files: "file:match" for each match in a text
    local pattern=$1
    shift
    printf '%s\0' "$@" | xargs -0 grep -oHIE "$pattern" -- || true
}

broken_links() {
    local file link
    while IFS=: read -r file link; do
        link=${link#*\(} && link=${link%)} && link=${link%%#*}
        [[ $link == *://* || -e $(dirname "$file")/$link ]] || echo "$file links to $link"
    done < <(matches '\]\([^) ]*\)' "$@" | grep -E '^[^:]*\.md:')
}

missing_pages() {
    local file page
    while IFS=: read -r file page; do
        [ "$page" = "$written" ] || [ -e "$page" ] || [[ $file == *.md && -e $(dirname "$file")/$page ]] || echo "$file cites $page"
    done < <(matches '\b(docs/[A-Za-z_]+|[A-Z]+)\.md\b' "$@" | sort -u)
}

missing_sections() {
    local file words section
    while IFS=: read -r file words; do
        for section in $(grep -oE '[0-9]+' <<<"$words"); do
            grep -q "^## $section\. " docs/SEMANTICS.md || echo "$file cites section $section of docs/SEMANTICS.md"
        done
    done < <(matches 'SEMANTICS sections? [0-9]+( and [0-9]+)?' "$@")
}

missing() { # files
    broken_links "$@"
    missing_pages "$@"
    missing_sections "$@"
}

# Control: a tree in which each check has something to find.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/docs"
printf '## 1. One\n' >"$scratch/docs/SEMANTICS.md"
printf '[here](docs/SEMANTICS.md#one), [there](docs/gone.png), [away](https://example.org/x.md)\n' >"$scratch/README.md"
printf '// docs/SEMANTICS.md, SEMANTICS section 1, README.md; docs/lost.md, LOST.md and SEMANTICS section 2\n' >"$scratch/code.h"
printf 'SEMANTICS.md, OTHER.md\n' >"$scratch/docs/page.md"
expected='README.md links to docs/gone.png
code.h cites LOST.md
code.h cites docs/lost.md
code.h cites section 2 of docs/SEMANTICS.md
docs/page.md cites OTHER.md'
found=$(cd "$scratch" && missing README.md code.h docs/SEMANTICS.md docs/page.md)
if [ "$(LC_ALL=C sort <<<"$found")" != "$expected" ]; then
    printf 'the checks find\n%s\nin a tree that lacks\n%s\n' "$found" "$expected"
    exit 1
fi

mapfile -t files < <(git ls-files --cached --others --exclude-standard 2>/dev/null | grep -vx tests/docs/pages.sh)
if [ ${#files[@]} = 0 ]; then
    echo "git lists no files here" >&2
    exit 3
fi
found=$(missing "${files[@]}")
if [ -n "$found" ]; then
    printf 'missing:\n%s\n' "$found"
    exit 1
fi
echo "every page that is cited is there"
