#!/usr/bin/env bash
# Installs what is needed, builds, and shows what vkonnx does: it halves a picture that is made to alias with an AveragePool
# and doubles it again with a ConvTranspose, both from ONNX files. The pictures land in build/demo.
#
#   bash tools/demo.sh [--ocr [--picture FILE] [--compare] | --wheel FILE]
#
# --ocr goes on: it finds and reads the text of a picture that it draws, or of FILE, by the three models of PP-OCRv4, and writes
# build/demo/read.png. pip fetches them, NumPy and Pillow, and for --compare ONNX Runtime, which must read the same.
# Exit code 3: that can't be had.
# --wheel compiles nothing: it does the same in Python by a wheel of vkonnx, as tools/release.sh makes it, and writes build/demo/demo.png.
set -euo pipefail
here=$PWD
cd "$(dirname "$0")/.."

refuse() { echo "demo: $1" >&2 && exit "$2"; }
ocr= wheel=
options=()
packages=(numpy pillow)
while [ $# != 0 ]; do
    case $1 in
    --ocr) ocr=1 ;;
    --compare) options+=("$1") packages+=(onnxruntime) ;;
    --picture)
        [ $# -gt 1 ] || refuse "--picture needs a file" 2
        case $2 in /*) options+=("$1" "$2") ;; *) options+=("$1" "$here/$2") ;; esac
        shift
        ;;
    --wheel)
        [ $# -gt 1 ] || refuse "--wheel needs a file" 2
        case $2 in /*) wheel=$2 ;; *) wheel=$here/$2 ;; esac
        [ -f "$wheel" ] || refuse "--wheel $2: there is no such file" 2
        shift
        ;;
    *) refuse "there is no option $1, only --ocr, with --picture FILE and --compare, and --wheel FILE" 2 ;;
    esac
    shift
done
[ -n "$ocr" ] || [ ${#options[@]} = 0 ] || refuse "${options[0]} is an option of --ocr" 2

[ -z "$wheel" ] || [ -z "$ocr" ] || refuse "--wheel and --ocr exclude each other" 2

bash tools/setup.sh ${wheel:+--wheel}
mkdir -p build/demo
python=build/demo/venv/bin/python
if [ -n "$wheel" ]; then
    "${PYTHON:-python3}" -m venv build/demo/venv
    "$python" -m pip install --quiet --disable-pip-version-check "$wheel"
    "$python" -m vkonnx demo --out build/demo/demo.png
    exit
fi

. tools/configure.sh
if [ -n "$ocr" ]; then
    built=build
    configure
else
    # Only what it runs, because that builds in half the time.
    built=build/demo/build
    configure_in $built -DVKONNX_TESTS=OFF "-DVKONNX_OPERATORS=AveragePool;ConvTranspose" -DVKONNX_TYPES=f32
fi
cmake --build $built --target vkonnx-demo vkonnx-models ${ocr:+vkonnx_onnx_c}

$built/bin/vkonnx-models build/demo
$built/bin/vkonnx-demo build/demo
[ -n "$ocr" ] || exit 0

log=build/demo/pip.log
pip=("$python" -m pip install --quiet --disable-pip-version-check --retries 2)
"${PYTHON:-python3}" -m venv build/demo/venv >"$log" 2>&1 || refuse "python3 has no venv with pip, see $log" 3
"${pip[@]}" "${packages[@]}" >"$log" 2>&1 || refuse "pip can't install ${packages[*]}: $(tail -n 1 "$log")" 3
"${pip[@]}" --no-deps rapidocr-onnxruntime==1.4.4 >"$log" 2>&1 ||
    refuse "pip can't install rapidocr-onnxruntime 1.4.4, whose models these are: $(tail -n 1 "$log")" 3
VKONNX_LIBRARY=$PWD/build/src "$python" -B tools/python/read_text.py --out build/demo "${options[@]}"
echo "demo: build/demo/read.png shows what was read"
