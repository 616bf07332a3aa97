# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ctypes as c
from typing import Any, Optional, Sequence

import numpy as np

from . import _library, _structs
from ._dtypes import DType, address_of, array_of, as_array, dtype_of, empty_memory, memory_of, shape_of
from ._errors import InvalidArgument
from ._library import alive, core
from ._reports import TensorDesc, desc_of, desc_struct, describe
from ._structs import read


class Tensor:
    """A tensor in device memory, from Device.tensor, Device.empty, or as the result of what ran on others.

    It works on when its Device is closed, and is freed by `close` or with the last reference to it. Threads: any; but no two at
    once write one tensor, nor one writes what another reads.
    """

    __slots__ = ("_handle", "_device", "shape", "element_type", "layout", "__weakref__")

    def __init__(self, handle: _library.Tensor, device: _library.Device):
        desc = desc_of(read(core.vkonnx_tensor_get_desc(handle), _structs.TensorDesc))
        self._handle: Optional[_library.Tensor] = handle
        self._device = device
        self.shape: tuple[int, ...] = desc.shape
        self.element_type: DType = desc.element_type
        self.layout: str = desc.layout

    @property
    def dtype(self) -> np.dtype:
        """NumPy's; `element_type` is ONNX's. Unsupported: bfloat16 and its like without ml_dtypes."""
        return self.element_type.numpy

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def upload(self, array: Any) -> None:
        """Copies an array of this shape and dtype, or lists of numbers, to the device. Waits until done. Not while something that runs uses the tensor."""
        handle = alive(self._handle, "Tensor")
        array = as_array(array, "Tensor.upload: the array", None if hasattr(array, "dtype") else self.dtype)
        dtype = dtype_of(array.dtype)
        if dtype != self.element_type or array.shape != self.shape:
            given = describe(array, "the array", self.layout)
            raise InvalidArgument(f"Tensor.upload: the array is {given}, the Tensor {describe(self, 'the Tensor')}")
        memory = memory_of(array, dtype)
        core.vkonnx_tensor_upload(handle, address_of(memory), memory.nbytes)

    def numpy(self) -> np.ndarray:
        """A copy of the elements, in host memory. Waits for what was submitted before. Unsupported: as `dtype`."""
        handle = alive(self._handle, "Tensor")
        memory = empty_memory(self.element_type, self.shape)
        core.vkonnx_tensor_download(handle, address_of(memory), memory.nbytes)
        return array_of(memory, self.element_type, self.shape)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        if copy is False:
            raise InvalidArgument("the elements are in device memory: NumPy can't have them without a copy")
        array = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def __dlpack_device__(self) -> tuple[int, int]:
        """DLPack hands over a copy in host memory, which is its device (1, 0)."""
        return (1, 0)

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Optional[bool] = None) -> Any:
        if copy is False or dl_device not in (None, (1, 0)):
            raise BufferError("the elements are in device memory: DLPack gets a copy of them in host memory, and nothing else")
        return self.numpy().__dlpack__()

    def view(self, shape: Sequence[int]) -> "Tensor":
        """The same memory under other dimensions with the same number of elements; InvalidArgument for another number."""
        dims = shape_of(shape, "Tensor.view: shape")
        handle = _library.Tensor()
        source = alive(self._handle, "Tensor")
        core.vkonnx_tensor_view(source, (c.c_int64 * len(dims))(*dims), len(dims), c.byref(handle))
        return Tensor(handle, self._device)

    def close(self) -> None:
        """Lets the memory go, once nothing that runs and no view uses it. Every later call on the Tensor is InvalidArgument."""
        self._handle = None

    def __enter__(self) -> "Tensor":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<vkonnx.Tensor {describe(self, 'the Tensor')}{'' if self._handle else ' (closed)'}>"


def create(device: _library.Device, desc: TensorDesc) -> Tensor:
    handle = _library.Tensor()
    core.vkonnx_tensor_create(device, c.byref(desc_struct(desc)), c.byref(handle))
    return Tensor(handle, device)


def uploaded(device: _library.Device, array: np.ndarray, layout: str = "NCX") -> Tensor:
    tensor = create(device, describe(array, "the array", layout))
    tensor.upload(array)
    return tensor
