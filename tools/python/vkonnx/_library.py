# SPDX-License-Identifier: Apache-2.0
"""The shared libraries, two or one: found, loaded, and their functions with types. Calls of ctypes release the interpreter's lock."""

from __future__ import annotations

import ctypes as c
import functools
import os
import sys
import threading
from collections import OrderedDict
from typing import Any, Dict, Optional, TypeVar

from . import _structs
from ._errors import InvalidArgument, WrongType, error_of

# By name: the result, then the arguments. `status` raises, `given` is a pointer to a const struct; tests/test_header.py compares
# them with the headers.
CORE = {
    "vkonnx_version": "text",
    "vkonnx_status_code": "i32 ptr",
    "vkonnx_status_message": "text ptr",
    "vkonnx_status_destroy": "none ptr",
    "vkonnx_code_name": "text i32",
    "vkonnx_string_destroy": "none ptr",
    "vkonnx_tensor_descs_destroy": "none ptr",
    "vkonnx_dtype_name": "text i32",
    "vkonnx_dtype_bits": "u32 i32",
    "vkonnx_byte_size": "status ptr ptr",
    "vkonnx_operator_name_at": "ptr size",
    "vkonnx_newest_opset": "i64",
    "vkonnx_operator_create": "status text text ptr",
    "vkonnx_operator_destroy": "none ptr",
    "vkonnx_operator_set_int": "status ptr text i64",
    "vkonnx_operator_set_ints": "status ptr text ptr size",
    "vkonnx_operator_set_float": "status ptr text f32",
    "vkonnx_operator_set_floats": "status ptr text ptr size",
    "vkonnx_operator_set_string": "status ptr text text",
    "vkonnx_operator_set_strings": "status ptr text ptr size",
    "vkonnx_operator_set_opset": "status ptr i64",
    "vkonnx_operator_set_outputs": "status ptr i64",
    "vkonnx_operator_set_rules": "status ptr i32",
    "vkonnx_operator_attribute_at": "ptr ptr size",
    "vkonnx_operator_get_signature": "ptr ptr",
    "vkonnx_infer": "status ptr ptr size ptr",
    "vkonnx_capabilities_preset_name": "text size",
    "vkonnx_capabilities_preset": "status text ptr",
    "vkonnx_capabilities_destroy": "none ptr",
    "vkonnx_explain": "status ptr ptr size ptr ptr ptr",
    "vkonnx_explanation_destroy": "none ptr",
    "vkonnx_kernels": "status ptr ptr size ptr ptr ptr",
    "vkonnx_kernel_infos_destroy": "none ptr",
    "vkonnx_device_list": "status ptr ptr",
    "vkonnx_device_infos_destroy": "none ptr",
    "vkonnx_device_open": "status ptr ptr",
    "vkonnx_device_destroy": "none ptr",
    "vkonnx_device_get_info": "ptr ptr",
    "vkonnx_device_get_capabilities": "ptr ptr",
    "vkonnx_device_memory": "status ptr ptr",
    "vkonnx_device_measure_peaks": "status ptr ptr",
    "vkonnx_device_tunings": "status ptr ptr",
    "vkonnx_device_cache_use": "status ptr ptr",
    "vkonnx_cache_use_destroy": "none ptr",
    "vkonnx_device_save_cache": "status ptr",
    "vkonnx_default_cache_folder": "status ptr",
    "vkonnx_tensor_create": "status ptr ptr ptr",
    "vkonnx_tensor_destroy": "none ptr",
    "vkonnx_tensor_get_desc": "ptr ptr",
    "vkonnx_tensor_upload": "status ptr ptr size",
    "vkonnx_tensor_download": "status ptr ptr size",
    "vkonnx_tensor_view": "status ptr ptr size ptr",
    "vkonnx_device_prepare": "status ptr ptr ptr size ptr ptr",
    "vkonnx_op_destroy": "none ptr",
    "vkonnx_op_get_outputs": "ptr ptr",
    "vkonnx_op_get_explanation": "ptr ptr",
    "vkonnx_device_run_op": "status ptr ptr ptr size ptr size",
    "vkonnx_recording_destroy": "none ptr",
    "vkonnx_recording_run": "status ptr",
}
ONNX = {
    "vkonnx_host_tensors_destroy": "none ptr",
    "vkonnx_model_load": "status text ptr ptr",
    "vkonnx_model_parse": "status ptr size ptr ptr",
    "vkonnx_model_destroy": "none ptr",
    "vkonnx_model_get_inputs": "ptr ptr",
    "vkonnx_model_get_outputs": "ptr ptr",
    "vkonnx_model_get_metadata": "ptr ptr",
    "vkonnx_model_explain": "status ptr ptr size ptr ptr ptr",
    "vkonnx_graph_report_destroy": "none ptr",
    "vkonnx_session_prepare": "status ptr ptr ptr size ptr ptr",
    "vkonnx_session_for_inputs": "status ptr ptr size ptr",
    "vkonnx_session_destroy": "none ptr",
    "vkonnx_session_run": "status ptr ptr size ptr",
    "vkonnx_session_bind": "status ptr ptr size ptr size ptr",
    "vkonnx_session_runs_in_stages": "bool ptr",
    "vkonnx_session_get_outputs": "ptr ptr",
    "vkonnx_session_report": "status ptr ptr",
}

# The number in the soname is that of the C interface, whose rules vkonnx.h has.
_INTERFACE = 0


def _file_names(stem: str) -> list[str]:
    if sys.platform == "win32":
        return [f"{stem}.dll", f"lib{stem}.dll"]
    if sys.platform == "darwin":
        return [f"lib{stem}.{_INTERFACE}.dylib"]
    return [f"lib{stem}.so.{_INTERFACE}"]


def _open(stem: str) -> tuple[c.CDLL, str]:
    """From the folder VKONNX_LIBRARY and nowhere else where that is set; else from this package, or wherever the system looks."""
    folder = os.environ.get("VKONNX_LIBRARY")
    if folder:
        places: Dict[str, Optional[str]] = {f"the folder of VKONNX_LIBRARY, {folder}": folder}
    else:
        own = os.path.join(os.path.dirname(__file__), "lib")
        places = {f"the package's own folder, {own}": own, "the system's loader": None}
    failures = []
    for words, place in places.items():
        for name in _file_names(stem):
            path = name if place is None else os.path.join(os.path.abspath(place), name)
            if place is not None and not os.path.exists(path):
                failures.append(f"{words}, has no {name}")
                continue
            try:
                return c.CDLL(path), path
            except OSError as error:
                failures.append(f"{words}, said of {name}: {error}")
    raise ImportError(f"vkonnx: the library {_file_names(stem)[0]} was not found: {'; '.join(failures)}")


def _raise_status(status: Optional[int], _function: Any, _arguments: Any) -> None:
    if status:
        code = core.vkonnx_status_code(status)
        sentence = _structs.string(core.vkonnx_status_message(status))
        core.vkonnx_status_destroy(status)
        raise error_of(code, sentence)


def _declare(library: c.CDLL, path: str, functions: dict[str, str]) -> c.CDLL:
    for name, words in functions.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"vkonnx: {path} has no function {name}: it is older than this package") from None
        result, *arguments = words.split()
        function.argtypes = [_structs.WORDS[word] for word in arguments]
        if result == "status":
            function.restype = c.c_void_p
            function.errcheck = _raise_status
        else:
            function.restype = None if result == "none" else _structs.WORDS[result]
    return library


_opened = _open("vkonnx_c")
core = _declare(*_opened, CORE)


@functools.lru_cache(None)
def onnx() -> c.CDLL:
    """Model files. Loaded when the first is: operators and tensors do without. In a wheel, one library has all functions."""
    has_all = hasattr(core, "vkonnx_model_load")
    library = _declare(*(_opened if has_all else _open("vkonnx_onnx_c")), ONNX)
    for kind in (HostTensors, Model, GraphReport, Session):
        kind.destroy = staticmethod(getattr(library, kind.by))
    return library


class Handle(c.c_void_p):
    """Owns what the library made: destroyed when the last reference goes.

    A call holds its arguments. So what one thread closes, letting its reference go, lives until the calls of others on it have
    returned, without a lock.
    """

    by: str
    destroy: Any
    device: Any = None  # the handle of what made it

    def __init_subclass__(cls) -> None:
        if cls.by in CORE:
            cls.destroy = staticmethod(getattr(core, cls.by))

    def __del__(self) -> None:
        if self.value:
            self.destroy(self.value)


class Device(Handle):
    """What a device made holds it, but for what is in `ops`: the library may log as long as anything of the device lives."""

    by = "vkonnx_device_destroy"
    log: Any = None

    def __init__(self) -> None:
        super().__init__()
        self.ops: OrderedDict[Any, Any] = OrderedDict()  # prepared operators: see _operators.py
        self.lock = threading.Lock()  # of `ops`

    def __del__(self) -> None:
        self.ops.clear()
        super().__del__()


class Tensor(Handle):
    by = "vkonnx_tensor_destroy"


class Operator(Handle):
    by = "vkonnx_operator_destroy"


class Op(Handle):
    by = "vkonnx_op_destroy"


class Recording(Handle):
    by = "vkonnx_recording_destroy"


class String(Handle):
    by = "vkonnx_string_destroy"


class CacheUse(Handle):
    by = "vkonnx_cache_use_destroy"


class TensorDescs(Handle):
    by = "vkonnx_tensor_descs_destroy"


class Capabilities(Handle):
    by = "vkonnx_capabilities_destroy"


class Explanation(Handle):
    by = "vkonnx_explanation_destroy"


class KernelInfos(Handle):
    by = "vkonnx_kernel_infos_destroy"


class DeviceInfos(Handle):
    by = "vkonnx_device_infos_destroy"


class HostTensors(Handle):
    by = "vkonnx_host_tensors_destroy"


class Model(Handle):
    by = "vkonnx_model_destroy"


class GraphReport(Handle):
    by = "vkonnx_graph_report_destroy"


class Session(Handle):
    by = "vkonnx_session_destroy"


_Any = TypeVar("_Any", bound=Handle)


def text(value: Any, what: str) -> bytes:
    """As the library takes texts. C would end one at its first zero."""
    if not isinstance(value, str):
        raise WrongType(f"{what} must be a str, not {type(value).__name__}")
    encoded = value.encode("utf-8", "surrogateescape")
    if b"\0" in encoded:
        raise InvalidArgument(f"{what} = {value!r} must not have a zero in it")
    return encoded


def alive(handle: Optional[_Any], what: str) -> _Any:
    if handle is None:
        raise InvalidArgument(f"the {what} is closed")
    return handle
