#!/usr/bin/env bash
# The package's own tests, on every device. Those of its scripts, of which some load all of ONNX's cases, and those of the doctor, which
# tries all devices itself, run once, unless in a full run.
. "$(dirname "$0")/common.sh"

left_out=(--ignore "$package/tests/test_onnx_backend.py") # ONNX's whole suite, which onnx.sh runs
for device in $(devices); do
    VKONNX_DEVICE=$device "$python" -m pytest -q -p no:cacheprovider --basetemp "$VKONNX_WORK/pytest" "${left_out[@]}" "$package/tests"
    [ -n "${VKONNX_TEST_FULL:-}" ] || left_out+=(--ignore "$package/tests/test_scripts.py" --ignore "$package/tests/test_doctor.py")
done
