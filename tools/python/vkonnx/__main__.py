# SPDX-License-Identifier: Apache-2.0
"""`python -m vkonnx demo` shows what vkonnx does on this machine, and `python -m vkonnx doctor` says what is wrong where nothing runs."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Optional, Sequence

from . import _demo, _doctor
from ._errors import Error


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m vkonnx", description="Looks at the Vulkan devices of this machine.")
    commands = parser.add_subparsers(dest="command", required=True)
    demo = commands.add_parser("demo", help="halve and double a picture on a device, and measure how fast it is")
    demo.add_argument("--device", default=os.environ.get("VKONNX_DEVICE", ""),
                      help="a number, gpu, cpu or a part of a name; without it that of VKONNX_DEVICE, else the best")
    demo.add_argument("--out", default="vkonnx-demo.png", help="the picture to write (%(default)s)")
    commands.add_parser("doctor", help="try each device, and say what to do where one can't be used")
    given = parser.parse_args(arguments)
    try:
        if given.command == "doctor":
            return _doctor.run()
        return _demo.run(given.device, given.out)
    except (Error, OSError) as error:
        print(f"vkonnx: {error}", file=sys.stderr)
        if given.command == "demo" and isinstance(error, Error):
            print("vkonnx: `python -m vkonnx doctor` may know why", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
