# SPDX-License-Identifier: Apache-2.0
"""ops.pyi is what the library lists: VKONNX_UPDATE_GOLDEN=1 writes it anew."""

import inspect
import os
import pathlib
import types
from typing import Any, Optional, Sequence

import pytest
import vkonnx
from vkonnx import Device, ops

STUB = pathlib.Path(__file__).resolve().parents[1] / "vkonnx" / "ops.pyi"
HEAD = '''# SPDX-License-Identifier: Apache-2.0
# Written by tests/test_stub.py from what the library lists.
from typing import Any, Optional, Sequence

from ._device import Device
from ._operators import explain as explain
from ._operators import infer as infer
from ._operators import kernels as kernels
'''


# As Python 3.9 would print them.
HINTS = {Any: "Any", Optional[Device]: "Optional[Device]", Optional[Sequence[int]]: "Optional[Sequence[int]]",
         Optional[int]: "Optional[int]", Optional[float]: "Optional[float]", Optional[str]: "Optional[str]", str: "str",
         Optional[Sequence[float]]: "Optional[Sequence[float]]", Optional[Sequence[str]]: "Optional[Sequence[str]]", bool: "bool"}  # fmt: skip


def function(name, value, indent=""):
    lines = [f"{indent}def {name}("]
    if indent:
        lines.insert(0, f"{indent}@staticmethod")
    parameters = list(inspect.signature(value).parameters.values())
    for before, one in zip([None, *parameters], parameters):
        if before and before.kind is inspect.Parameter.POSITIONAL_ONLY and one.kind is inspect.Parameter.KEYWORD_ONLY:
            lines += [f"{indent}    /,", f"{indent}    *,"]
        default = "" if one.default is inspect.Parameter.empty else f" = {one.default!r}"
        star = "*" if one.kind is inspect.Parameter.VAR_POSITIONAL else ""
        lines.append(f"{indent}    {star}{one.name}: {HINTS[one.annotation]}{default},")
    return "\n".join([*lines, f"{indent}) -> Any: ..."])


def stub():
    parts = [HEAD]
    for name in ops.__all__:
        value = getattr(ops, name)
        if isinstance(value, types.SimpleNamespace):
            each = [function(one, inner, "    ") for one, inner in vars(value).items()]
            parts.append(f"class {name}:\n" + "\n".join(each))
        elif name not in ("explain", "infer", "kernels"):
            parts.append(function(name, value))
    return "\n".join(parts) + "\n"


def test_stub():
    if os.environ.get("VKONNX_UPDATE_GOLDEN") == "1":
        STUB.write_text(stub())
    if not STUB.is_file():
        pytest.skip("the stub is not here")
    assert STUB.read_text() == stub(), "VKONNX_UPDATE_GOLDEN=1 writes it anew"
    installed = pathlib.Path(vkonnx.__file__).with_name("ops.pyi")
    assert installed.read_text() == stub()
