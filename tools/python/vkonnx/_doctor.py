# SPDX-License-Identifier: Apache-2.0
"""Says in plain words why no device runs, or why only a software driver does. It changes nothing."""

from __future__ import annotations

import glob
import json
import os
import platform
import sys
from dataclasses import dataclass, field
from typing import List, Mapping, Optional

import numpy as np

from . import _library, ops
from ._device import Device, devices
from ._errors import Code, Error, NoDevice
from ._reports import DeviceInfo

PACKAGES = "Debian and Ubuntu: apt install {debian}; Fedora: dnf install {fedora}; Arch: pacman -S {arch}; Alpine: apk add {alpine}"
LOADER = PACKAGES.format(debian="libvulkan1", fedora="vulkan-loader", arch="vulkan-icd-loader", alpine="vulkan-loader")
DRIVERS = PACKAGES.format(debian="mesa-vulkan-drivers", fedora="mesa-vulkan-drivers", arch="vulkan-radeon, vulkan-intel or vulkan-swrast",
                          alpine="mesa-vulkan-ati, mesa-vulkan-intel or mesa-vulkan-swrast")
VENDORS = {"0x1002": "AMD", "0x10de": "NVIDIA", "0x8086": "Intel"}


@dataclass(frozen=True)
class System:
    """What the advice looks at. Tests give another root and other variables."""

    root: str = "/"
    platform: str = sys.platform
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def files(self, pattern: str) -> List[str]:
        return sorted(glob.glob(os.path.join(self.root, pattern.lstrip("/"))))

    def shown(self, path: str) -> str:
        return "/" + os.path.relpath(path, self.root) if self.root != "/" else path

    def text(self, path: str) -> str:
        try:
            with open(os.path.join(self.root, path.lstrip("/")), encoding="utf-8", errors="replace") as file:
                return file.read()
        except OSError:
            return ""

    def in_container(self) -> bool:
        return bool(self.files("/.dockerenv") or self.files("/run/.containerenv") or "kubepods" in self.text("/proc/1/cgroup"))

    def in_wsl(self) -> bool:
        return "microsoft" in self.text("/proc/version").lower()

    def gpus(self) -> List[str]:
        """The vendors of the display controllers on the PCI bus, as "NVIDIA (0x10de:0x2330)"."""
        found = []
        for folder in self.files("/sys/bus/pci/devices/*"):
            if self.text(os.path.join(self.shown(folder), "class")).startswith("0x03"):
                vendor, device = (self.text(os.path.join(self.shown(folder), name)).strip() for name in ("vendor", "device"))
                found.append(f"{VENDORS.get(vendor, 'another vendor')} ({vendor}:{device})")
        return found

    def manifests(self) -> List[str]:
        """The files by which drivers announce themselves to the loader, where it looks for them unless a variable names others."""
        folders = ["/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/usr/share/vulkan/icd.d"]
        return [file for folder in folders for file in self.files(folder + "/*.json")]


def library_of(manifest: str) -> Optional[str]:
    """The driver that a manifest names; None where it is no manifest."""
    try:
        with open(manifest, encoding="utf-8") as file:
            return str(json.load(file)["ICD"]["library_path"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def advice_without_loader(system: System) -> List[str]:
    if system.platform == "win32":
        return ["vulkan-1.dll comes with the driver of the GPU. Install the newest one of the GPU's vendor."]
    if system.platform == "darwin":
        return ["macOS has no Vulkan of its own. Homebrew has it: brew install vulkan-loader molten-vk"]
    return [f"The loader is a package of the system. {LOADER}", f"So are the drivers of AMD and Intel, and one for CPUs. {DRIVERS}"]


def advice_on_manifests(system: System) -> List[str]:
    """What is wrong with the drivers that the loader is told of."""
    lines = []
    for variable in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES"):
        value = system.environment.get(variable)
        if value:
            lines.append(f"{variable} is set to {value}, so that the loader looks at no other drivers. "
                         "Without it, it finds those of the system.")
            for name in value.split(os.pathsep):
                if not os.path.exists(name):
                    lines.append(f"{name}, which {variable} names, does not exist.")
                elif os.path.isfile(name) and library_of(name) is None:
                    lines.append(f"{name}, which {variable} names, is not the manifest of a driver.")
            return lines
    if system.platform != "linux":
        return []
    manifests = system.manifests()
    if not manifests:
        return [f"No driver is installed. Those of AMD and Intel, and one for CPUs, are packages of the system. {DRIVERS}"]
    for manifest in manifests:
        library = library_of(manifest)
        if library is None:
            lines.append(f"{system.shown(manifest)} is damaged: install the driver's package again.")
        elif os.path.isabs(library) and not system.files(glob.escape(library)):
            lines.append(f"{system.shown(manifest)} names the driver {library}, which does not exist: install its package again.")
    return lines


def advice_on_access(system: System) -> List[str]:
    """Why a driver may not reach the GPU. Linux alone has these reasons."""
    if system.platform != "linux":
        return []
    nodes = system.files("/dev/dri/renderD*")
    closed = [system.shown(node) for node in nodes if not os.access(node, os.R_OK | os.W_OK)]
    lines = []
    if closed:
        lines.append(f"This user may not open {', '.join(closed)}. They belong to the group render or video: "
                     "sudo usermod -aG render,video $USER, then log in again.")
    has_nvidia = bool(system.files("/dev/nvidiactl"))
    if has_nvidia and not any("nvidia" in os.path.basename(manifest) for manifest in system.manifests()):
        if system.in_container():
            lines.append("NVIDIA's GPU is in this container, but not its Vulkan driver. Start the container with "
                         "NVIDIA_DRIVER_CAPABILITIES=all: its usual value leaves Vulkan out.")
        else:
            lines.append("NVIDIA's GPU is here, but not its Vulkan driver: install all of the driver, not only what CUDA needs.")
    if not nodes and not has_nvidia:
        if system.in_container():
            lines.append("This container sees no GPU. For AMD and Intel start it with --device /dev/dri, for NVIDIA with --gpus all and "
                         "NVIDIA_DRIVER_CAPABILITIES=all.")
        elif system.in_wsl():
            lines.append("WSL reaches GPUs by Mesa's driver dozen alone, which not every distribution has (dzn_icd.x86_64.json).")
        elif system.gpus():
            lines.append(f"There is a GPU of {', '.join(system.gpus())}, but no device file of it: its kernel driver is not loaded.")
    return lines


def advice(system: System, found: List[DeviceInfo], error: Optional[NoDevice]) -> List[str]:
    """What to do about what was found: the devices, or the error of looking for them."""
    if error is not None and error.code == Code.no_loader:
        return advice_without_loader(system)
    lines = []
    for one in found:
        if one.rejected and one.api_version < (1, 1, 0):
            lines.append(f"The driver of {one.name} is too old: a newer one may offer Vulkan 1.1.")
    if error is not None or not any(not one.rejected for one in found):
        lines += advice_on_manifests(system) + advice_on_access(system)
        return lines or ["No reason was found. VK_LOADER_DEBUG=error,driver,layer makes the loader say what it tries."]
    if all(one.rejected or one.kind == "cpu" for one in found):
        lines.append("Only software drivers work, which compute on the CPU. Where there is a GPU, this may be why it is not seen:")
        why = advice_on_manifests(system) + advice_on_access(system)
        lines += why or ["nothing was found: there may be no GPU, or its vendor's driver has to be installed."]
    return lines


def trial(index: int) -> str:
    """Opens a device, whose self-test must pass, and multiplies two matrices with it. Returns "works", or what went wrong."""
    try:
        with Device(index) as device:
            a = np.arange(12, dtype=np.float32).reshape(3, 4)
            right = np.array_equal(ops.mat_mul(a, a.T.copy(), device=device), a @ a.T)
            return "works" if right else "computes wrong numbers"
    except Error as error:
        return f"can't be used: {error}"


def run(system: Optional[System] = None) -> int:
    """Prints what was found, and returns 0 where a device works, else 1."""
    system = system or System()
    version = _library.core.vkonnx_version().decode()
    print(f"vkonnx {version}, {_library.core._name}, Python {platform.python_version()}, {platform.system()} {platform.machine()}")
    found: List[DeviceInfo] = []
    error: Optional[NoDevice] = None
    works = False
    try:
        found = devices()
    except NoDevice as caught:
        error = caught
        print(f"no device: {error}")
    for one in found:
        result = f"can't be used: {one.rejected}" if one.rejected else trial(one.index)
        works = works or result == "works"
        print(f"device {one.index}: {one.name}, {one.driver}: {result}")
    for line in advice(system, found, error):
        print(f"- {line}")
    return 0 if works else 1
