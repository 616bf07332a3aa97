#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes src/api/chips: for each chip of `tools/gpus/gpus.sh list` a file with the Capabilities that its driver tells.

    python3 tools/gpus/chips.py [CHIP...]

CHIPs are by default all. `gpus.sh make` goes before. The files are rows of a table in src/api/capabilities.cpp. A chip that the library
refuses gets none.
"""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools/gpus/gpus.sh"
FOLDER = ROOT / "src/api/chips"
COMPILERS = {"amd64": "g++", "arm64": "aarch64-linux-gnu-g++"}
# What lists devices, as far as the library has it.
SOURCES = [
    ROOT / "tools/gpus/capabilities.cpp",
    *(ROOT / f"src/gpu/{name}.cpp" for name in ("instance", "functions", "features", "physical_device", "cooperative_matrix", "volk")),
]


def build(folder):
    """The program `capabilities` for each architecture. Its volk keeps its own names, since nothing else has a volk here."""
    (folder / "volk_names.h").touch()
    for architecture, compiler in COMPILERS.items():
        options = ["-std=c++20", "-O1", f"-I{ROOT}/include", f"-I{ROOT}/src", f"-I{folder}", "-idirafter", "/usr/include"]
        subprocess.run([compiler, *options, "-static-libstdc++", "-static-libgcc", "-o", folder / architecture, *SOURCES], check=True)


def row(chip, text):
    """The row of a chip, of what the program prints for it."""
    lines = text.splitlines()
    comments = [line for line in lines if line.startswith("//")]
    fields = [line for line in lines if line.startswith(".")]
    return "\n".join(
        [
            "// SPDX-License-Identifier: Apache-2.0",
            "// tools/gpus/chips.py wrote this file.",
            *comments,
            f'{{"{chip}", [] {{',
            f'     return Capabilities{{.name = "{chip}",',
            *(f"                         {field}" for field in fields),
            "     };",
            " }},",
            "",
        ]
    )


def main():
    listed = dict(line.split() for line in subprocess.run(["bash", SCRIPT, "list"], capture_output=True, text=True, check=True).stdout.splitlines())
    wanted = sys.argv[1:] or list(listed)
    for chip in wanted:
        if chip not in listed:
            sys.exit(f"chips.py: there is no chip {chip}; there are {', '.join(listed)}")
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        build(folder)
        for chip in wanted:
            told = subprocess.run(["bash", SCRIPT, "run", chip, folder, f"./{listed[chip]}"], capture_output=True, text=True)
            if told.returncode != 0:
                print(f"{chip} gets no file: {told.stderr.strip()}", flush=True)
                continue
            (FOLDER / f"{chip}.inc").write_text(row(chip, told.stdout))
            print(told.stdout.splitlines()[0].removeprefix("// "), flush=True)


if __name__ == "__main__":
    main()
