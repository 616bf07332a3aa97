# SPDX-License-Identifier: Apache-2.0
"""The networks of own_models.py: numbers of weights as published, shapes, and how weights are scaled."""

import pathlib
import sys

import numpy as np
import onnx
import pytest
import vkonnx
from onnx import numpy_helper

FOLDER = pathlib.Path(__file__).resolve().parent.parent
if not (FOLDER / "own_models.py").is_file():
    pytest.skip("own_models.py is not here", allow_module_level=True)
sys.path.insert(0, str(FOLDER))
import own_models  # noqa: E402


def arrays(model):
    return {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}


def parameters(model):
    """What training would change: all but the statistics of BatchNormalization and numbers that are not learnt."""
    statistics = {name for node in model.graph.node if node.op_type == "BatchNormalization" for name in node.input[3:]}
    return sum(one.size for name, one in arrays(model).items() if name not in statistics and one.ndim)


def weights(model):
    """Of convolutions, without biases."""
    values = arrays(model)
    return sum(values[node.input[1]].size for node in model.graph.node if node.op_type in ("Conv", "ConvTranspose"))


def shape_of(model, **extents):
    """Of the output, by ONNX's own shape inference."""
    for extent in model.graph.input[0].type.tensor_type.shape.dim:
        if extent.dim_param:
            extent.dim_value = extents[extent.dim_param]
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    dims = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True).graph.output[0].type.tensor_type.shape.dim
    return [one.dim_value for one in dims]


def test_dcgan():
    model = own_models.dcgan()
    assert parameters(model) == 3_576_704
    assert shape_of(model, batch=7) == [7, 3, 64, 64]


def test_unet():
    assert parameters(own_models.unet()) == 7_763_041  # of Buda et al.
    assert parameters(own_models.unet(base=64)) == 31_037_633  # with the widths of Ronneberger et al.
    assert shape_of(own_models.unet(classes=5), batch=2, height=48, width=80) == [2, 5, 48, 80]


def test_unet3d():
    model = own_models.unet3d()
    # Those of the paper are 19,069,955, of which 2,339 are biases of convolutions that are shifts of BatchNormalization here.
    assert weights(model) == 19_069_955 - 2_339
    assert shape_of(model, batch=2, depth=8, height=24, width=16) == [2, 3, 8, 24, 16]


def test_fsrcnn():
    model = own_models.fsrcnn()
    assert weights(model) == 12_464
    assert shape_of(model, batch=2, height=5, width=7) == [2, 1, 15, 21]


def test_hifigan():
    model = own_models.hifigan()
    assert parameters(model) == 13_926_017
    assert shape_of(model, batch=2, frames=3) == [2, 1, 3 * 256]


def test_voice():
    assert shape_of(own_models.voice(), batch=2, frames=30) == [2, 64, 1]


def test_weights_are_seeded_and_scaled():
    one, other = arrays(own_models.dcgan()), arrays(own_models.dcgan())
    assert all(np.array_equal(one[name], other[name]) for name in one)
    graph = own_models.Graph(8, "height", "width")
    graph.conv_transpose(graph.conv("x", 64, kernel=3, gain=1), 32, kernel=4, stride=2, gain=1)
    model = graph.model(graph.node("Identity", "x"), "scaled", None, None)
    deviations = [one.std() for one in arrays(model).values() if one.ndim == 4]
    np.testing.assert_allclose(deviations, [(8 * 9) ** -0.5, (64 * 4) ** -0.5], rtol=0.05)  # 4 of 16 weights meet in an output


def test_smooth_weights_interpolate():
    """A constant stays one where upsampling is smooth, and gets the stride's pattern where it is not."""
    for smooth, least, most in ((True, 0, 1e-5), (False, 0.1, np.inf)):
        graph = own_models.Graph(4, "height", "width", smooth=smooth)
        y = graph.conv_transpose("x", 3, kernel=4, stride=2, pad=1)
        model = graph.model(graph.node("Identity", y), "up", None, None)
        inner = vkonnx.Session(model).run({"x": np.ones((1, 4, 6, 6), np.float32)})["y"][..., 2:-2, 2:-2]
        assert least <= inner.std(axis=(2, 3)).max() <= most
