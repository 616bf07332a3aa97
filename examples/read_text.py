#!/usr/bin/env python3
"""Finds and reads the text of a picture by the three models of PP-OCRv6, which pip brings in the package rapidocr.

    python3 examples/read_text.py [PICTURE] [--out read.png]

Without a picture it draws one. It prints the lines that it reads, and writes them beside the picture. It takes vkonnx, NumPy and Pillow.
"""

import pathlib

import program

with program.one_sentence():
    import text_picture
    import vkonnx
    from model_packages import RAPIDOCR, fetch_file
    from PIL import Image
    from text_reader import Reader, by_vkonnx

FILES = {"detection": "det_small", "direction": "cls", "recognition": "rec_small"}


def main():
    parser = program.parser(__doc__.splitlines()[0])
    parser.add_argument("picture", nargs="?", help="the picture to read (default: one is drawn)")
    parser.add_argument(
        "--out", type=pathlib.Path, default=pathlib.Path("read.png"), help="the picture to write (default: read.png)"
    )
    options = parser.parse_args()
    font = text_picture.font_file(text_picture.RESULT_FONT)
    if options.picture:
        picture = Image.open(options.picture).convert("RGB")
    else:
        picture = text_picture.draw_label(text_picture.font_file(text_picture.LABEL_FONT))

    print(f"fetching {RAPIDOCR.name} {RAPIDOCR.version}", flush=True)
    files = {stage: fetch_file(RAPIDOCR, name, options.folder) for stage, name in FILES.items()}
    device = vkonnx.default_device().info.name
    print(f"reading {picture.width} x {picture.height} pixels on {device}", flush=True)
    reader = Reader(files, by_vkonnx)
    lines = reader.read(picture)
    text_picture.draw_result(picture, lines, device, sum(reader.seconds.values()), font).save(options.out)
    for line in lines:
        print(line.text)
    print(f"{options.out} shows where")


if __name__ == "__main__":
    with program.one_sentence():
        main()
