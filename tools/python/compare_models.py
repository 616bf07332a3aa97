#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs whole models on the device that VKONNX_DEVICE selects, and compares them with ONNX Runtime's CPU.

    python3 compare_models.py [PART_OF_A_NAME...]
    python3 compare_models.py --node-modules FOLDER [--webgpu-driver ICD.json] [PART_OF_A_NAME...]
    python3 compare_models.py --write DIR [PART_OF_A_NAME...]

The models are the networks of own_models.py, those of the wheel rapidocr-onnxruntime, where it is installed, and the graphs of
onnx/backend/test/data/light with seeded weights: as they come, every output is one repeated value. Of classifiers the values before
the Softmax are compared, too. Inputs are random. It takes vkonnx, onnx and onnxruntime, and goes to no network.

A line for each model: how many nodes run, the greatest difference relative to the greatest output, the standard deviation relative
to it, seconds of the first output from the file on, MiB: most that the device held, the values that live at once at most, and packed
weights; and milliseconds (medians of five, of more where a model is fast, or of fewer where one takes seconds): the GPU's own where it
has timestamps, all of vkonnx's, and the peers', with how many times as long as vkonnx each takes (above 1 we are ahead), of which the
last lines have the geometric means. All times but the GPU's include upload and download.

--node-modules: also ONNX Runtime's WebGPU provider, by the onnxruntime-node in that folder (npm install --ignore-scripts
onnxruntime-node), on the Vulkan driver of --webgpu-driver or the environment. Nothing falls back to its CPU: a model that it can't
run as a whole says "no", and why below the table.

--write: nothing runs on the device; each model becomes a folder for vkonnx-test, as ONNX's backend tests are, with the input and
ONNX Runtime's answer.

Exit codes: 0; 1 a model differs by more than 1e-4, or its outputs say nothing; 3 nothing ran.
"""

import argparse
import dataclasses
import importlib.util
import os
import pathlib
import statistics
import sys
import tempfile
import time
from typing import Callable, Tuple

import numpy as np
import onnx
import own_models
import vkonnx
import write_onnx_cases
from measure import difference_of, median_seconds, onnxruntime_session, seconds_of
from onnx import numpy_helper

MOST_DIFFERENCE = 1e-4
LEAST_DEVIATION = 0.1  # below, an output is saturated or constant and proves nothing


@dataclasses.dataclass
class Model:
    name: str
    make: Callable[[], bytes]
    shape: Tuple[int, ...]
    least_deviation: float = LEAST_DEVIATION


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
    for name, (make, shape) in own_models.MODELS.items():
        yield Model(name, lambda make=make: make().SerializeToString(), shape)
    spec = importlib.util.find_spec("rapidocr_onnxruntime")
    if spec is not None:
        folder = pathlib.Path(spec.submodule_search_locations[0], "models")
        for name, file, shape in (
            ("detection", "ch_PP-OCRv4_det_infer", (1, 3, 320, 448)),
            ("recognition", "ch_PP-OCRv4_rec_infer", (1, 3, 48, 320)),
            ("direction", "ch_ppocr_mobile_v2.0_cls_infer", (1, 3, 48, 192)),
        ):
            # Trained for pictures: of a random one little comes out.
            path = folder / f"{file}.onnx"
            yield Model(name, lambda path=path: path.read_bytes(), shape, least_deviation=0)
    folder = pathlib.Path(onnx.__file__).parent / "backend/test/data/light"
    for path in sorted(folder.glob("light_*.onnx")):
        yield Model(path.stem.removeprefix("light_"), lambda path=path: light(path), (1, 3, 224, 224))


class OnnxRuntime:
    """The CPU's answer for a random input, which the others are held against."""

    def __init__(self, model, file):
        self.session = onnxruntime_session(file)
        self.input, self.output = self.session.get_inputs()[0].name, self.session.get_outputs()[0].name
        self.x = np.random.default_rng(2).normal(0, 1, model.shape).astype(np.float32)

    def run(self):
        return self.session.run([self.output], {self.input: self.x})[0]


class WebGpu:
    """tools/peers has its process; input and output have the names there that it asks for. Each model has a process of its own: what one
    has submitted before it gave up would go on beside the next."""

    def __init__(self, options):
        sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
        from peers import onnxruntime_webgpu, problem

        self.refused = problem.Unsupported
        self.start = lambda: onnxruntime_webgpu.Peer(options)
        self.peer = self.start()  # ImportError where there is none
        self.stop()

    def stop(self):
        self.peer.process.kill()
        self.peer.process.wait()

    def load(self, file, cpu):
        model = onnx.load_from_string(file)
        names = {cpu.input: "x", cpu.output: "y"}
        for node in model.graph.node:
            for values in (node.input, node.output):
                values[:] = [names.get(value, value) for value in values]
        for value in (*model.graph.input, *model.graph.output):
            value.name = names.get(value.name, value.name)
        self.peer = self.start()
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            onnx.save(model, place / "model.onnx")
            cpu.x.tofile(place / "x")
            self.peer.ask(load=str(place / "model.onnx"), x=str(place / "x"), dims=cpu.x.shape)
            dims = self.peer.ask(out=str(place / "y"))["dims"]
            return np.fromfile(place / "y", np.float32).reshape(dims)

    def seconds(self):
        return self.peer.ask()["seconds"]


def most_live(report):
    """Bytes of the values that live at once at most, inputs and outputs among them."""
    live = [0] * len(report.nodes)
    for value in report.values:
        if value.place not in ("none", "constant"):
            for node in range(value.first, value.last + 1):
                live[node] += value.bytes
    return max(live, default=0)


class Comparison:
    def __init__(self, webgpu):
        self.webgpu = webgpu
        self.good = []
        self.ratios = {"ORT CPU": []} | ({"ORT WebGPU": []} if webgpu else {})
        self.refusals = []

    def cell(self, peer, seconds, ours):
        self.ratios[peer].append(seconds / ours)
        return f"{1e3 * seconds:9.1f} ({seconds / ours:5.2f}x)"

    def webgpu_cell(self, name, file, cpu, expected, ours):
        try:
            difference = difference_of(self.webgpu.load(file, cpu), expected)
            if not difference <= MOST_DIFFERENCE:
                self.refusals.append(f"{name}: ORT WebGPU differs by {difference:.1e}")
                return f"{'WRONG':>18}"
            return self.cell("ORT WebGPU", median_seconds(self.webgpu.seconds), ours)
        except self.webgpu.refused as error:
            self.refusals.append(f"{name}: ORT WebGPU: {error}")
            return f"{'no':>18}"
        finally:
            self.webgpu.stop()

    def compare(self, model):
        file = model.make()
        cpu = OnnxRuntime(model, file)
        expected = cpu.run()
        device = vkonnx.Device(os.environ.get("VKONNX_DEVICE", ""))  # its own, which tells what it held
        start = time.perf_counter()
        session = vkonnx.Session(file, device=device, threads=os.cpu_count() or 1)
        inputs = {cpu.input: cpu.x}
        got = session.run(inputs)[cpu.output]
        first = time.perf_counter() - start
        difference = difference_of(got, expected)
        deviation = float(expected.std() / np.abs(expected).max())
        gpu = []

        def seconds():
            spent = seconds_of(lambda: session.run(inputs))
            gpu.append(sum(node.seconds for node in session.report().nodes))
            return spent

        ours = median_seconds(seconds)
        report = session.report()
        row = (
            f"{model.name:14} {sum(node.runs for node in report.nodes):4} of {len(report.nodes):4}  {difference:8.1e}"
            f"  {deviation:6.3f}  {first:7.2f} s  {device.memory().peak_used / 2**20:6.2f}"
            f"  {most_live(report) / 2**20:6.2f}  {report.packed_bytes / 2**20:6.2f}"
            f"  {1e3 * statistics.median(gpu):8.1f}  {1e3 * ours:8.1f}"
            f"  {self.cell('ORT CPU', median_seconds(lambda: seconds_of(cpu.run)), ours)}"
        )
        if self.webgpu:
            row += "  " + self.webgpu_cell(model.name, file, cpu, expected, ours)
        print(row, flush=True)
        self.good.append(difference <= MOST_DIFFERENCE and deviation >= model.least_deviation)

    def print_head(self):
        print(vkonnx.default_device())
        print(
            "model           nodes run   difference  deviation  first    peak    live  packed    GPU ms  vkonnx ms"
            + "".join(f"  {peer + ' ms':>18}" for peer in self.ratios)
        )

    def print_end(self):
        for peer, ratios in self.ratios.items():
            if ratios:
                mean = statistics.geometric_mean(ratios)
                print(f"{peer}: {mean:.3f} times as long as vkonnx (geometric mean of {len(ratios)} models)")
        print(*self.refusals, sep="\n", end="\n" if self.refusals else "")


def write(model, folder):
    file = model.make()
    cpu = OnnxRuntime(model, file)
    data_set = [[numpy_helper.from_array(*one)] for one in ((cpu.x, cpu.input), (cpu.run(), cpu.output))]
    write_onnx_cases.write(folder, onnx.load_from_string(file), [data_set])


def named(known, parts):
    """A part that is a name stands for that model alone."""
    names = {one.name for one in known}
    return [one for one in known if not parts or any(one.name == part if part in names else part in one.name for part in parts)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog="The file's head says more.")
    parser.add_argument("parts", nargs="*", metavar="PART_OF_A_NAME", help="of the models to run (default: all)")
    parser.add_argument("--node-modules", default="", help="folder that holds onnxruntime-node, for its WebGPU provider")
    parser.add_argument("--webgpu-driver", default="", help="Vulkan driver manifest for the WebGPU provider")
    parser.add_argument("--write", metavar="DIR", type=pathlib.Path, help="write the models as folders instead")
    options = parser.parse_args()
    chosen = named(list(models()), options.parts)
    if options.write:
        if options.write.exists():
            parser.error(f"{options.write} exists already")
        for model in chosen:
            write(model, options.write / model.name)
        print(f"{len(chosen)} models in {options.write}")
        return 0 if chosen else 3
    try:
        webgpu = WebGpu(options) if options.node_modules else None
    except ImportError as error:
        parser.error(str(error))
    comparison = Comparison(webgpu)
    comparison.print_head()
    for model in chosen:
        comparison.compare(model)
    comparison.print_end()
    return 3 if not chosen else 0 if all(comparison.good) else 1


if __name__ == "__main__":
    sys.exit(main())
