#!/usr/bin/env bash
# The text of the demo's picture, found and read by the three models of PP-OCRv4 on every device: all of what was drawn, and the
# same by ONNX Runtime. On the first device examples/read_text.py reads it, too, by PP-OCRv6. Skipped where pip can't fetch the models,
# or without the font.
. "$(dirname "$0")/common.sh"

log=$VKONNX_WORK/ocr-pip.log
pip=("$python" -m pip install --quiet --disable-pip-version-check --retries 2)
if ! "${pip[@]}" onnxruntime pillow >"$log" 2>&1 || ! "${pip[@]}" --no-deps rapidocr-onnxruntime==1.4.4 >"$log" 2>&1; then
    echo "skipped: pip can't install onnxruntime, pillow and rapidocr-onnxruntime 1.4.4: $(tail -n 1 "$log")"
    exit 77
fi
if [ -z "$(find /usr/share/fonts /usr/local/share/fonts -name DejaVuSerif-Bold.ttf 2>/dev/null)" ]; then
    echo "skipped: there is no font DejaVuSerif-Bold.ttf: the package fonts-dejavu-core brings it"
    exit 77
fi

label='EXPRESS PARCEL
from Vulkan Works
ONNX House
FRAGILE
Tensor Street 48
2.75 kg
Parcel 3 of 7
This side up'
out=$VKONNX_WORK/ocr
for device in $(devices); do
    rm -rf "$out"
    VKONNX_DEVICE=$device "$python" "$package/read_text.py" --once --compare --out "$out"
    diff "$out/read.txt" - <<<"$label" || { echo "device $device reads other text" && exit 1; }
    # Both are pictures, the second with a panel beside the first.
    "$python" -c 'import sys; from PIL import Image; a, b = map(Image.open, sys.argv[1:]); assert a.width < b.width' \
        "$out/picture.png" "$out/read.png"
done

example=("$python" "$VKONNX_SOURCE/examples/read_text.py" --folder "$VKONNX_WORK/packages" --out "$out/newer.png")
if ! "${example[@]}" >"$log" 2>&1; then
    cat "$log"
    grep -q "^read_text: pip can't bring rapidocr" "$log" || exit 1
else
    diff <(sed -e 1,2d -e '$d' "$log") - <<<"$label" || { echo "examples/read_text.py reads other text" && exit 1; }
    [ -s "$out/newer.png" ]
fi

# What can't be read, and what is missing, are sentences.
fails() { # exit code, part of the sentence, arguments...
    local code=0
    "$python" "$package/read_text.py" "${@:3}" >"$log" 2>&1 || code=$?
    if [ "$code" != "$1" ] || [ "$(wc -l <"$log")" != 1 ] || ! grep -qF -- "$2" "$log"; then
        cat "$log" && echo "exit code $code" && exit 1
    fi
}
fails 3 "read_text: there is no ch_PP-OCRv4_det_infer.onnx in $out" --models "$out" --out "$out"
fails 3 "no-such.png" --picture "$out/no-such.png" --out "$out"
fails 3 "cannot identify image file" --picture "$out/read.txt" --out "$out"
