# SPDX-License-Identifier: Apache-2.0
import unittest

import numpy as np
import onnx
import onnx.backend.base
import pytest
import vkonnx
import vkonnx.backend
from conftest import model_of, unary, value
from onnx import TensorProto, helper, numpy_helper

X = np.array([[-1, 2, 3]], np.float32)


def test_it_is_a_backend():
    assert issubclass(vkonnx.backend.VkonnxBackend, onnx.backend.base.Backend)
    assert vkonnx.backend.is_compatible(unary("Relu"))
    assert vkonnx.backend.supports_device("CPU") and vkonnx.backend.supports_device("CPU:0")
    assert not vkonnx.backend.supports_device("CUDA")
    prepared = vkonnx.backend.prepare(unary("Relu"))
    assert isinstance(prepared, onnx.backend.base.BackendRep)
    for inputs in ([X], {"x": X}, X):
        results = prepared.run(inputs)
        assert isinstance(results, tuple) and results[0].tolist() == [[0, 2, 3]]
    assert vkonnx.backend.run_model(unary("Neg"), [X])[0].tolist() == [[1, -2, -3]]


def test_run_node():
    node = helper.make_node("Clip", ["x", "", "max"], ["y"])
    assert vkonnx.backend.run_node(node, [X, np.float32(2)])[0].tolist() == [[-1, 2, 2]]
    node = helper.make_node("LeakyRelu", ["x"], ["y"], alpha=0.5)
    assert vkonnx.backend.run_node(node, [X], opset_version=16)[0].tolist() == [[-0.5, 2, 3]]


def test_refusals_are_skips_with_the_librarys_sentence():
    with pytest.raises(unittest.SkipTest) as skip:
        vkonnx.backend.prepare(unary("RandomUniformLike", (1, 3)))
    assert str(skip.value).startswith("node 'y': operator 'RandomUniformLike' of domain 'ai.onnx', opset 22 is not supported; ")
    # With an open dimension it shows when it runs.
    with pytest.raises(unittest.SkipTest, match="operator 'RandomUniformLike'"):
        vkonnx.backend.prepare(unary("RandomUniformLike", ("n", 3))).run([X])


def test_nothing_else_is_a_skip():
    with pytest.raises(vkonnx.InvalidArgument):
        vkonnx.backend.prepare(unary("LeakyRelu", (1, 3), TensorProto.INT32))
    with pytest.raises(vkonnx.InvalidArgument):
        vkonnx.backend.prepare(unary("Relu", ("n", 3))).run([X[0]])
    with pytest.raises(vkonnx.InvalidArgument, match="device = 'CUDA' must be CPU"):
        vkonnx.backend.prepare(unary("Relu", (1, 3)), "CUDA")
    with pytest.raises(vkonnx.WrongType):
        vkonnx.backend.prepare(unary("Relu", (1, 3))).run([None])


def test_initializers_that_are_inputs_need_no_value():
    w = numpy_helper.from_array(np.array([2, 2, 2], np.float32), "w")
    node = helper.make_node("Mul", ["x", "w"], ["y"])
    model = model_of([node], [value("x", (1, 3)), value("w", (3,))], [value("y")], [w])
    assert vkonnx.backend.run_model(model, [X])[0].tolist() == [[-2, 4, 6]]
