#!/usr/bin/env bash
# The plug-in in ONNX Runtime: its own tests, and ONNX's node cases through it, on lavapipe. A full run also takes the cases on every
# device, and all of it in the oldest ONNX Runtime that the plug-in takes.
. "$(dirname "$0")/common.sh"

[ -f "${VKONNX_PLUGIN:-}" ] || { echo "skipped: the plug-in is not built, see bring_onnxruntime_headers in tools/configure.sh" && exit 77; }
folder=$VKONNX_SOURCE/tools/onnxruntime_ep
export PYTHONPATH=$folder VKONNX_ONNXRUNTIME_LIBRARY=$VKONNX_PLUGIN VKONNX_ONNXRUNTIME_SOFTWARE=1 VKONNX_CACHE_DIR=

try() { # PYTHON DEVICE...: the tests, then the cases on each device
    local device passed
    "$1" -m pytest -q -p no:cacheprovider --basetemp "$VKONNX_WORK/pytest-onnxruntime" "$folder/tests"
    for device in "${@:2}"; do
        VKONNX_EP_DEVICE=$device "$1" -W ignore "$folder/official_cases.py" 2>/dev/null | tee "$VKONNX_WORK/provider.log"
        passed=$(sed -n 's/.* cases, \([0-9]*\) passed, 0 failed.*/\1/p' "$VKONNX_WORK/provider.log")
        [ "${passed:-0}" -ge "$least" ] || { echo "$device: $passed passed, expected are at least $least" && exit 1; }
    done
}

if ! "$python" -m pip install --quiet --disable-pip-version-check --retries 2 onnxruntime >"$VKONNX_WORK/log" 2>&1; then
    echo "skipped: pip can't install onnxruntime: $(tail -n 1 "$VKONNX_WORK/log")"
    exit 77
fi
"$python" -m pip list --disable-pip-version-check 2>/dev/null | grep '^onnxruntime '
shown=$(nm -D --defined-only "$VKONNX_PLUGIN" | awk '{print $3}' | sort | xargs)
[ "$shown" = "CreateEpFactories ReleaseEpFactory" ] || { echo "the plug-in shows others: $shown" && exit 1; }

# The example in C is linked with the library in ONNX Runtime's own wheel, under the name that programs know it by.
example=$VKONNX_WORK/example-onnxruntime
mkdir -p "$example"
ln -sf "$(find "$VKONNX_WORK/venv" -name 'libonnxruntime.so.*' | head -n 1)" "$example/libonnxruntime.so.1"
${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror -isystem "$VKONNX_HEADERS" "$VKONNX_SOURCE/examples/run_in_onnxruntime.c" \
    "$example/libonnxruntime.so.1" -Wl,-rpath,"$example" -o "$example/run"
(cd "$folder/tests" && "$python" -c "import sys, test_provider; open(sys.argv[1], 'wb').write(test_provider.network())" "$example/network.onnx")
printed=$("$example/run" "$VKONNX_PLUGIN" "$example/network.onnx" 2>&1)
[[ $printed =~ ^(llvmpipe|SwiftShader)[^$'\n']*$'\n''y: 1x5'$ ]] || { echo "the example printed: $printed" && exit 1; }
least=1534
if [ -z "${VKONNX_TEST_FULL:-}" ]; then
    try "$python" llvmpipe
    exit
fi
try "$python" llvmpipe SwiftShader

# The oldest ONNX Runtime, in an environment of its own, with the plug-in from the wheel that others install.
wheel_python=$VKONNX_WORK/oldest/bin/python
[ -x "$wheel_python" ] || "$VKONNX_PYTHON" -m venv "$VKONNX_WORK/oldest"
VKONNX_INSTALLED=${VKONNX_INSTALLED%/shared}/static bash "$VKONNX_SOURCE/tools/wheel.sh" --onnxruntime "$VKONNX_WORK/wheel-onnxruntime"
unset VKONNX_ONNXRUNTIME_LIBRARY PYTHONPATH
"$wheel_python" -m pip install --quiet --disable-pip-version-check onnxruntime==1.23.2 'onnx==1.23.*' pytest "$VKONNX_WORK"/wheel-onnxruntime/*.whl
"$wheel_python" -m pytest -q -p no:cacheprovider --basetemp "$VKONNX_WORK/pytest-onnxruntime" "$folder/tests"
