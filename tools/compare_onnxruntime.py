#!/usr/bin/env python3
"""Our reference by Rules::onnxruntime beside ONNX Runtime itself, on random problems.

    build/bin/vkonnx-problems DIR 3000 [SEED]
    tools/compare_onnxruntime.py DIR [--list KIND] [--timeout SECONDS]

It takes numpy and onnxruntime (`pip install onnxruntime`). Each problem runs on ONNX Runtime's CPU provider in a process of its
own: some end it. Shapes are compared exactly, Inf and NaN by class, other numbers within the rounding of the type.

Every kind of difference is printed with its count, an example that can be pasted into a case file, and what explains it: a row of
docs/SEMANTICS.md that decides otherwise, or a limit of ONNX Runtime. --list shows all examples of the kinds whose text has KIND.

Exit codes: 0 every difference is explained; 1 one is not; 2 usage; 3 nothing was compared.
"""

import argparse
import collections
import multiprocessing
import os
import re
import sys

FLOAT, FLOAT16, DOUBLE, BFLOAT16 = 1, 10, 11, 16  # TensorProto.DataType


def load(path, mode="r"):
    with open(path, mode) as file:
        return file.read()


# ---- problems


class Problem:
    """problem.txt: "average_pool drawn_0001 x=1x2x3 kernel_shape=2", and what the specification makes of it."""

    def __init__(self, folder):
        self.folder = folder
        self.line, specification = load(os.path.join(folder, "problem.txt")).splitlines()
        self.specification = specification.removeprefix("specification: ")
        words = self.line.split()
        self.op = words[0]
        self.keys = dict(word.partition("=")[::2] for word in words[2:])
        refused = os.path.join(folder, "refused.txt")
        self.refused = load(refused).strip() if os.path.exists(refused) else None

    def numbers(self, key, default=None):
        """The axes' numbers, or dimensions. What is absent is `default` on each axis."""
        text = self.keys.get(key, "")
        if text:
            return [int(n) for n in re.split("[x,]", text) if n]
        return [] if default is None else [default] * (len(self.numbers("x")) - 2)

    def number(self, key, default):
        return int(self.keys.get(key, default))

    @property
    def type(self):
        return self.keys.get("type", "float")

    @property
    def opset(self):
        return self.number("opset", 1000)  # a line leaves out the newest

    @property
    def auto_pad(self):
        return self.keys.get("auto_pad", "NOTSET")


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def read_tensor(numpy, path):
    """A TensorProto with raw_data: its element type and an array. bfloat16 is widened to float."""
    data = load(path, "rb")
    dims, dtype, raw, at = [], FLOAT, b"", 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)
        content = b""
        if tag & 7 == 2:
            content, at = data[at : at + value], at + value
        if tag >> 3 == 1 and tag & 7 == 0:
            dims.append(value)
        elif tag >> 3 == 1:
            place = 0
            while place < len(content):
                extent, place = varint(content, place)
                dims.append(extent)
        elif tag >> 3 == 2:
            dtype = value
        elif tag >> 3 == 9:
            raw = content
    if dtype == BFLOAT16:
        words = numpy.frombuffer(raw, numpy.uint16).astype(numpy.uint32) << 16
        return dtype, words.view(numpy.float32).reshape(dims)
    kinds = {FLOAT: numpy.float32, FLOAT16: numpy.float16, DOUBLE: numpy.float64}
    return dtype, numpy.frombuffer(raw, kinds[dtype]).reshape(dims)


def read_inputs(numpy, problem):
    inputs = []
    while os.path.exists(path := os.path.join(problem.folder, f"test_data_set_0/input_{len(inputs)}.pb")):
        inputs.append(read_tensor(numpy, path))
    return inputs


# ---- ONNX Runtime


def run_here(sender, problem):
    """In the child: sends ("answer", array) or ("error", sentence)."""
    import numpy
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        path = os.path.join(problem.folder, "model.onnx")
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        inputs = read_inputs(numpy, problem)
        if any(dtype == BFLOAT16 for dtype, _ in inputs):
            sender.send(("error", "compare_onnxruntime.py: bfloat16 has no numpy type"))
            return
        sender.send(("answer", session.run(None, {name: array for name, (_, array) in zip("XWB", inputs)})[0]))
    except Exception as error:  # whatever it throws is its answer
        sender.send(("error", " ".join(str(error).split())))


def run_apart(context, work, arguments, timeout):
    """What work(sender, *arguments) sends from a process of its own, or ("ended", sentence)."""
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=work, args=(sender, *arguments))
    child.start()
    sender.close()
    try:
        return receiver.recv() if receiver.poll(timeout) else ("ended", f"no answer in {timeout} s")
    except EOFError:
        child.join()
        return "ended", f"the process ended with code {child.exitcode}"
    finally:
        child.kill()
        child.join()
        receiver.close()


# ---- differences


def tolerances(numpy, problem, inputs):
    """Relative and absolute. Sums of either sign are as wrong as their terms are large."""
    relative = {"float": 1e-5, "float16": 2.0**-10, "bfloat16": 2.0**-7, "double": 1e-13}[problem.type]
    smallest = {"float": 2.0**-149, "float16": 2.0**-24, "bfloat16": 2.0**-133, "double": 5e-324}[problem.type]
    product = 1.0
    for _, array in inputs[:2]:
        finite = numpy.abs(array[numpy.isfinite(array)].astype(numpy.float64))
        product *= float(finite.max()) if finite.size else 0.0
    return relative, relative * product + 2 * smallest


def difference(numpy, problem, answer):
    """"" where they agree; else what differs."""
    _, expected = read_tensor(numpy, os.path.join(problem.folder, "test_data_set_0/output_0.pb"))
    if answer.shape != expected.shape:
        return f"shape: theirs {list(answer.shape)}, ours {list(expected.shape)}"
    ours, theirs = expected.astype(numpy.float64), answer.astype(numpy.float64)
    relative, absolute = tolerances(numpy, problem, read_inputs(numpy, problem))
    with numpy.errstate(invalid="ignore"):
        near = numpy.abs(ours - theirs) <= absolute + relative * numpy.abs(ours)
    same = (ours == theirs) | (numpy.isnan(ours) & numpy.isnan(theirs)) | near
    if same.all():
        return ""
    first = tuple(int(i) for i in numpy.argwhere(~same)[0])
    return f"values: {int((~same).sum())} of {same.size}, first {list(first)}: theirs {theirs[first]:.9g}, ours {ours[first]:.9g}"


def axes(problem):
    """(extent, kernel, stride, dilation, begin, end) of each spatial axis, as far as they are given."""
    extents = problem.numbers("x")[2:]
    kernel = problem.numbers("w")[2:] if problem.op == "conv_transpose" else problem.numbers("kernel_shape")
    pads = problem.numbers("pads") or [0] * (2 * len(extents))
    begins, ends = pads[: len(extents)], pads[len(extents) :]
    return list(zip(extents, kernel, problem.numbers("strides", 1), problem.numbers("dilations", 1), begins, ends))


def is_pool(problem):
    return problem.op == "average_pool"


def is_conv(problem):
    return problem.op == "conv_transpose"


def has_pads_beside_auto_pad(problem):
    return "pads" in problem.keys and problem.auto_pad != "NOTSET"


def is_same(problem):
    return problem.auto_pad.startswith("SAME")


def is_dilated_same_pool(problem):
    return is_pool(problem) and is_same(problem) and any(k > 1 and d > 1 for _, k, _, d, _, _ in axes(problem))


def has_negative_same_total(problem):
    """The windows of some axis do not reach its end."""
    return is_pool(problem) and is_same(problem) and any((-(-n // s) - 1) * s + k - n < 0 for n, k, s, _, _, _ in axes(problem))


def has_window_beyond_input(problem):
    return is_pool(problem) and any((k - 1) * d + 1 > n + begin + end for n, k, _, d, begin, end in axes(problem))


def has_wide_output_padding(problem):
    added = problem.numbers("output_padding", 0)
    return is_conv(problem) and any(a >= axis[2] for a, axis in zip(added, axes(problem)))


def has_full_output_shape(problem):
    return is_conv(problem) and len(problem.numbers("output_shape")) == len(problem.numbers("x"))


# Outcomes, seen from ONNX Runtime: "refuses" what we compute, "answers" what we refuse, "shape", "values", "ended".
# Each line: the outcome, a pattern of the sentence, what must hold of the problem, and the explanation.
KNOWN = [
    ("refuses", r"only \*guarantees\* support", lambda p: True, "its release is older than the opset"),
    (
        "refuses",
        "NOT_IMPLEMENTED",
        lambda p: p.type in ("double", "bfloat16"),
        "it has no CPU kernel for double and bfloat16",
    ),
    ("refuses", "NOT_IMPLEMENTED", lambda p: is_pool(p) and p.opset < 7, "it has no kernel of AveragePool before version 7"),
    ("refuses", "Unsupported pooling size", lambda p: is_pool(p) and len(axes(p)) > 3, "it pools over at most 3 spatial axes"),
    (
        "refuses",
        "Pad should be smaller than kernel",
        lambda p: is_pool(p) and any(max(begin, end) >= k for _, k, _, _, begin, end in axes(p)),
        'AveragePool, row "pads >= kernel": allowed in the documents; it refuses them',
    ),
    (
        "refuses",
        "cannot be used simultaneously|auto_pad == AutoPadType::NOTSET was false",
        lambda p: is_conv(p) and has_pads_beside_auto_pad(p),
        'ConvTranspose, [ORT] row "pads given with auto_pad": the releases that were tried, 1.15, 1.20 and 1.31, refuse them',
    ),
    (
        "refuses",
        "output_shape has incorrect size",
        has_full_output_shape,
        'ConvTranspose, row "output_shape given": it takes no batch and channels in front',
    ),
    (
        "refuses",
        "output_padding .* may be too large",
        has_wide_output_padding,
        'ConvTranspose, row "output_padding": below max(stride, dilation) in the documents; it wants it below the stride',
    ),
    (
        "refuses",
        "Explicit output_shape is inconsistent",
        lambda p: is_conv(p) and "output_shape" in p.keys,
        'ConvTranspose, row "output_shape given": it takes only sizes from which a convolution leads back to the input',
    ),
    (
        "refuses",
        "Mismatched attribute type in 'InsertedPrecisionFreeCast",
        lambda p: p.type == "float16" and p.opset < 6,
        "it computes float16 as float, and the Cast that it adds is wrong before opset 6",
    ),
    (
        "refuses|ended",
        r"Input spatial dimension must be positive|Expected input size \d+ but got 0|NextPosition|ended with code -11",
        lambda p: is_conv(p) and 0 in p.numbers("x")[2:],
        'ConvTranspose, row "an input extent of 0": B or +0; it refuses it, or reads where nothing is',
    ),
    (
        "refuses",
        "ReorderOutput|SetOutputSize",
        lambda p: is_pool(p) and 0 in p.numbers("x"),
        'AveragePool, row "N = 0 or C = 0": empty; it refuses some',
    ),
    (
        "refuses|shape|values",
        "out_size >= 0|^shape|^values",
        is_dilated_same_pool,
        'AveragePool, row "SAME_UPPER / SAME_LOWER": total from the dilated kernel; it takes the undilated one',
    ),
    (
        "refuses|values",
        "padding values must be non-negative|^values",
        has_negative_same_total,
        'AveragePool, row "SAME_UPPER / SAME_LOWER": no total below 0; it pads negatively, or refuses to',
    ),
    (
        "answers",
        "no output position",
        has_window_beyond_input,
        'AveragePool, row "K larger than the padded input": error; it divides towards zero and finds a window, or none and answers empty',
    ),
    (
        "answers",
        "pads beside auto_pad",
        lambda p: is_pool(p) and has_pads_beside_auto_pad(p),
        'AveragePool, row "pads with auto_pad other than NOTSET": an error; it ignores the pads',
    ),
]


def explain(problem, outcome, sentence):
    for known, pattern, holds, explanation in KNOWN:
        if outcome in known.split("|") and re.search(pattern, sentence) and holds(problem):
            return explanation
    return None


def compare(numpy, problem, kind, answer):
    """(outcome, sentence)"""
    if kind == "ended":
        return "ended", answer
    if problem.refused is not None and kind == "error":
        return "both refuse", problem.refused
    if problem.refused is not None:
        return "answers", f"{problem.refused}; theirs is {list(answer.shape)}"
    if kind == "error":
        return "refuses", answer
    found = difference(numpy, problem, answer)
    return (found.partition(":")[0], found) if found else ("same", "")


def counted(outcomes):
    return ", ".join(f"{outcome} {count}" for outcome, count in outcomes.most_common())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", help="what vkonnx-problems wrote")
    parser.add_argument("--list", default=None, metavar="KIND", help="show all examples of the kinds whose text has this")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds a problem may take")
    arguments = parser.parse_args()
    try:
        import numpy
        import onnxruntime
    except ImportError as missing:
        print(f"nothing was compared: {missing.name} is not installed (pip install onnxruntime)")
        return 3
    if not os.path.isdir(arguments.directory):
        parser.error(f"{arguments.directory} is no folder")

    entries = sorted(os.scandir(arguments.directory), key=lambda entry: entry.name)
    folders = [entry.path for entry in entries if os.path.exists(os.path.join(entry.path, "problem.txt"))]
    if not folders:
        print(f"nothing was compared: {arguments.directory} holds no problems; vkonnx-problems writes them")
        return 3

    context = multiprocessing.get_context("fork" if "fork" in multiprocessing.get_all_start_methods() else None)
    outcomes = collections.Counter()
    rows = collections.defaultdict(collections.Counter)  # where the rows marked [ORT] matter
    kinds = collections.defaultdict(list)
    for folder in folders:
        problem = Problem(folder)
        outcome, sentence = compare(numpy, problem, *run_apart(context, run_here, [problem], arguments.timeout))
        outcomes[outcome] += 1
        if problem.specification != "same":
            rows[f"{problem.op}, {problem.specification}"][outcome] += 1
        if outcome not in ("same", "both refuse"):
            kinds[outcome, explain(problem, outcome, sentence)].append((problem, sentence))

    print(f"ONNX Runtime {onnxruntime.__version__}, CPU, beside our reference by its rules: {len(folders)} problems")
    print("    " + counted(outcomes))
    print("Of these, where the specification's rules would do otherwise:")
    for row, found in sorted(rows.items()):
        print(f"    {row}: {counted(found)}")
    for (outcome, explanation), examples in sorted(kinds.items(), key=lambda kind: (kind[0][1] or "", kind[0][0])):
        text = f"{outcome}: {explanation or 'UNEXPLAINED'}"
        print(f"\n{len(examples)} x {text}")
        shown = examples if arguments.list is not None and arguments.list in text else examples[:1]
        for problem, sentence in shown:
            print(f"    {problem.line}\n      {sentence}")
    return 1 if any(explanation is None for _, explanation in kinds) else 0


if __name__ == "__main__":
    sys.exit(main())
