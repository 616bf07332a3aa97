#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the models that packages ship through ONNX Runtime with vkonnx as its provider, beside ONNX Runtime's CPU kernels and vkonnx
by itself, and prints a table: how many nodes the provider took, in how many groups, how far the outputs are apart, and the times.

    python3 tools/onnxruntime_ep/package_models.py [PART_OF_A_NAME...] [--folder DIR] [--timeout SECONDS] [--page FILE]

--page also writes the table to a page, with what it was measured on.

Only files that are in --folder already are run: tools/packages.py fetches them. VKONNX_EP_DEVICE is a part of the device's name.
It takes vkonnx, numpy, onnx, onnxruntime 1.24 or newer and onnxruntime_ep_vkonnx.
Exit codes: 0; 1 an output is wrong or a file does not run; 3 nothing was compared.
"""

import argparse
import datetime
import multiprocessing
import os
import pathlib
import platform
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tools" / "python")]

from compare_onnxruntime import run_apart  # noqa: E402
from measure import median_seconds, onnxruntime_session, seconds_of  # noqa: E402
from model_packages import PACKAGES, path_of  # noqa: E402
from packages import commit_of_tree, compare, sentence_of  # noqa: E402

HEAD = """# Models through ONNX Runtime

`python3 tools/onnxruntime_ep/package_models.py --page docs/onnxruntime_packages.md` runs models that packages of PyPI and npm ship through
ONNX Runtime with [the provider](onnxruntime.md), on inputs from fixed seeds, and writes this page.

A row has how many of the model's nodes the provider took, as ONNX Runtime has them, and in how many groups; the largest difference from
ONNX Runtime's CPU kernels as a part of the output's largest element; and medians of several runs in milliseconds: through the provider, by
vkonnx itself, and by ONNX Runtime's CPU kernels. Where a file did not run, a sentence says why.
"""
TITLES = ["package", "file", "nodes taken", "groups", "difference", "provider ms", "vkonnx ms", "CPU ms"]


def run_cpu(sender, path, inputs):
    session = onnxruntime_session(str(path))
    names = [output.name for output in session.get_outputs()]
    outputs = dict(zip(names, session.run(None, inputs)))
    sender.send((outputs, median_seconds(lambda: seconds_of(lambda: session.run(None, inputs)))))


def run_provider(sender, path, inputs):
    import onnxruntime
    import onnxruntime_ep_vkonnx

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    try:
        session = onnxruntime_ep_vkonnx.session(
            str(path), device=os.environ.get("VKONNX_EP_DEVICE"), session_options=options
        )
        nodes = {name: 0 for name in session.get_providers()}
        groups = 0
        for part in session.get_provider_graph_assignment_info():
            nodes[part.ep_name] += len(part.get_nodes())
            groups += part.ep_name == onnxruntime_ep_vkonnx.get_ep_name()
        names = [output.name for output in session.get_outputs()]
        outputs = dict(zip(names, session.run(None, inputs)))
        seconds = median_seconds(lambda: seconds_of(lambda: session.run(None, inputs)))
        sender.send(("ran", outputs, seconds, nodes[onnxruntime_ep_vkonnx.get_ep_name()], sum(nodes.values()), groups))
    except Exception as error:  # whatever it is, it is the answer to this file
        sender.send(("failed", sentence_of(error, path)))


def run_vkonnx(sender, path, inputs):
    import vkonnx

    try:
        session = vkonnx.Session(str(path), device=vkonnx.Device(os.environ.get("VKONNX_EP_DEVICE", "")))
        session.run(inputs)
        sender.send(("ran", median_seconds(lambda: seconds_of(lambda: session.run(inputs)))))
    except vkonnx.Error as error:
        sender.send(("refused", sentence_of(error, path)))


def row_of(file, path, apart):
    """The cells of a file's row, whether it is right, and the ratio of the provider's time to vkonnx' own."""
    inputs = {name: make() for name, make in file.inputs.items()}
    reference = apart(run_cpu, [path, inputs])
    if reference[0] == "ended":
        return ["", "", f"ONNX Runtime does not run it: {reference[1]}", "", "", ""], True, None
    ours = apart(run_provider, [path, inputs])
    if ours[0] != "ran":
        return ["", "", f"{ours[0]}: {ours[1]}", "", "", f"{1e3 * reference[1]:.4g}"], False, None
    _, outputs, seconds, taken, total, groups = ours
    alone = apart(run_vkonnx, [path, inputs])
    try:
        difference = compare(reference[0], outputs)
        good, text = difference.good, str(difference)
    except ValueError as error:
        good, text = False, f"WRONG: {error}"
    ran_alone = alone[0] == "ran"
    cells = [f"{taken} of {total}", str(groups), text, f"{1e3 * seconds:.4g}", f"{1e3 * alone[1]:.4g}" if ran_alone else alone[0]]
    return [*cells, f"{1e3 * reference[1]:.4g}"], good, seconds / alone[1] if ran_alone else None


def machine():
    """A sentence on what was measured."""
    import onnxruntime
    import onnxruntime_ep_vkonnx

    wanted = os.environ.get("VKONNX_EP_DEVICE", "").lower()
    device = next(one for one in onnxruntime_ep_vkonnx.devices() if wanted in one.ep_metadata["vulkan_device"].lower())
    return (
        f"{device.ep_metadata['vulkan_device']}, {device.ep_metadata['vulkan_driver']}; {platform.system()}, {os.cpu_count()} cores; "
        f"ONNX Runtime {onnxruntime.__version__}; {commit_of_tree()}, {datetime.date.today()}."
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog="The file's head says more.")
    parser.add_argument("parts", nargs="*", metavar="PART_OF_A_NAME")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "packages")
    parser.add_argument("--timeout", type=float, default=300.0)
    parser.add_argument("--page", type=pathlib.Path)
    options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    lines, good, ratios = [], [], []

    def tell(line):
        print(line, flush=True)
        lines.append(line)

    tell("| " + " | ".join(TITLES) + " |\n|" + "---|" * len(TITLES))
    for package in PACKAGES:
        for file in package.files:
            path = path_of(package, file.name, options.folder)
            if not path.is_file() or (options.parts and not any(part in f"{package.name}/{file.name}" for part in options.parts)):
                continue
            cells, is_good, ratio = row_of(file, path, lambda work, given: run_apart(context, work, given, options.timeout))
            tell("| " + " | ".join([package.name, file.name, *cells]) + " |")
            good.append(is_good)
            ratios += [] if ratio is None else [ratio]
    if ratios:
        mean = statistics.geometric_mean(ratios)
        tell(f"\nThe provider takes {mean:.3f} times as long as vkonnx by itself, as the geometric mean of {len(ratios)} files.")
    if options.page:
        options.page.write_text("\n".join([HEAD, machine(), "", *lines, ""]), encoding="utf-8")
    return 3 if not good else 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
