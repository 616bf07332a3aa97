# SPDX-License-Identifier: Apache-2.0
"""What the programs of examples do around their networks, without the network. tests/python runs them as a whole."""

import pathlib
import subprocess
import sys
import wave

import numpy as np
import pytest

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent.parent / "examples"
if not (FOLDER / "program.py").is_file():
    pytest.skip("the examples are not here", allow_module_level=True)
sys.path.insert(0, str(FOLDER))


@pytest.fixture
def voice_activity():
    pytest.importorskip("PIL")
    import voice_activity

    return voice_activity


def write_sound(path, samples, rate, channels=1, width=2):
    with wave.open(str(path), "wb") as file:
        file.setparams((channels, width, rate, 0, "NONE", ""))
        file.writeframes(samples)
    return path


def test_read_sound(tmp_path, voice_activity):
    tone = np.sin(2 * np.pi * 440 * np.arange(8000) / 8000)
    stereo = np.stack([tone, np.zeros(8000)], 1) * 32767
    sound = voice_activity.read_sound(write_sound(tmp_path / "a.wav", stereo.astype("<i2").tobytes(), 8000, channels=2))
    assert sound.dtype == np.float32 and sound.shape == (16000,)
    np.testing.assert_allclose(sound[:-2], tone.repeat(2)[:-2] / 2, atol=0.2)  # the mean of both, at twice the rate
    np.testing.assert_allclose(sound[:-2:2], tone[:-1] / 2, atol=1e-4)

    with pytest.raises(OSError, match="has samples of 8 bits, and only those of 16 bits are read$"):
        voice_activity.read_sound(write_sound(tmp_path / "b.wav", b"\0" * 8, 8000, width=1))
    (tmp_path / "c.wav").write_bytes(b"RIFF")
    with pytest.raises(OSError, match="c.wav is no .wav file that can be read: "):
        voice_activity.read_sound(tmp_path / "c.wav")


def test_probabilities(voice_activity):
    """Each frame comes with the 64 samples before it, and with the state of the frame before."""

    class Session:
        def run(self, inputs):
            assert inputs["input"].shape == (1, 576)
            assert inputs["state"].shape == (2, 1, 128)
            return {"output": inputs["input"][:, :1] + 1000 * inputs["state"][0, 0, :1], "stateN": inputs["state"] + 1}

    samples = np.arange(1600, dtype=np.float32)
    np.testing.assert_array_equal(voice_activity.probabilities_of(samples, Session()), [0, 512 - 64 + 1000, 1024 - 64 + 2000])


def test_spans_and_plot(voice_activity):
    probabilities = np.array([0.9, 0.8, 0.1, 0.2, 0.7])
    np.testing.assert_allclose(voice_activity.spans(probabilities), [(0, 0.064), (0.128, 0.16)])
    assert voice_activity.spans(np.zeros(3)) == []
    samples = np.sin(np.arange(5 * 512) / 10).astype(np.float32)
    pixels = np.asarray(voice_activity.plot(samples, probabilities))
    assert pixels.shape == (420, 1000, 3)
    green = (pixels == (0xD8, 0xEC, 0xD9)).all(axis=2).any(axis=0)
    assert green[60] and not green[520] and green[960]  # pixels of the time axis, which is 940 wide and begins at 40
    assert voice_activity.plot(np.zeros(0, np.float32), np.zeros(0)).size == (1000, 420)


def test_a_missing_module_is_a_sentence():
    done = subprocess.run(
        [sys.executable, "-S", FOLDER / "read_text.py"],
        env={"PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 3
    assert done.stderr in [f"read_text: there is no module {name}: pip install {package} brings it\n"
                           for name, package in (("PIL", "pillow"), ("numpy", "numpy"))]  # fmt: skip
