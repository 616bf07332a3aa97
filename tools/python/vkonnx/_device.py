# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ctypes as c
import os
import threading
from typing import Any, Callable, Dict, Optional, Sequence, Union

from . import _library, _structs, _tensor
from ._dtypes import as_array, dtype_of, shape_of
from ._errors import InvalidArgument, WrongType
from ._library import alive, core, text
from ._reports import (
    CacheUse,
    Capabilities,
    DeviceInfo,
    MemoryUse,
    Peaks,
    TensorDesc,
    capabilities_handle,
    device_info_of,
    word_of,
)
from ._structs import read, read_each, string
from ._tensor import Tensor

LOG_LEVELS = ("info", "warning", "error")


def devices() -> list[DeviceInfo]:
    """All Vulkan devices of this machine; those that can't be opened too, with the reason in `rejected`.

    NoDevice: there is no Vulkan loader, or no driver.
    """
    handle = _library.DeviceInfos()
    core.vkonnx_device_list(None, c.byref(handle))
    infos = read(handle, _structs.DeviceInfos)
    return [device_info_of(one) for one in read_each(infos.devices, infos.count)]


def default_cache_folder() -> str:
    """Where the cache is unless a Device is told otherwise; "" where VKONNX_CACHE_DIR is empty or there is no such folder."""
    result = _library.String()
    core.vkonnx_default_cache_folder(c.byref(result))
    return string(c.cast(result, c.c_char_p).value)


class Device:
    """An opened device. What was made by it works on when it is closed.

    select: "" (the best, CPUs last), an index of devices(), "gpu", "cpu", "gpu:1", "uuid:..." or a part of the name.
    max_memory: the most device memory to take, in bytes; 0 is no limit. OutOfMemory before anything is taken beyond.
    validation: turns the Vulkan validation layer on; what it says goes to `log`. InvalidArgument where it is not installed.
    debug_names: gives names to pipelines and buffers, for captures.
    self_test: tries the device on tiny problems, some milliseconds, and refuses one that fails.
    work_per_second: the multiply-adds a second that plans count on, so that they are equal at every opening; 0: the self-test
        measures them.
    timeout: the longest that a single wait may take, in seconds; greater than 0, infinity is allowed.
    tunings: what `tunings` gave before, for what is prepared with tune=True.
    capabilities: lowers what the device offers: Capabilities, or the name of a preset.
    max_cached_pipelines: compiled kernels that are kept when nothing uses them.
    cache_folder: where compiled kernels and findings are kept for later processes; "": nowhere; None: VKONNX_CACHE_DIR, or vkonnx
        in the platform's folder for caches. What can't be read or written there is no error: cache_use() tells.
    log: log(level, text), level "info", "warning" or "error"; called in any thread that uses the device.

    A Device pickles as the arguments that it was opened with: where it arrives, another one is opened by the same `select`.

    Errors: NoDevice (no loader, no driver, nothing fits `select`), InvalidArgument, Unsupported.
    Threads: all functions may be called from many threads at once. A device belongs to the process that opened it: in a fork
    every call is DeviceLost.
    """

    def __init__(
        self,
        select: Union[str, int] = "",
        *,
        max_memory: int = 0,
        validation: bool = False,
        debug_names: bool = False,
        self_test: bool = True,
        work_per_second: float = 0.0,
        timeout: float = 60.0,
        tunings: str = "",
        capabilities: Union[None, str, Capabilities] = None,
        max_cached_pipelines: int = 64,
        cache_folder: Optional[str] = None,
        log: Optional[Callable[[str, str], None]] = None,
    ):
        self._arguments = {name: value for name, value in locals().items() if name != "self"}
        if not timeout > 0:
            raise InvalidArgument(f"timeout = {timeout} must be greater than 0")
        if not 0 <= work_per_second < float("inf"):
            raise InvalidArgument(f"work_per_second = {work_per_second} must be 0, or greater than 0 and finite")
        for value, what, bits in ((max_memory, "max_memory", 64), (max_cached_pipelines, "max_cached_pipelines", 32)):
            if not 0 <= value < 2**bits:
                raise InvalidArgument(f"{what} = {value} must be from 0 to 2^{bits} - 1")
        if log is not None and not callable(log):
            raise WrongType(f"log must be callable, not {type(log).__name__}")
        lowered = None if capabilities is None else capabilities_handle(capabilities)
        options = _structs.DeviceOptions(
            select=text(str(select) if isinstance(select, int) else select, "select"),
            capabilities=lowered and c.cast(lowered, c.POINTER(_structs.Capabilities)),
            validation=validation,
            debug_names=debug_names,
            no_self_test=not self_test,
            work_per_second=work_per_second,
            timeout_seconds=timeout,
            max_memory=max_memory,
            tunings=text(tunings, "tunings"),
            max_cached_pipelines=max_cached_pipelines or -1,
            cache_folder=text(default_cache_folder() if cache_folder is None else cache_folder, "cache_folder"),
        )
        handle = _library.Device()
        if log is not None:
            handle.log = _structs.Log(lambda _, level, words: log(word_of(level, LOG_LEVELS), string(words)))
            options.log = c.cast(handle.log, c.c_void_p)
        core.vkonnx_device_open(c.byref(options), c.byref(handle))
        self._handle: Optional[_library.Device] = handle
        self.info: DeviceInfo = device_info_of(
            read(core.vkonnx_device_get_info(handle), _structs.DeviceInfo)
        )

    def __reduce__(self) -> Any:
        return _opened, (self._arguments,)

    @property
    def capabilities(self) -> Capabilities:
        """With the findings of the self-test, and lowered as asked for."""
        return self.info.capabilities

    def tensor(self, array: Any, *, layout: str = "NCX") -> Tensor:
        """A tensor with the elements of an array. layout: "NXC" for channels last."""
        return _tensor.uploaded(alive(self._handle, "Device"), as_array(array, "Device.tensor: the array"), layout)

    def empty(self, shape: Sequence[int], dtype: Any = "float32", *, layout: str = "NCX") -> Tensor:
        """A tensor with undefined elements. dtype: NumPy's, a DType, or a name of one ("bfloat16")."""
        desc = TensorDesc(dtype_of(dtype), shape_of(shape, "Device.empty: shape"), layout)
        return _tensor.create(alive(self._handle, "Device"), desc)

    def memory(self) -> MemoryUse:
        """What tensors and the library's own buffers take, in bytes."""
        use = _structs.MemoryUse()
        core.vkonnx_device_memory(alive(self._handle, "Device"), c.byref(use))
        return MemoryUse(*(getattr(use, name) for name, _ in use._fields_[1:]))

    def measure_peaks(self) -> Peaks:
        """Runs two probes, some tenths of a second and up to 1 GiB of device memory. Best while the device is idle."""
        peaks = _structs.Peaks()
        core.vkonnx_device_measure_peaks(alive(self._handle, "Device"), c.byref(peaks))
        return Peaks(*(getattr(peaks, name) for name, _ in peaks._fields_[1:]))

    def tunings(self) -> str:
        """What tune=True found, as text for `tunings` of another Device."""
        result = _library.String()
        core.vkonnx_device_tunings(alive(self._handle, "Device"), c.byref(result))
        return string(c.cast(result, c.c_char_p).value)

    def cache_use(self) -> CacheUse:
        """What the cache in `cache_folder` has done for this device."""
        handle = _library.CacheUse()
        core.vkonnx_device_cache_use(alive(self._handle, "Device"), c.byref(handle))
        use = read(handle, _structs.CacheUse)
        return CacheUse(*(string(value) if isinstance(value, bytes) else value
                          for value in (getattr(use, name) for name, _ in use._fields_[1:])))

    def save_cache(self) -> None:
        """Writes what is new to the cache, as preparing a session does and the end of the device. Never an error."""
        core.vkonnx_device_save_cache(alive(self._handle, "Device"))

    def close(self) -> None:
        """Lets the device go, once all that it made has gone. Every later call on the Device is InvalidArgument."""
        handle, self._handle = self._handle, None
        if handle is not None:
            with handle.lock:
                handle.ops.clear()

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<vkonnx.Device {self.info.name}{'' if self._handle else ' (closed)'}>"


_default: Optional[Device] = None
_default_lock = threading.Lock()


def _opened(arguments: Dict[str, Any]) -> Device:
    return Device(**arguments)


def default_device() -> Device:
    """The device of whatever is given none: opened when it is first needed, as VKONNX_DEVICE selects; without it, the best."""
    global _default
    with _default_lock:
        if _default is None or _default._handle is None:
            _default = Device(os.environ.get("VKONNX_DEVICE", ""))
        return _default
