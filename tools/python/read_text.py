#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds and reads the text of a picture by three models, on the device that VKONNX_DEVICE selects.

    python3 read_text.py [--picture FILE] [--out DIR] [--models DIR] [--font FILE] [--compare] [--once]

The models are those of the wheel rapidocr-onnxruntime, PP-OCRv4: one finds lines of text, one says which stand on their heads,
one reads. Without a picture it draws one, and demands that what is read is what was drawn. --out gets picture.png (where it
was drawn), read.png with boxes and texts beside the picture, and read.txt, a line of text each. It reads twice, since the first
time takes what preparing takes, too; --once leaves the second out. --compare does the same by ONNX Runtime's CPU and demands
equal texts. It takes vkonnx, numpy and Pillow; with --compare also onnxruntime; and goes to no network.

Exit codes: 0; 1 texts differ; 2 usage; 3 nothing ran, since something is missing.
"""

from __future__ import annotations

import argparse
import importlib.util
import pathlib
import sys
from typing import Dict, List, Optional

import text_picture
import vkonnx
from PIL import Image
from text_reader import Reader, by_onnxruntime, by_vkonnx, read_and_print

MODELS = {
    "detection": "ch_PP-OCRv4_det_infer",
    "direction": "ch_ppocr_mobile_v2.0_cls_infer",
    "recognition": "ch_PP-OCRv4_rec_infer",
}


def files_of_models(given: Optional[pathlib.Path]) -> Dict[str, pathlib.Path]:
    """Those of the wheel are found without importing it: it would want its own libraries."""
    spec = importlib.util.find_spec("rapidocr_onnxruntime") if given is None else None
    folder = given if spec is None else pathlib.Path(next(iter(spec.submodule_search_locations or [])), "models")
    if folder is None:
        raise FileNotFoundError("there are no models: pip install --no-deps rapidocr-onnxruntime==1.4.4 brings them")
    files = {stage: folder / f"{name}.onnx" for stage, name in MODELS.items()}
    for file in files.values():
        if not file.is_file():
            raise FileNotFoundError(f"there is no {file.name} in {folder}")
    return files


def same(texts: List[str], words: str, expected: List[str]) -> bool:
    if texts != expected:
        print(f"read_text: {texts} was read, and {words} {expected}", file=sys.stderr)
    return texts == expected


def arguments_of() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--picture", type=pathlib.Path, metavar="FILE", help="the picture to read; without it one is drawn")
    parser.add_argument("--out", type=pathlib.Path, metavar="DIR", default=pathlib.Path("."), help="the folder to write to")
    parser.add_argument("--models", type=pathlib.Path, metavar="DIR", help="the folder of the models; without it the wheel's")
    parser.add_argument("--font", metavar="FILE", help="for the text beside the picture; without it DejaVu Sans")
    parser.add_argument("--compare", action="store_true", help="read by ONNX Runtime's CPU, too")
    parser.add_argument("--once", action="store_true", help="leave out the second reading, which shows times without preparing")
    return parser.parse_args()


def read_picture(arguments: argparse.Namespace) -> bool:
    models = files_of_models(arguments.models)
    font = arguments.font or text_picture.font_file(text_picture.RESULT_FONT)
    drawn = arguments.picture is None
    if drawn:
        picture = text_picture.draw_label(text_picture.font_file(text_picture.LABEL_FONT))
    else:
        picture = Image.open(arguments.picture).convert("RGB")
    arguments.out.mkdir(parents=True, exist_ok=True)

    device = vkonnx.default_device().info.name
    reader = Reader(models, by_vkonnx)
    lines = read_and_print(device, reader, picture, arguments.once)
    texts = [line.text for line in lines]
    if drawn:
        picture.save(arguments.out / "picture.png")
    text_picture.draw_result(picture, lines, device, sum(reader.seconds.values()), font).save(arguments.out / "read.png")
    (arguments.out / "read.txt").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")

    good = not drawn or same(texts, "the picture says", text_picture.LABEL)
    if arguments.compare:
        peer = read_and_print("ONNX Runtime", Reader(models, by_onnxruntime), picture, arguments.once)
        good &= same(texts, "ONNX Runtime reads", [line.text for line in peer])
    return good


def main() -> int:
    arguments = arguments_of()
    try:
        return 0 if read_picture(arguments) else 1
    except (ImportError, OSError, vkonnx.Error) as error:
        print(f"read_text: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
