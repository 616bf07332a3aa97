#!/usr/bin/env bash
# ONNX's backend suite, unmodified, on every device by vkonnx.backend, which passes the same number of cases on all of them. In a full
# run the same cases are also run as folders by vkonnx-test. By default that runs the cases of libonnx-testdata alone (tools/test.sh).
. "$(dirname "$0")/common.sh"

for device in $(devices); do
    VKONNX_DEVICE=$device "$python" "$package/onnx_suite.py" | tee "$VKONNX_WORK/suite-$device.log"
done
if [ -n "${VKONNX_TEST_FULL:-}" ]; then
    rm -rf "$VKONNX_WORK/cases"
    "$python" "$package/write_onnx_cases.py" "$VKONNX_WORK/cases"
    "$VKONNX_TEST" --all-devices "$VKONNX_WORK"/cases/* >"$VKONNX_WORK/folders.log" || { tail -n 40 "$VKONNX_WORK/folders.log" && exit 1; }
    tail -n 1 "$VKONNX_WORK/folders.log"
fi

passed=$(sed -n 's/.* cases, \([0-9]*\) passed, 0 failed.*/\1/p' "$VKONNX_WORK"/suite-*.log | sort -u)
echo "passed on each device: $passed"
[ "$(wc -w <<<"$passed")" = 1 ] && [ "$passed" -ge 1853 ]
