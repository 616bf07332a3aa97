#!/usr/bin/env bash
# The wheel, made as tools/wheel.sh makes it, of the libraries that are installed already; it has what it needs inside, installs into
# an empty environment, and there the examples of README.md and docs/python.md print what they should.
. "$(dirname "$0")/common.sh"
unset PYTHONPATH VKONNX_LIBRARY

rm -rf "$VKONNX_WORK/wheel" "$VKONNX_WORK/empty" && mkdir -p "$VKONNX_WORK/models"
bash "$VKONNX_SOURCE/tools/wheel.sh" "$VKONNX_WORK/wheel"
wheel=$(find "$VKONNX_WORK/wheel" -name '*.whl')
[[ $(basename "$wheel") =~ ^vkonnx-[0-9.]+-py3-none-(manylinux_[0-9_]+|linux)_[a-z0-9_]+\.whl$ ]] || { echo "its name: $wheel" && exit 1; }

"$VKONNX_PYTHON" -m venv "$VKONNX_WORK/empty"
"$VKONNX_WORK/empty/bin/python" -m pip install --quiet --disable-pip-version-check "$wheel"
"$VKONNX_MODELS" "$VKONNX_WORK/models"
cd "$VKONNX_WORK" # not the source tree
"$VKONNX_WORK/empty/bin/python" "$VKONNX_SOURCE/tests/python/readme.py" "$VKONNX_WORK/models/antialias_half.onnx"
