# SPDX-License-Identifier: Apache-2.0
"""onnx.backend.base.Backend by vkonnx, on the device that VKONNX_DEVICE selects; for onnx.backend.test.BackendTest, too.

What the library does not have is unittest.SkipTest with its own sentence, as the runner of that suite wants it. Any other
failure is an exception of vkonnx's.
"""

from __future__ import annotations

import unittest
from typing import Any

import numpy as np
import onnx
import onnx.backend.base

from ._errors import InvalidArgument, Unsupported
from ._session import Session


# Cases of onnx.backend.test whose expected results are further from the true ones than their tolerance: halves that were rounded
# between operators, and what a transform in float leaves of sums that are 0.
EXCLUDED_CASES = ("test_attention_4d_causal_fp16_expanded", "test_dft_inverse", "test_dft_inverse_opset19")


class VkonnxBackendRep(onnx.backend.base.BackendRep):
    def __init__(self, session: Session):
        self._session = session

    def run(self, inputs: Any, **_: Any) -> tuple[Any, ...]:
        """inputs: by name, or in the order of the graph's inputs, without those that an initializer fills."""
        if isinstance(inputs, np.ndarray):
            inputs = [inputs]
        try:
            return tuple(self._session.run(inputs).values())
        except Unsupported as refusal:  # some of it shows with the shapes only
            raise unittest.SkipTest(str(refusal)) from refusal


class VkonnxBackend(onnx.backend.base.Backend):
    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **options: Any) -> VkonnxBackendRep:
        """options: Session's."""
        if not cls.supports_device(device):
            raise InvalidArgument(f"device = {device!r} must be CPU, which is whatever VKONNX_DEVICE selects")
        try:
            session = Session(model, **options)
            if all(
                info.shape is not None and None not in info.shape and not info.decides_dimensions
                for info in session.inputs
            ):
                session.prepare()
        except Unsupported as refusal:
            raise unittest.SkipTest(str(refusal)) from refusal
        return VkonnxBackendRep(session)

    @classmethod
    def run_node(
        cls, node: onnx.NodeProto, inputs: Any, device: str = "CPU", outputs_info: Any = None, **options: Any
    ) -> tuple[Any, ...]:
        """options: opset_version, and Session's."""
        opset = options.pop("opset_version", onnx.defs.onnx_opset_version())
        given = [np.asarray(one) for one in ([inputs] if isinstance(inputs, np.ndarray) else inputs)]
        names = [name for name in node.input if name]
        helper = onnx.helper
        graph = helper.make_graph(
            [node],
            "node",
            [
                helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(one.dtype), one.shape)
                for name, one in zip(names, given)
            ],
            [onnx.ValueInfoProto(name=name) for name in node.output if name],
        )
        imports = [helper.make_opsetid(node.domain, opset)]
        model = onnx.shape_inference.infer_shapes(helper.make_model(graph, opset_imports=imports))
        return cls.run_model(model, given, device, **options)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """The runner knows CPU and CUDA. CPU is whatever VKONNX_DEVICE selects."""
        return device.split(":")[0] == "CPU"


is_compatible = VkonnxBackend.is_compatible
prepare = VkonnxBackend.prepare
run_model = VkonnxBackend.run_model
run_node = VkonnxBackend.run_node
supports_device = VkonnxBackend.supports_device
