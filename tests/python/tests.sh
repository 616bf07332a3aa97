#!/usr/bin/env bash
# The package's own tests, on every device.
. "$(dirname "$0")/common.sh"

for device in $(devices); do
    VKONNX_DEVICE=$device "$python" -m pytest -q -p no:cacheprovider --basetemp "$VKONNX_WORK/pytest" --ignore "$package/tests/test_onnx_backend.py" "$package/tests"
done
