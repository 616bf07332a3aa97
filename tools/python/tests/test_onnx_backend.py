# SPDX-License-Identifier: Apache-2.0
"""The suite of the onnx that is installed, unmodified but for EXCLUDED_CASES; onnx_suite.py runs it, too, and tells what is skipped."""

import unittest

import vkonnx.backend
from onnx.backend.test import BackendTest

suite = BackendTest(vkonnx.backend, __name__)
for case in vkonnx.backend.EXCLUDED_CASES:
    suite.exclude(case)
globals().update(suite.test_cases)

if __name__ == "__main__":
    unittest.main()
