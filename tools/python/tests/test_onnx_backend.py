# SPDX-License-Identifier: Apache-2.0
"""The suite of the onnx that is installed, unmodified; onnx_suite.py runs it, too, and tells what is skipped."""

import unittest

import vkonnx.backend
from onnx.backend.test import BackendTest

globals().update(BackendTest(vkonnx.backend, __name__).test_cases)

if __name__ == "__main__":
    unittest.main()
