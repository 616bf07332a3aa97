# SPDX-License-Identifier: Apache-2.0
"""The scripts beside the package."""

import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from onnx.backend.test.loader import load_model_tests

FOLDER = pathlib.Path(__file__).resolve().parent.parent


def path_of(name):
    if not (FOLDER / name).is_file():
        pytest.skip(f"{name} is not here")
    return FOLDER / name


def run(name, *arguments):
    done = subprocess.run([sys.executable, path_of(name), *arguments], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def load(name):
    spec = importlib.util.spec_from_file_location(pathlib.Path(name).stem, path_of(name))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_onnx_suite():
    status, out, err = run("onnx_suite.py", "test_relu_cpu", "test_relu_cuda", "test_momentum_cpu")
    assert status == 0, err
    assert re.search(rf"^onnx {onnx.__version__}, vkonnx \S+ on .*: 3 cases, 1 passed, 0 failed, 2 skipped$", out, re.M)
    assert "| 1 | Backend doesn't support device CUDA |" in out
    assert "| 1 | node ...: operator ... of domain ..., opset N is not supported | Momentum 1 |" in out
    assert run("onnx_suite.py", "test_momentum_cpu")[0] == 3


def test_write_onnx_cases(tmp_path):
    scripts = load("write_onnx_cases.py")
    case = next(one for one in load_model_tests(kind="node") if one.name == "test_add")
    scripts.write(tmp_path / case.name, case.model, case.data_sets)
    files = {str(one.relative_to(tmp_path)) for one in tmp_path.rglob("*") if one.is_file()}
    data = "test_add/test_data_set_0/"
    assert files == {"test_add/model.onnx", data + "input_0.pb", data + "input_1.pb", data + "output_0.pb"}
    assert onnx.load(tmp_path / "test_add/model.onnx") == case.model
    a, b, y = (numpy_helper.to_array(onnx.TensorProto.FromString((tmp_path / data / name).read_bytes()))
               for name in ("input_0.pb", "input_1.pb", "output_0.pb"))  # fmt: skip
    np.testing.assert_array_equal(a + b, y)


def test_write_onnx_cases_of_light_models(tmp_path):
    scripts = load("write_onnx_cases.py")
    case = next(one for one in load_model_tests(kind="real") if one.model_name == "squeezenet")
    scripts.write_light(tmp_path / case.name, pathlib.Path(onnx.__file__).parent.parent / case.url)
    tensor = onnx.TensorProto.FromString((tmp_path / case.name / "test_data_set_0/input_0.pb").read_bytes())
    assert numpy_helper.to_array(tensor).shape == (1, 3, 224, 224)
    assert (tmp_path / case.name / "test_data_set_0/output_0.pb").stat().st_size > 0


def test_measure_overhead():
    status, out, err = run("measure_overhead.py", "5")
    assert status == 0, err
    assert re.search(r"^arrays: Session.run [\d.]+ us, the C call [\d.]+ us, above it -?[\d.]+ us; ", out, re.M)


def test_gpu_page(tmp_path):
    page = FOLDER.parent / "gpu_page.py"
    if not page.is_file():
        pytest.skip("gpu_page.py is not here")

    def told():
        done = subprocess.run([sys.executable, page, tmp_path], capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout.splitlines(), done.stderr

    assert told() == (2, [], f"gpu_page.py: {tmp_path} has none of the files that tools/measure_gpu.sh writes\n")
    (tmp_path / "devices.log").write_text("a driver's words\n0  Some GPU\n   kind   discrete gpu\n")
    (tmp_path / "conformance.log").write_text("ok  ...\n5 passed, 1 failed, 2 skipped\n")
    (tmp_path / "models.log").write_text(
        "unet             31 of   67   1.5e-06   0.170     0.50 s   41.97    8.00   29.81       1.1       1.3        6.9 ( 5.21x)\n"
    )
    status, lines, _ = told()
    assert status == 0
    assert lines[0] == "# Some GPU"
    assert "| `vkonnx-test --cases` | 5 passed, 1 failed, 2 skipped |" in lines
    assert lines[-1] == "| unet | 1.5e-06 | 0.50 | 41.97 | 1.1 | 1.3 | 6.9 |"

    cases = [
        {"name": "conv/a", "ours": [{"device": 2e-6}, {"device": 4e-6}], "peers": {"torch": [6e-6], "torch CL": [3e-6]}},
        {"name": "conv/b", "ours": [{"device": 1e-6}], "peers": {"torch": [8e-6]}},
        {"name": "conv/refused", "ours": [], "peers": {}},
    ]
    context = {"device": "Some GPU", "driver": "Driver 7", "api_version": "1.3.0", "date": "2026-11-25T23:31:12+00:00"}
    peers = {"torch": "PyTorch 2, cuDNN 9, Some GPU, contiguous", "torch CL": "PyTorch 2, cuDNN 9, Some GPU, channels_last"}
    (tmp_path / "cudnn_f16.json").write_text(json.dumps({"context": context, "peers": peers, "cases": cases}))
    status, lines, _ = told()
    assert status == 0
    assert "Driver Driver 7, Vulkan 1.3.0; 2026-11-25." in lines[2]
    assert lines[-3:] == [
        "| conv/a | 3 | 6 (2.00) | 3 (1.00) |",
        "| conv/b | 1 | 8 (8.00) | - |",
        "| geometric mean | | (4.00 of 2) | (1.00 of 1) |",
    ]


@pytest.mark.parametrize("suffix", [".tar.gz", ".zip"])
def test_archives_of_equal_folders_are_equal(tmp_path, monkeypatch, suffix):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    archive = load("../packaging/archive.py")
    made = []
    for number, names in enumerate((["b", "a"], ["a", "b"])):  # in another order, at another time, with other permissions for others
        folder = tmp_path / str(number)
        (folder / "pack" / "bin").mkdir(parents=True)
        for name in names:
            (folder / "pack" / name).write_text(name)
            os.utime(folder / "pack" / name, (number, number))
            os.chmod(folder / "pack" / name, 0o600 if number else 0o644)
        (folder / "pack" / "bin" / "tool").write_text("tool")
        os.chmod(folder / "pack" / "bin" / "tool", 0o755)
        os.symlink("a", folder / "pack" / "link")
        monkeypatch.chdir(folder)
        with monkeypatch.context() as patched:  # file systems list names in orders of their own
            patched.setattr(os, "walk", lambda place, walk=os.walk: (
                (one, folders, sorted(names, reverse=bool(number))) for one, folders, names in walk(place)))
            archive.main("pack", f"out{suffix}")
        made.append((folder / f"out{suffix}").read_bytes())
    assert made[0] == made[1]

    shutil.unpack_archive(folder / f"out{suffix}", tmp_path / "unpacked")
    there = tmp_path / "unpacked" / "pack"
    assert {str(one.relative_to(there)): one.read_text() for one in there.rglob("*") if one.is_file()} == {
        "a": "a", "b": "b", "link": "a", "bin/tool": "tool"}
    assert (there / "link").is_symlink() == (suffix == ".tar.gz")
    if suffix == ".tar.gz":
        assert (there / "bin" / "tool").stat().st_mode & 0o777 == 0o755 and int((there / "a").stat().st_mtime) == 1700000000
