# SPDX-License-Identifier: Apache-2.0
"""Finds and reads the text of a picture by three models of PP-OCR, any of its versions from 4 to 6.

One finds lines of text, one says which stand on their heads, one reads. Their pipeline is NumPy and Pillow.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import time
from typing import Callable, Dict, List, Mapping, Tuple

import numpy as np
import vkonnx
from measure import onnxruntime_session
from PIL import Image
from text_geometry import Rectangle, components, least_rectangle, mean_within

# These numbers are those that the models were trained with, or that their authors chose.
SCALE, SHIFT = 1 / 127.5, -1.0  # from bytes; the channels are blue, green, red
MOST_EXTENT, STEP = 960, 32  # of the picture in which text is found
TEXT_PROBABILITY, BOX_PROBABILITY, LEAST_SIDE = 0.3, 0.5, 3
UNCLIP_RATIO = 2.2  # of boxes that are tighter the spaces between words are not read
TALL = 1.5  # height by width of what is read downwards
LINE_HEIGHT, DIRECTION_WIDTH, TURN_PROBABILITY = 48, 192, 0.9
LEAST_CONFIDENCE = 0.5
WIDTH_STEP = 160  # of lines to read: few widths are few plans

Run = Callable[[np.ndarray], np.ndarray]
STAGES = "detection", "direction", "recognition"


@dataclasses.dataclass(frozen=True)
class Line:
    box: Rectangle
    turned: bool
    text: str
    confidence: float


class Reader:
    """The three models behind one another.

    files: the model of each stage. load: gives what runs a file, and what the file says of itself.
    """

    def __init__(self, files: Mapping[str, pathlib.Path], load: Callable[[str], Tuple[Run, Mapping[str, str]]]):
        self.seconds: Dict[str, float] = {}  # of each stage
        start = time.perf_counter()
        loaded = {name: load(str(files[name])) for name in STAGES}
        self.seconds["load"] = time.perf_counter() - start
        self._runs = {name: run for name, (run, _) in loaded.items()}
        # The first class is a blank, the last a space.
        self._characters = ["", *loaded["recognition"][1]["character"].splitlines(), " "]

    def read(self, picture: Image.Image) -> List[Line]:
        """In the order of reading, as far as that is from top to bottom and from left to right."""
        for name in STAGES:
            self.seconds[name] = 0.0
        lines = []
        for box in in_reading_order(self._find(picture)):
            turned = self._is_turned(cut(picture, box))
            if turned:
                box = box.half_turn()
            text, confidence = self._read_line(cut(picture, box))
            if text.strip() and confidence >= LEAST_CONFIDENCE:
                lines.append(Line(box, turned, text, confidence))
        return lines

    def _run(self, name: str, image: np.ndarray) -> np.ndarray:
        start = time.perf_counter()
        result = self._runs[name](image)
        self.seconds[name] += time.perf_counter() - start
        return result[0]

    def _find(self, picture: Image.Image) -> List[Rectangle]:
        shrink = min(1.0, MOST_EXTENT / max(picture.size))
        size = [max(STEP, round(extent * shrink / STEP) * STEP) for extent in picture.size]
        probabilities = self._run("detection", as_input(picture.resize(size, Image.Resampling.BILINEAR)))[0]
        scale = np.divide(picture.size, size)
        boxes = []
        for points in components(probabilities > TEXT_PROBABILITY):
            core = least_rectangle(points)
            if min(core.width, core.height) < LEAST_SIDE or mean_within(probabilities, core) < BOX_PROBABILITY:
                continue
            # The model marks the cores of lines, so that lines keep apart.
            box = core.grown(UNCLIP_RATIO * core.width * core.height / (2 * (core.width + core.height)))
            box = least_rectangle(box.corners * scale)
            boxes.append(box.quarter_turn() if box.height >= TALL * box.width else box)
        return boxes

    def _is_turned(self, line: Image.Image) -> bool:
        width = min(DIRECTION_WIDTH, width_of(line))
        image = padded(as_input(line.resize((width, LINE_HEIGHT), Image.Resampling.BILINEAR)), DIRECTION_WIDTH)
        return bool(self._run("direction", image)[1] > TURN_PROBABILITY)

    def _read_line(self, line: Image.Image) -> Tuple[str, float]:
        """Greedily: of each column the likeliest class; repeated ones and blanks are left out."""
        width = width_of(line)
        image = as_input(line.resize((width, LINE_HEIGHT), Image.Resampling.BILINEAR))
        columns = self._run("recognition", padded(image, -(-width // WIDTH_STEP) * WIDTH_STEP))
        classes = columns.argmax(axis=1)
        kept = (classes != 0) & (classes != np.roll(classes, 1))
        kept[0] = classes[0] != 0
        if not kept.any():
            return "", 0.0
        return "".join(self._characters[one] for one in classes[kept]), float(columns.max(axis=1)[kept].mean())


def as_input(picture: Image.Image) -> np.ndarray:
    blue_green_red = np.asarray(picture, np.float32)[:, :, ::-1]
    return np.ascontiguousarray((blue_green_red * np.float32(SCALE) + np.float32(SHIFT)).transpose(2, 0, 1)[None])


def padded(image: np.ndarray, width: int) -> np.ndarray:
    return np.pad(image, ((0, 0), (0, 0), (0, 0), (0, width - image.shape[3])))


def width_of(line: Image.Image) -> int:
    """At the height that the models take."""
    return max(1, round(LINE_HEIGHT * line.width / line.height))


def cut(picture: Image.Image, box: Rectangle) -> Image.Image:
    """What is in the box, as its reader sees it."""
    size = max(1, round(box.width)), max(1, round(box.height))
    right, down = box.along * box.width / size[0], box.down * box.height / size[1]
    x, y = box.corners[0]
    back = right[0], down[0], x, right[1], down[1], y
    return picture.transform(size, Image.Transform.AFFINE, back, Image.Resampling.BICUBIC)


def in_reading_order(boxes: List[Rectangle]) -> List[Rectangle]:
    """Rows from top to bottom, each from left to right. A box is of the row whose first box's middle it covers."""
    rows: List[List[Rectangle]] = []
    for box in sorted(boxes, key=lambda box: box.centre[1]):
        if rows and abs(box.centre[1] - rows[-1][0].centre[1]) < min(box.height, rows[-1][0].height) / 2:
            rows[-1].append(box)
        else:
            rows.append([box])
    return [box for row in rows for box in sorted(row, key=lambda box: box.centre[0])]


def by_vkonnx(file: str) -> Tuple[Run, Mapping[str, str]]:
    session = vkonnx.Session(file, threads=os.cpu_count() or 1, plans=16)
    name = session.inputs[0].name
    return lambda image: next(iter(session.run({name: image}).values())), session.metadata


def by_onnxruntime(file: str) -> Tuple[Run, Mapping[str, str]]:
    session = onnxruntime_session(file)
    name = session.get_inputs()[0].name
    return lambda image: session.run(None, {name: image})[0], session.get_modelmeta().custom_metadata_map


def times(reader: Reader) -> str:
    return ", ".join(f"{name} {1e3 * seconds:.0f} ms" for name, seconds in reader.seconds.items())


def read_and_print(title: str, reader: Reader, picture: Image.Image, once: bool) -> List[Line]:
    lines = reader.read(picture)
    print(f"{title}: first: {times(reader)}", flush=True)
    reader.seconds.pop("load")
    if not once:
        lines = reader.read(picture)
        print(f"{title}: then: {times(reader)}", flush=True)
    for number, line in enumerate(lines, 1):
        corners = " ".join(f"({x:.0f}, {y:.0f})" for x, y in line.box.corners)
        print(f"{number:3}  {line.confidence:.3f}  {'turned' if line.turned else '      '}  {corners:44}  {line.text}")
    return lines
