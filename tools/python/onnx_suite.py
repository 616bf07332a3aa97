#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs ONNX's backend test suite on the device that VKONNX_DEVICE selects, and prints what became of the models of one operator, by
operators that have one that passed, and what was skipped and why.

    python3 onnx_suite.py [PART_OF_A_NAME...]

It takes vkonnx and onnx, and goes to no network. Exit codes: 0 nothing failed; 1 a case did; 3 nothing ran.
"""

import collections
import os
import pathlib
import re
import sys
import tempfile
import unittest

import onnx
import vkonnx
import vkonnx.backend
from onnx.backend.test import BackendTest
from onnx.backend.test.loader import load_model_tests

# What differs from case to case: names, versions, numbers.
MASKS = (
    (r"'[^']*'", "..."),
    (r"\b\d+", "N"),
    (r": [A-Z]\w+: opset", ": X: opset"),
)


def masked(reason):
    reason = reason.partition("; supported are")[0]
    for pattern, replacement in MASKS:
        reason = re.sub(pattern, replacement, reason)
    return reason


def examples(sentences):
    """The operators that the sentences name, or the first one itself."""
    operators = collections.Counter()
    for sentence, count in sentences.items():
        found = re.search(r"operator '(\w+)' of domain", sentence)
        operators[found[1] if found else ""] += count
    if "" in operators:
        return next(iter(sentences))
    return ", ".join(f"{name} {count}" for name, count in operators.most_common())


def wanted(suite, parts):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from wanted(test, parts)
        elif not parts or any(part in test.id() for part in parts):
            yield test


def operators():
    """By the names of cases whose models are of one operator: which."""
    found = {}
    for case in load_model_tests(kind="node"):
        model = case.model or onnx.load(pathlib.Path(case.model_dir, "model.onnx"))
        kinds = {node.op_type for node in model.graph.node}
        if len(kinds) == 1:
            found[f"{case.name}_cpu"] = kinds.pop()
    return found


def print_operators(tests, result):
    ends = collections.defaultdict(lambda: "passed")
    for end, some in (("skipped", result.skipped), ("failed", result.failures + result.errors)):
        ends |= {test.id(): end for test, _ in some}
    rows = collections.defaultdict(collections.Counter)
    kinds = operators()
    for test in tests:
        kind = kinds.get(test.id().rpartition(".")[2])
        if kind:
            rows[kind][ends[test.id()]] += 1
    print("\n| operator | passed | failed | skipped |\n|---|---|---|---|")
    for kind, row in sorted(rows.items()):
        if row["passed"] + row["failed"]:
            print(f"| {kind} | {row['passed']} | {row['failed']} | {row['skipped']} |")


def main(parts):
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ONNX_HOME"] = folder  # where the runner writes what it makes for the light models
        suite = BackendTest(vkonnx.backend, __name__)
        for case in vkonnx.backend.EXCLUDED_CASES:
            suite.exclude(case)
        tests = list(wanted(suite.test_suite, parts))
        result = unittest.TextTestRunner(verbosity=0).run(unittest.TestSuite(tests))
    print_operators(tests, result)
    reasons = collections.defaultdict(collections.Counter)
    for _, reason in result.skipped:
        reasons[masked(reason)][reason] += 1
    print("\n| skipped | reason | for example |\n|---|---|---|")
    for reason, each in sorted(reasons.items(), key=lambda one: -sum(one[1].values())):
        print(f"| {sum(each.values())} | {reason} | {examples(each)} |")
    passed = result.testsRun - sum(map(len, (result.skipped, result.failures, result.errors)))
    print(
        f"\nonnx {onnx.__version__}, vkonnx {vkonnx.__version__} on {vkonnx.default_device().info.name}: {result.testsRun} cases, "
        f"{passed} passed, {len(result.failures) + len(result.errors)} failed, {len(result.skipped)} skipped"
    )
    return 3 if not passed else 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
