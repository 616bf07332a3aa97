#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the networks of own_models.py on the device that VKONNX_DEVICE selects, and writes what they make as pictures.

    python3 show_models.py DIR [PART_OF_A_NAME...]

DIR/dcgan.png: 32 pictures. unet.png and unet3d.png: a picture, or the slices of a volume, and which outputs are above their median, or
the greatest. fsrcnn.png: a picture with each pixel repeated, and enlarged three times by weights that interpolate. hifigan.png: a mel
spectrogram, and the spectrogram of the sound made of it, which is hifigan.wav. The weights are random, so it is structure that is to be
seen, and no faces. It takes vkonnx, numpy and onnx, and goes to no network.
"""

import pathlib
import struct
import sys
import wave
import zlib

import numpy as np
import own_models
import vkonnx
from sample_inputs import sample_picture

RATE = 22050  # samples a second that HiFi-GAN is made for
WINDOW, HOP = 1024, 256
GREY = 128
COLOURS = np.array([[31, 111, 235], [251, 248, 241], [188, 76, 0]], np.uint8)


def write_png(path, pixels):
    """pixels: height x width, or height x width x 3, from 0 to 255."""
    height, width = pixels.shape[:2]
    rows = np.ascontiguousarray(pixels, np.uint8).reshape(height, -1)
    filtered = np.concatenate([np.zeros((height, 1), np.uint8), rows], axis=1)  # each row begins with its filter: none

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2 if pixels.ndim == 3 else 0, 0, 0, 0)
    data = zlib.compress(filtered.tobytes(), 9)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def write_wav(path, samples):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((samples / np.abs(samples).max() * 32000).astype("<i2").tobytes())


def bytes_of(values):
    """From 0 to 1."""
    return np.clip(values * 255 + 0.5, 0, 255).astype(np.uint8)


def side_by_side(pictures, gap=4):
    space = np.full((pictures[0].shape[0], gap, *pictures[0].shape[2:]), GREY, np.uint8)
    return np.concatenate([one for picture in pictures for one in (space, picture)][1:], axis=1)


def one_below_another(pictures, gap=4):
    return side_by_side([picture.swapaxes(0, 1) for picture in pictures], gap).swapaxes(0, 1)


def run(model, x):
    return vkonnx.Session(model).run({"x": np.asarray(x, np.float32)})["y"]


def show_dcgan(folder):
    y = run(own_models.dcgan(smooth=True), np.random.default_rng(3).normal(0, 1, (32, 100, 1, 1)))
    pictures = bytes_of((y + 1) / 2).transpose(0, 2, 3, 1)
    write_png(folder / "dcgan.png", one_below_another([side_by_side(pictures[i : i + 8]) for i in range(0, 32, 8)]))


def show_unet(folder):
    picture = sample_picture(128, 192)
    y = run(own_models.unet(smooth=True), np.tile(picture - picture.mean(), (1, 3, 1, 1)))[0, 0]
    write_png(folder / "unet.png", side_by_side([bytes_of(picture), bytes_of(y > np.median(y))]))


def show_unet3d(folder):
    axis = np.arange(32)
    volume = np.zeros((32, 32, 32))
    volume[np.hypot(np.hypot(*np.meshgrid(axis - 12, axis - 12)), (axis - 15)[:, None, None]) < 9] = 0.5
    volume[6:26, 18:28, 18:28] = 1
    y = run(own_models.unet3d(smooth=True), np.tile(volume - volume.mean(), (1, 3, 1, 1, 1)))[0]
    y -= np.median(y, axis=(1, 2, 3), keepdims=True)
    slices = range(1, 32, 5)
    given = side_by_side([bytes_of(volume[i].repeat(3, 0).repeat(3, 1))[..., None].repeat(3, 2) for i in slices])
    classes = [COLOURS[y[:, i].argmax(0)].repeat(3, 0).repeat(3, 1) for i in slices]
    write_png(folder / "unet3d.png", one_below_another([given, side_by_side(classes)]))


def show_fsrcnn(folder):
    picture = sample_picture(80, 120)
    y = run(own_models.fsrcnn(smooth=True), picture[None, None])[0, 0]
    write_png(folder / "fsrcnn.png", side_by_side([bytes_of(picture.repeat(3, 0).repeat(3, 1)), bytes_of(y)]))


def show_hifigan(folder):
    band, frame = np.mgrid[:80, :64]
    tone = sum(np.exp(-(((band - k * (14 + frame / 8)) / 2) ** 2)) for k in (1, 2, 3))  # that rises, with its harmonics
    mel = 2.5 * tone * (frame // 16 % 4 != 2)  # and is silent for a while
    samples = run(own_models.hifigan(), mel[None])[0, 0]
    samples -= samples.mean()
    write_wav(folder / "hifigan.wav", samples)
    pieces = np.lib.stride_tricks.sliding_window_view(samples, WINDOW)[::HOP] * np.hanning(WINDOW)
    power = np.abs(np.fft.rfft(pieces)).T[::-1]
    decibels = 20 * np.log10(power / power.max() + 1e-9)
    sound = bytes_of(1 + decibels / 60).repeat(6, 1)
    given = bytes_of(mel[::-1] / mel.max()).repeat(2, 0).repeat(6, 1)[:, : sound.shape[1]]
    write_png(folder / "hifigan.png", one_below_another([given, sound]))


SHOWN = {"dcgan": show_dcgan, "unet": show_unet, "unet3d": show_unet3d, "fsrcnn": show_fsrcnn, "hifigan": show_hifigan}


def main(target, *parts):
    folder = pathlib.Path(target)
    folder.mkdir(parents=True, exist_ok=True)
    print(vkonnx.default_device())
    for name, show in SHOWN.items():
        if not parts or any(part in name for part in parts):
            show(folder)
            print(folder / f"{name}.png")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
