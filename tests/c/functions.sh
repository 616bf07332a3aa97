#!/usr/bin/env bash
# functions.sh SOURCE_DIR OBJECT;OBJECT...: the functions that the headers of C declare, those that the libraries may export and those
# that the tests in C call are the same.
set -euo pipefail

source=$1
IFS=';' read -ra objects <<<"$2"
command -v nm >/dev/null || { echo "skipped: this check reads object files with nm" && exit 77; }

# declared HEADERS...
declared() { sed -n 's/^VKONNX_\(ONNX_\)\?C_API .*[ *]\(vkonnx_[a-z0-9_]*\)(.*/\2/p' "$@" | sort; }
exported() { sed -n 's/^ *\(vkonnx_[a-z0-9_]*\);$/\1/p' "$@" | sort; }
called() { nm -u "$@" | sed -n 's/.* U _\?\(vkonnx_[a-z0-9_]*\)$/\1/p' | sort -u; }

problems=0
# same WHAT LEFT OTHER RIGHT
same() {
    diff <(echo "$2") <(echo "$4") >/dev/null && return
    echo "PROBLEM: $1 and $3 differ:"
    diff <(echo "$2") <(echo "$4") | grep '^[<>]' || true
    problems=$((problems + 1))
}
headers=$source/include/vkonnx
core=$(declared "$headers/vkonnx.h" "$headers/vulkan.h")
models=$(declared "$headers/onnx.h")
same "vkonnx.h and vulkan.h" "$core" "src/c/exports.map" "$(exported "$source/src/c/exports.map")"
same "onnx.h" "$models" "src/c/onnx/exports.map" "$(exported "$source/src/c/onnx/exports.map")"
same "the headers" "$(printf '%s\n' "$core" "$models" | sort)" "what the tests call" "$(called "${objects[@]}")"
same "vkonnx.h, by its words" "$(sed 's|//.*||' "$headers"/*.h | grep -o 'vkonnx_[a-z0-9_]*(' | tr -d '(' | sort -u)" \
    "its declarations" "$(printf '%s\n' "$core" "$models" | sort)"
echo "$(wc -l <<<"$core") functions of vkonnx.h and vulkan.h, $(wc -l <<<"$models") of onnx.h: declared, exported and called"
[ $problems = 0 ]
