# SPDX-License-Identifier: Apache-2.0
"""ONNX operators as Vulkan compute shaders, on any GPU vendor, with NumPy in and out.

    import vkonnx
    y = vkonnx.Session("model.onnx").run({"x": array})["y"]
    y = vkonnx.ops.conv_transpose(x, w, strides=[2, 2])

Errors are vkonnx.Error and its subclasses, each with one sentence. Where the library is looked for: in the folder VKONNX_LIBRARY
where that is set; else in the package, then wherever the system looks.
"""

from ._dtypes import DType
from ._errors import (
    Code,
    DeviceLost,
    Error,
    InvalidArgument,
    IoError,
    NoDevice,
    OutOfMemory,
    Timeout,
    Unsupported,
    WrongType,
)
from ._library import core as _core
from ._device import Device, default_cache_folder, default_device, devices
from ._reports import (
    Capabilities,
    DeviceInfo,
    Explanation,
    GraphReport,
    KernelInfo,
    CacheUse,
    MemoryUse,
    NodeReport,
    Peaks,
    Pipeline,
    TensorDesc,
    ValueInfo,
    ValueReport,
)
from ._session import Session, explain
from ._tensor import Tensor
from . import ops

__version__: str = _core.vkonnx_version().decode()

__all__ = [name for name in dir() if not name.startswith("_")]
