#!/usr/bin/env bash
# Cooperative matrices without a GPU: builds with the glslang and runs the tests on the lavapipe of Debian testing, in a folder of their
# own, since stable releases have neither. The arguments go to gpu_test; without any, all of ConvTranspose is run, by every kernel.
#
#   bash tools/newer_mesa.sh [--gtest_filter=...]
#
# Its validation layer also checks every access in the shaders, texel buffers included; that takes seconds a pipeline:
#
#   VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT bash tools/newer_mesa.sh --gtest_filter='Validation.*:cases/*.plain*'
#
# Needs root, and 1 GB below VKONNX_MESA (default ~/.cache/vkonnx/mesa); nothing of the host is mounted there, so that removing the
# folder can't reach the host.
set -euo pipefail
cd "$(dirname "$0")/.."
root=${VKONNX_MESA:-$HOME/.cache/vkonnx/mesa}
build=${VKONNX_MESA_BUILD:-build-newer-mesa}
. tools/configure.sh

if [ ! -d "$root/usr" ]; then
    command -v mmdebstrap >/dev/null || apt-get install -q -y mmdebstrap
    mkdir -p "$(dirname "$root")"
    # What an interrupted call has left would be taken for the system. A mirror that lags behind is as good as any.
    rm -rf "$root.part"
    mmdebstrap --variant=apt --aptopt='Acquire::Check-Valid-Until "false"' \
        --include=mesa-vulkan-drivers,libvulkan1,vulkan-validationlayers,glslang-tools,spirv-tools testing "$root.part" "$(debian_mirror)"
    mv "$root.part" "$root"
fi

# The shader tools run here, by their own libraries.
tools=$root/shader-tools
mkdir -p "$tools"
for tool in glslangValidator spirv-opt spirv-val; do
    printf '#!/bin/sh\nexec "%s"/lib64/ld-linux-x86-64.so.2 --library-path "%s"/usr/lib/x86_64-linux-gnu "%s"/usr/bin/%s "$@"\n' \
        "$root" "$root" "$root" "$tool" >"$tools/$tool"
    chmod +x "$tools/$tool"
done
use_ccache
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DVKONNX_TESTS=ON -DVKONNX_TOOLS=ON -DVKONNX_WERROR=ON "${launcher[@]}" \
    -DVKONNX_GLSLANG="$tools/glslangValidator" -DVKONNX_SPIRV_OPT="$tools/spirv-opt" -DVKONNX_SPIRV_VAL="$tools/spirv-val"
cmake --build "$build" --target gpu_test vkonnx-cli vkonnx-bench

# The tests look for their cases where they were built.
work=$root$PWD
rm -rf "$work"
mkdir -p "$work"
cp -a tests shaders "$build/bin" "$work"
inside() {
    chroot "$root" /usr/bin/env -C "$PWD" VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/lvp_icd.json "$@"
}
inside bin/vkonnx devices
if [ $# -eq 0 ]; then
    set -- "--gtest_filter=*onv_transpose*:*ConvTranspose*:Epilogue.*:Fusion.*:Features.*"
fi
inside bin/gpu_test "$@"
