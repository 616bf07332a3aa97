#!/usr/bin/env bash
# layout.sh SOURCE_DIR WORK_DIR CC VULKAN_INCLUDE: where the members of the structs of C lie, against layout.txt, which is what programs
# were compiled with: a line that changes or goes is another interface, and another soname. What is added at the end of a struct
# comes into the file by VKONNX_UPDATE_GOLDEN=1.
set -euo pipefail

source=$1 work=$2 compiler=$3 vulkan=$4
golden=$source/tests/c/layout.txt
case $(uname -m) in
x86_64 | aarch64 | riscv64) ;;
*) echo "skipped: layout.txt is of machines with pointers of 64 bits" && exit 77 ;;
esac

mkdir -p "$work"
{
    printf '#include <stddef.h>\n#include <stdio.h>\n#define VK_NO_PROTOTYPES\n'
    printf '#include <vkonnx/%s>\n' onnx.h vulkan.h
    printf '#define MEMBER(type, member) printf("%%s.%%s %%zu %%zu\\n", #type, #member, offsetof(type, member), sizeof(((type*)0)->member))\n'
    printf 'int main(void)\n{\n'
    sed 's|//.*||' "$source"/include/vkonnx/{vkonnx,onnx,vulkan}.h | awk '
        /^typedef struct [a-z_]+ \{/ { type = $3; next }
        /^\}/ { type = "" }
        type && /;/ {
            member = $0
            if (match(member, /\(\*[a-z_]+\)/))
                member = substr(member, RSTART + 2, RLENGTH - 3)
            else {
                sub(/(\[[0-9]+\])?;.*/, "", member)
                sub(/.*[ *]/, "", member)
            }
            printf "    MEMBER(%s, %s);\n", type, member
        }'
    printf '    return 0;\n}\n'
} >"$work/layout.c"
"$compiler" -std=c11 -I"$source/include" -isystem "$vulkan" "$work/layout.c" -o "$work/layout"
"$work/layout" >"$work/layout.txt"

[ "${VKONNX_UPDATE_GOLDEN:-}" != 1 ] || cp "$work/layout.txt" "$golden"
echo "$(wc -l <"$golden") members in layout.txt"
[ "$(wc -l <"$golden")" -ge 200 ] && diff "$golden" "$work/layout.txt"
