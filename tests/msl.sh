#!/usr/bin/env bash
# Every module becomes a program in Metal's language by SPIRV-Cross, as MoltenVK makes one on macOS. Left out are those that need what
# Metal lacks, doubles (*_f64), and those with cooperative matrices, which MoltenVK does not offer.
set -euo pipefail
if ! command -v spirv-cross >/dev/null; then
    echo "skipped: spirv-cross is not installed"
    exit 77
fi
mkdir -p "$VKONNX_WORK"
tried=0
failed=0
for module in "$VKONNX_MODULES"/*.spv; do
    name=${module##*/} name=${name%.spv}
    [[ $name != *_f64 && $name != implicit_gemm_matrices_* && $name != self_test_matrices_* ]] || continue
    tried=$((tried + 1))
    if ! spirv-cross --msl --msl-version 20200 --msl-argument-buffers "$module" --output "$VKONNX_WORK/program.metal" 2>"$VKONNX_WORK/log" ||
        ! grep -q '^kernel void main0(' "$VKONNX_WORK/program.metal"; then
        failed=$((failed + 1))
        echo "$name: $(tail -n 1 "$VKONNX_WORK/log")"
    fi
    rm -f "$VKONNX_WORK/program.metal"
done
echo "$tried modules, $failed of them do not become a program"
[ $tried != 0 ] && [ $failed = 0 ]
