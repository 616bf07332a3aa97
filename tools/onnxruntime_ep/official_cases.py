#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs ONNX's node cases through ONNX Runtime with vkonnx as its provider, and prints what became of them.

    python3 official_cases.py [PART_OF_A_NAME...]

A case counts as passed where vkonnx took every node, ONNX Runtime's own kernels being forbidden, and every output is within the
case's tolerance, or at least as near to what the case expects as what those kernels compute. It takes onnx, onnxruntime and onnxruntime_ep_vkonnx. VKONNX_EP_DEVICE is a part of the device's name.
Exit codes: 0 no output was wrong; 1 one was; 3 nothing passed.
"""

import collections
import os
import re
import sys

import numpy as np
import onnx
import onnxruntime
import onnxruntime_ep_vkonnx
from onnx import numpy_helper
from onnx.backend.test.loader import load_model_tests


def elements(proto_or_array):
    if isinstance(proto_or_array, onnx.TensorProto):
        return numpy_helper.to_array(proto_or_array)
    return np.asarray(proto_or_array)


def data_sets(case):
    """The pairs of inputs and outputs, as arrays. TypeError: one can't be given to ONNX Runtime so."""
    for inputs, outputs in case.data_sets:
        for value in (*inputs, *outputs):
            if value is None or isinstance(value, (list, dict)) or getattr(value, "dtype", None) == object:
                raise TypeError("values that are no tensors")
            if elements(value).dtype.isbuiltin == 2:  # a type that ml_dtypes adds to NumPy: bfloat16 and smaller ones
                raise TypeError("types that ONNX Runtime does not take from NumPy")
        yield [elements(one) for one in inputs], [elements(one) for one in outputs]


def is_close(actual, expected, case):
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return False
    if actual.dtype.kind in "iub" or actual.dtype == bool:
        return np.array_equal(actual, expected)
    return np.allclose(actual.astype(np.float64), expected.astype(np.float64), case.rtol, case.atol, equal_nan=True)


def is_nearer(actual, theirs, expected):
    """Whether no element is farther from what is expected than the farthest of ONNX Runtime's."""
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return False
    return np.abs(actual - expected).max(initial=0) <= np.abs(theirs - expected).max(initial=0)


def cpu_session_of(case):
    return onnxruntime.InferenceSession(case.model.SerializeToString(), providers=["CPUExecutionProvider"])


def session_of(case, device):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime_ep_vkonnx.session(
        case.model.SerializeToString(), {"groups": "all"}, device=device, session_options=options
    )


def outcome(case, device):
    """A word and a reason."""
    try:
        sets = list(data_sets(case))
    except TypeError as error:
        return "skipped", str(error)
    try:
        session = session_of(case, device)
    except Exception as error:  # ONNX Runtime has an exception for each of its codes
        return "skipped", re.sub(r"\s+", " ", str(error))
    for inputs, outputs in sets:
        names = [one.name for one in session.get_inputs()]
        try:
            actual = session.run(None, dict(zip(names, inputs)))
        except Exception as error:
            return "failed", str(error)
        if len(actual) != len(outputs) or not all(is_close(*pair, case) for pair in zip(actual, outputs)):
            theirs = cpu_session_of(case).run(None, dict(zip(names, inputs)))
            if not all(is_nearer(*three) for three in zip(actual, theirs, outputs)):
                return "failed", "an output differs"
    return "passed", ""


def main(parts):
    device = os.environ.get("VKONNX_EP_DEVICE")
    counts = collections.Counter()
    reasons = collections.Counter()
    for case in load_model_tests(kind="node"):
        if parts and not any(part in case.name for part in parts):
            continue
        word, reason = outcome(case, device)
        counts[word] += 1
        if word == "failed" or parts:
            print(f"{word}: {case.name}: {reason}")
        if word == "skipped":
            reasons[re.sub(r"'[^']*'|\b\d+|\([^)]*\)", "...", reason)[:160]] += 1
    for reason, count in reasons.most_common():
        print(f"skipped {count:5}: {reason}")
    total = sum(counts.values())
    print(f"{total} cases, {counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    if counts["failed"]:
        return 1
    return 0 if counts["passed"] else 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
