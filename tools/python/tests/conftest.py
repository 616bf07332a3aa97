# SPDX-License-Identifier: Apache-2.0
"""Runs on the device that VKONNX_DEVICE selects: `python3 -m pytest tools/python/tests`, with vkonnx installed or found by
PYTHONPATH and VKONNX_LIBRARY; needs onnx, ml_dtypes and pytest."""

import os
import subprocess
import sys
import tempfile

import pytest
import vkonnx
from onnx import TensorProto, helper

os.environ["VKONNX_CACHE_DIR"] = ""  # nothing is kept, and nothing of other runs decides
SELECT = os.environ.get("VKONNX_DEVICE", "")
_onnx_home = tempfile.TemporaryDirectory(prefix="vkonnx-onnx-")  # goes with the process
os.environ.setdefault("ONNX_HOME", _onnx_home.name)  # the suite's runner writes there


@pytest.fixture(scope="session")
def device():
    return vkonnx.default_device()


def value(name, shape=None, dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, shape)


def model_of(nodes, inputs, outputs, initializers=(), opset=22):
    graph = helper.make_graph(nodes, "graph", inputs, outputs, list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def unary(op, shape=("n", 3), dtype=TensorProto.FLOAT, **attributes):
    """y = op(x)"""
    node = helper.make_node(op, ["x"], ["y"], **attributes)
    return model_of([node], [value("x", shape, dtype)], [value("y", None, dtype)])


def python(code, **environment):
    """Another interpreter: (exit status, standard output, standard error)."""
    known = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(vkonnx.__file__))}
    known.update({name: text for name, text in environment.items() if text is not None})
    for name in [name for name, text in environment.items() if text is None]:
        known.pop(name, None)
    # Python looks for modules in the folder that it is started in, first.
    done = subprocess.run(
        [sys.executable, "-c", code], env=known, cwd=tempfile.gettempdir(), capture_output=True, text=True, timeout=120
    )
    return done.returncode, done.stdout, done.stderr
