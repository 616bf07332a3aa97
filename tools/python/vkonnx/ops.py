# SPDX-License-Identifier: Apache-2.0
"""A function for each operator of the library, by ONNX's names in snake case: conv_transpose(x, w, strides=[2, 2]).

Those of other domains are in namespaces: onednn.conv_transpose. ops.pyi has them all, as the library listed them.
"""

from ._operators import explain, functions, infer, kernels

_functions = functions()
globals().update(_functions)
__all__ = ["explain", "infer", "kernels", *_functions]
