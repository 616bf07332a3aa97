#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs whole models on the device that VKONNX_DEVICE selects, and compares them with ONNX Runtime's CPU.

    python3 compare_models.py [PART_OF_A_NAME...]

The models are those of the wheel rapidocr-onnxruntime, where it is installed, with random inputs, and the graphs of
onnx/backend/test/data/light with seeded weights: as they come, every output is one repeated value. Of classifiers the values before
the Softmax are compared, too. It takes vkonnx, onnx and onnxruntime, and goes to no network.

A line for each model: how many nodes run, the greatest difference relative to the greatest output, the standard deviation relative
to it, seconds of the first output from the file on, milliseconds of ONNX Runtime and of vkonnx (medians), and MiB of values, at
their peak, and of constants. Exit codes: 0; 1 a model differs by more than 1e-4, or its outputs say nothing; 3 nothing ran.
"""

import importlib.util
import os
import pathlib
import statistics
import sys
import time

import numpy as np
import onnx
import onnxruntime
import vkonnx
from onnx import numpy_helper

MOST_DIFFERENCE = 1e-4
LEAST_DEVIATION = 0.1  # below, an output is saturated or constant and proves nothing
REPEATS = 5


def seeded(model):
    """The light model with weights that keep the size of what passes through them."""
    random = np.random.default_rng(1)
    graph = model.graph
    readers = {}
    for node in graph.node:
        for place, name in enumerate(node.input):
            readers.setdefault(name, (node.op_type, place))
    filled = {node.output[0]: node for node in graph.node if node.op_type == "ConstantOfShape"}
    dims = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    weights = []
    for name, node in filled.items():
        shape = tuple(int(extent) for extent in dims[node.input[0]])
        op, place = readers.get(name, ("", 0))
        if op == "Unsqueeze":  # DenseNet and Inception v2 scale and shift behind the normalization
            op, place = readers[next(n.output[0] for n in graph.node if n.op_type == op and name in n.input)]
            values = random.uniform(0.5, 1.5, shape) if op == "Mul" else random.normal(0, 0.1, shape)
        elif len(shape) > 1:
            values = random.normal(0, np.sqrt(2 / np.prod(shape[1:])), shape)
        elif op == "BatchNormalization" and place in (1, 4):
            values = random.uniform(0.5, 1.5, shape)
        else:
            values = random.normal(0, 0.1, shape)
        weights.append(numpy_helper.from_array(values.astype(np.float32), name))
    kept = [node for node in graph.node if node.output[0] not in filled]
    del graph.node[:]
    graph.node.extend(kept)
    graph.initializer.extend(weights)
    return model


def light(path):
    model = seeded(onnx.load(path))
    graph = model.graph
    last = graph.node[-1]
    if last.op_type == "Softmax":
        del graph.output[:]
        graph.output.append(onnx.helper.make_tensor_value_info(last.input[0], onnx.TensorProto.FLOAT, None))
    return model.SerializeToString()


def models():
    """Pairs of a name and what gives the file and the shapes of its inputs."""
    spec = importlib.util.find_spec("rapidocr_onnxruntime")
    if spec is not None:
        folder = pathlib.Path(spec.submodule_search_locations[0], "models")
        for name, file, shape in (
            ("detection", "ch_PP-OCRv4_det_infer", (1, 3, 320, 448)),
            ("recognition", "ch_PP-OCRv4_rec_infer", (1, 3, 48, 320)),
            ("direction", "ch_ppocr_mobile_v2.0_cls_infer", (1, 3, 48, 192)),
        ):
            yield name, lambda file=file: (folder / f"{file}.onnx").read_bytes(), shape
    folder = pathlib.Path(onnx.__file__).parent / "backend/test/data/light"
    for path in sorted(folder.glob("light_*.onnx")):
        yield path.stem.removeprefix("light_"), lambda path=path: light(path), (1, 3, 224, 224)


def median_seconds(run):
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def compare(name, make, shape, device):
    file = make()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    peer = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    given = {one.name: None for one in peer.get_inputs() if len(one.shape) == 4}
    inputs = {one: np.random.default_rng(2).normal(0, 1, shape).astype(np.float32) for one in given}
    expected = peer.run(None, inputs)[0]
    start = time.perf_counter()
    session = vkonnx.Session(file, device=device, threads=os.cpu_count() or 1)
    got = next(iter(session.run(inputs).values()))
    first = time.perf_counter() - start
    scale = float(np.abs(expected).max())
    difference = float(np.abs(np.asarray(got) - expected).max()) / scale
    deviation = float(expected.std()) / scale
    report = session.report()
    runs = sum(node.runs for node in report.nodes)
    print(
        f"{name:14} {runs:4} of {len(report.nodes):4}  {difference:8.1e}  {deviation:6.3f}  {first:7.2f} s"
        f"  {1e3 * median_seconds(lambda: peer.run(None, inputs)):8.1f}  {1e3 * median_seconds(lambda: session.run(inputs)):9.1f}"
        f"  {report.arena_bytes / 2**20:7.1f}  {(report.constant_bytes + report.packed_bytes) / 2**20:7.1f}",
        flush=True,
    )
    return difference <= MOST_DIFFERENCE and (deviation >= LEAST_DEVIATION or shape[2] != shape[3])


def main(parts):
    device = vkonnx.default_device()
    print(device)
    print("model           nodes run   difference  deviation  first  ORT CPU ms  vkonnx ms   values  constants")
    results = [compare(*one, device) for one in models() if not parts or any(part in one[0] for part in parts)]
    return 3 if not results else 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
