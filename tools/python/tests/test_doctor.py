# SPDX-License-Identifier: Apache-2.0
"""python -m vkonnx: what the doctor says of each state a machine can be in, and what the demo shows."""

import json
import os
import struct
import subprocess
import sys
import zlib
from types import SimpleNamespace

import numpy as np
import pytest

import vkonnx
from vkonnx import _demo, _doctor
from vkonnx.__main__ import main
from vkonnx._doctor import System, advice


def no_device(code):
    error = vkonnx.NoDevice("none")
    error.code = code
    return error


def device(kind="cpu", rejected="", api_version=(1, 3, 0)):
    return SimpleNamespace(name="one", kind=kind, rejected=rejected, api_version=api_version)


@pytest.fixture
def machine(tmp_path):
    """Makes a System with these files: text, or bytes, by path."""
    def make(files=(), environment=(), platform="linux"):
        for path, text in dict(files).items():
            file = tmp_path / path.lstrip("/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return System(str(tmp_path), platform, dict(environment))
    return make


def manifest(library):
    return json.dumps({"file_format_version": "1.0.0", "ICD": {"library_path": library, "api_version": "1.3.0"}})


NO_REASON = "No reason was found. VK_LOADER_DEBUG=error,driver,layer makes the loader say what it tries."
LVP = {"/usr/share/vulkan/icd.d/lvp_icd.json": manifest("libvulkan_lvp.so")}


@pytest.mark.parametrize("platform, says", [
    ("linux", "apt install libvulkan1"), ("win32", "vulkan-1.dll"), ("darwin", "brew install vulkan-loader molten-vk")])
def test_no_loader(machine, platform, says):
    assert says in advice(machine(platform=platform), [], no_device(vkonnx.Code.no_loader))[0]


def no_driver(system):
    return " ".join(advice(system, [], no_device(vkonnx.Code.no_driver)))


def test_no_driver_is_installed(machine):
    assert no_driver(machine()).startswith("No driver is installed.")
    assert "apt install mesa-vulkan-drivers" in no_driver(machine())
    assert no_driver(machine(LVP)) == NO_REASON


@pytest.mark.parametrize("variable", ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"])
def test_a_variable_names_other_drivers(machine, tmp_path, variable):
    other = tmp_path / "other.json"
    other.write_text("no manifest")
    text = no_driver(machine(LVP, {variable: f"/no/such.json{os.pathsep}{other}"}))
    assert f"{variable} is set to /no/such.json" in text
    assert f"/no/such.json, which {variable} names, does not exist." in text
    assert f"{other}, which {variable} names, is not the manifest of a driver." in text
    other.write_text(manifest("libvulkan_lvp.so"))
    assert "is not the manifest" not in no_driver(machine(LVP, {variable: str(other)}))


def test_damaged_manifests(machine):
    text = no_driver(machine({"/etc/vulkan/icd.d/a.json": "{", "/usr/share/vulkan/icd.d/b.json": manifest("/opt/libdriver.so")}))
    assert "/etc/vulkan/icd.d/a.json is damaged" in text
    assert "/usr/share/vulkan/icd.d/b.json names the driver /opt/libdriver.so, which does not exist" in text
    assert no_driver(machine({"/etc/vulkan/icd.d/a.json": manifest("a.so"), "/opt/libdriver.so": ""})) == NO_REASON


def test_a_device_file_that_may_not_be_opened(machine, monkeypatch):
    system = machine({**LVP, "/dev/dri/renderD128": "", "/dev/dri/renderD129": ""})
    assert no_driver(system) == NO_REASON
    monkeypatch.setattr(_doctor.os, "access", lambda path, mode: not str(path).endswith("128"))
    assert no_driver(system).startswith("This user may not open /dev/dri/renderD128. They belong to the group render")


def test_containers(machine):
    container = {**LVP, "/.dockerenv": ""}
    assert "start it with --device /dev/dri, for NVIDIA with --gpus all" in no_driver(machine(container))
    nvidia = {**container, "/dev/nvidiactl": ""}
    assert "but not its Vulkan driver. Start the container with NVIDIA_DRIVER_CAPABILITIES=all" in no_driver(machine(nvidia))
    assert no_driver(machine({**nvidia, "/etc/vulkan/icd.d/nvidia_icd.json": manifest("libGLX_nvidia.so.0")})) == NO_REASON


def test_nvidia_without_its_vulkan_driver(machine):
    assert "install all of the driver, not only what CUDA needs" in no_driver(machine({**LVP, "/dev/nvidiactl": ""}))


def test_wsl(machine):
    assert "dozen" in no_driver(machine({**LVP, "/proc/version": "Linux version 5.15.90.1-microsoft-standard-WSL2"}))


def test_a_gpu_without_a_kernel_driver(machine):
    bus = "/sys/bus/pci/devices/0000:01:00.0/"
    system = machine({**LVP, bus + "class": "0x030000\n", bus + "vendor": "0x1002\n", bus + "device": "0x73bf\n"})
    assert "There is a GPU of AMD (0x1002:0x73bf), but no device file of it" in no_driver(system)


def test_devices_that_are_there(machine):
    assert advice(machine(LVP), [device("discrete_gpu")], None) == []
    old = advice(machine(LVP), [device("discrete_gpu", "it offers Vulkan 1.0", (1, 0, 3))], None)
    assert old == ["The driver of one is too old: a newer one may offer Vulkan 1.1."]
    software = advice(machine(LVP), [device()], None)
    assert software[0].startswith("Only software drivers work") and software[1].startswith("nothing was found")
    assert "This container sees no GPU" in advice(machine({"/.dockerenv": ""}), [device()], None)[1]


def module(*arguments, **environment):
    done = subprocess.run([sys.executable, "-m", "vkonnx", *arguments], env={**os.environ, **environment}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout


def test_the_doctor_tries_each_device():
    code, text = module("doctor")
    assert code == 0
    assert text.splitlines()[0].startswith(f"vkonnx {vkonnx.__version__}, ")
    for one in vkonnx.devices():
        assert f"device {one.index}: {one.name}, {one.driver}: works\n" in text


def test_the_doctor_without_a_driver():
    code, text = module("doctor", VK_ICD_FILENAMES="/no/such.json")
    assert code == 1
    assert "no device: the Vulkan loader found no driver that works" in text
    assert "- /no/such.json, which VK_ICD_FILENAMES names, does not exist." in text
    assert module("demo", VK_ICD_FILENAMES="/no/such.json") == (
        1, "vkonnx: the Vulkan loader found no driver that works (vkCreateInstance: VK_ERROR_INCOMPATIBLE_DRIVER)\n"
           "vkonnx: `python -m vkonnx doctor` may know why\n")


def test_a_device_that_computes_wrong_numbers(monkeypatch):
    monkeypatch.setattr(_doctor.ops, "mat_mul", lambda a, b, device: np.zeros((3, 3), np.float32))
    assert _doctor.trial(0) == "computes wrong numbers"
    assert _doctor.trial(99).startswith("can't be used: no device fits '99'")


def test_the_demo_writes_what_the_device_computed(tmp_path, capsys):
    out = tmp_path / "sheet.png"
    assert main(["demo", "--out", str(out)]) == 0
    text = capsys.readouterr().out
    assert f"device: {vkonnx.default_device().info.name}" in text and "GFLOP/s" in text
    data = out.read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    assert (width, height) == (3 * _demo.SIZE, _demo.SIZE)
    length = struct.unpack(">I", data[33:37])[0]
    rows = np.frombuffer(zlib.decompress(data[41:41 + length]), np.uint8).reshape(height, 1 + 3 * width)
    right = rows[:, 1:].reshape(height, width, 3)[:, 2 * _demo.SIZE:]
    should = (_demo.expected(_demo.rings())[0].transpose(1, 2, 0) * 255 + 0.5).astype(np.uint8)
    assert np.abs(right.astype(int) - should).max() <= 1


def test_the_demo_notices_wrong_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr(_demo, "expected", lambda picture: picture + 1e-3)
    assert main(["demo", "--out", str(tmp_path / "x.png")]) == 1


def test_the_demo_refuses(tmp_path, capsys):
    assert main(["demo", "--device", "no such device"]) == 1
    assert "no device fits 'no such device'" in capsys.readouterr().err
    assert main(["demo", "--out", str(tmp_path / "no" / "x.png")]) == 1
    assert "No such file or directory" in capsys.readouterr().err
