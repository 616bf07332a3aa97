#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a page (Markdown) of what tools/measure_gpu.sh has left in its folder.

    python3 tools/gpu_page.py OUT >page.md

It says what the programs said: conformance, whole models beside ONNX Runtime's CPU, and layers of networks beside PyTorch. A part
whose leg was not run is left out. Exit codes: 0; 2 where the folder holds nothing that can be told.
"""

import json
import pathlib
import re
import statistics
import sys


def text_of(folder, name):
    path = folder / name
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def json_of(folder, name):
    text = text_of(folder, name)
    return json.loads(text) if text else None


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1] if lines else ""


def device_lines(folder):
    """The indented lines of `vkonnx devices` behind the device's name."""
    for context in (json_of(folder, f"cudnn_{kind}.json") for kind in ("f32", "f16")):
        if context:
            context = context["context"]
            yield f"# {context['device']}"
            yield ""
            yield f"Driver {context['driver']}, Vulkan {context['api_version']}; {context['date'][:10]}. `tools/measure_gpu.sh` measured, `tools/gpu_page.py` wrote."
            return
    name = next((line for line in text_of(folder, "devices.log").splitlines() if re.match(r"\d+  ", line)), "")
    yield f"# {name[3:] or 'A device'}"


def conformance_lines(folder):
    rows = []
    for name, what in (
        ("conformance", "`vkonnx-test --cases`"),
        ("official", "ONNX's own cases, as far as the installed onnx brings them"),
        ("tests", "`gpu_test`"),
    ):
        line = last_line(text_of(folder, f"{name}.log"))
        if re.match(r"\d+ passed", line):
            rows.append(f"| {what} | {line} |")
    if rows:
        yield from ["", "| what | result |", "|---|---|", *rows]


def model_lines(folder):
    """Of compare_models.py's table: name, nodes, difference, deviation, first, peak, live, packed, GPU, ours, ONNX Runtime's."""
    rows = []
    for line in text_of(folder, "models.log").splitlines():
        found = re.match(r"(\S+)\s+\d+ of\s+\d+\s+(\S+)\s+\S+\s+(\S+) s\s+(\S+)\s+\S+\s+\S+\s+(\S+)\s+(\S+)\s+(\S+) \(", line)
        if found:
            rows.append("| " + " | ".join(found.groups()) + " |")
    if rows:
        yield from [
            "",
            "Whole models, float32, batch 1, upload and download included (but in the GPU's own time), beside ONNX Runtime on the same"
            " machine's CPU:",
            "",
            "| model | greatest difference | first output, s | peak, MiB | GPU, ms | vkonnx, ms | ONNX Runtime's CPU, ms |",
            "|---|---|---|---|---|---|---|",
            *rows,
        ]


def microseconds(seconds):
    return f"{1e6 * seconds:.3g}"


def layer_lines(folder, kind):
    data = json_of(folder, f"cudnn_{kind}.json")
    if not data:
        return
    peers = list(data["peers"])
    rows, ratios = [], {peer: [] for peer in peers}
    for case in data["cases"]:
        if not case["ours"]:
            continue
        ours = statistics.median(times["device"] for times in case["ours"])
        cells = [case["name"], microseconds(ours)]
        for peer in peers:
            seconds = case["peers"].get(peer)
            if not seconds:
                cells.append("-")
                continue
            peers_time = statistics.median(seconds)
            ratios[peer].append(peers_time / ours)
            cells.append(f"{microseconds(peers_time)} ({peers_time / ours:.2f})")
        rows.append("| " + " | ".join(cells) + " |")
    means = [f"({statistics.geometric_mean(ratios[peer]):.2f} of {len(ratios[peer])})" if ratios[peer] else "-" for peer in peers]
    version = data["peers"][peers[0]].split(", ")
    yield from [
        "",
        f"Layers of networks, {'float32' if kind == 'f32' else 'float16'}, batch 1, microseconds on the device, beside {version[0]} with {version[1]} (benchmark"
        " mode; 20 calls in a CUDA graph, so that Python costs nothing). In brackets: how many times as long as ours; above 1 we are"
        " ahead. CL: channels last.",
        "",
        "| layer | vkonnx | " + " | ".join(peers) + " |",
        "|---" * (len(peers) + 2) + "|",
        *rows,
        "| geometric mean | | " + " | ".join(means) + " |",
    ]


def main():
    if len(sys.argv) != 2:
        print("usage: gpu_page.py OUT", file=sys.stderr)
        return 2
    folder = pathlib.Path(sys.argv[1])
    parts = [conformance_lines(folder), model_lines(folder), layer_lines(folder, "f32"), layer_lines(folder, "f16")]
    body = [line for part in parts for line in part]
    if not body:
        print(f"gpu_page.py: {folder} has none of the files that tools/measure_gpu.sh writes", file=sys.stderr)
        return 2
    print("\n".join([*device_lines(folder), *body]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
