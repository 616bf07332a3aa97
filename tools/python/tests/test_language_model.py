# SPDX-License-Identifier: Apache-2.0
"""A decoder of a language model as its exporters write it: weights of 4 bits in blocks, caches of keys and values, and heads of keys
that several heads of queries share. Its answers are those of numpy, for a prompt at once and for one token after the other."""

import numpy as np
import pytest
import vkonnx
from onnx import TensorProto, helper, numpy_helper

LAYERS, WORDS, SIZE, HEADS, KEY_HEADS, WIDE, BLOCK = 2, 50, 64, 4, 2, 96, 32
HEAD = SIZE // HEADS
PLACES = 32  # for which there are angles
EPSILON = 1e-5


class Decoder:
    """The weights, the model that has them, and what numpy makes of them."""

    def __init__(self, seed):
        self.draw = np.random.default_rng(seed)
        self.arrays, self.nodes, self.dense = {}, [], {}
        angles = np.arange(PLACES)[:, None] / 100 ** (np.arange(HEAD // 2) / (HEAD // 2))
        self.cos = self.put("cos", np.cos(angles).astype(np.float32))
        self.sin = self.put("sin", np.sin(angles).astype(np.float32))
        self.model = self.build()

    def put(self, name, array):
        self.arrays[name] = array
        return array

    def node(self, op, inputs, outputs, domain="com.microsoft", **attributes):
        self.nodes.append(helper.make_node(op, inputs, outputs, domain=domain, **attributes))
        return outputs[0]

    def packed(self, name, rows, columns):
        """Rows of integers of 4 bits, two to a byte, with a scale and a zero point for each block, and the matrix that they are."""
        blocks = columns // BLOCK
        data = self.put(name, self.draw.integers(0, 256, (rows, columns // 2), np.uint8))
        scales = self.put(name + ".scales", self.draw.uniform(0.01, 0.04, (rows, blocks)).astype(np.float32))
        zeros = self.put(name + ".zeros", self.draw.integers(0, 256, (rows, (blocks + 1) // 2), np.uint8))

        def halves(some):
            return np.stack([some & 15, some >> 4], -1).reshape(rows, -1).astype(np.float64)

        points = np.repeat(halves(zeros)[:, :blocks], BLOCK, 1)
        self.dense[name] = (halves(data) - points) * np.repeat(scales, BLOCK, 1)

    def product(self, x, name, rows, columns):
        self.packed(name, rows, columns)
        self.arrays[name] = self.arrays[name].reshape(rows, columns // BLOCK, BLOCK // 2)
        inputs = [x, name, name + ".scales", name + ".zeros"]
        return self.node("MatMulNBits", inputs, [name + ".y"], K=columns, N=rows, bits=4, block_size=BLOCK)

    def gamma(self, name):
        self.put(name, self.draw.uniform(0.5, 1.5, SIZE).astype(np.float32))
        return name

    def build(self):
        self.put("one", np.array([1], np.int64))
        self.node("ReduceSum", ["mask", "one"], ["lengths"], "", keepdims=0)
        self.node("Sub", ["lengths", "one"], ["last"], "")
        self.node("Cast", ["last"], ["seqlens_k"], "", to=TensorProto.INT32)
        self.node("Shape", ["mask"], ["mask.dims"], "")
        self.node("Gather", ["mask.dims", "one"], ["longest"], "")
        self.node("Cast", ["longest"], ["total"], "", to=TensorProto.INT32)
        self.packed("words", WORDS, SIZE)
        table = ["words", "ids", "words.scales", "words.zeros"]
        x = self.node("GatherBlockQuantized", table, ["x"], bits=4, block_size=BLOCK, quantize_axis=1)
        y = self.node("SimplifiedLayerNormalization", [x, self.gamma("first")], ["n"], "", axis=-1, epsilon=EPSILON)
        for layer in range(LAYERS):
            at = f"{layer}."
            qkv = self.product(y, at + "qkv", (HEADS + 2 * KEY_HEADS) * HEAD, SIZE)
            caches = [at + "past_key", at + "past_value"]
            self.node(
                "GroupQueryAttention", [qkv, "", "", *caches, "seqlens_k", "total", "cos", "sin"],
                [at + "attended", at + "key", at + "value"], num_heads=HEADS, kv_num_heads=KEY_HEADS, do_rotary=1)
            z = self.product(at + "attended", at + "out", SIZE, SIZE)
            outputs = [at + "n", "", "", at + "sum"]
            y = self.node("SkipSimplifiedLayerNormalization", [x, z, self.gamma(at + "g")], outputs, epsilon=EPSILON)
            gate, up = self.product(y, at + "gate", WIDE, SIZE), self.product(y, at + "up", WIDE, SIZE)
            self.node("Sigmoid", [gate], [at + "s"], "")
            self.node("Mul", [gate, at + "s"], [at + "silu"], "")
            self.node("Mul", [at + "silu", up], [at + "wide"], "")
            z = self.product(at + "wide", at + "down", SIZE, WIDE)
            outputs = [at + "m", "", "", at + "x"]
            y = self.node("SkipSimplifiedLayerNormalization", [at + "sum", z, self.gamma(at + "h")], outputs, epsilon=EPSILON)
            x = at + "x"
        logits = self.product(y, "head", WORDS, SIZE)
        inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", extent]) for name, extent in
                  (("ids", "new"), ("mask", "all"))]
        outputs = [helper.make_tensor_value_info(logits, TensorProto.FLOAT, None)]
        for layer in range(LAYERS):
            for kind in ("key", "value"):
                dims = ["batch", KEY_HEADS, "past", HEAD]
                inputs.append(helper.make_tensor_value_info(f"{layer}.past_{kind}", TensorProto.FLOAT, dims))
                outputs.append(helper.make_tensor_value_info(f"{layer}.{kind}", TensorProto.FLOAT, None))
        weights = [numpy_helper.from_array(array, name) for name, array in self.arrays.items()]
        graph = helper.make_graph(self.nodes, "decoder", inputs, outputs, weights)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()

    def expected(self, ids):
        """The logits of each place, in double."""

        def normalized(x, name):
            return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON) * self.arrays[name]

        def turned(x):
            a, b, places = x[..., : HEAD // 2], x[..., HEAD // 2 :], x.shape[2]
            cos, sin = self.cos[:places].astype(np.float64), self.sin[:places].astype(np.float64)
            return np.concatenate([a * cos - b * sin, a * sin + b * cos], -1)

        x = self.dense["words"][ids]
        y = normalized(x, "first")
        batch, places = ids.shape
        for layer in range(LAYERS):
            at = f"{layer}."
            heads = (y @ self.dense[at + "qkv"].T).reshape(batch, places, -1, HEAD).transpose(0, 2, 1, 3)
            q, k, v = turned(heads[:, :HEADS]), turned(heads[:, HEADS : HEADS + KEY_HEADS]), heads[:, HEADS + KEY_HEADS :]
            k, v = np.repeat(k, HEADS // KEY_HEADS, 1), np.repeat(v, HEADS // KEY_HEADS, 1)
            scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(HEAD)
            scores[..., np.triu(np.ones((places, places), bool), 1)] = -np.inf
            weights = np.exp(scores - scores.max(-1, keepdims=True))
            attended = (weights / weights.sum(-1, keepdims=True) @ v).transpose(0, 2, 1, 3).reshape(batch, places, SIZE)
            x = x + attended @ self.dense[at + "out"].T
            y = normalized(x, at + "g")
            gate = y @ self.dense[at + "gate"].T
            x = x + (gate / (1 + np.exp(-gate)) * (y @ self.dense[at + "up"].T)) @ self.dense[at + "down"].T
            y = normalized(x, at + "h")
        return y @ self.dense["head"].T


def empty_caches(batch, length):
    dims = (batch, KEY_HEADS, length, HEAD)
    return {f"{layer}.past_{kind}": np.zeros(dims, np.float32) for layer in range(LAYERS) for kind in ("key", "value")}


def step(session, ids, mask, caches):
    """Returns the logits of new tokens, and fills the caches."""
    outputs = session.run({"ids": ids, "mask": mask, **caches})
    for name in caches:
        caches[name] = outputs[name.replace("past_", "")]
    return outputs["head.y"]


def check(logits, expected):
    np.testing.assert_allclose(logits, expected, rtol=0, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize("length", [0, 12])
def test_tokens_one_after_the_other(length):
    """The caches grow, or have a length that stays."""
    decoder = Decoder(1)
    session = vkonnx.Session(decoder.model)
    ids = decoder.draw.integers(0, WORDS, (1, 9))
    expected = decoder.expected(ids)
    caches = empty_caches(1, length)
    check(step(session, ids[:, :5], np.ones((1, 5), np.int64), caches), expected[:, :5])
    for place in range(5, 8):
        check(step(session, ids[:, place : place + 1], np.ones((1, place + 1), np.int64), caches), expected[:, place : place + 1])
    assert caches["0.past_key"].shape[2] == max(length, 8)
    # Two at once, of which one was there before: what a model that guesses ahead does.
    check(step(session, ids[:, 7:9], np.ones((1, 9), np.int64), caches if length else cut(caches, 7)), expected[:, 7:9])


def test_one_plan_for_all_tokens():
    """The mask is as long as the cache, so that no step has other dimensions than the one before it."""
    decoder = Decoder(3)
    session = vkonnx.Session(decoder.model)
    ids = decoder.draw.integers(0, WORDS, (1, 6))
    expected = decoder.expected(ids)
    caches = empty_caches(1, 12)
    for place in range(6):
        mask = (np.arange(12) <= place).astype(np.int64)[None]
        check(step(session, ids[:, place : place + 1], mask, caches), expected[:, place : place + 1])


def cut(caches, length):
    return {name: cache[:, :, :length] for name, cache in caches.items()}


def test_sequences_of_different_lengths():
    """The shorter one is padded on the right."""
    decoder = Decoder(2)
    session = vkonnx.Session(decoder.model)
    ids = decoder.draw.integers(0, WORDS, (2, 6))
    lengths = [4, 2]
    caches = empty_caches(2, 0)
    mask = np.arange(4) < np.array(lengths)[:, None]
    logits = step(session, ids[:, :4], mask.astype(np.int64), caches)
    expected = decoder.expected(ids)
    for batch, length in enumerate(lengths):
        check(logits[batch, :length], expected[batch, :length])
    for _ in range(2):  # the next token of each
        new = np.array([[ids[batch, length]] for batch, length in enumerate(lengths)])
        lengths = [length + 1 for length in lengths]
        mask = np.arange(max(lengths)) < np.array(lengths)[:, None]
        logits = step(session, new, mask.astype(np.int64), caches)
        for batch, length in enumerate(lengths):
            check(logits[batch, 0], expected[batch, length - 1])


def test_weights_stay_as_they_are():
    decoder = Decoder(1)
    inputs = {"ids": np.zeros((1, 1), np.int64), "mask": np.ones((1, 6), np.int64), **empty_caches(1, 5)}
    kernels = [one.explanation.kernel for one in vkonnx.Session(decoder.model).explain(inputs).nodes]
    assert sum("block_quantized_mat_mul_rows" in kernel for kernel in kernels) >= 1 + 5 * LAYERS, kernels
