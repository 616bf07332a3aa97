# SPDX-License-Identifier: Apache-2.0
"""The pictures of read_text.py: a parcel's label to read, and what was read of a picture, beside it."""

from __future__ import annotations

import pathlib
from typing import Any, Sequence, Tuple

from PIL import Image, ImageDraw, ImageFont

LABEL_FONT, RESULT_FONT = "DejaVuSerif-Bold.ttf", "DejaVuSans.ttf"
# What draw_label writes, in the order of reading.
LABEL = [
    "EXPRESS PARCEL",
    "from Vulkan Works",
    "ONNX House",
    "FRAGILE",
    "Tensor Street 48",
    "2.75 kg",
    "Parcel 3 of 7",
    "This side up",
]
LABEL_SIZE = 576, 384
PAPER, CARD, INK, FAINT, RED = "#d9c7a8", "#fbf8f1", "#22262e", "#80858f", "#b3261e"
COLOURS = ("#1f6feb", "#1a7f37", "#bf3989", "#bc4c00", "#8250df", "#0e7c86")
TAG = 22  # pixels
MOST_EXTENT = 960  # of the picture in the result
MARGIN, PANEL_WIDTH, ROW = 18, 480, 36


def font_file(name: str) -> str:
    for folder in (pathlib.Path("/usr/share/fonts"), pathlib.Path("/usr/local/share/fonts")):
        found = next(folder.rglob(name), None)
        if found is not None:
            return str(found)
    raise FileNotFoundError(f"there is no font {name}: the package fonts-dejavu-core brings it")


def draw_label(font: str) -> Image.Image:
    """Lines of several sizes; one is light on dark, one slants, and one stands on its head."""
    picture = Image.new("RGB", LABEL_SIZE, PAPER)
    draw = ImageDraw.Draw(picture)

    def write(x: int, y: int, text: str, size: int, colour: str) -> None:
        draw.text((x, y), text, colour, ImageFont.truetype(font, size), "lm")

    title, sender, receiver, stamp, street, weight, number, foot = LABEL
    draw.rounded_rectangle((14, 14, 561, 369), 14, CARD, "#b8a583", 2)
    draw.rounded_rectangle((14, 14, 561, 74), 14, INK)
    draw.rectangle((14, 54, 561, 74), INK)
    write(42, 45, title, 32, CARD)
    draw_barcode(draw, (424, 29, 540, 60))
    write(42, 99, sender, 20, FAINT)
    write(42, 144, receiver, 34, INK)
    write(42, 191, street, 28, INK)
    draw.line((42, 222, 540, 222), "#d5cdbb", 2)
    write(42, 249, weight, 24, INK)
    write(206, 249, number, 24, INK)
    paste_turned(picture, (450, 150), 9, stamp, ImageFont.truetype(font, 30), RED, framed=True)
    paste_turned(picture, (288, 322), 180, foot, ImageFont.truetype(font, 40), INK, framed=False)
    for x in (70, 506):  # arrows that agree with the line between them
        draw.polygon([(x, 350), (x - 20, 322), (x - 8, 322), (x - 8, 294), (x + 8, 294), (x + 8, 322), (x + 20, 322)], INK)
    return picture


def draw_barcode(draw: ImageDraw.ImageDraw, box: Tuple[int, int, int, int]) -> None:
    left, top, right, bottom = box
    draw.rectangle(box, CARD)
    x, bits = left + 6, 0x5D2B9A71C6E4
    while x < right - 6:
        width = 1 + (bits & 3)
        draw.rectangle((x, top + 4, x + width - 1, bottom - 4), INK)
        x += width + 2 + (bits >> 2 & 1)
        bits = bits >> 3 | (bits & 7) << 45


def paste_turned(
    picture: Image.Image, centre: Tuple[int, int], degrees: float, text: str, font: Any, colour: str, framed: bool
) -> None:
    left, top, right, bottom = font.getbbox(text, anchor="ls")
    size = right - left + 44, bottom - top + 40
    stamp = Image.new("RGBA", size, colour + "00")
    draw = ImageDraw.Draw(stamp)
    draw.text((22 - left, 20 - top), text, colour, font, "ls")
    if framed:
        draw.rounded_rectangle((1, 1, size[0] - 2, size[1] - 2), 8, None, colour, 3)
    stamp = stamp.rotate(degrees, Image.Resampling.BICUBIC, expand=True)
    picture.paste(stamp, (centre[0] - stamp.width // 2, centre[1] - stamp.height // 2), stamp)


def draw_result(picture: Image.Image, lines: Sequence[Any], device: str, seconds: float, font: str) -> Image.Image:
    """The picture with a box around each line, and beside it what was read, by the same numbers."""
    scale = min(1.0, MOST_EXTENT / max(picture.size))
    shown = picture.resize([max(1, round(extent * scale)) for extent in picture.size])
    height = max(shown.height, 2 * MARGIN + 30 + ROW * len(lines) + 28)
    top = (height - shown.height) // 2
    result = Image.new("RGB", (shown.width + PANEL_WIDTH, height), "white")
    result.paste(shown, (0, top))
    draw = ImageDraw.Draw(result)
    for number, line in enumerate(lines, 1):
        draw_box(draw, line.box.corners * scale + (0, top), line.box.along, number, font)

    left = shown.width + MARGIN
    draw.text((left, MARGIN), "What was read", INK, ImageFont.truetype(font, 20), "lt")
    for number, line in enumerate(lines, 1):
        y = MARGIN + 30 + ROW * (number - 1) + ROW // 2
        draw_tag(draw, (left + TAG / 2, y), number, font)
        draw.text((left + 34, y), line.text, INK, fitting(font, line.text, PANEL_WIDTH - 2 * MARGIN - 34 - 110), "lm")
        said = f"{100 * line.confidence:.1f} %" + (", turned" if line.turned else "")
        draw.text((left + PANEL_WIDTH - 2 * MARGIN, y), said, FAINT, ImageFont.truetype(font, 13), "rm")
    words = f"{device}, {seconds:.2f} s in three models"
    draw.text((left, height - MARGIN), words, FAINT, fitting(font, words, PANEL_WIDTH - 2 * MARGIN, 14), "lb")
    return result


def draw_box(draw: ImageDraw.ImageDraw, corners: Any, along: Any, number: int, font: str) -> None:
    """The number is before the beginning of the line, as its reader sees it."""
    points = [tuple(corner) for corner in corners]
    draw.line([*points, points[0]], COLOURS[(number - 1) % len(COLOURS)], 2, "curve")
    draw_tag(draw, tuple((corners[0] + corners[3]) / 2 - along * (TAG / 2 + 3)), number, font)


def draw_tag(draw: ImageDraw.ImageDraw, centre: Tuple[float, float], number: int, font: str) -> None:
    x, y = centre
    half = TAG / 2
    draw.ellipse((x - half, y - half, x + half, y + half), COLOURS[(number - 1) % len(COLOURS)], "white")
    draw.text((x, y), str(number), "white", ImageFont.truetype(font, 13), "mm")


def fitting(font: str, text: str, width: float, size: int = 22) -> Any:
    """The font in that size, or smaller where the text would be wider."""
    wide = ImageFont.truetype(font, size).getlength(text)
    return ImageFont.truetype(font, max(6, int(size * min(1.0, width / max(wide, 1)))))
