#!/usr/bin/env bash
# The schemas of the library, as `vkonnx operators` tells them, are those of the onnx package, but for what schemas.py lists.
. "$(dirname "$0")/common.sh"

"$VKONNX_CLI" operators --json >"$VKONNX_WORK/operators.json"
"$python" "$(dirname "$0")/schemas.py" "$VKONNX_WORK/operators.json"
