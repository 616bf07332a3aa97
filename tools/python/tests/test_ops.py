# SPDX-License-Identifier: Apache-2.0
import inspect
import threading
from typing import Optional, Sequence

import ml_dtypes
import numpy as np
import onnx
import onnx.reference
import pytest
import vkonnx
from conftest import SELECT
from vkonnx import ops

RANDOM = np.random.default_rng(1)
X = RANDOM.uniform(-3, 3, (2, 3, 4)).astype(np.float32)
Y = RANDOM.uniform(0.5, 3, (3, 1)).astype(np.float32)

UNARY = {
    "abs": np.abs, "neg": np.negative, "relu": lambda x: np.maximum(x, 0), "identity": lambda x: x, "exp": np.exp, "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "elu": lambda x: np.where(x < 0, np.exp(x) - 1, x),
    "leaky_relu": lambda x: np.where(x < 0, x * np.float32(0.01), x), "reciprocal": lambda x: 1 / x,
    "hard_sigmoid": lambda x: np.clip(np.float32(0.2) * x + np.float32(0.5), 0, 1),
    "hard_swish": lambda x: x * np.clip(x / 6 + np.float32(0.5), 0, 1),
    "shape": lambda x: np.array(x.shape), "sqrt": np.sqrt,
}  # fmt: skip
BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "sum": np.add, "mean": lambda a, b: (a + b) / 2, "min": np.minimum, "max": np.maximum,
    "pow": np.power, "prelu": lambda x, slope: np.where(x < 0, x * slope, x),
}  # fmt: skip


# Arguments, and what they should give.
MOVES = {
    "transpose": lambda: (ops.transpose(X, perm=[2, 0, 1]), X.transpose(2, 0, 1)),
    "slice": lambda: (ops.slice(X, starts=[2, -9], ends=[-99, 9], axes=[1, 2], steps=[-2, 3]), X[:, 2::-2, ::3]),
    "pad": lambda: (ops.pad(X, np.float32(7), pads=[0, 1, 2, 0, 0, 1]), np.pad(X, ((0, 0), (1, 0), (2, 1)), constant_values=7)),
    "concat": lambda: (ops.concat(X, X[:, :1], X[:, 2:], axis=1), np.concatenate([X, X[:, :1], X[:, 2:]], 1)),
    "split": lambda: (ops.split(X, axis=-1, outputs=2, opset=13)[1], X[:, :, 2:]),
    "depth_to_space": lambda: (
        ops.depth_to_space(X.reshape(1, 12, 2, 1), blocksize=2, mode="CRD"),
        X.reshape(1, 3, 2, 2, 2, 1).transpose(0, 1, 4, 2, 5, 3).reshape(1, 3, 4, 2),
    ),
    "space_to_depth": lambda: (
        ops.space_to_depth(X.reshape(1, 1, 4, 6), blocksize=2),
        X.reshape(1, 1, 2, 2, 3, 2).transpose(0, 3, 5, 1, 2, 4).reshape(1, 4, 2, 3),
    ),
    "expand": lambda: (ops.expand(X[:, :1], shape=[3, 1, 2, 1]), np.broadcast_to(X[:, :1], (3, 2, 2, 4))),
    "tile": lambda: (ops.tile(X, repeats=[1, 2, 3]), np.tile(X, (1, 2, 3))),
    "gather": lambda: (ops.gather(X, np.array([[3, -1], [0, -4]]), axis=-1), X[:, :, [[3, -1], [0, -4]]]),
    "gather_elements": lambda: (
        ops.gather_elements(X, np.array([[[3, 0], [-1, 1], [-4, 2]]], np.int32), axis=2),
        np.take_along_axis(X[:1], np.array([[[3, 0], [3, 1], [0, 2]]]), 2),
    ),
    "scatter_elements": lambda: (
        ops.scatter_elements(np.zeros((2, 3), np.float32), np.array([[1, -1, 1], [0, 0, 0]]), X[0, :2, :3], axis=1),
        np.array([[0, X[0, 0, 2], X[0, 0, 1]], [X[0, 1, 2], 0, 0]], np.float32),
    ),
    "scatter_nd": lambda: (
        ops.scatter_nd(np.arange(8, dtype=np.int64), np.array([[4], [-5], [1], [4]]), np.array([9, 10, 11, 12]), reduction="add"),
        np.array([0, 12, 2, 13, 25, 5, 6, 7]),
    ),
    "gather_nd": lambda: (ops.gather_nd(X, np.array([[[2, -1]], [[-3, 1]]]), batch_dims=1), np.array([[X[0, 2, 3]], [X[1, 0, 1]]])),
}  # fmt: skip


# Of numbers that compare by rules of their own.
A = np.array([[0.0, -0.0, np.nan, np.inf], [1, -2, -np.inf, 3]], np.float32)
B = np.array([[-0.0], [1]], np.float32)
C = np.array([0, 1, 2, 200], np.uint8)
I = np.array([7, -7, 3, -2], np.int64)
LOGIC = {
    "equal": lambda: (ops.equal(A, B), A == B),
    "greater": lambda: (ops.greater(A, B), A > B),
    "greater_or_equal": lambda: (ops.greater_or_equal(A, B), A >= B),
    "less": lambda: (ops.less(A, B), A < B),
    "less_or_equal": lambda: (ops.less_or_equal(A, B), A <= B),
    "is_nan": lambda: (ops.is_nan(A), np.isnan(A)),
    "is_inf": lambda: (ops.is_inf(A, detect_negative=0), np.isposinf(A)),
    "and_": lambda: (ops.and_(A > 0, B > 0), (A > 0) & (B > 0)),
    "or_": lambda: (ops.or_(A > 0, B > 0), (A > 0) | (B > 0)),
    "xor": lambda: (ops.xor(A > 0, B > 0), (A > 0) ^ (B > 0)),
    "not_": lambda: (ops.not_(A > 0), ~(A > 0)),
    "where": lambda: (ops.where(A > 0, A, B), np.where(A > 0, A, B)),
    "bitwise_and": lambda: (ops.bitwise_and(C, C[::-1]), C & C[::-1]),
    "bitwise_or": lambda: (ops.bitwise_or(C, C[::-1]), C | C[::-1]),
    "bitwise_xor": lambda: (ops.bitwise_xor(C, C[::-1]), C ^ C[::-1]),
    "bitwise_not": lambda: (ops.bitwise_not(C), ~C),
    "mod": lambda: (ops.mod(I, I[::-1]), np.mod(I, I[::-1])),
    "mod_fmod": lambda: (ops.mod(X, Y, fmod=1), np.fmod(X, Y)),
    "bit_shift": lambda: (ops.bit_shift(C, C[:2].repeat(2), direction="LEFT"), C << C[:2].repeat(2)),
}  # fmt: skip


@pytest.mark.parametrize("name", LOGIC)
def test_logic(name):
    result, expected = LOGIC[name]()
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


def test_conv_by_hand():
    x = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    w = np.array([[[[1, 10], [100, 1000]]]], np.float32)
    expected = x[:, :, :3, :3] + 10 * x[:, :, :3, 1:] + 100 * x[:, :, 1:, :3] + 1000 * x[:, :, 1:, 1:]
    np.testing.assert_array_equal(ops.conv(x, w), expected)
    np.testing.assert_array_equal(ops.conv(x, w, np.array([5], np.float32), strides=[2, 2]), expected[:, :, ::2, ::2] + 5)
    np.testing.assert_array_equal(ops.conv(x, w, pads=[1, 0, 0, 0])[:, :, 1:], expected)


def recurrent_inputs(gates, directions=1, steps=4, batch=2, channels=3, hidden=5):
    shapes = (steps, batch, channels), (directions, gates * hidden, channels), (directions, gates * hidden, hidden)
    return [RANDOM.uniform(-1, 1, shape).astype(np.float32) for shape in (*shapes, (directions, 2 * gates * hidden))]


def by_hand(step, states, inputs):
    """The outputs of all steps, and the states behind the last one. `step` makes states of states and what goes into the gates."""
    x, w, r, b = (one.astype(float) for one in inputs)
    hidden = r.shape[2]
    outputs = []
    for one in x:
        of_x = np.split(one @ w[0].T + b[0, : len(w[0])], len(w[0]) // hidden, axis=1)
        of_h = np.split(states[0] @ r[0].T + b[0, len(w[0]) :], len(w[0]) // hidden, axis=1)
        states = step(states, of_x, of_h)
        outputs.append(states[0])
    return np.stack(outputs)[:, None], *(one[None] for one in states)


def assert_all_close(results, expected):
    assert len(results) == len(expected)
    for one, other in zip(results, expected):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_rnn():
    inputs = recurrent_inputs(1)
    expected = by_hand(lambda states, x, h: (np.tanh(x[0] + h[0]),), (np.zeros((2, 5)),), inputs)
    assert_all_close(ops.rnn(*inputs, outputs=2), expected)
    relu = by_hand(lambda states, x, h: (np.maximum(x[0] + h[0], 0),), (np.zeros((2, 5)),), inputs)
    assert_all_close(ops.rnn(*inputs, outputs=2, activations=["Relu"]), relu)
    with pytest.raises(vkonnx.WrongType, match="RNN: activations = 'Relu' must be a sequence of str"):
        ops.rnn(*inputs, activations="Relu")
    with pytest.raises(vkonnx.InvalidArgument, match="RNN: attribute activations is 'Gelu', expected Relu, Tanh, Sigmoid"):
        ops.rnn(*inputs, activations=["Gelu"])


def test_gru():
    inputs = recurrent_inputs(3)

    def step(states, x, h):
        z, r = sigmoid(x[0] + h[0]), sigmoid(x[1] + h[1])
        return ((1 - z) * np.tanh(x[2] + r * h[2]) + z * states[0],)

    expected = by_hand(step, (np.zeros((2, 5)),), inputs)
    assert_all_close(ops.gru(*inputs, outputs=2, linear_before_reset=1), expected)


def test_lstm():
    inputs = recurrent_inputs(4)

    def step(states, x, h):
        i, o, f = (sigmoid(a + b) for a, b in zip(x[:3], h[:3]))
        c = f * states[1] + i * np.tanh(x[3] + h[3])
        return o * np.tanh(c), c

    expected = by_hand(step, (np.zeros((2, 5)), np.zeros((2, 5))), inputs)
    assert_all_close(ops.lstm(*inputs, outputs=3), expected)
    turned = ops.lstm(inputs[0].transpose(1, 0, 2), *inputs[1:], layout=1)
    np.testing.assert_allclose(turned, expected[0].transpose(2, 0, 1, 3), rtol=1e-5, atol=1e-6)
    # a shorter sequence ends in the state that it has behind its last step
    y, y_h, y_c = ops.lstm(*inputs, np.array([4, 2], np.int32), outputs=3)
    np.testing.assert_allclose(y[:2, 0, 1], expected[0][:2, 0, 1], rtol=1e-5, atol=1e-6)
    assert (y[2:, 0, 1] == 0).all()
    np.testing.assert_array_equal(y_h[0, 1], y[1, 0, 1])
    # and without steps in zeros, as in ONNX Runtime
    ones = np.ones((1, 2, 5), np.float32)
    y, y_h, y_c = ops.lstm(*inputs, np.array([4, 0], np.int32), ones, ones, outputs=3)
    assert (y[:, 0, 1] == 0).all() and (y_h[0, 1] == 0).all() and (y_c[0, 1] == 0).all() and (y_h[0, 0] != 0).all()


def test_products():
    a, b = RANDOM.uniform(-1, 1, (2, 5, 7)).astype(np.float32), RANDOM.uniform(-1, 1, (7, 3)).astype(np.float32)
    np.testing.assert_allclose(ops.mat_mul(a, b), a @ b, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ops.mat_mul(a[:, 0], b), a[:, 0] @ b, rtol=1e-5, atol=1e-6)
    whole = np.arange(12, dtype=np.int64).reshape(3, 4)
    np.testing.assert_array_equal(ops.mat_mul(whole, whole.T), whole @ whole.T)
    c = np.arange(3, dtype=np.float32)
    expected = 0.5 * (a[0] @ b) + 2 * c
    np.testing.assert_allclose(ops.gemm(a[0].T, b.T, c, alpha=0.5, beta=2, transA=1, transB=1), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", MOVES)
def test_moves(name):
    result, expected = MOVES[name]()
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


def _normalized(x, axes, scale=1, b=0, epsilon=1e-5):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon) * scale + b


# Likewise, of operators that reduce, or normalize by what they reduced.
THREE = np.array([1, 2, -3], np.float32)
FOUR = np.array([1, -2, 3, 0.5], np.float32)
COLUMN = THREE[:, None]
REDUCTIONS = {
    "global_max_pool": lambda: (ops.global_max_pool(X), X.max(2, keepdims=True)),
    "global_average_pool": lambda: (ops.global_average_pool(X), X.mean(2, keepdims=True)),
    "reduce_mean": lambda: (ops.reduce_mean(X, axes=[0, -1], keepdims=0), X.mean((0, 2))),
    "reduce_sum": lambda: (ops.reduce_sum(X, axes=[1]), X.sum(1, keepdims=True)),
    "reduce_max": lambda: (ops.reduce_max(X, axes=[0, -1], keepdims=0), X.max((0, 2))),
    "reduce_min": lambda: (ops.reduce_min(X, axes=[1]), X.min(1, keepdims=True)),
    "reduce_prod": lambda: (ops.reduce_prod(X, axes=[1]), X.prod(1, keepdims=True)),
    "reduce_l1": lambda: (ops.reduce_l1(X, axes=[1]), np.abs(X).sum(1, keepdims=True)),
    "reduce_l2": lambda: (ops.reduce_l2(X, axes=[1]), np.sqrt((X**2).sum(1, keepdims=True))),
    "reduce_sum_square": lambda: (ops.reduce_sum_square(X, axes=[1]), (X**2).sum(1, keepdims=True)),
    "reduce_log_sum": lambda: (ops.reduce_log_sum(X**2, axes=[1]), np.log((X**2).sum(1, keepdims=True))),
    "reduce_log_sum_exp": lambda: (ops.reduce_log_sum_exp(X, axes=[0, 2]), np.log(np.exp(X).sum((0, 2), keepdims=True))),
    "arg_max": lambda: (ops.arg_max(X, axis=1), X.argmax(1)[:, None]),
    "arg_min": lambda: (ops.arg_min(X, axis=-1, keepdims=0), X.argmin(2)),
    "cum_sum": lambda: (ops.cum_sum(X, axis=-1), X.cumsum(2)),
    "topk": lambda: (ops.topk(X, k=2, outputs=1), -np.sort(-X, axis=2)[..., :2]),
    "softmax": lambda: (ops.softmax(X, axis=1), np.exp(X) / np.exp(X).sum(1, keepdims=True)),
    "log_softmax": lambda: (ops.log_softmax(X, axis=1), X - np.log(np.exp(X).sum(1, keepdims=True))),
    "instance_normalization": lambda: (
        ops.instance_normalization(X, THREE, THREE + 1),
        _normalized(X, (2,), COLUMN, COLUMN + 1),
    ),
    "batch_normalization": lambda: (
        ops.batch_normalization(X, THREE, THREE + 1, THREE, THREE**2, training_mode=1),
        _normalized(X, (0, 2), COLUMN, COLUMN + 1),
    ),
    "layer_normalization": lambda: (
        ops.layer_normalization(X, FOUR, FOUR + 1, epsilon=0.5),
        (X - X.mean(2, keepdims=True)) / np.sqrt(X.var(2, keepdims=True) + np.float32(0.5)) * FOUR + FOUR + 1,
    ),
    "lrn": lambda: (
        ops.lrn(X, size=3, alpha=0.5),
        X / (1 + 0.5 / 3 * np.stack([(X[:, max(0, c - 1) : c + 2] ** 2).sum(1) for c in range(3)], 1)) ** 0.75,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name):
    result, expected = REDUCTIONS[name]()
    assert result.dtype == expected.dtype and result.shape == expected.shape
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def test_reductions_of_integers():
    x = np.array([[7, -8, -4], [2**31 - 1, 2**31 - 1, 3]], np.int32)
    assert ops.reduce_mean(x, axes=[1]).tolist() == [[-1], [1431655765]]  # toward zero, by sums of 64 bits
    assert ops.reduce_sum(x, axes=[1]).tolist() == [[-5], [1]]  # modulo 2^32
    assert ops.reduce_sum(np.zeros((2, 0), np.int64), axes=[1], keepdims=0).tolist() == [0, 0]
    assert ops.reduce_sum(x, noop_with_empty_axes=1).tolist() == x.tolist()


def test_reductions_of_more_integers():
    x = np.array([[7, -8, -4], [2**31 - 1, 2**31 - 1, 3]], np.int32)
    assert ops.reduce_max(x, axes=[1]).tolist() == [[7], [2**31 - 1]]
    assert ops.reduce_min(x.astype(np.int8), axes=[1]).tolist() == [[-8], [-1]]
    assert ops.reduce_prod(x, axes=[1]).tolist() == [[224], [3]]  # modulo 2^32
    assert ops.reduce_l1(x, axes=[1]).tolist() == [[19], [1]]
    assert ops.reduce_sum_square(x, axes=[1]).tolist() == [[129], [11]]
    assert ops.reduce_max(np.array([[True, False], [False, False]]), axes=[1]).tolist() == [[True], [False]]
    assert ops.reduce_min(np.array([[True, True], [True, False]]), axes=[1]).tolist() == [[True], [False]]


def test_sums_up_to_each_element():
    x = np.array([1, 2, 3, 2**31 - 1], np.int32)
    assert ops.cum_sum(x, axis=0).tolist() == [1, 3, 6, 5 - 2**31]  # modulo 2^32
    assert ops.cum_sum(x, axis=0, exclusive=1).tolist() == [0, 1, 3, 6]
    assert ops.cum_sum(x[:3], axis=0, reverse=1).tolist() == [6, 5, 3]
    assert ops.cum_sum(x[:3], axis=0, exclusive=1, reverse=1).tolist() == [5, 3, 0]
    long = np.arange(70001, dtype=np.int64).reshape(1, 70001)
    np.testing.assert_array_equal(ops.cum_sum(long, axis=1), long.cumsum(1))
    np.testing.assert_array_equal(ops.cum_sum(np.ones(3000, np.float16), axis=0)[-1], np.float16(3000))  # in float


def test_greatest_and_least_elements():
    x = np.array([[3, 9, 4, 9, 5], [0, -1, 7, 2, 7]], np.float32)
    values, indices = ops.topk(x, k=3)
    assert values.tolist() == [[9, 9, 5], [7, 7, 2]] and indices.tolist() == [[1, 3, 4], [2, 4, 3]]
    assert values.dtype == np.float32 and indices.dtype == np.int64
    assert ops.topk(x.astype(np.int8), k=1, axis=0, largest=0, outputs=1).tolist() == [[0, -1, 4, 2, 5]]
    long = np.random.default_rng(1).permutation(20001).astype(np.int64)
    values, indices = ops.topk(long, k=20001)
    np.testing.assert_array_equal(values, np.sort(long)[::-1])
    np.testing.assert_array_equal(indices, np.argsort(-long))


INF, NAN = np.inf, np.nan


# The operators answer as ONNX Runtime does on a CPU: a NaN in front is the answer, and any other is passed over. Zeros of both signs
# are equal.
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64, ml_dtypes.bfloat16])
def test_greatest_and_least_of_equal_and_special_elements(dtype):
    x = np.array([[3, 1, 3, 1], [NAN, 5, NAN, 5], [-INF, NAN, -INF, NAN], [-0.0, 0.0, -0.0, 0.0]], dtype)
    assert ops.arg_max(x, axis=1, keepdims=0).tolist() == [0, 0, 0, 0]
    assert ops.arg_max(x, axis=1, keepdims=0, select_last_index=1).tolist() == [2, 0, 2, 3]
    assert ops.arg_min(x, axis=1, keepdims=0).tolist() == [1, 0, 0, 0]
    assert ops.arg_min(x, axis=1, keepdims=0, select_last_index=1).tolist() == [3, 0, 2, 3]


def test_a_nan_that_only_its_low_word_tells():
    x = np.array([[0x7FF0000000000001, 0, 0], [0, 0xFFF0000000000001, 1]], np.uint64).view(np.float64)
    assert ops.arg_max(x, axis=1, keepdims=0).tolist() == [0, 2]
    assert ops.arg_min(x, axis=1, keepdims=0).tolist() == [0, 0]


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_greatest_and_least_of_integers(bits):
    signed = np.array([0, -1, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1], f"int{bits}")
    assert ops.arg_max(signed).tolist() == [3] and ops.arg_min(signed).tolist() == [2]
    unsigned = signed.view(f"uint{bits}")
    assert ops.arg_max(unsigned).tolist() == [1] and ops.arg_min(unsigned).tolist() == [0]


def test_reductions_of_nothing():
    def of_nothing(reduce, dtype=np.float32):
        return reduce(np.zeros((2, 0), dtype), axes=[1], keepdims=0).tolist()

    assert of_nothing(ops.reduce_max) == [-INF, -INF]
    assert of_nothing(ops.reduce_min) == [INF, INF]
    assert of_nothing(ops.reduce_max, np.int64) == [-(2**63), -(2**63)]
    assert of_nothing(ops.reduce_min, np.uint32) == [2**32 - 1, 2**32 - 1]
    assert of_nothing(ops.reduce_max, np.int8) == [-128, -128]
    assert of_nothing(ops.reduce_max, np.bool_) == [False, False]
    assert of_nothing(ops.reduce_min, np.bool_) == [True, True]
    assert of_nothing(ops.reduce_prod) == [1, 1]
    assert of_nothing(ops.reduce_prod, np.uint64) == [1, 1]
    for reduce in (ops.reduce_l1, ops.reduce_l2, ops.reduce_sum_square):
        assert of_nothing(reduce) == [0, 0]
    for reduce in (ops.reduce_log_sum, ops.reduce_log_sum_exp):
        assert of_nothing(reduce) == [-INF, -INF]


def test_reductions_of_what_is_no_number():
    x = np.array([[1, 2, NAN], [NAN, 2, 1], [-INF, -INF, -INF], [INF, 2, 1], [INF, -INF, 0], [1000, 1000, 0]], np.float32)

    def near(result, expected):
        np.testing.assert_allclose(result[:, 0], np.array(expected, np.float32), rtol=1e-6)

    near(ops.reduce_max(x, axes=[1]), [NAN, NAN, -INF, INF, INF, 1000])
    near(ops.reduce_min(x, axes=[1]), [NAN, NAN, -INF, 1, -INF, 0])
    near(ops.reduce_log_sum_exp(x, axes=[1]), [NAN, NAN, -INF, INF, INF, 1000 + np.log(2)])
    near(ops.reduce_log_sum(x, axes=[1]), [NAN, NAN, NAN, INF, NAN, np.log(2000)])
    near(ops.reduce_l2(x * np.float32(1e20), axes=[1]), [NAN, NAN, INF, INF, INF, INF])  # squares overflow


def test_reductions_along_no_axis():
    x = np.array([[-1, 2, 5]], np.float32)
    for reduce, expected in (
        (ops.reduce_max, x),
        (ops.reduce_prod, x),
        (ops.reduce_l1, np.abs(x)),
        (ops.reduce_l2, np.abs(x)),
        (ops.reduce_sum_square, x * x),
        (ops.reduce_log_sum_exp, x),
    ):
        np.testing.assert_allclose(reduce(x, noop_with_empty_axes=1), expected, rtol=1e-6)
    np.testing.assert_allclose(ops.reduce_log_sum(np.abs(x), noop_with_empty_axes=1), np.log(np.abs(x)), rtol=1e-6)


def test_max_pool_tells_where_it_found_what():
    x = np.array([[[[1, 5, 2], [7, 7, 3]]]], np.float32)
    assert ops.max_pool(x, kernel_shape=[2, 2]).tolist() == [[[[7, 7]]]]
    y, indices = ops.max_pool(x, kernel_shape=[2, 2], outputs=2)
    assert y.tolist() == [[[[7, 7]]]] and indices.tolist() == [[[[3, 4]]]] and indices.dtype == np.int64
    _, indices = ops.max_pool(x, kernel_shape=[2, 2], storage_order=1, outputs=2)
    assert indices.tolist() == [[[[1, 3]]]]
    bytes_of = ops.max_pool(x.astype(np.uint8), kernel_shape=[1, 2], strides=[1, 2], ceil_mode=1)
    assert bytes_of.tolist() == [[[[5, 2], [7, 3]]]] and bytes_of.dtype == np.uint8


def test_batch_normalization_tells_what_it_trained():
    y, mean, var = ops.batch_normalization(X, THREE, THREE, THREE, THREE**2, training_mode=1, momentum=0.25, outputs=3)
    np.testing.assert_allclose(y, _normalized(X, (0, 2), COLUMN, COLUMN), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(mean, THREE * 0.25 + X.mean((0, 2)) * 0.75, rtol=1e-5)
    np.testing.assert_allclose(var, THREE**2 * 0.25 + X.var((0, 2)) * 0.75, rtol=1e-5)
    given = ops.batch_normalization(X, THREE, THREE, THREE, THREE**2, epsilon=1)
    np.testing.assert_allclose(given, (X - COLUMN) / np.sqrt(COLUMN**2 + 1) * COLUMN + COLUMN, rtol=1e-5, atol=1e-6)


# The other operators are tried as operators of one input, and compared with ONNX's own reference.
TRIED_ELSEWHERE = {"average_pool", "cast", "clip", "conv", "conv_transpose", "gemm", "gru", "lstm", "mat_mul", "max_pool", "resize"}
TRIED_ELSEWHERE |= {"rnn", "onednn", "vkonnx", "explain", "infer", "kernels"}
OTHERS = sorted(set(ops.__all__) - set(UNARY) - set(BINARY) - set(MOVES) - set(REDUCTIONS) - set(LOGIC) - TRIED_ELSEWHERE)


@pytest.mark.parametrize("name", OTHERS)
def test_others_by_the_reference_of_onnx(name):
    kinds = {schema.name.lower(): schema.name for schema in onnx.defs.get_all_schemas()}
    node = onnx.helper.make_node(kinds[name.replace("_", "")], ["x"], ["y"])
    infos = [onnx.helper.make_tensor_value_info(value, onnx.TensorProto.FLOAT, None) for value in ("x", "y")]
    graph = onnx.helper.make_graph([node], name, infos[:1], infos[1:])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 22)])
    expected = onnx.reference.ReferenceEvaluator(model).run(None, {"x": X})[0]
    np.testing.assert_allclose(getattr(ops, name)(X), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    x = np.abs(X) if name == "sqrt" else X
    result = getattr(ops, name)(x)
    assert isinstance(result, np.ndarray)
    np.testing.assert_allclose(result, UNARY[name](x), rtol=1e-5, atol=1e-6)
    empty = np.zeros((0, 3), np.float32)
    assert getattr(ops, name)(empty).shape == ((2,) if name == "shape" else (0, 3))


@pytest.mark.parametrize("name", BINARY)
def test_binary_with_broadcasting(name):
    x = np.abs(X) if name == "pow" else X
    np.testing.assert_allclose(getattr(ops, name)(x, Y), BINARY[name](x, Y), rtol=1e-5, atol=1e-6)


def test_conv_transpose_by_hand():
    x = np.array([[[[1, 2], [3, 4]]]], np.float32)
    w = np.array([[[[1, 10], [100, 1000]]]], np.float32)
    expected = [[1, 10, 2, 20], [100, 1000, 200, 2000], [3, 30, 4, 40], [300, 3000, 400, 4000]]
    assert ops.conv_transpose(x, w, strides=[2, 2]).tolist() == [[expected]]
    biased = ops.conv_transpose(x, w, np.array([5], np.float32), strides=(2, 2), kernel="conv_transpose_nd")
    np.testing.assert_array_equal(biased, np.array([[expected]], np.float32) + 5)
    # Overlapping: 1D, a sum of shifted kernels.
    y = ops.conv_transpose(np.array([[[1, 2, 3]]], np.float64), np.array([[[1, 1]]], np.float64))
    assert y.tolist() == [[[1, 3, 5, 3]]] and y.dtype == np.float64


def test_max_pool_by_hand():
    x = 15 - np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    window = {"kernel_shape": [2, 2], "strides": [2, 2]}
    assert ops.max_pool(x, **window).tolist() == [[[[15, 13], [7, 5]]]]
    y, indices = ops.max_pool(x, **window, outputs=2)
    assert y.tolist() == [[[[15, 13], [7, 5]]]] and indices.tolist() == [[[[0, 2], [8, 10]]]]
    assert ops.max_pool(x, **window, outputs=2, storage_order=1)[1].tolist() == [[[[0, 8], [2, 10]]]]


def test_average_pool_by_hand():
    x = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    assert ops.average_pool(x, kernel_shape=[2, 2], strides=[2, 2]).tolist() == [[[[2.5, 4.5], [10.5, 12.5]]]]
    padded = ops.average_pool(x, kernel_shape=[4, 4], pads=[0, 0, 4, 0], strides=[4, 4], count_include_pad=1)
    assert padded.tolist() == [[[[7.5], [0]]]]
    channels_last = np.moveaxis(np.stack([x[0, 0], 10 * x[0, 0]])[None], 1, -1)
    last = ops.average_pool(channels_last, kernel_shape=[4, 4], layout="NXC")
    assert last.tolist() == [[[[7.5, 75]]]]


def test_cast_by_hand():
    x = np.array([-1.5, 0, 300, 3e9, np.nan], np.float32)
    assert ops.cast(x, to=onnx.TensorProto.INT32).tolist() == [-1, 0, 300, -(2**31), -(2**31)]
    assert ops.cast(x, to=onnx.TensorProto.UINT8).tolist() == [255, 0, 44, 0, 0]
    assert ops.cast(x, to=onnx.TensorProto.BOOL).tolist() == [True, False, True, True, True]
    brain = ops.cast(np.array([1.00390625, 2**40 + 1], np.float64), to=onnx.TensorProto.BFLOAT16)
    assert brain.dtype == ml_dtypes.bfloat16 and brain.astype(float).tolist() == [1, 2**40]


def test_resize_by_hand():
    x = np.array([[1, 2], [3, 4]], np.float32)
    assert ops.resize(x, scales=[2, 1.5]).tolist() == [[1, 1, 2], [1, 1, 2], [3, 3, 4], [3, 3, 4]]
    assert ops.resize(x, sizes=[2, 4], mode="linear").tolist() == [[1, 1.25, 1.75, 2], [3, 3.25, 3.75, 4]]
    assert ops.resize(x, sizes=[1], axes=[-1], mode="linear").tolist() == [[1.5], [3.5]]
    crop = {"coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 9}
    assert ops.resize(x, sizes=[2, 3], roi=[0, 0, 1, 2], **crop).tolist() == [[1, 2, 9], [3, 4, 9]]
    with pytest.raises(vkonnx.InvalidArgument, match="not both"):
        ops.resize(x, sizes=[2, 3], scales=[1, 1])
    with pytest.raises(vkonnx.WrongType, match="scales = 2 must be a sequence of numbers"):
        ops.resize(x, scales=2)


def test_attention_reads_heads_side_by_side_and_in_front():
    draw = np.random.default_rng(1)
    q, k, v = (draw.standard_normal(dims, np.float32) for dims in ((2, 5, 24), (2, 7, 24), (2, 7, 12)))

    def heads(x):
        return x.reshape(2, x.shape[1], 3, -1).transpose(0, 2, 1, 3)

    scores = heads(q) @ heads(k).transpose(0, 1, 3, 2) / np.sqrt(8) + np.arange(7)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    y = weights / weights.sum(-1, keepdims=True) @ heads(v)
    bias = np.arange(7, dtype=np.float32)
    attention = ops.vkonnx.dot_product_attention
    np.testing.assert_allclose(attention(heads(q), heads(k), heads(v), bias), y, rtol=1e-5, atol=1e-6)
    joined = attention(q, k, v, bias, q_num_heads=3, kv_num_heads=3)
    np.testing.assert_allclose(joined, y.transpose(0, 2, 1, 3).reshape(2, 5, 12), rtol=1e-5, atol=1e-6)


def test_block_quantized_mat_mul_reads_integers_as_they_lie():
    draw = np.random.default_rng(1)
    a = draw.standard_normal((3, 64), np.float32)
    b = draw.integers(0, 256, (5, 2, 16), np.uint8)
    scales = draw.standard_normal((5, 2), np.float32)
    zeros = draw.integers(0, 256, (5, 1), np.uint8)
    integers = np.stack([b & 15, b >> 4], -1).reshape(5, 2, 32).astype(np.float64)
    zero = np.concatenate([zeros & 15, zeros >> 4], -1)
    product = ops.vkonnx.block_quantized_mat_mul
    for points, given in ((np.full((5, 2), 8), ()), (zero, (zeros,))):
        w = ((integers - points[..., None]) * scales[..., None]).reshape(5, 64)
        np.testing.assert_allclose(product(a, b, scales, *given, block_size=32), a @ w.T, rtol=1e-4, atol=1e-4)


def test_onednn_has_a_namespace():
    x = np.array([[[1], [2]]], np.float32)  # N, X, C
    w = np.array([[[1]], [[10]]], np.float32)  # X, I, O
    y = ops.onednn.conv_transpose(x, w, strides=[2], pads_begin=[0], pads_end=[0], dilations=[1])
    assert y.tolist() == [[[1], [10], [2], [20]]]


def test_inputs_that_are_left_out():
    x = np.array([-2, 0.5, 2], np.float32)
    assert ops.clip(x, None, np.float32(1)).tolist() == [-2, 0.5, 1]
    assert ops.clip(x, np.float32(-1), None).tolist() == [-1, 0.5, 2]
    assert ops.clip(x).tolist() == x.tolist()


def test_scalars_and_types():
    assert ops.relu(np.float32(-3)).shape == ()
    assert ops.add(np.int64(2**40), np.int64(1)) == 2**40 + 1
    assert ops.add(np.uint8(250), np.uint8(10)) == 4
    halves = ops.add(np.float16([1]), np.float16([2**-11]))
    assert halves.dtype == np.float16 and halves[0] == 1  # rounded to nearest even
    brain = ops.mul(np.array([1.5, -3], ml_dtypes.bfloat16), np.array([2, 0.5], ml_dtypes.bfloat16))
    assert brain.dtype == ml_dtypes.bfloat16 and brain.astype(float).tolist() == [3, -1.5]
    assert ops.identity(np.array([True, False])).tolist() == [True, False]
    assert ops.relu(X.astype(">f4").T[::-1]).tolist() == np.maximum(X.T[::-1], 0).tolist()


def test_versions_and_rules():
    x = np.array([-2, 2], np.float32)
    assert ops.clip(x, min=-1.0, max=1, opset=7).tolist() == [-1, 1]
    with pytest.raises(vkonnx.InvalidArgument, match="min"):
        ops.clip(x, min=-1.0)
    # Where a window beyond the input counts with ceil_mode and VALID, and where it does not.
    pool = {"kernel_shape": [2], "strides": [2], "ceil_mode": 1, "auto_pad": "VALID"}
    assert ops.average_pool(np.arange(5.0)[None, None], **pool).shape == (1, 1, 2)
    assert ops.average_pool(np.arange(5.0)[None, None], rules="onnxruntime", **pool).shape == (1, 1, 3)
    with pytest.raises(vkonnx.InvalidArgument, match="rules = 'mine' must be specification or onnxruntime"):
        ops.average_pool(x, rules="mine")
    with pytest.raises(vkonnx.InvalidArgument, match="has no rules"):
        ops.relu(x, rules="onnxruntime")
    with pytest.raises(vkonnx.InvalidArgument, match="has no opset"):
        ops.onednn.conv_transpose(x, x, opset=3)
    with pytest.raises(vkonnx.Unsupported, match="must be at least 7"):
        ops.add(x, x, opset=5)


def test_results_are_where_inputs_are(device):
    x = device.tensor(X)
    y = ops.add(x, Y)
    assert isinstance(y, vkonnx.Tensor) and y.shape == X.shape
    z = ops.relu(ops.neg(y))
    np.testing.assert_array_equal(z.numpy(), np.maximum(-(X + Y), 0))
    assert ops.shape(x).numpy().tolist() == [2, 3, 4]
    assert ops.shape(x, start=1).numpy().tolist() == [3, 4]


def test_tensors_have_layouts_of_their_own(device):
    x = device.tensor(np.arange(8, dtype=np.float32).reshape(1, 4, 2), layout="NXC")
    y = ops.average_pool(x, kernel_shape=[4])
    assert y.layout == "NXC" and y.numpy().tolist() == [[[3, 4]]]


@pytest.mark.parametrize("call, sentence", [
    (lambda: ops.relu(X, alpha=1), "Relu has no attribute alpha; its attributes are none, its options opset"),
    (lambda: ops.conv_transpose(X, X, stride=[1]), "has no attribute stride; its attributes are auto_pad, kernel_shape, strides"),
    (lambda: ops.conv_transpose(X, X, strides=1), "ConvTranspose: strides = 1 must be a sequence of integers"),
    (lambda: ops.conv_transpose(X, X, strides=[1.5]), "must be a sequence of integers"),
    (lambda: ops.conv_transpose(X, X, group="a"), "group = 'a' must be an integer"),
    (lambda: ops.leaky_relu(X, alpha="a"), "alpha = 'a' must be a number"),
    (lambda: ops.conv_transpose(X, X, auto_pad=1), "auto_pad = 1 must be a str"),
    (lambda: ops.relu(X, device=3), "device must be a Device, not int"),
    (lambda: ops.relu([[1], [2, 3]]), "input 0 of Relu can't be made an array of"),
])  # fmt: skip
def test_what_python_calls_a_type_error(call, sentence):
    with pytest.raises(TypeError) as error:
        call()
    assert isinstance(error.value, vkonnx.WrongType) and sentence in str(error.value)


@pytest.mark.parametrize("call, sentence", [
    (lambda: ops.conv_transpose(X, X, auto_pad="Q"), "auto_pad is 'Q', expected NOTSET, SAME_UPPER, SAME_LOWER or VALID"),
    (lambda: ops.conv_transpose(X, X, group=2**70), "is beyond 64 bits"),
    (lambda: ops.conv_transpose(X, X.swapaxes(0, 1), strides=[-1]), "strides"),
    (lambda: ops.relu(X, layout="q"), "layout = 'q' must be NCX or NXC"),
    (lambda: ops.relu(X, kernel="q"), 'there is no kernel "q"; those that fit: elementwise'),
    (lambda: ops.relu(X, kernel="a\0b"), "must not have a zero in it"),
    (lambda: ops.relu(), "Relu: expects 1 input, but 0 are given"),
    (lambda: ops.relu(X, X), "Relu: expects 1 input, but 2 are given"),
    (lambda: ops.relu(np.array(["a"])), "type string"),
    (lambda: ops.add(X, X.astype(np.float64)), "double"),
    (lambda: ops.add(X, X[:, :2]), "Add: B has extent 2 on axis 1"),
    (lambda: ops.average_pool(X), "kernel_shape"),
])  # fmt: skip
def test_what_the_document_forbids(call, sentence):
    with pytest.raises(ValueError) as error:
        call()
    assert isinstance(error.value, vkonnx.InvalidArgument) and sentence in str(error.value)


def test_signatures_are_the_documents():
    """Each attribute is one of some version of ONNX's own schema, with its type."""
    kinds = {"INT": Optional[int], "FLOAT": Optional[float], "STRING": Optional[str], "INTS": Optional[Sequence[int]]}
    schemas = [one for one in onnx.defs.get_all_schemas_with_history() if not one.domain]
    seen = 0
    for schema in schemas:
        name = {"PRelu": "prelu"}.get(schema.name) or "".join(
            "_" + c.lower() if c.isupper() and i else c.lower() for i, c in enumerate(schema.name)
        )
        function = getattr(ops, name, None)
        if not inspect.isfunction(function) or name in ("explain", "infer", "kernels"):
            continue
        seen += 1
        parameters = inspect.signature(function).parameters
        newest = onnx.defs.get_schema(schema.name)
        for attribute in newest.attributes.values():
            assert parameters[attribute.name].annotation == kinds[attribute.type.name], (name, attribute.name)
            assert parameters[attribute.name].kind is inspect.Parameter.KEYWORD_ONLY
        assert schema.name in function.__doc__ and function.__name__ == name
        lists = [one.name for one in parameters.values() if one.annotation == Optional[Sequence[int]]]  # that were inputs
        wanted = [one.name.lower() for one in newest.inputs if one.name not in lists]
        named = [one.name.rstrip("_") for one in parameters.values() if one.kind is inspect.Parameter.POSITIONAL_ONLY]
        keywords = [one.name for one in parameters.values() if one.kind is inspect.Parameter.KEYWORD_ONLY]
        # But those that are lists, which newer versions take as inputs.
        wanted = [one for one in (i.name.lower() for i in newest.inputs) if one in named or one not in keywords]
        assert named == wanted or wanted in (["data_0"], ["inputs"]), (name, named)
    assert seen >= 25
    assert inspect.signature(ops.conv_transpose).parameters["group"].default == 1
    assert inspect.signature(ops.conv_transpose).parameters["auto_pad"].default == "NOTSET"
    assert "SAME_UPPER" in ops.conv_transpose.__doc__
    assert list(inspect.signature(ops.conv_transpose).parameters)[:4] == ["x", "w", "b", "auto_pad"]
    assert inspect.signature(ops.conv_transpose).parameters["b"].default is None
    assert inspect.signature(ops.conv_transpose).parameters["w"].default is inspect.Parameter.empty
    assert list(inspect.signature(ops.clip).parameters)[:5] == ["input", "min_", "max_", "min", "max"]
    assert list(inspect.signature(ops.sum).parameters)[0] == "inputs"


def test_prepared_operators_are_kept_and_let_go():
    with vkonnx.Device(SELECT) as one:
        kept = one._handle.ops
        ops.relu(X, device=one)
        ops.relu(X + 1, device=one)
        assert len(kept) == 1
        ops.leaky_relu(X, alpha=0.5, device=one)
        assert ops.leaky_relu(X, alpha=0.25, device=one).min() > -1
        assert ops.leaky_relu(X, alpha=0.5, device=one).min() < -1
        assert len(kept) == 3
        for i in range(300):
            ops.shape(np.empty((i,)), device=one)
        assert len(kept) == 256
    assert not kept


def test_many_threads(device):
    failures = []

    def work(seed):
        mine = np.random.default_rng(seed).uniform(-1, 1, (7, 11 + seed % 3)).astype(np.float32)
        for _ in range(20):
            if not np.array_equal(ops.add(ops.relu(device.tensor(mine)), mine).numpy(), np.maximum(mine, 0) + mine):
                failures.append(seed)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not failures


def test_infer_explain_and_kernels_need_no_device():
    (y,) = ops.infer("AveragePool", (1, 3, 8, 8), kernel_shape=[2, 2], strides=[2, 2])
    assert (y.shape, y.element_type, str(y)) == ((1, 3, 4, 4), vkonnx.DType.float32, "float[1,3,4,4]")
    (y,) = ops.infer("ConvTranspose", ("bfloat16", (1, 2, 4)), ("bfloat16", (2, 3, 2)))
    assert y.shape == (1, 3, 5) and y.dtype == ml_dtypes.bfloat16
    explained = ops.explain("ConvTranspose", (1, 8, 16, 16), (8, 4, 2, 2), strides=[2, 2], capabilities="mobile")
    assert explained.kernel.startswith("conv_transpose_") and explained.outputs[0].shape == (1, 4, 32, 32)
    assert explained.pads_begin == explained.pads_end == (0, 0) and "ConvTranspose-22" in explained.equation and explained.why
    assert explained.grids and all(len(grid) == 3 for grid in explained.grids) and explained.seconds > 0
    assert explained.specialization in [one.specialization for one in explained.pipelines] and explained.pipelines[0].kernel
    assert ops.explain("Relu", X).in_place == (0,)
    assert ops.explain("Shape", X, start=1).host_result == (3, 4)
    known = {one.name: one for one in ops.kernels("AveragePool", X[None], kernel_shape=[2, 2])}
    assert not known["average_pool_nd"].unfit and known["average_pool_nd"].last_resort
    assert known["average_pool_nd"].seconds > 0 and any(one.unfit for one in known.values())
    assert ops.infer("ConvTranspose", (1, 2, 1), (2, 1, 1), domain="onednn.graph", strides=[2], pads_begin=[0], pads_end=[0],
                     dilations=[1])[0].layout == "NXC"  # fmt: skip
    with pytest.raises(vkonnx.Unsupported, match="operator 'Hardmax' of domain ''"):
        ops.infer("Hardmax", (1, 1, 4))
    with pytest.raises(vkonnx.InvalidArgument, match="X.dims"):
        ops.explain("Relu", (-1, 2))
    with pytest.raises(vkonnx.WrongType, match="input 0 of Relu must be a sequence of integers"):
        ops.explain("Relu", (1.5,))
