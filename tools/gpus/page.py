#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/gpus.md: what the compilers of GPUs that need not be here make of the kernels that vkonnx picks for them.

    python3 tools/gpus/page.py [--build BUILD] [CHIP...]

CHIPs are names of `tools/gpus/gpus.sh list`, by default all of them; the page then has these alone. BUILD is a build folder with
vkonnx-bench (default build). On chips whose drivers are for x86-64, `vkonnx-bench --compiled` plans the layers of the networks suite for
the chip as its driver describes it, and compiles what these plans use. On the others it can't run: there the modules are compiled that
nvidia-kepler is given, whose compiler has as few registers as theirs.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools/gpus/gpus.sh"
TYPES = ("f32", "f16")
SPILLS = ("Spills", "Spills to memory", "spilled VGPRs", "STP Count", "TMU Spills", "Spill count")
STAND_IN = "nvidia-kepler"
MAIN = "implicit_gemm_shared_"


def fail(sentence):
    sys.exit(f"page.py: {sentence}")


def run(chip, folder, *command):
    """What the command prints as on the chip; fails where it fails."""
    done = subprocess.run(["bash", SCRIPT, "run", chip, folder, *command], capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        fail(f"{chip}: {' '.join(command)}: exit code {done.returncode}: {(done.stderr + done.stdout).strip()[-300:]}")
    return done.stdout


def rows_of(text):
    """The rows of the table that --compiled prints, a dictionary each, by the words of its head."""
    lines = text.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("  kernel"))
    head = re.split(r"\s{2,}", lines[begin].strip())
    rows = []
    for line in lines[begin + 1 :]:
        cells = re.split(r"\s{2,}", line.strip())
        if line.startswith("  ") and len(cells) == len(head):
            rows.append(dict(zip(head, cells)))
    return rows


def spills_of(row):
    return max(int(row[name]) for name in SPILLS if name in row)


def copy_programs(build, folder):
    """vkonnx-bench with the libraries that another system may lack."""
    shutil.copy(build / "bin/vkonnx-bench", folder)
    listed = subprocess.run(["ldd", build / "bin/vkonnx-bench"], capture_output=True, text=True, check=True).stdout
    for name, path in re.findall(r"(lib(?:vkonnx|benchmark)\S*) => (\S+)", listed):
        shutil.copy(path, pathlib.Path(folder) / name)
    # The suite is looked for where the program was built, but a file can be named.
    shutil.copytree(ROOT / "tests/cases/networks", pathlib.Path(folder) / "networks")


def planned(chip, folder):
    """The rows of both types: what is planned for the chip, compiled by its driver."""
    files = [f"networks/{file.name}" for file in sorted((ROOT / "tests/cases/networks").glob("*.txt"))]
    rows = {}
    for type_ in TYPES:
        command = ["env", "LD_LIBRARY_PATH=/work", "./vkonnx-bench", "--type", type_, "--compiled"]
        for file in files:
            command += ["--suite", file]
        text = run(chip, folder, *command)
        driver = text.splitlines()[0].removeprefix("as compiled by ")
        rows[type_] = rows_of(text)
    return driver, rows


def compiled(chip, build, rows):
    """The same modules by a driver for another processor, each by itself."""
    result = {}
    for type_ in TYPES:
        result[type_] = []
        for row in rows[type_]:
            kernel = row["kernel"]
            size = re.search(r"workgroup_size (\d+)", row["specialization"])
            with tempfile.TemporaryDirectory() as folder:
                shutil.copy(build / f"shaders/generated/{kernel}.spv", folder)
                text = run(chip, folder, "compiled", f"{kernel}.spv", *([f"0={size[1]}"] if size else []))
            statistics = dict(line.rsplit(": ", 1) for line in text.splitlines() if ": " in line)
            result[type_].append({"kernel": kernel, "specialization": row["specialization"], **statistics})
    return run(chip, pathlib.Path(__file__).parent, "compiled").strip(), result


def spilling(rows):
    """The kernels that spill, each with how often."""
    most = {}
    for row in rows:
        if spills_of(row):
            most[row["kernel"]] = max(most.get(row["kernel"], 0), spills_of(row))
    return ", ".join(f"`{kernel}` {count}" for kernel, count in sorted(most.items()))


def page(chips):
    lines = [
        "# GPUs that were not here",
        "",
        "`python3 tools/gpus/page.py` writes this page. Mesa's drivers list a device and compile for it over libraries that stand in for the",
        "kernel's side (`tools/gpus/gpus.sh`). The page says what they made of the kernels that vkonnx picks for the layers of the networks",
        "suite. Nothing was run: it says nothing of results or times. Vendors' own compilers may do better or worse.",
        "",
        "\"Spills\" are the instructions that move values from registers to memory, for want of registers. \"Multiply-adds\" are their share of",
        "the instructions in the busiest block of the main kernel, the product of matrices through shared memory; a dash stands where the",
        "driver shows no listing that `--compiled` reads.",
        "",
        "| chip | driver | pipelines | spills | main kernel | multiply-adds |",
        "|---|---|---|---|---|---|",
    ]
    for chip, (driver, rows) in chips.items():
        all_rows = [row for type_ in TYPES for row in rows[type_]]
        main = [row for row in all_rows if row["kernel"].startswith(MAIN)]
        shares = {row["multiply-adds"] for row in main if "multiply-adds" in row}
        lines.append(
            f"| {chip} | {driver.strip().replace('|', ' ')} | {len(all_rows)} | {spilling(all_rows) or 'none'} | "
            f"{', '.join(sorted({'`' + row['kernel'].removeprefix(MAIN) + '`' for row in main})) or '-'} | {', '.join(sorted(shares)) or '-'} |"
        )
    lines += [
        "",
        f"Names of main kernels lack `{MAIN}`. On Mali, PowerVR and the Raspberry Pi the modules were compiled that `{STAND_IN}` is given.",
        "",
    ]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("chips", nargs="*", metavar="CHIP")
    arguments = parser.parse_args()
    listed = dict(line.split() for line in subprocess.run(["bash", SCRIPT, "list"], capture_output=True, text=True, check=True).stdout.splitlines())
    wanted = arguments.chips or list(listed)
    for chip in wanted:
        if chip not in listed:
            fail(f"there is no chip {chip}; there are {', '.join(listed)}")
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        copy_programs(arguments.build, folder)
        stand_in = None
        for chip in wanted:
            if listed[chip] == "amd64":
                found[chip] = planned(chip, folder)
            else:
                stand_in = stand_in or planned(STAND_IN, folder)[1]
                found[chip] = compiled(chip, arguments.build, stand_in)
            print(f"{chip}: {spilling([row for type_ in TYPES for row in found[chip][1][type_]]) or 'no spills'}", flush=True)
    (ROOT / "docs/gpus.md").write_text(page(found))


if __name__ == "__main__":
    main()
