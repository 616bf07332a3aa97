#!/usr/bin/env bash
# What the reference answers by Rules::onnxruntime, beside ONNX Runtime itself: 3000 random problems of AveragePool and ConvTranspose,
# the same ones each time. Every difference must be one that tools/compare_onnxruntime.py explains.
. "$(dirname "$0")/common.sh"

log=$VKONNX_WORK/rules-pip.log
if ! "$python" -m pip install --quiet --disable-pip-version-check --retries 2 onnxruntime >"$log" 2>&1; then
    echo "skipped: pip can't install onnxruntime: $(tail -n 1 "$log")"
    exit 77
fi
problems=$VKONNX_WORK/rules
rm -rf "$problems"
"$VKONNX_PROBLEMS" "$problems" 3000 1
"$python" "$VKONNX_SOURCE/tools/compare_onnxruntime.py" "$problems"
rm -rf "$problems"
