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

# The programs in examples.
example() { # name arguments...
    "$VKONNX_WORK/empty/bin/python" "$VKONNX_SOURCE/examples/$1.py" "${@:2}" 2>&1
}
expect() { # what it printed, what it should
    [ "$1" = "$2" ] || { printf 'an example printed:\n%s\nand should have printed:\n%s\n' "$1" "$2" && exit 1; }
}
half=$VKONNX_WORK/models/antialias_half.onnx
expect "$(example run_model "$half" X=1x3x8x8)" "Y: float32 (1, 3, 4, 4), from 0.208 to 0.84"
expect "$(example run_model "$half" || true)" "the model leaves the shape of X open: add X=1x3x224x224, for example"
expect "$(example stay_on_device "$half")" $'(1, 3, 8, 8)\n(1, 3, 4, 4)\n(1, 3, 2, 2)\n(1, 3, 1, 1)\n[127.5 383.5 639.5]'
