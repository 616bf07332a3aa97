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


@pytest.fixture
def search():
    import search

    return search


def test_tokenizer(search):
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "shader", "##s", "##ha", "s", "shade", "cafe", ".", "_", "##y"]
    tokenizer = search.Tokenizer({word: i for i, word in enumerate(words)})

    def pieces(text):
        tokens = tokenizer(text)
        assert tokens[0] == 2 and tokens[-1] == 3
        return " ".join(words[i] for i in tokens[1:-1])

    assert pieces("A Shader, shaders.") == "a shader [UNK] shader ##s ."  # the longest piece first, and no comma is known
    assert pieces("Caf\N{LATIN SMALL LETTER E WITH ACUTE} shady a_s") == "cafe [UNK] a _ s"  # all of a word, or nothing
    assert pieces("s" * 101) == "[UNK]" and pieces("") == ""
    assert len(tokenizer("a " * 1000)) == search.LENGTHS[-1]


def test_passages(search):
    text = """# A page

One two three four five six [seven eight](there.md) `nine`
and on.

## Part

| left | right | of the table, which is long enough to be one |
|---|---|---|
| one two three | four five | six seven eight |

```sh
one two three four five six seven eight nine ten
```

- one two three four five six seven eight
  and nine
- too short
"""
    assert list(search.passages_of("page.md", text)) == [
        ("page.md", "A page", "One two three four five six seven eight nine and on."),
        ("page.md", "Part", "one two three four five six seven eight"),
        ("page.md", "Part", "- one two three four five six seven eight and nine"),
    ]


def test_texts_of_like_length_run_together(search):
    """The batches that the network sees, and that each text gets its own vector back."""
    seen = []

    class Session:
        def run(self, inputs):
            ids, mask = inputs["input_ids"], inputs["attention_mask"]
            assert ((ids != 0) == (mask == 1)).all() and ids.dtype == mask.dtype == np.int64
            seen.append(ids.shape)
            return {"y": np.stack([mask.sum(axis=1), 0 * mask[:, 0] + 3], 1).astype(np.float32)}

    embed = search.Embedder.__new__(search.Embedder)
    embed.tokenizer, embed.session, embed.output = lambda text: [9] * len(text), Session(), "y"
    done = []
    vectors = embed(["x" * 4, "x" * 40, *["x" * 16] * 17], done.append)
    assert seen == [(16, 16), (16, 16), (1, 48)] and done == [16, 18, 19]
    np.testing.assert_allclose(vectors[:, 0] / vectors[:, 1] * 3, [4, 40, *[16] * 17])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-6)


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
