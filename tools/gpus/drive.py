#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records, submits and waits for the built-in cases on Mesa's drivers of GPUs that need not be here, with the validation layer.

    python3 tools/gpus/drive.py [--build BUILD] [--filter FILTER] [CHIP...]

CHIPs are names of `tools/gpus/gpus.sh list` whose drivers are for x86-64, by default all of these. FILTER is a GoogleTest filter of
cases. BUILD is a build folder with vkonnx-test (default build).

What is submitted to these drivers does nothing. So a case is as it should be here when it fails by its values and by nothing else: any
message of the validation layer, any error of Vulkan and any wait without an end is a finding. A case may pass whose answer has no elements,
or is what lies in memory that nothing wrote: NaN, which outputs are filled with, or zero. More than one such case in eight is a finding,
too. Exit code 0: nothing was found.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools/gpus/gpus.sh"
BY_VALUES = re.compile(r"\d+ of \d+ elements of \S+( \S+)? differ: |the device's tensor is \[")
# The second looks at what shaders access, too: without it a missing barrier between two dispatches is not noticed.
SYNCHRONIZATION = ("VK_LAYER_VALIDATE_SYNC=1", "VK_LAYER_SYNCVAL_SHADER_ACCESSES_HEURISTIC=1")
MOST_SHOWN = 5


def fail(sentence):
    sys.exit(f"drive.py: {sentence}")


def copy_programs(build, folder):
    """vkonnx-test with the libraries that another system may lack."""
    shutil.copy(build / "bin/vkonnx-test", folder)
    listed = subprocess.run(["ldd", build / "bin/vkonnx-test"], capture_output=True, text=True, check=True).stdout
    for name, path in re.findall(r"(libvkonnx\S*) => (\S+)", listed):
        shutil.copy(path, pathlib.Path(folder) / name)


def drive(chip, folder, filter_):
    """The report of vkonnx-test, which FOLDER/out gets."""
    command = ["env", "LD_LIBRARY_PATH=/work", "VKONNX_CACHE_DIR=", *SYNCHRONIZATION, "./vkonnx-test", "--cases", "--validate", "--no-self-test"]
    command += ["--report", "out/report.json", f"--gtest_filter={filter_}"]
    done = subprocess.run(["bash", SCRIPT, "run", chip, folder, *command], capture_output=True, text=True, errors="replace")
    written = folder / "out/report.json"
    if not written.exists():
        fail(f"{chip}: vkonnx-test wrote no report, exit code {done.returncode}: {(done.stderr + done.stdout).strip()[-600:]}")
    report = json.loads(written.read_text())
    written.unlink()
    if not report["validated"]:
        fail(f"{chip}: the validation layer did not look at it")
    return report


def is_by_values(result):
    """Whether a case fails by its values alone: behind the case's line nothing else is told."""
    return bool(BY_VALUES.match(result["message"])) and result["message"].endswith(f"; case: {result['problem']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--filter", default="*")
    parser.add_argument("chips", nargs="*", metavar="CHIP")
    arguments = parser.parse_args()
    listed = dict(line.split() for line in subprocess.run(["bash", SCRIPT, "list"], capture_output=True, text=True, check=True).stdout.splitlines())
    able = [chip for chip, architecture in listed.items() if architecture == "amd64"]
    for chip in arguments.chips:
        if chip not in able:
            fail(f"there is no chip {chip} whose driver is for x86-64; there are {', '.join(able)}")
    chips = arguments.chips or able
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        copy_programs(arguments.build, folder)
        (folder / "out").mkdir()
        for chip in chips:
            results = drive(chip, folder, arguments.filter)["results"]
            passed = [result for result in results if result["outcome"] == "passed"]
            skipped = [result for result in results if result["outcome"] == "skipped"]
            others = [result for result in results if result["outcome"] == "failed" and not is_by_values(result)]
            print(
                f"{chip}: {len(results)} cases: {len(results) - len(passed) - len(skipped) - len(others)} as they should be, {len(passed)} passed, "
                f"{len(skipped)} not supported, {len(others)} with other messages",
                flush=True,
            )
            for result in others[:MOST_SHOWN]:
                print(f"    {result['case']}: {result['message'][:600]}")
            failed += len(others) != 0 or 8 * len(passed) > len(results)
    print(f"{len(chips) - failed} chips passed, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
