"""A line of a case file as plain numbers, its inputs, and what the operator's definition says of some of its outputs."""

import itertools
import math
import random
import zlib
from dataclasses import dataclass, field


class Unsupported(Exception):
    """What a peer can't do, in one sentence."""


@dataclass
class Problem:
    op: str  # conv, conv_transpose, average_pool, max_pool, gemm, matmul
    name: str
    line: str  # without the name and the reason
    x: list  # A of gemm and matmul
    w: list = None  # B of these
    bias: bool = False
    attributes: dict = field(default_factory=dict)  # as given, lists of int
    # Per spatial axis, everything resolved:
    kernel: list = None
    strides: list = None
    dilations: list = None
    begins: list = None
    ends: list = None
    output_padding: list = None
    group: int = 1
    ceil_mode: int = 0
    count_include_pad: int = 0
    trans_b: int = 0
    y: list = None

    @property
    def rank(self):
        """The number of spatial axes."""
        return 0 if self.is_product else len(self.x) - 2

    @property
    def is_product(self):
        return self.op in ("gemm", "matmul")

    @property
    def is_pool(self):
        return self.op in ("average_pool", "max_pool")

    @property
    def title(self):
        return f"{self.op}/{self.name}"


KNOWN = {"kernel_shape", "strides", "dilations", "pads", "output_padding", "group", "ceil_mode", "count_include_pad", "opset",
         "transB"}


def parse_line(op, line):
    """One problem; ValueError says what this script can't read (vkonnx-bench can)."""
    words = line.split("#")[0].split()
    problem = Problem(op=op, name=words[0], line=" ".join(words[1:]), x=[])
    for word in words[1:]:
        key, _, value = word.partition("=")
        if key == ("a" if problem.is_product else "x"):
            problem.x = [int(n) for n in value.split("x")]
        elif key == ("b" if problem.is_product else "w"):
            problem.w = [int(n) for n in value.split("x")]
        elif word == "b" or key == "c" and value.isdecimal():  # one a column
            problem.bias = True
        elif key == "type" and value == "float" or key == "fill":
            pass
        elif key in KNOWN:
            problem.attributes[key] = [int(n) for n in value.split(",")]
        else:
            raise ValueError(f"{problem.title}: {word} is beyond this script")
    resolve(problem)
    return problem


def resolve(p):
    rank, given = p.rank, p.attributes
    if p.is_product:
        p.trans_b = given.get("transB", [0])[0]
        if len(p.w) != 2:
            raise ValueError(f"{p.title}: a B of more axes is beyond this script")
        p.y = p.x[:-1] + [p.w[0] if p.trans_b else p.w[1]]
        return
    p.kernel = given.get("kernel_shape") or p.w[2:]
    p.strides = given.get("strides", [1] * rank)
    p.dilations = given.get("dilations", [1] * rank)
    pads = given.get("pads", [0] * 2 * rank)
    p.begins, p.ends = pads[:rank], pads[rank:]
    p.output_padding = given.get("output_padding", [0] * rank)
    p.group = given.get("group", [1])[0]
    p.ceil_mode = given.get("ceil_mode", [0])[0]
    p.count_include_pad = given.get("count_include_pad", [0])[0]
    if p.ceil_mode:
        raise ValueError(f"{p.title}: ceil_mode is beyond this script")
    size = []
    for i, k, s, d, a, b, more in zip(p.x[2:], p.kernel, p.strides, p.dilations, p.begins, p.ends, p.output_padding):
        reach = (k - 1) * d + 1
        size.append(s * (i - 1) + more + reach - a - b if p.op == "conv_transpose" else (i + a + b - reach) // s + 1)
    channels = {"conv": lambda: p.w[0], "conv_transpose": lambda: p.w[1] * p.group}.get(p.op, lambda: p.x[1])()
    p.y = [p.x[0], channels] + size


def load_problems(path, op):
    problems, refused = [], []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.split("#")[0].strip():
                try:
                    problems.append(parse_line(op, line))
                except ValueError as error:
                    refused.append(str(error))
    return problems, refused


def make_inputs(np, p, type):
    """Uniform in [-1, 1) in float32, of values that `type` has, the same on every machine."""
    generator = np.random.default_rng(zlib.crc32(p.line.encode()))

    def uniform(dims):
        return generator.uniform(-1, 1, dims).astype(type).astype(np.float32)

    return uniform(p.x), uniform(p.w) if p.w else None, uniform([p.y[1]]) if p.bias else None


def sample_positions(p, count=192):
    """Some outputs: the corners, where padding bites, and random ones."""
    corners = list(itertools.islice(itertools.product(*[sorted({0, n - 1}) for n in p.y]), 64))
    generator = random.Random(p.line)
    return corners + [tuple(generator.randrange(n) for n in p.y) for _ in range(count)]


def reference(np, p, inputs, position):
    """One output in double precision, straight from the definition."""
    x, w, b = inputs
    if p.is_product:
        column = w[position[-1]] if p.trans_b else w[:, position[-1]]
        total = float(x[position[:-1]].astype(np.float64) @ column.astype(np.float64))
        return total + (float(b[position[-1]]) if b is not None else 0.0)
    n, m, at = position[0], position[1], position[2:]
    if p.op != "conv_transpose":
        window, met, cells = [], [], 1  # per axis: which inputs, and by which taps
        for o, i, k, s, d, begin, end in zip(at, p.x[2:], p.kernel, p.strides, p.dilations, p.begins, p.ends):
            places = [o * s - begin + t * d for t in range(k)]
            met.append([t for t, q in enumerate(places) if 0 <= q < i])
            window.append([places[t] for t in met[-1]])
            cells *= sum(-begin <= q < i + end for q in places) if p.count_include_pad else len(window[-1])
        if p.op == "max_pool":
            return float(x[n, m][np.ix_(*window)].max())
        if p.op == "average_pool":
            return float(x[n, m][np.ix_(*window)].sum(dtype=np.float64)) / cells
        first = m // (p.w[0] // p.group) * p.w[1]
        inputs_met = x[n, first:first + p.w[1]][(slice(None),) + np.ix_(*window)].astype(np.float64)
        total = float((inputs_met * w[m][(slice(None),) + np.ix_(*met)]).sum())
        return total + (float(b[m]) if b is not None else 0.0)
    per_group = p.w[1]
    first = m // per_group * (p.x[1] // p.group)
    channels = slice(first, first + p.x[1] // p.group)
    taps, places = [], []  # per axis: which weights meet which inputs
    for o, i, k, s, d, begin in zip(at, p.x[2:], p.kernel, p.strides, p.dilations, p.begins):
        meets = [(t, (o + begin - t * d) // s) for t in range(k) if (o + begin - t * d) % s == 0]
        meets = [(t, q) for t, q in meets if 0 <= q < i]
        taps.append([t for t, _ in meets])
        places.append([q for _, q in meets])
    total = float(b[m]) if b is not None else 0.0
    if all(taps):
        inputs_met = x[n, channels][(slice(None),) + np.ix_(*places)].astype(np.float64)
        total += float((inputs_met * w[channels, m % per_group][(slice(None),) + np.ix_(*taps)]).sum())
    return total


def expected_samples(np, p, inputs):
    positions = sample_positions(p)
    return positions, np.array([reference(np, p, inputs, position) for position in positions])


def error_of(np, p, output, expected):
    """The greatest error as a share of the greatest expected value; infinite for a wrong shape or a value that is no number."""
    positions, values = expected
    if list(output.shape) != p.y:
        return math.inf
    found = np.array([output[position] for position in positions], dtype=np.float64)
    error = np.abs(found - values).max() / max(np.abs(values).max(), 1e-30)
    return float(error) if math.isfinite(error) else math.inf
