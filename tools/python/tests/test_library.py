# SPDX-License-Identifier: Apache-2.0
"""Finding the libraries, leaving the interpreter, and NumPy without ml_dtypes: each in an interpreter of its own."""

import os
import shutil
import sys

import pytest
import vkonnx
from conftest import model_of, python, unary, value
from onnx import TensorProto, helper

IMPORT = "try: import vkonnx\nexcept ImportError as e: print(e)"
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the names are those of Linux")


@linux
def test_a_library_that_is_not_there(tmp_path):
    status, out, err = python(IMPORT, VKONNX_LIBRARY=str(tmp_path))
    assert (status, err) == (0, "")
    assert out == (f"vkonnx: the library libvkonnx_c.so.0 was not found: the folder of VKONNX_LIBRARY, {tmp_path}, has no "
                   "libvkonnx_c.so.0\n")  # fmt: skip


@linux
def test_all_places_are_named(tmp_path):
    """A copy of the package without libraries, and nothing set."""
    shutil.copytree(os.path.dirname(vkonnx.__file__), tmp_path / "vkonnx", ignore=shutil.ignore_patterns("lib"))
    status, out, _ = python(IMPORT, VKONNX_LIBRARY=None, PYTHONPATH=str(tmp_path), LD_LIBRARY_PATH=None)
    if not out:
        pytest.skip("the system has the library")
    own = tmp_path / "vkonnx" / "lib"
    assert f"the package's own folder, {own}, has no libvkonnx_c.so.0; the system's loader, said of libvkonnx_c.so.0: " in out


@linux
def test_a_file_that_is_no_library(tmp_path):
    (tmp_path / "libvkonnx_c.so.0").write_text("no library")
    _, out, _ = python(IMPORT, VKONNX_LIBRARY=str(tmp_path))
    assert f"the folder of VKONNX_LIBRARY, {tmp_path}, said of libvkonnx_c.so.0: " in out


@linux
def test_a_library_that_is_too_old(tmp_path):
    """Any other library has none of the functions."""
    import _ctypes

    shutil.copy(_ctypes.__file__, tmp_path / "libvkonnx_c.so.0")
    _, out, _ = python(IMPORT, VKONNX_LIBRARY=str(tmp_path))
    assert out == f"vkonnx: {tmp_path}/libvkonnx_c.so.0 has no function vkonnx_version: it is older than this package\n"


@linux
def test_operators_do_without_model_files(tmp_path):
    folder = os.environ.get("VKONNX_LIBRARY") or os.path.join(os.path.dirname(vkonnx.__file__), "lib")
    for name in os.listdir(folder):
        if name.startswith("libvkonnx") and "vkonnx_onnx" not in name:
            shutil.copy(os.path.join(folder, name), tmp_path / name)
    code = """
import vkonnx
print(vkonnx.ops.relu([-1.0, 2.0]).tolist())
try: vkonnx.Session(b"")
except ImportError as e: print(e)
"""
    status, out, err = python(code, VKONNX_LIBRARY=str(tmp_path))
    assert status == 0, err
    assert out.startswith("[0.0, 2.0]\nvkonnx: the library libvkonnx_onnx_c.so.0 was not found: ")


def test_the_version_is_the_librarys():
    assert vkonnx.__version__.count(".") == 2


WITHOUT = "import sys; sys.modules['ml_dtypes'] = None\nimport numpy as np, vkonnx\n"


def test_without_ml_dtypes():
    model = unary("Identity", (2,), TensorProto.BFLOAT16).SerializeToString()
    code = f"""{WITHOUT}
tensor = vkonnx.default_device().empty((2,), "bfloat16")
print(vkonnx.ops.identity(tensor))
try: tensor.numpy()
except vkonnx.Unsupported as e: print(e)
session = vkonnx.Session({model!r})
print(session.inputs[0].element_type.name, session.run({{"x": tensor}})["y"])
try: session.inputs[0].dtype
except vkonnx.Unsupported as e: print(e)
"""
    status, out, err = python(code)
    assert status == 0, err
    sentence = "NumPy has no bfloat16 by itself: install ml_dtypes"
    assert out.splitlines() == ["<vkonnx.Tensor bfloat16[2]>", sentence, "bfloat16 <vkonnx.Tensor bfloat16[2]>", sentence]


def test_a_bfloat16_result_without_ml_dtypes():
    one = helper.make_tensor("c", TensorProto.BFLOAT16, [2], [1.0, 2.0])
    node = helper.make_node("Constant", [], ["y"], value=one)
    model = model_of([node], [], [value("y", [2], TensorProto.BFLOAT16)]).SerializeToString()
    code = WITHOUT + f"try: vkonnx.Session({model!r}).run({{}})\nexcept vkonnx.Unsupported as e: print(e)"
    assert python(code)[1] == "NumPy has no bfloat16 by itself: install ml_dtypes\n"


@pytest.mark.parametrize("last", ["", "sys.exit(3)", "raise SystemExit(3)", "vkonnx.default_device().close()"])
def test_leaving_with_everything_open_says_nothing(last):
    code = f"""
import sys, threading, numpy as np, vkonnx
one = vkonnx.Device(log=lambda *_: None)
tensor = one.tensor(np.ones(3, np.float32))
session = vkonnx.Session({unary('Neg').SerializeToString()!r}, device=one)
result = session.run({{"x": np.ones((1, 3), np.float32)}})
kept = vkonnx.ops.relu(tensor), vkonnx.ops.relu(np.ones(3))
cycle = [tensor, session]; cycle.append(cycle)
def spin():
    while True: vkonnx.ops.relu(np.ones(3))
threading.Thread(target=spin, daemon=True).start()
{last}
"""
    status, out, err = python(code)
    assert (status, out, err) == (3 if "3" in last else 0, "", "")


def test_ctypes_reads_the_library_only_through_declared_functions():
    """A function that is called without its types would take pointers for ints."""
    from vkonnx import _library

    for library, functions in ((_library.core, _library.CORE), (_library.onnx(), _library.ONNX)):
        called = {name for name in vars(library) if name.startswith("vkonnx_")}
        assert called == set(functions)
