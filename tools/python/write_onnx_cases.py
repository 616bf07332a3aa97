#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the cases of the installed onnx's backend test suite as folders for vkonnx-test, as libonnx-testdata has older ones.

    python3 write_onnx_cases.py DIR
    vkonnx-test --all-devices DIR/node DIR/simple DIR/pytorch-converted DIR/pytorch-operator DIR/light

NAME/model.onnx, NAME/test_data_set_0/input_0.pb, output_0.pb. The light models have the input that the suite's runner makes for
them. It takes numpy, onnx and vkonnx, and goes to no network.
"""

import pathlib
import shutil
import sys

import onnx
from onnx import numpy_helper
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner
from vkonnx.backend import EXCLUDED_CASES

KINDS = ("simple", "pytorch-converted", "pytorch-operator")


def proto_of(value, info):
    """The message that a data set's file has for a value: as the type of the graph's input or output says."""
    if isinstance(value, onnx.TensorProto):
        return value
    writers = {
        "sequence_type": numpy_helper.from_list,
        "map_type": numpy_helper.from_dict,
        "optional_type": numpy_helper.from_optional,
    }
    return writers.get(info.type.WhichOneof("value"), numpy_helper.from_array)(value, info.name)


def write(folder, model, data_sets):
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    for i, (inputs, outputs) in enumerate(data_sets):
        data = folder / f"test_data_set_{i}"
        data.mkdir()
        for kind, values, infos in (("input", inputs, model.graph.input), ("output", outputs, model.graph.output)):
            for j, value in enumerate(values):
                (data / f"{kind}_{j}.pb").write_bytes(proto_of(value, infos[j]).SerializeToString())


def write_light(folder, model_file):
    model = onnx.load(model_file)
    filled = {one.name for one in model.graph.initializer}
    inputs = [
        Runner.generate_dummy_data(one, seed=0, name=folder.name, random=False)
        for one in model.graph.input
        if one.name not in filled
    ]
    outputs = [
        onnx.TensorProto.FromString(model_file.with_name(f"{model_file.stem}_output_{i}.pb").read_bytes())
        for i in range(len(model.graph.output))
    ]
    write(folder, model, [([numpy_helper.from_array(one) for one in inputs], outputs)])


def main(target):
    target = pathlib.Path(target)
    if target.exists():
        sys.exit(f"{target} exists already")
    for case in load_model_tests(kind="node"):
        if case.name not in EXCLUDED_CASES:
            write(target / "node" / case.name, case.model, case.data_sets)
    for kind in KINDS:
        for case in load_model_tests(kind=kind):
            shutil.copytree(case.model_dir, target / kind / case.name)
    package = pathlib.Path(onnx.__file__).parent.parent
    for case in load_model_tests(kind="real"):
        if not case.url.startswith("onnx/"):
            print(f"{case.name} is left out: {case.url} is not a file of the package")
            continue
        write_light(target / "light" / case.name, package / case.url)
    print(f"onnx {onnx.__version__}: {sum(1 for _ in target.glob('*/*/model.onnx'))} cases in {target}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
