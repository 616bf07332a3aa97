#!/usr/bin/env bash
# What tools/new.py writes: it compiles in each of its files, and its kernel and its reference differ, so that the operator's cases fail
# until both are written. Bad names change nothing.
set -euo pipefail

rm -rf "$VKONNX_WORK" && mkdir -p "$VKONNX_WORK/tests"
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
mv tests/cases/elementwise.txt kept.txt
sed '/kind: identity/d; s/case Kind::identity:/case Kind::other:/' tests/kit/reference_elementwise.cpp >reference.cpp
mv tests/kit/reference_elementwise.cpp kept.cpp && mv reference.cpp tests/kit/reference_elementwise.cpp
if python3 tools/new.py elementwise TreeRing 9 22 2>/dev/null || ! diff -rq "$VKONNX_SOURCE/include" include; then
    problems=$((problems + 1)) && echo "a file that new.py does not understand leaves others changed"
fi
mv kept.cpp tests/kit/reference_elementwise.cpp && mv kept.txt tests/cases/elementwise.txt

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
