#!/usr/bin/env bash
# ONNX's backend suite, unmodified, on every device by vkonnx.backend; then the same cases as folders by vkonnx-test. Both pass the
# same number of cases on all of them.
. "$(dirname "$0")/common.sh"

for device in $(devices); do
    VKONNX_DEVICE=$device "$python" "$package/onnx_suite.py" | tee "$VKONNX_WORK/suite-$device.log"
done
rm -rf "$VKONNX_WORK/cases"
"$python" "$package/write_onnx_cases.py" "$VKONNX_WORK/cases"
"$VKONNX_TEST" --all-devices "$VKONNX_WORK"/cases/* >"$VKONNX_WORK/folders.log" || { tail -n 40 "$VKONNX_WORK/folders.log" && exit 1; }
tail -n 1 "$VKONNX_WORK/folders.log"

passed=$(sed -n 's/.* cases, \([0-9]*\) passed, 0 failed.*/\1/p' "$VKONNX_WORK"/suite-*.log | sort -u)
echo "passed on each device: $passed"
[ "$(wc -w <<<"$passed")" = 1 ] && [ "$passed" -ge 609 ]
