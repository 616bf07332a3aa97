#!/usr/bin/env bash
# What tools/new.py writes: it compiles in each of its files, and its kernel (of a composite, its operators) and its reference differ, so
# that the operator's cases and the composite's test fail until both are written. A kernel that it adds to an operator fits no case until
# it is written, which unit_kit refuses. Bad names change nothing.
set -euo pipefail

rm -rf "$VKONNX_WORK" "$VKONNX_WORK.before" && mkdir -p "$VKONNX_WORK/tests" "$VKONNX_WORK.before"
cp -r "$VKONNX_SOURCE"/{CMakeLists.txt,docs,include,src,shaders,tools} "$VKONNX_WORK"
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
usage="it takes 'elementwise NAME [VERSION...]', 'operator NAME FAMILY [VERSION...]', 'composite NAME FAMILY [VERSION...]' or 'kernel OPERATOR HOW'"
refuses "$usage" kernel Conv
refuses "$usage" operator TreeRing
refuses "FAMILY is 'tree', but there is no include/vkonnx/operators/tree.hpp" operator TreeRing tree
refuses "there is an operator Gather already" operator Gather movement
refuses "there is a file src/ops/pool.cpp already" operator Pool pooling
refuses "NAME is 'tree', but ONNX's names begin with a capital and have letters and digits, such as Softsign" elementwise tree
refuses "VERSION is '7.5', but versions are whole numbers from 1 on" elementwise Tree 7.5
refuses "the versions 9 7 must ascend" elementwise Tree 9 7
refuses "there is an elementwise operator Relu already" elementwise Relu
refuses "OPERATOR is 'Shape', but shaders/CMakeLists.txt has no kernels of such an operator" kernel Shape rows
refuses "HOW is 'Rows', but names of kernels are of lower case letters, digits and '_', such as rows" kernel LRN Rows
refuses "HOW is 'transpose_rows', but conv_transpose_rows would be named like a kernel of another operator" kernel Conv transpose_rows
refuses "there is a kernel gemm_shared of Conv already" kernel Conv gemm_shared
refuses "FAMILY is 'tree', but there is no src/graph/composites/tree.h with structs of composites" composite TreeRing tree
refuses "FAMILY is 'cache', but there is no src/graph/composites/cache.h with structs of composites" composite TreeRing cache com.microsoft
refuses "there is a composite Trilu already" composite Trilu movement
refuses "there is a file src/graph/composites/fourier.cpp already" composite Fourier signals 7
# It does not find its last place in this file, and leaves all files as they are.
sed -i 's/        return a;/        return (a);/' tests/kit/reference_elementwise.cpp
cp -r docs include src shaders tests tools "$VKONNX_WORK.before"
if said=$(python3 tools/new.py elementwise TreeRing 9 22 2>&1) || [[ $said != *"reference_elementwise.cpp has no place like"* ]]; then
    problems=$((problems + 1)) && echo "a file that was changed: $said"
fi
for folder in docs include src shaders tests; do
    diff -rq "$VKONNX_WORK.before/$folder" $folder || problems=$((problems + 1))
done
rm -rf "$VKONNX_WORK.before"
cp "$VKONNX_SOURCE/tests/kit/reference_elementwise.cpp" tests/kit

python3 tools/new.py elementwise TreeRing 9 22 >/dev/null
changed=$(diff -rq "$VKONNX_SOURCE" . | sed -n 's/^Files .* and \.\/\(.*\) differ$/\1/p' | sort | tr '\n' ' ' || true)
expected="include/vkonnx/operators/elementwise.hpp shaders/library/elementwise_kinds.h shaders/operators/elementwise/elementwise.glsl src/ops/elementwise.cpp tests/cases/elementwise.txt tests/kit/reference_elementwise.cpp "
[ "$changed" = "$expected" ] || { problems=$((problems + 1)) && echo "changed: $changed"; }
for source in src/ops/elementwise.cpp tests/kit/reference_elementwise.cpp; do
    "$CXX" -std=c++20 -Wall -Wextra -Werror -fsyntax-only -Iinclude -Isrc -Itests "$source" || problems=$((problems + 1))
done
"$VKONNX_GLSLANG" --quiet -V --target-env vulkan1.1 -DTYPE_f64_soft -I. -o module.spv shaders/operators/elementwise/elementwise.comp || problems=$((problems + 1))
grep -A2 '^Real tree_ring_of' shaders/operators/elementwise/elementwise.glsl | grep -q 'return a;' || { problems=$((problems + 1)) && echo "the kernel has no place to fill"; }
grep -A1 'case Kind::tree_ring:  // TODO' tests/kit/reference_elementwise.cpp | grep -q 'return zero;' ||
    { problems=$((problems + 1)) && echo "the reference has no place to fill"; }

# An operator with a kernel of its own, and one more kernel of each of two operators: ConvTranspose has several by now, and LRN one, so
# that what its kernels are told moves to a header. CMake writes the headers that name their modules.
python3 tools/new.py operator LeafVein reduction 9 22 >/dev/null
python3 tools/new.py kernel ConvTranspose leaves >/dev/null
python3 tools/new.py kernel LRN leaves >/dev/null
python3 tools/new.py composite RootHair movement 13 20 >/dev/null
python3 tools/new.py composite PineCone microsoft com.microsoft >/dev/null
cmake -S . -B build -DVKONNX_ONNX=OFF -DVKONNX_C=OFF -DVKONNX_TOOLS=OFF -DVKONNX_TESTS=OFF -DVKONNX_INSTALL=OFF >/dev/null
for source in src/ops/leaf_vein.cpp src/plan/operators/leaf_vein/leaf_vein.cpp tests/kit/{reference,draw}_leaf_vein.cpp \
    src/plan/operators/{conv_transpose/leaves,lrn/{leaves,lrn}}.cpp src/graph/composites/{root_hair,pine_cone}.cpp \
    tests/kit/reference_root_hair.cpp tests/gpu/root_hair_test.cpp; do
    "$CXX" -std=c++20 -Wall -Wextra -Werror -fsyntax-only -Iinclude -Isrc -Itests -I. -Ibuild/shaders/generated \
        -iquote "$VKONNX_SOURCE/tests/gpu" -I"$VKONNX_SOURCE/tests" "$source" ||
        problems=$((problems + 1))
done
for module in leaf_vein/leaf_vein:{f32,f16,bf16,f64,f64_soft} lrn/lrn_leaves:{f32,f16,bf16}; do
    "$VKONNX_GLSLANG" --quiet -V --target-env vulkan1.1 -DTYPE_"${module#*:}" -I. -o module.spv "shaders/operators/${module%:*}.comp" ||
        problems=$((problems + 1))
done
for place in 'include/vkonnx/operators.hpp , LeafVein> {' 'src/ops/geometry.h schema_of(const LeafVein&);' \
    'src/plan/operators/operators.h kernels_for(const ops::LeafVeinGeometry& geometry' 'shaders/CMakeLists.txt vkonnx_shaders(leaf_vein LeafVein)' \
    'tests/kit/operators.h {"leaf_vein", draw_leaf_vein},' 'tests/cases/leaf_vein.txt opset=9 ' \
    'shaders/operators/leaf_vein/leaf_vein.comp return x_at(index - push.x_base);  // TODO' 'tests/kit/reference_leaf_vein.cpp answers.push_back({});  // TODO' \
    'src/plan/operators/lrn/leaves.cpp return "it is not written yet";  // TODO' 'src/plan/operators/lrn/lrn.cpp kernels[] = {&leaves, &kernel};' \
    'src/plan/operators/conv_transpose/problem.h extern const KernelOf<Problem> leaves;' \
    'src/plan/operators/conv_transpose/conv_transpose.cpp &leaves, &depthwise,' 'shaders/CMakeLists.txt vkonnx_kernel(lrn_leaves ${type} lrn_leaves)' \
    'docs/kernels.md | `conv_transpose_leaves` | TODO' 'src/graph/composites.h , RootHair, PineCone>;' \
    'src/graph/composites/root_hair.cpp root_hair_versions[] = {13, 20};' 'src/graph/composites/pine_cone.cpp contrib("PineCone", ' \
    'tests/kit/reference_composites.cpp {"RootHair", reference_root_hair},' 'tests/gpu/pine_cone_test.cpp .is_microsoft = true,'; do
    grep -qF "${place#* }" "${place%% *}" || { problems=$((problems + 1)) && echo "there is no ${place#* } in ${place%% *}"; }
done
[ $problems = 0 ]
