# SPDX-License-Identifier: Apache-2.0
"""Halves a picture of fine rings with an AveragePool and doubles it again with a ConvTranspose, beside what leaving pixels out does."""

from __future__ import annotations

import struct
import time
import zlib
from typing import Callable

import numpy as np

from . import ops
from ._device import Device, devices
from ._tensor import Tensor

SIZE = 256


def rings() -> np.ndarray:
    """A picture [1, 3, SIZE, SIZE] from 0 to 1, whose rings get finer towards the edges, so that every second pixel shows others."""
    y, x = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32) - SIZE / 2
    wave = (1 + np.cos((x * x + y * y) * (np.pi * 0.9 / SIZE))) / 2
    colours = np.array([0.95, 0.75, 0.35], np.float32)
    return (wave[None] * colours[:, None, None])[None].astype(np.float32)


def halved(device: Device, picture: Tensor) -> Tensor:
    return ops.average_pool(picture, kernel_shape=[2, 2], strides=[2, 2], device=device)


def doubled(device: Device, picture: Tensor) -> Tensor:
    """By linear interpolation: each colour is a group of its own, with the weights 1/4, 3/4, 3/4, 1/4 along each axis."""
    line = np.array([0.25, 0.75, 0.75, 0.25], np.float32)
    weights = device.tensor(np.broadcast_to(np.outer(line, line), (3, 1, 4, 4)))
    return ops.conv_transpose(picture, weights, strides=[2, 2], pads=[1, 1, 1, 1], group=3, device=device)


def expected(picture: np.ndarray) -> np.ndarray:
    """The same two operators, by NumPy in double precision."""
    wide = picture.astype(np.float64)
    half = (wide[..., 0::2, 0::2] + wide[..., 1::2, 0::2] + wide[..., 0::2, 1::2] + wide[..., 1::2, 1::2]) / 4
    for axis in (2, 3):
        zeros = np.zeros_like(half.take([0], axis))
        before = np.concatenate([zeros, half.take(range(half.shape[axis] - 1), axis)], axis)
        after = np.concatenate([half.take(range(1, half.shape[axis]), axis), zeros], axis)
        pairs = np.stack([0.75 * half + 0.25 * before, 0.75 * half + 0.25 * after], axis + 1)
        half = pairs.reshape(half.shape[:axis] + (2 * half.shape[axis],) + half.shape[axis + 1:])
    return half


def write_png(path: str, pixels: np.ndarray) -> None:
    """pixels: uint8 [height, width, 3]."""
    height, width, _ = pixels.shape

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + row.tobytes() for row in pixels)  # 0: the row is not filtered
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits, 2: red, green, blue
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def seconds_of(run: Callable[[], object]) -> float:
    """The median of five runs, after one that prepares."""
    run()
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return sorted(times)[2]


def run(select: str, out: str) -> int:
    device = Device(select)
    info = device.info
    version = ".".join(map(str, info.api_version))
    print(f"device: {info.name}, {info.driver}, Vulkan {version}")
    others = [f"{one.index} {one.name}" + (f" (can't be used: {one.rejected})" if one.rejected else "")
              for one in devices() if one.uuid != info.uuid]
    if others:
        print(f"others, for --device: {', '.join(others)}")

    picture = rings()
    on_device = device.tensor(picture)
    result = doubled(device, halved(device, on_device)).numpy()
    difference = float(np.abs(result - expected(picture)).max())
    print(f"AveragePool, then ConvTranspose, of {SIZE}x{SIZE} pixels: at most {difference:.1g} from NumPy's answer")
    aliased = picture[..., ::2, ::2].repeat(2, 2).repeat(2, 3)
    sheet = np.concatenate([picture, aliased, result], axis=3)[0]
    write_png(out, (sheet.transpose(1, 2, 0).clip(0, 1) * 255 + 0.5).astype(np.uint8))
    print(f"{out}: the picture, every second pixel of it, and what the two operators make of it")

    channels, side = 64, 128
    x = device.tensor(np.ones((1, channels, side, side), np.float32))
    w = device.tensor(np.full((channels, channels, 3, 3), 0.01, np.float32))
    seconds = seconds_of(lambda: ops.conv(x, w, pads=[1, 1, 1, 1], device=device))
    operations = 2 * channels * channels * 9 * side * side
    print(f"a Conv of {channels} to {channels} channels, 3x3, {side}x{side}: "
          f"{seconds * 1000:.2f} ms, {operations / seconds / 1e9:.3g} GFLOP/s")
    return 0 if difference < 1e-5 else 1
