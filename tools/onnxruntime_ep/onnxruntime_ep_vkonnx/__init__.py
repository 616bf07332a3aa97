# SPDX-License-Identifier: Apache-2.0
"""vkonnx as an execution provider of ONNX Runtime: models run on any Vulkan device, and nothing else changes.

    import onnxruntime_ep_vkonnx as vk

    session = vk.session("model.onnx")   # an onnxruntime.InferenceSession
    session.run(None, {"x": x})

ONNX Runtime 1.23 or newer is needed, and is not installed with this package: there are several packages of it.
"""

import os
import pathlib
from typing import Any, Dict, List, Mapping, Optional

__all__ = ["ProviderMissing", "devices", "get_ep_name", "get_ep_names", "get_library_path", "register", "session"]

_NAME = "VkonnxExecutionProvider"
_LIBRARIES = ("libvkonnx_onnxruntime.so", "vkonnx_onnxruntime.dll", "libvkonnx_onnxruntime.dylib")


class ProviderMissing(RuntimeError):
    """There is no Vulkan device for the provider, or ONNX Runtime made a session without it."""


def get_ep_name() -> str:
    """Returns the provider's name."""
    return _NAME


def get_ep_names() -> List[str]:
    """Returns the names of all providers in the library, of which there is one."""
    return [_NAME]


def get_library_path() -> str:
    """Returns the path of the plug-in, for onnxruntime.register_execution_provider_library.

    The environment variable VKONNX_ONNXRUNTIME_LIBRARY replaces the one in this package.
    """
    named = os.environ.get("VKONNX_ONNXRUNTIME_LIBRARY")
    if named:
        return os.path.abspath(named)
    folder = pathlib.Path(__file__).parent / "lib"
    for name in _LIBRARIES:
        if (folder / name).is_file():
            return str(folder / name)
    raise FileNotFoundError(f"{folder} has none of {', '.join(_LIBRARIES)}; VKONNX_ONNXRUNTIME_LIBRARY may name another")


def register() -> None:
    """Registers the plug-in with ONNX Runtime, once in a process."""
    import onnxruntime

    if not any(device.ep_name == _NAME for device in onnxruntime.get_ep_devices()) and not _registered:
        onnxruntime.register_execution_provider_library(_NAME, get_library_path())
        _registered.append(_NAME)


_registered: List[str] = []  # ONNX Runtime refuses to register a name twice, and does not tell which are


def devices() -> List[Any]:
    """Returns ONNX Runtime's devices (OrtEpDevice) of this provider, the best first as Vulkan's drivers list them.

    `ep_metadata` has vulkan_device, vulkan_driver, vulkan_version, vulkan_uuid and software, "1" for a driver that computes on a CPU.
    Those are told of only where the environment variable VKONNX_ONNXRUNTIME_SOFTWARE is 1.
    """
    import onnxruntime

    register()
    return [device for device in onnxruntime.get_ep_devices() if device.ep_name == _NAME]


def session(
    model: Any,
    options: Optional[Mapping[str, Any]] = None,
    *,
    device: Optional[str] = None,
    session_options: Any = None,
    **arguments: Any,
) -> Any:
    """Makes an onnxruntime.InferenceSession that runs on a Vulkan device what vkonnx can run, and all else on the CPU.

    model: a path or bytes, as InferenceSession takes it.
    options: of the provider, such as {"reproducible": 1}.
    device: a part of the device's name (vulkan_device), in any case; the first device without it.
    session_options, arguments: for InferenceSession.

    ProviderMissing: there is no such device, or the session was made without the provider. InferenceSession itself says nothing then,
    and runs on the CPU.
    """
    import onnxruntime

    found = devices()
    fitting = [one for one in found if device is None or device.lower() in one.ep_metadata["vulkan_device"].lower()]
    if not fitting:
        names = ", ".join(one.ep_metadata["vulkan_device"] for one in found) or "none"
        wanted = "a Vulkan device" if device is None else f"a Vulkan device with '{device}' in its name"
        raise ProviderMissing(f"there must be {wanted}; there are: {names}")
    settings = session_options if session_options is not None else onnxruntime.SessionOptions()
    settings.add_provider_for_devices(fitting[:1], _texts(options or {}))
    arguments.setdefault("enable_fallback", 0)  # older versions would make a session without the provider where it fails
    made = onnxruntime.InferenceSession(model, sess_options=settings, **arguments)
    if _NAME not in made.get_providers():
        raise ProviderMissing(f"ONNX Runtime made a session without {_NAME}, with {', '.join(made.get_providers())}")
    return made


def _texts(options: Mapping[str, Any]) -> Dict[str, str]:
    return {name: str(int(value)) if isinstance(value, bool) else str(value) for name, value in options.items()}
