#!/usr/bin/env bash
# VKONNX_OPERATORS, VKONNX_TYPES and VKONNX_MODULES as CMake takes them: what is wrong is refused by a sentence, and what is right
# builds in the modules that it needs and no others.
set -euo pipefail

rm -rf "$VKONNX_WORK" && mkdir -p "$VKONNX_WORK"
problems=0
configure() { # argument...
    cmake -S "$VKONNX_SOURCE" -B "$VKONNX_WORK/build" -DVKONNX_ONNX=OFF -DVKONNX_C=OFF -DVKONNX_TOOLS=OFF -DVKONNX_TESTS=OFF \
        -DVKONNX_INSTALL=OFF "$@" 2>&1
}

# refuses SENTENCE ARGUMENT...: CMake breaks the lines of its messages.
refuses() {
    local sentence=$1 output
    shift
    if output=$(configure "$@"); then
        problems=$((problems + 1)) && echo "accepted: $*"
    elif [[ $(tr -s ' \n' ' ' <<<"$output") != *"$sentence"* ]]; then
        problems=$((problems + 1)) && echo "$* is refused otherwise: $output"
    fi
}
refuses 'VKONNX_OPERATORS: there is no operator "Convolution"; there are Abs, Acos, Acosh, Add, And, ArgMax, ArgMin, Asin' \
    "-DVKONNX_OPERATORS=Conv;Convolution"
refuses 'VKONNX_TYPES: there is no type "float16"; there are f32, f16, bf16' -DVKONNX_OPERATORS= -DVKONNX_TYPES=float16
refuses 'VKONNX_OPERATORS and VKONNX_TYPES must be empty where VKONNX_TESTS is ON' -DVKONNX_TYPES=f16 -DVKONNX_ONNX=ON -DVKONNX_C=ON \
    -DVKONNX_TESTS=ON

# built_in KERNEL...: the library has these modules, beside those of the self-tests and of the probes.
built_in() {
    local source=$VKONNX_WORK/build/shaders/generated/vkonnx_kernels.cpp found
    found=$(sed -n 's/^#include "\(.*\)\.spv\.h"$/\1/p' "$source" | grep -v '^self_test\|^probe' | sort | tr '\n' ' ')
    [ "$found" = "$* " ] || { problems=$((problems + 1)) && echo "built in: $found, and not: $*"; }
}
configure "-DVKONNX_OPERATORS=Cast;LRN" "-DVKONNX_TYPES=bf16" -DVKONNX_TESTS=OFF >/dev/null
built_in cast_u16 cast_u32 cast_u64 cast_u8 lrn_bf16 lrn_f32 lrn_sums_f32 lrn_sums_sums1_bf16

refuses 'VKONNX_STRIP_SHADERS must be OFF where VKONNX_TESTS is ON' -DVKONNX_STRIP_SHADERS=ON -DVKONNX_ONNX=ON -DVKONNX_C=ON -DVKONNX_TESTS=ON
configure -DVKONNX_STRIP_SHADERS=OFF -DVKONNX_TESTS=OFF >/dev/null

# The modules of this build are taken and not compiled again; those of other shaders are refused.
rm -rf "$VKONNX_WORK/build"
configure -DVKONNX_MODULES="$VKONNX_MODULES" >/dev/null || { problems=$((problems + 1)) && echo "VKONNX_MODULES=$VKONNX_MODULES is refused"; }
if grep -rqF 'Compiling shader' "$VKONNX_WORK/build" || ! grep -rqF -e "-I$VKONNX_MODULES" "$VKONNX_WORK/build"; then
    problems=$((problems + 1)) && echo "with VKONNX_MODULES=$VKONNX_MODULES shaders are compiled, or its modules are not seen"
fi
other=$VKONNX_WORK/other_modules
mkdir "$other"
sed 's/set(made_of ./set(made_of x/' "$VKONNX_MODULES/modules.cmake" >"$other/modules.cmake"
refuses "VKONNX_MODULES is $other, whose modules.cmake must name the fingerprint of these shaders, " -DVKONNX_MODULES="$other"
refuses "and names nothing: build the target vkonnx_modules" -DVKONNX_MODULES="$VKONNX_WORK"
[ $problems = 0 ]
