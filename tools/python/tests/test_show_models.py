# SPDX-License-Identifier: Apache-2.0
"""The pictures and the sound of show_models.py, of which it is known what they show."""

import pathlib
import struct
import sys
import wave
import zlib

import numpy as np
import pytest

FOLDER = pathlib.Path(__file__).resolve().parent.parent
if not (FOLDER / "show_models.py").is_file():
    pytest.skip("show_models.py is not here", allow_module_level=True)
sys.path.insert(0, str(FOLDER))
import own_models  # noqa: E402
import show_models  # noqa: E402


def test_smooth_fsrcnn_enlarges():
    picture = show_models.sample_picture(24, 36)
    enlarged = show_models.run(own_models.fsrcnn(smooth=True), picture[None, None])[0, 0]
    assert enlarged.shape == (72, 108)
    inner = np.s_[2:-2, 2:-2]  # beyond the border are zeros
    assert np.corrcoef(enlarged[::3, ::3][inner].flat, picture[inner].flat)[0, 1] > 0.99
    noise = show_models.run(own_models.fsrcnn(), picture[None, None])[0, 0]
    assert abs(np.corrcoef(noise[::3, ::3][inner].flat, picture[inner].flat)[0, 1]) < 0.5


def test_png(tmp_path):
    pixels = np.random.default_rng(1).integers(0, 256, (5, 7, 3), np.uint8)
    show_models.write_png(tmp_path / "a.png", pixels)
    data = (tmp_path / "a.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        body = data[at + 4 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size]) == (zlib.crc32(body),)
        chunks[body[:4]] = body[4:]
        at += 12 + size
    assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    assert struct.unpack(">IIBBBBB", chunks[b"IHDR"]) == (7, 5, 8, 2, 0, 0, 0)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(5, 1 + 3 * 7)
    assert not rows[:, 0].any()
    np.testing.assert_array_equal(rows[:, 1:].reshape(pixels.shape), pixels)


def test_show_models(tmp_path, capsys):
    show_models.main(tmp_path / "shown", "fsrcnn")
    assert sorted(one.name for one in (tmp_path / "shown").iterdir()) == ["fsrcnn.png"]
    assert str(tmp_path / "shown" / "fsrcnn.png") in capsys.readouterr().out


def test_wav(tmp_path):
    show_models.write_wav(tmp_path / "a.wav", np.array([0.25, -0.5, 0.5]))
    with wave.open(str(tmp_path / "a.wav")) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (22050, 1, 2)
        np.testing.assert_array_equal(np.frombuffer(file.readframes(3), "<i2"), [16000, -32000, 32000])
