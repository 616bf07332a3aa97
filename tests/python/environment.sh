#!/usr/bin/env bash
# Makes the environment that the other tests of Python run in. Without Python or PyPI they are skipped, with the reason.
set -euo pipefail

mkdir -p "$VKONNX_WORK"
rm -f "$VKONNX_WORK/ready"
if [ ! -x "$VKONNX_PYTHON" ] || ! "$VKONNX_PYTHON" -m venv "$VKONNX_WORK/venv" >"$VKONNX_WORK/log" 2>&1; then
    echo "skipped: there is no python3 with venv"
    exit 77
fi
if ! "$VKONNX_WORK/venv/bin/python" -m pip install --quiet --disable-pip-version-check --retries 2 \
    'onnx==1.23.*' ml_dtypes numpy pytest >"$VKONNX_WORK/log" 2>&1; then
    echo "skipped: pip can't install onnx 1.23, ml_dtypes, numpy and pytest: $(tail -n 1 "$VKONNX_WORK/log")"
    exit 77
fi
"$VKONNX_WORK/venv/bin/python" -m pip list --disable-pip-version-check 2>/dev/null | grep -E '^(onnx|ml_dtypes|numpy|pytest) '
touch "$VKONNX_WORK/ready"
