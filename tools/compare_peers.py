#!/usr/bin/env python3
"""How other runtimes do on the benchmark's problems, on this machine, beside vkonnx-bench.

    tools/compare_peers.py --bench build/bin/vkonnx-bench [--device D] [--suite FILE]... [--filter REGEX] [--rounds 3]

Peers are whatever is installed: onnxruntime and ncnn (with numpy; `pip install onnxruntime ncnn`), torch with CUDA, and
ONNX Runtime's WebGPU provider (`npm install --ignore-scripts onnxruntime-node`, then --node-modules FOLDER/node_modules;
--webgpu-driver ICD.json gives it another Vulkan driver than ours). What is not installed, or what a peer can't do, is said.

Every peer's outputs are compared with the operator's definition before they are timed; vkonnx-bench does so itself. Rounds
alternate: ours of all cases, each peer's, ours, ...; the table shows medians over the rounds, and how many times as long as ours
each peer takes (above 1 we are ahead). CPU and wall-clock peers are held against our wall time of one submit and its wait;
peers timed on the device, against our device time. Inputs stay on the host for ONNX Runtime and ncnn, whose times include what
it takes to bring them over; ours are on the device.

Exit codes: 0 done; 1 a peer or vkonnx-bench computed something wrong; 2 usage; 3 nothing was compared.
"""

import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

from peers import ncnn_peer, onnxruntime_cpu, onnxruntime_webgpu, pytorch
from peers.problem import Unsupported, error_of, expected_samples, load_problems, make_inputs

CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "cases")

# How to make each peer; the key is what --peers names.
PEERS = {
    "ort-cpu": onnxruntime_cpu.Peer,
    "ort-webgpu": onnxruntime_webgpu.Peer,
    "ncnn-cpu": ncnn_peer.Peer,
    "ncnn-vulkan": lambda options: ncnn_peer.Peer(options, vulkan=True),
    "torch": pytorch.Peer,
    "torch-cl": lambda options: pytorch.Peer(options, channels_last=True),
    "torch-tf32": lambda options: pytorch.Peer(options, tf32=True),
    "torch-tf32-cl": lambda options: pytorch.Peer(options, tf32=True, channels_last=True),
}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog="The file's head says more.")
    parser.add_argument("--bench", default="build/bin/vkonnx-bench", help="vkonnx-bench (default: %(default)s)")
    parser.add_argument("--device", default="", help="for vkonnx-bench: an index, gpu, cpu, a part of the name")
    parser.add_argument("--suite", action="append", help="case files whose stem is the operator: tests/cases/networks/conv.txt (default: tests/cases/quick)")
    parser.add_argument("--filter", default="", help="only cases whose OPERATOR/NAME this expression finds")
    parser.add_argument("--peers", default=",".join(PEERS), help="some of %(default)s")
    parser.add_argument("--type", choices=("f32", "f16"), default="f32", help="of tensors; PyTorch alone has f16 (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="times that everything is run (default: %(default)s)")
    parser.add_argument("--min-time", type=float, default=0.1, help="seconds of runs a case, peer and round (default: %(default)s)")
    parser.add_argument("--node-modules", default="", help="folder that holds onnxruntime-node")
    parser.add_argument("--webgpu-driver", default="", help="Vulkan driver manifest for the WebGPU provider")
    parser.add_argument("--json", default="", help="also write the numbers to this file")
    options = parser.parse_args()
    unknown = set(options.peers.split(",")) - set(PEERS)
    if unknown:
        parser.error(f"--peers: {', '.join(sorted(unknown))} must be among {', '.join(PEERS)}")
    if options.rounds < 1:
        parser.error(f"--rounds: {options.rounds} must be at least 1")
    return options


def run_ours(options, problems):
    """Of each problem {"device": s, "wall": s}, or a sentence; and the context. Unsupported where the tool measured nothing."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "ours.json")
        command = [options.bench, f"--benchmark_out={out}", f"--benchmark_min_time={options.min_time}", "--type", options.type]
        command += [word for p in problems for word in ("--case", f"{p.op} {p.line}")]
        done = subprocess.run(command + (["--device", options.device] if options.device else []), capture_output=True, text=True)
        if not os.path.exists(out):
            raise Unsupported((done.stderr.strip().splitlines() or [f"it ended with code {done.returncode}"])[-1])
        with open(out, encoding="utf-8") as file:
            result = json.load(file)
    if len(result["benchmarks"]) != len(problems):
        raise Unsupported(f"it measured {len(result['benchmarks'])} of {len(problems)} cases")
    times = []
    for case in result["benchmarks"]:
        if case.get("error_occurred"):
            times.append(case["error_message"])
            continue
        unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}[case["time_unit"]]
        device = case.get("median_s", case["real_time"] * unit)
        times.append({"device": device, "wall": case.get("wall_s", device)})
    return times, result["context"]


def time_peer(run, min_time):
    """The median seconds of one run."""
    one = getattr(run, "seconds", None)
    samples, begin = [], time.perf_counter()
    while len(samples) < 3 or time.perf_counter() - begin < min_time:
        start = time.perf_counter()
        seconds = one() if one else (run(), time.perf_counter() - start)[1]
        samples.append(seconds)
        if len(samples) >= 3 and time.perf_counter() - begin > 10:
            break
    return statistics.median(samples)


class Row:
    """One problem: seconds of every round, or why there are none."""

    def __init__(self, problem):
        self.problem = problem
        self.ours, self.ours_error = [], ""
        self.runs, self.seconds, self.refusals, self.wrong = {}, {}, {}, {}

    def our_time(self, clock):
        return statistics.median(times[clock] for times in self.ours)

    def ratio(self, peer):
        seconds = self.seconds.get(peer.name)
        return statistics.median(seconds) / self.our_time(peer.clock) if seconds and self.ours else None


def first_line(error):
    return (str(error).splitlines() or [type(error).__name__])[0]


def prepare(np, options, row, peers):
    """What the row's peers run, each compared with the definition once."""
    p = row.problem
    inputs = make_inputs(np, p, np.float16 if options.type == "f16" else np.float32)
    expected = expected_samples(np, p, inputs)
    for peer in peers:
        try:
            run = peer.prepare(p, inputs)
            error = error_of(np, p, run(), expected)
            if error > peer.tolerance:
                row.wrong[peer.name] = f"error {error:.2g} of the greatest output, allowed {peer.tolerance:g}"
            else:
                row.runs[peer] = run
        except Exception as error:  # whatever it is, it is this peer's answer to this case
            row.refusals[peer.name] = first_line(error)


def time_peers(options, row):
    for peer, run in list(row.runs.items()):
        try:
            row.seconds.setdefault(peer.name, []).append(time_peer(run, options.min_time))
        except Exception as error:
            row.refusals[peer.name] = first_line(error)
            row.seconds.pop(peer.name, None)
            del row.runs[peer]


def milliseconds(seconds):
    return f"{seconds * 1e3:.3g}" if seconds < 1 else f"{seconds * 1e3:.0f}"


def cell(row, peer):
    if peer.name in row.wrong:
        return "WRONG"
    if peer.name in row.refusals:
        return "no"
    ratio = row.ratio(peer)
    spent = milliseconds(statistics.median(row.seconds[peer.name]))
    return f"{spent} ({ratio:.3g}x)" if ratio else spent


def clocks_of(peers):
    return sorted({peer.clock for peer in peers})


def cells(row, peers):
    ours = [milliseconds(row.our_time(clock)) if row.ours and not row.ours_error else "ERROR" for clock in clocks_of(peers)]
    return [row.problem.title] + ours + [cell(row, peer) for peer in peers]


def geometric_means(rows, peers):
    means = []
    for peer in peers:
        ratios = [ratio for ratio in (row.ratio(peer) for row in rows) if ratio]
        means.append(f"({math.exp(statistics.fmean(map(math.log, ratios))):.3g}x of {len(ratios)})" if ratios else "-")
    return ["geometric mean"] + [""] * len(clocks_of(peers)) + means


class Table:
    """Prints its lines as they come: who stops a long run keeps what there is."""

    def __init__(self, problems, peers):
        titles = ["case"] + [f"ours, {clock}" for clock in clocks_of(peers)] + [peer.name for peer in peers]
        first = max(len(p.title) for p in problems)
        self.widths = [max(first, len("geometric mean"))] + [max(len(title), 16) for title in titles[1:]]
        print("\nMilliseconds; in brackets, how many times as long as ours.\n")
        self.print_line(titles)

    def print_line(self, line):
        cells = [line[0].ljust(self.widths[0])] + [text.rjust(width) for text, width in zip(line[1:], self.widths[1:])]
        print("  ".join(cells).rstrip(), flush=True)


def print_reasons(rows):
    """Refusals, each reason once with the cases that it speaks of."""
    grouped = {}
    for row in rows:
        for name, reason in row.refusals.items():
            grouped.setdefault((name, reason), []).append(row.problem.name)
        for name, reason in row.wrong.items():
            grouped.setdefault((name, "WRONG: " + reason), []).append(row.problem.name)
        if row.ours_error:
            grouped.setdefault(("ours", "ERROR: " + row.ours_error), []).append(row.problem.name)
    if grouped:
        print()
    for (name, reason), cases in sorted(grouped.items()):
        print(f"{name}: {', '.join(cases)}: {reason}")


def open_peers(options):
    peers, missing = [], []
    for key in options.peers.split(","):
        try:
            if options.type != "f32" and not key.startswith("torch"):
                raise ImportError(f"only PyTorch is compared in {options.type}")
            peers.append(PEERS[key](options))
        except ImportError as error:
            missing.append(f"{key}: not compared: {error}")
    return peers, missing


def write_json(path, context, rows, peers):
    cases = [{"name": row.problem.title, "line": row.problem.line, "ours": row.ours, "ours_error": row.ours_error,
              "peers": row.seconds, "refusals": row.refusals, "wrong": row.wrong} for row in rows]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"context": context, "peers": {peer.name: peer.version for peer in peers}, "cases": cases}, file, indent=1)


def main():
    options = parse_arguments()
    problems, refused = [], []
    files = options.suite or [os.path.join(CASES, "quick", f"{op}.txt") for op in ("conv_transpose", "average_pool")]
    try:
        for path in files:
            found, beyond = load_problems(path, os.path.splitext(os.path.basename(path))[0])
            problems += [p for p in found if re.search(options.filter, p.title)]
            refused += beyond
        import numpy as np
    except (OSError, ImportError, re.error) as error:
        print(f"compare_peers.py: {error}", file=sys.stderr)
        return 2
    if not problems:
        print("compare_peers.py: no case to compare", file=sys.stderr)
        return 3

    try:
        context = run_ours(options, problems[:1])[1]
    except (Unsupported, OSError) as error:
        print(f"compare_peers.py: {options.bench}: {error}", file=sys.stderr)
        return 3
    options.device_name = context.get("device", "")
    peers, missing = open_peers(options)
    print(f"ours: vkonnx {context.get('vkonnx_version', '')} on {options.device_name}, {context.get('driver', '')}")
    for peer in peers:
        print(f"{peer.name}: {peer.version}")
    for sentence in missing + refused:
        print(sentence)

    if not peers:
        return 3

    rows = [Row(p) for p in problems]
    table = Table(problems, peers)
    for last in [False] * (options.rounds - 1) + [True]:
        try:
            times = run_ours(options, problems)[0]
        except Unsupported as error:
            print(f"compare_peers.py: {options.bench}: {error}", file=sys.stderr)
            return 3
        for row, ours in zip(rows, times):
            if isinstance(ours, str):
                row.ours_error = ours
            else:
                row.ours.append(ours)
            if not row.seconds and not row.refusals and not row.wrong:
                prepare(np, options, row, peers)
            time_peers(options, row)
            if last:
                table.print_line(cells(row, peers))
                row.runs.clear()
    table.print_line(geometric_means(rows, peers))
    print_reasons(rows)
    if options.json:
        write_json(options.json, context, rows, peers)
    if any(row.wrong or row.ours_error for row in rows):
        return 1
    return 0 if any(row.ratio(peer) for row in rows for peer in peers) else 3


if __name__ == "__main__":
    sys.exit(main())
