#!/usr/bin/env bash
# official_cases.sh DATA: prints the folders of ONNX's backend test data in the folder DATA that run here, a line each. Of each operator
# these are the folders of nodes that bear its name, with or without underscores between its words, and end there or go on with an
# underscore. official_cases.txt adds others, and takes some away.
set -euo pipefail
data=$1
cd "$(dirname "$0")/../.."

names() {
    grep -ohE '\{[A-Za-z]+Kind::[a-z0-9_]+, "[A-Za-z0-9]+"\}|string_view name = "[A-Za-z]+";' include/vkonnx/operators/*.hpp |
        sed -E 's/.*"(.*)".*/\1/; p; s/([a-z])([A-Z])/\1_\2/g' | tr '[:upper:]' '[:lower:]'
}

folders() { # of the globs that it reads
    while read -r glob; do
        for folder in "$data"/$glob; do
            [ ! -d "$folder" ] || printf '%s\n' "$folder"
        done
    done | LC_ALL=C sort -u
}

LC_ALL=C comm -23 <({ names | sed 's|.*|node/test_&\nnode/test_&_*|'; grep '^[^#!]' tests/tools/official_cases.txt; } | folders) \
    <(sed -n 's/^!//p' tests/tools/official_cases.txt | folders)
