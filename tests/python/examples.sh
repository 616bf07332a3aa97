#!/usr/bin/env bash
# Programs of examples that fetch a model, on the first device, as a user calls them. python_ocr has read_text.py. Those whose packages
# pip can't fetch are left out, with the reason.
. "$(dirname "$0")/common.sh"

log=$VKONNX_WORK/examples-pip.log
if ! "$python" -m pip install --quiet --disable-pip-version-check --retries 2 pillow >"$log" 2>&1; then
    echo "skipped: pip can't install pillow: $(tail -n 1 "$log")"
    exit 77
fi
out=$VKONNX_WORK/examples
rm -rf "$out" && mkdir -p "$out"

# What a program prints. Where pip can't bring a package, nothing, and the reason.
example() { # name arguments...
    if ! "$python" "$VKONNX_SOURCE/examples/$1.py" --folder "$VKONNX_WORK/packages" "${@:2}" >"$out/log" 2>&1; then
        cat "$out/log" >&2
        grep -q "^$1: pip can't bring" "$out/log" || exit 1
        return
    fi
    cat "$out/log"
}
expect() { # what it printed, a line that must be in it
    [ -z "$1" ] || grep -qE -- "$2" <<<"$1" || { printf 'an example printed:\n%s\nwithout a line of the form %s\n' "$1" "$2" && exit 1; }
}

# Vowels of three syllables, each of 0.22 s, with a pause as long behind them.
"$python" - "$out/sound.wav" <<'END'
import pathlib, sys, wave
import sample_inputs
with wave.open(sys.argv[1], "wb") as file:
    file.setparams((1, 2, sample_inputs.SPEECH_RATE, 0, "NONE", ""))
    file.writeframes((32767 * sample_inputs.speech(16000)).astype("<i2").tobytes())
END
said=$(example voice_activity "$out/sound.wav" --out "$out/voice.png")
expect "$said" '^speech from 0\.[0-9]+ s to 0\.[67][0-9] s$'
expect "$said" '^speech from 0\.[89][0-9] s to '
[ -z "$said" ] || [ -s "$out/voice.png" ]

mkdir "$out/pages"
cat >"$out/pages/page.md" <<'END'
# Food

Bread is baked of flour and water, and eaten warm, with butter, by those who like it.

# Weather

When clouds are dark and the wind gets strong, people take an umbrella with them.
END
said=$(example search "what do I need on a rainy day" --pages "$out/pages" --count 1)
expect "$said" '^0\.[0-9]+  page.md: Weather$'
