#!/usr/bin/env bash
# Installs what is needed, builds, and shows what vkonnx does: it halves a picture that is made to alias with an AveragePool
# and doubles it again with a ConvTranspose, both from ONNX files. The pictures land in build/demo.
set -euo pipefail
cd "$(dirname "$0")/.."

bash tools/setup.sh

launcher=()
if command -v ccache >/dev/null; then
    launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release "${launcher[@]}"
cmake --build build --target vkonnx-cli vkonnx-demo vkonnx-models

mkdir -p build/demo
build/bin/vkonnx-models build/demo
build/bin/vkonnx-demo build/demo
