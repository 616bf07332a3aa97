#!/usr/bin/env bash
# Whole models, our own and those of other people, against ONNX Runtime, on every device. Those whose wheels pip can't fetch are left
# out, with the reason; large ones only where VKONNX_MODELS_ALL is set, since a software driver takes minutes for them.
. "$(dirname "$0")/common.sh"

log=$VKONNX_WORK/models-pip.log
if ! "$python" -m pip install --quiet --disable-pip-version-check --retries 2 onnxruntime >"$log" 2>&1 ||
    ! "$python" -m pip install --quiet --disable-pip-version-check --retries 2 --no-deps rapidocr-onnxruntime==1.4.4 >"$log" 2>&1; then
    echo "skipped: pip can't install onnxruntime and rapidocr-onnxruntime 1.4.4: $(tail -n 1 "$log")"
    exit 77
fi
# Its tests that run ONNX Runtime are left out by python_tests, whose environment may lack it.
"$python" -m pytest -q -p no:cacheprovider --basetemp "$VKONNX_WORK/pytest-packages" "$package/tests/test_packages.py"

names=(dcgan fsrcnn voice direction squeezenet shufflenet)
largest=(detection recognition) # on the last device alone, but for a full run: python_ocr reads with them on every device
[ -z "${VKONNX_MODELS_ALL:-}" ] || names=() largest=()
last=$(devices | tail -n 1)
for device in $(devices); do
    own=("${largest[@]}")
    [ "$device" = "$last" ] || [ -n "${VKONNX_TEST_FULL:-}" ] || own=()
    VKONNX_DEVICE=$device "$python" "$package/compare_models.py" "${names[@]}" "${own[@]}"
done

# As folders they are cases of vkonnx-test: a file and its answer each.
rm -rf "$VKONNX_WORK/written"
"$python" "$package/compare_models.py" --write "$VKONNX_WORK/written" dcgan fsrcnn direction
"$VKONNX_TEST" --all-devices --atol 1e-4 "$VKONNX_WORK/written"
