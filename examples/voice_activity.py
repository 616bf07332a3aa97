#!/usr/bin/env python3
"""Finds where somebody speaks in a sound, by silero-vad, which pip brings, and plots how likely it is over time.

    python3 examples/voice_activity.py [SOUND.wav] [--out voice.png]

Without a file, espeak-ng speaks some sentences with pauses between them. It takes vkonnx, NumPy and Pillow.
"""

import pathlib
import subprocess
import tempfile
import wave

import program

with program.one_sentence():
    import numpy as np
    import vkonnx
    from model_packages import SILERO_VAD, fetch_file
    from PIL import Image, ImageDraw, ImageFont

RATE = 16000  # samples a second, that the network is made for
FRAME, CONTEXT = 512, 64  # samples: that a probability stands for, and before them that the network sees, too
THRESHOLD = 0.5
SPOKEN = (
    "<speak>Vulkan runs on many devices. <break time='1500ms'/> Somebody has said nothing for a while,"
    " and speaks again now. <break time='1000ms'/> That was all.</speak>"
)
SIZE, MARGIN = (1000, 420), 40
INK, FAINT, WAVE, SPEECH, LIKELY = "#22262e", "#80858f", "#9aa4b5", "#d8ecd9", "#bc4c00"


def speak(file):
    try:
        subprocess.run(["espeak-ng", "-m", "-w", str(file), SPOKEN], check=True, capture_output=True)
    except FileNotFoundError:
        raise FileNotFoundError("there is no espeak-ng to speak: install it, or name a .wav file") from None
    except subprocess.CalledProcessError as error:
        raise OSError(f"espeak-ng does not speak: {error.stderr.decode(errors='replace').strip()}") from None


def read_sound(file):
    """float[samples], from -1 to 1, one channel at RATE."""
    try:
        with wave.open(str(file), "rb") as sound:
            if sound.getsampwidth() != 2:
                raise OSError(f"{file} has samples of {8 * sound.getsampwidth()} bits, and only those of 16 bits are read")
            samples = np.frombuffer(sound.readframes(sound.getnframes()), "<i2").reshape(-1, sound.getnchannels())
            rate = sound.getframerate()
    except (wave.Error, EOFError) as error:
        raise OSError(f"{file} is no .wav file that can be read: {error}") from None
    samples = samples.mean(axis=1) / 32768
    times = np.arange(int(len(samples) * RATE / rate)) / RATE
    return np.interp(times, np.arange(len(samples)) / rate, samples).astype(np.float32)


def probabilities_of(samples, session):
    """Of speech, for each frame. What the network remembers goes from one frame to the next."""
    frames = len(samples) // FRAME
    samples = np.concatenate([np.zeros(CONTEXT, np.float32), samples])
    state = np.zeros((2, 1, 128), np.float32)
    probabilities = np.empty(frames)
    for i in range(frames):
        frame = samples[i * FRAME : (i + 1) * FRAME + CONTEXT][None]
        result = session.run({"input": np.ascontiguousarray(frame), "state": state})
        probabilities[i], state = result["output"].item(), result["stateN"]
        if i % 16 == 15 or i + 1 == frames:
            print(f"\r{(i + 1) * FRAME / RATE:.1f} s of {len(samples) / RATE:.1f} s", end="", flush=True)
    print()
    return probabilities


def spans(probabilities):
    """From and to, in seconds, where speech is likelier than not."""
    speech = np.pad(probabilities > THRESHOLD, 1).astype(int)
    steps = np.diff(speech)
    return list(zip(np.nonzero(steps == 1)[0] * FRAME / RATE, np.nonzero(steps == -1)[0] * FRAME / RATE))


def plot(samples, probabilities):
    """The sound in grey, the probability above it, and the spans of speech behind both."""
    picture = Image.new("RGB", SIZE, "white")
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default()
    left, right, top, bottom = MARGIN, SIZE[0] - MARGIN // 2, MARGIN // 2, SIZE[1] - MARGIN
    seconds = max(len(samples) / RATE, 1e-3)

    def x(time):
        return left + (right - left) * time / seconds

    def y(probability):
        return bottom - (bottom - top) * probability

    for begin, end in spans(probabilities):
        draw.rectangle((x(begin), top, x(end), bottom), SPEECH)
    loudest = max(float(np.abs(samples).max(initial=0)), 1e-3)
    for column, part in enumerate(np.array_split(samples, right - left)):
        if part.size:
            draw.line(
                (left + column, y(0.5 + 0.45 * part.max() / loudest), left + column, y(0.5 + 0.45 * part.min() / loudest)), WAVE
            )
    draw.line([(x((i + 0.5) * FRAME / RATE), y(one)) for i, one in enumerate(probabilities)], LIKELY, 2)
    for probability in (0, THRESHOLD, 1):
        draw.line((left, y(probability), right, y(probability)), FAINT)
        draw.text((left - 6, y(probability)), f"{probability:g}", INK, font, "rm")
    for time in range(0, int(seconds) + 1, max(1, int(seconds / 20))):
        draw.line((x(time), bottom, x(time), bottom + 5), FAINT)
        draw.text((x(time), bottom + 8), f"{time} s", INK, font, "mt")
    return picture


def main():
    parser = program.parser(__doc__.splitlines()[0])
    parser.add_argument("sound", nargs="?", help="a .wav file of 16 bits a sample (default: espeak-ng speaks)")
    parser.add_argument(
        "--out", type=pathlib.Path, default=pathlib.Path("voice.png"), help="the picture to write (default: voice.png)"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        file = options.sound or pathlib.Path(scratch, "spoken.wav")
        if not options.sound:
            speak(file)
        samples = read_sound(file)

    print(f"fetching {SILERO_VAD.name} {SILERO_VAD.version}", flush=True)
    session = vkonnx.Session(fetch_file(SILERO_VAD, "openvino_16k", options.folder))
    print(f"listening on {session.device.info.name}", flush=True)
    probabilities = probabilities_of(samples, session)
    plot(samples, probabilities).save(options.out)
    for begin, end in spans(probabilities):
        print(f"speech from {begin:.2f} s to {end:.2f} s")
    print(f"{options.out} shows it")


if __name__ == "__main__":
    with program.one_sentence():
        main()
