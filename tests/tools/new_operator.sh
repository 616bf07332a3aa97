#!/usr/bin/env bash
# What tools/new.py writes: it compiles in each of its files, and its kernel and its reference differ, so that the operator's cases fail
# until both are written. Bad names change nothing.
set -euo pipefail

rm -rf "$VKONNX_WORK" "$VKONNX_WORK.before" && mkdir -p "$VKONNX_WORK/tests" "$VKONNX_WORK.before"
cp -r "$VKONNX_SOURCE"/{include,src,shaders,tools} "$VKONNX_WORK"
cp -r "$VKONNX_SOURCE"/tests/{kit,cases} "$VKONNX_WORK/tests"
cd "$VKONNX_WORK"
problems=0
refuses() { # SENTENCE ARGUMENT...
    local sentence=$1 said
    shift
    if said=$(python3 tools/new.py "$@" 2>&1) || [ "$said" != "new.py: $sentence" ]; then
        problems=$((problems + 1)) && echo "$* says: $said"
    fi
}
refuses "it takes 'elementwise NAME [VERSION...]'" kernel Conv
refuses "NAME is 'tree', but ONNX's names begin with a capital and have letters and digits, such as Softsign" elementwise tree
refuses "VERSION is '7.5', but versions are whole numbers from 1 on" elementwise Tree 7.5
refuses "the versions 9 7 must ascend" elementwise Tree 9 7
refuses "there is an elementwise operator Relu already" elementwise Relu
# It does not find its last place in this file, and leaves all files as they are.
sed -i 's/        return a;/        return (a);/' tests/kit/reference_elementwise.cpp
cp -r include src shaders tests tools "$VKONNX_WORK.before"
if said=$(python3 tools/new.py elementwise TreeRing 9 22 2>&1) || [[ $said != *"reference_elementwise.cpp has no place like"* ]]; then
    problems=$((problems + 1)) && echo "a file that was changed: $said"
fi
for folder in include src shaders tests; do
    diff -rq "$VKONNX_WORK.before/$folder" $folder || problems=$((problems + 1))
done
rm -rf "$VKONNX_WORK.before"
cp "$VKONNX_SOURCE/tests/kit/reference_elementwise.cpp" tests/kit

python3 tools/new.py elementwise TreeRing 9 22 >/dev/null
changed=$(diff -rq "$VKONNX_SOURCE" . | sed -n 's/^Files .* and \.\/\(.*\) differ$/\1/p' | sort | tr '\n' ' ' || true)
expected="include/vkonnx/operators/elementwise.hpp shaders/elementwise.glsl shaders/shared/elementwise_kinds.h src/ops/elementwise.cpp tests/cases/elementwise.txt tests/kit/reference_elementwise.cpp "
[ "$changed" = "$expected" ] || { problems=$((problems + 1)) && echo "changed: $changed"; }
for source in src/ops/elementwise.cpp tests/kit/reference_elementwise.cpp; do
    "$CXX" -std=c++20 -Wall -Wextra -Werror -fsyntax-only -Iinclude -Isrc -Itests "$source" || problems=$((problems + 1))
done
"$VKONNX_GLSLANG" --quiet -V --target-env vulkan1.1 -DTYPE_f64_soft -Ishaders -o module.spv shaders/elementwise.comp || problems=$((problems + 1))
grep -A2 '^Real tree_ring_of' shaders/elementwise.glsl | grep -q 'return a;' || { problems=$((problems + 1)) && echo "the kernel has no place to fill"; }
grep -A1 'case Kind::tree_ring:  // TODO' tests/kit/reference_elementwise.cpp | grep -q 'return zero;' ||
    { problems=$((problems + 1)) && echo "the reference has no place to fill"; }
[ $problems = 0 ]
