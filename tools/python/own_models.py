# SPDX-License-Identifier: Apache-2.0
"""Known networks built here from their published tables of layers, with seeded weights: nothing has to be fetched for them.

    file = own_models.unet().SerializeToString()

Weights are scaled as He et al. do, so that what passes through keeps its size. Batch and spatial extents are open where the network
leaves them so. The input is x, the output y. With `smooth` each ConvTranspose interpolates between random multiples of what it reads,
since wholly random ones hide every shape below a pattern of their stride.
"""

import math

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET, IR_VERSION = 17, 8  # what other runtimes have read for years


class Graph:
    """A graph that grows: each method adds nodes and gives the name of their result. Convolutions have the same extent on each axis."""

    def __init__(self, channels, *extents, smooth=False, noise=1.0):
        self.random = np.random.default_rng(1)
        self.smooth = smooth
        self.noise = noise  # factor of all random weights of convolutions
        self.extents, self.rank = extents, len(extents)
        self.nodes, self.initializers, self.channels = [], [], {"x": channels}
        self.inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", channels, *extents])]

    def node(self, op, *inputs, channels=None, **attributes):
        name = f"{op.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], name, **attributes))
        self.channels[name] = channels or self.channels[inputs[0]]
        return name

    def constant(self, values):
        name = f"constant_{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(values, np.float32), name))
        return name

    def normal(self, deviation, *shape):
        return self.random.normal(0, deviation, shape)

    def conv(self, x, channels, kernel, dilation=1, bias=True, gain=2.0, carries=False):
        """Of stride 1, with as many outputs as inputs. gain: 2 makes good for the half that a Relu takes away. carries: the first
        channel of the outputs has that of the inputs in it."""
        deviation = self.noise * math.sqrt(gain / (self.channels[x] * kernel**self.rank))
        weights = self.normal(deviation, channels, self.channels[x], *[kernel] * self.rank)
        weights[0, 0][(kernel // 2,) * self.rank] += carries
        pad = dilation * (kernel - 1) // 2
        attributes = {"dilations": [dilation] * self.rank, "pads": [pad] * 2 * self.rank}
        return self.weighted("Conv", x, weights, channels, bias, attributes)

    def conv_transpose(self, x, channels, kernel, stride, pad=0, output_padding=0, bias=True, gain=2.0, carries=False):
        """gain, carries: as conv's."""
        inner, axes = self.channels[x], [kernel] * self.rank
        distances = np.abs(np.arange(kernel) - (kernel - 1) / 2) / stride
        tents = math.prod(np.ix_(*[np.maximum(0, 1 - distances)] * self.rank))
        if self.smooth and stride > 1:
            weights = np.multiply.outer(self.normal(self.noise * math.sqrt(gain / inner), inner, channels), tents)
        else:
            weights = self.normal(self.noise * math.sqrt(gain * (stride / kernel) ** self.rank / inner), inner, channels, *axes)
        weights[0, 0] += carries * tents
        attributes = {"strides": [stride] * self.rank, "pads": [pad] * 2 * self.rank}
        if output_padding:
            attributes["output_padding"] = [output_padding] * self.rank
        return self.weighted("ConvTranspose", x, weights, channels, bias, attributes)

    def weighted(self, op, x, weights, channels, bias, attributes):
        inputs = [x, self.constant(weights)]
        if bias:
            inputs.append(self.constant(self.normal(0.1 * self.noise, channels)))
        return self.node(op, *inputs, channels=channels, kernel_shape=weights.shape[2:], **attributes)

    def batch_normalization(self, x):
        channels = self.channels[x]
        scale, variance = (self.random.uniform(0.5, 1.5, channels) for _ in range(2))
        shift, mean = (self.normal(0.1, channels) for _ in range(2))
        return self.node("BatchNormalization", x, *map(self.constant, (scale, shift, mean, variance)))

    def recurrent(self, op, x, hidden, outputs, directions=1, **attributes):
        """RNN, GRU or LSTM of x (steps, batch, channels). outputs: the names that they end with, "" for one that is not wanted."""
        gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[op] * hidden
        channels = self.channels[x]
        weights = [
            self.normal(channels**-0.5, directions, gates, channels),
            self.normal(hidden**-0.5, directions, gates, hidden),
            self.normal(0.1, directions, 2 * gates),
        ]
        names = [one and f"{op.lower()}_{len(self.nodes)}_{one}" for one in outputs]
        attributes |= {"hidden_size": hidden, "direction": "bidirectional" if directions == 2 else "forward"}
        self.nodes.append(helper.make_node(op, [x, *map(self.constant, weights)], names, **attributes))
        self.channels |= {name: hidden for name in names}
        return [name for name in names if name]

    def prelu(self, x):
        return self.node("PRelu", x, self.constant(self.random.uniform(0.1, 0.4, (self.channels[x], *[1] * self.rank))))

    def model(self, y, name, *extents):
        self.nodes[-1].output[0] = "y"
        shape = ["batch", self.channels[y], *extents]
        outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)]
        graph = helper.make_graph(self.nodes, name, self.inputs, outputs, self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        onnx.checker.check_model(model, full_check=True)
        return model


def dcgan(smooth=False):
    """The generator of DCGAN (Radford et al. 2015) for pictures of 64 x 64, as PyTorch's example has it."""
    graph = Graph(100, 1, 1, smooth=smooth)
    # The input is one pixel, so that each output sums one of the 16 weights that a channel has.
    x = graph.conv_transpose("x", 512, kernel=4, stride=1, bias=False, gain=16)
    for channels in (256, 128, 64):
        x = graph.node("Relu", graph.batch_normalization(x))
        x = graph.conv_transpose(x, channels, kernel=4, stride=2, pad=1, bias=False)
    x = graph.node("Relu", graph.batch_normalization(x))
    x = graph.conv_transpose(x, 3, kernel=4, stride=2, pad=1, bias=False, gain=1)
    return graph.model(graph.node("Tanh", x), "dcgan", 64, 64)


def unet(base=32, channels=3, classes=1, smooth=False):
    """U-Net (Ronneberger et al. 2015) with padding and batch normalization; extents are multiples of 16. With base 32 it is the one
    that Buda et al. 2019 have for brain MRI."""
    widths = [base << level for level in range(5)]
    graph = Graph(channels, "height", "width", smooth=smooth)
    return unet_of(graph, [(one, one) for one in widths], classes, "unet", halves=True)


def unet3d(base=32, channels=3, classes=3, smooth=False):
    """3D U-Net (Cicek et al. 2016), with padding; extents are multiples of 8."""
    widths = [base << level for level in range(4)]
    graph = Graph(channels, "depth", "height", "width", smooth=smooth)
    return unet_of(graph, [(one, 2 * one) for one in widths], classes, "unet3d", halves=False)


def unet_of(graph, widths, classes, name, halves):
    """widths: of the two convolutions on each level, from the top. halves: whether channels do where extents double on the way up."""
    rank = graph.rank

    def convs(x, widths):
        for width in widths:
            x = graph.node("Relu", graph.batch_normalization(graph.conv(x, width, kernel=3, bias=False)))
        return x

    x, skipped = "x", []
    for pair in widths[:-1]:
        skipped.append(convs(x, pair))
        x = graph.node("MaxPool", skipped[-1], kernel_shape=[2] * rank, strides=[2] * rank)
    x = convs(x, widths[-1])
    for skip in reversed(skipped):
        width = graph.channels[skip]
        up = graph.conv_transpose(x, width if halves else graph.channels[x], kernel=2, stride=2)
        x = graph.node("Concat", up, skip, axis=1, channels=graph.channels[up] + width)
        x = convs(x, (width, width))
    return graph.model(graph.conv(x, classes, kernel=1), name, *graph.extents)


def fsrcnn(smooth=False):
    """FSRCNN(56, 12, 4) (Dong et al. 2016), which enlarges the luma of a picture three times. With smooth the first channel carries
    the picture through to the last layer, amid a little noise, so that the output is the picture."""
    graph = Graph(1, "height", "width", smooth=smooth, noise=0.05 if smooth else 1.0)
    x = graph.prelu(graph.conv("x", 56, kernel=5, gain=1, carries=smooth))
    x = graph.prelu(graph.conv(x, 12, kernel=1, carries=smooth))
    for _ in range(4):
        x = graph.prelu(graph.conv(x, 12, kernel=3, carries=smooth))
    x = graph.prelu(graph.conv(x, 56, kernel=1, carries=smooth))
    y = graph.conv_transpose(x, 1, kernel=9, stride=3, pad=4, output_padding=2, carries=smooth)
    return graph.model(y, "fsrcnn", None, None)


def hifigan():
    """The generator V1 of HiFi-GAN (Kong et al. 2020), with its weight normalization multiplied out: 80 bands of a mel spectrogram
    to 256 samples a frame."""
    graph = Graph(80, "frames")

    def leaky(x, alpha=0.1):
        return graph.node("LeakyRelu", x, alpha=alpha)

    def residual(x, kernel):
        for dilation in (1, 3, 5):
            branch = graph.conv(leaky(x), graph.channels[x], kernel, dilation)
            branch = graph.conv(leaky(branch), graph.channels[x], kernel, gain=0.5)  # sums would grow otherwise
            x = graph.node("Add", branch, x)
        return x

    three = graph.constant(3)
    x = graph.conv("x", 512, kernel=7, gain=1)
    for level, (rate, kernel) in enumerate(((8, 16), (8, 16), (2, 4), (2, 4)), 1):
        x = graph.conv_transpose(leaky(x), 512 >> level, kernel, rate, pad=(kernel - rate) // 2)
        first, second, third = (residual(x, extent) for extent in (3, 7, 11))
        x = graph.node("Div", graph.node("Add", graph.node("Add", first, second), third), three)
    y = graph.node("Tanh", graph.conv(leaky(x, alpha=0.01), 1, kernel=7, gain=0.25))
    return graph.model(y, "hifigan", None)


def voice():
    """What a detector of voices is made of: a convolution, a GRU in both directions and an LSTM, of which the last state counts. It is
    no published network."""
    graph = Graph(40, "frames")
    x = graph.node("Relu", graph.conv("x", 64, kernel=3))
    x = graph.node("Transpose", x, perm=[2, 0, 1])
    (x,) = graph.recurrent("GRU", x, 48, ["y"], directions=2, linear_before_reset=1)
    x = graph.node("Transpose", x, perm=[0, 2, 1, 3])
    graph.initializers.append(numpy_helper.from_array(np.array([0, 0, 96]), "shape"))
    x = graph.node("Reshape", x, "shape", channels=96)
    (x,) = graph.recurrent("LSTM", x, 64, ["", "y_h"])
    return graph.model(graph.node("Transpose", x, perm=[1, 2, 0]), "voice", 1)


# What makes each, and the shape of an input that software devices are done with in seconds.
MODELS = {
    "dcgan": (dcgan, (4, 100, 1, 1)),
    "unet": (unet, (1, 3, 128, 128)),
    "unet3d": (unet3d, (1, 3, 32, 32, 32)),
    "fsrcnn": (fsrcnn, (1, 1, 80, 120)),
    "hifigan": (hifigan, (1, 80, 32)),
    "voice": (voice, (2, 40, 100)),
}
