# SPDX-License-Identifier: Apache-2.0
import gc
import pathlib
import pickle
import subprocess
import sys
import textwrap
import threading
import time
import weakref

import ml_dtypes
import numpy as np
import onnx
import pytest
import vkonnx
from conftest import SELECT, model_of, unary, value
from onnx import TensorProto, helper, numpy_helper

X = np.arange(-6, 6, dtype=np.float32).reshape(4, 3)


def two_results():
    """y = relu(a + b), z = a * w with w in the file"""
    w = numpy_helper.from_array(np.array([1, 2, 4], np.float32), "w")
    nodes = [
        helper.make_node("Add", ["a", "b"], ["s"]),
        helper.make_node("Relu", ["s"], ["y"]),
        helper.make_node("Mul", ["a", "w"], ["z"]),
    ]
    return model_of(nodes, [value("a", ("n", 3)), value("b", ("n", 3))], [value("y"), value("z")], [w])


def test_paths_bytes_and_protos(tmp_path):
    model = two_results()
    file = tmp_path / "m\u00fcdel.onnx"
    file.write_bytes(model.SerializeToString())
    for one in (str(file), file, model.SerializeToString(), bytearray(model.SerializeToString()), model):
        results = vkonnx.Session(one).run({"a": X, "b": X[::-1]})
        assert list(results) == ["y", "z"]
        np.testing.assert_array_equal(results["y"], np.maximum(X + X[::-1], 0))
        np.testing.assert_array_equal(results["z"], X * [1, 2, 4])


def run_elsewhere(tmp_path, pickled):
    """What a process of its own, which knows nothing but the pickled session, computes for two_results."""
    (tmp_path / "session").write_bytes(pickled)
    np.save(tmp_path / "x.npy", X)
    script = """
        import pickle, sys
        import numpy as np
        folder = sys.argv[1]
        with open(folder + "/session", "rb") as file:
            session = pickle.load(file)
        x = np.load(folder + "/x.npy")
        np.savez(folder + "/results.npz", **session.run({"a": x, "b": x[::-1]}))
        print(session.device.info.name, end="")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(tmp_path)], capture_output=True, text=True, cwd="/", timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, np.load(tmp_path / "results.npz")


def test_pickled_it_is_made_anew_where_it_arrives(tmp_path, monkeypatch):
    model = two_results()
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    monkeypatch.chdir(tmp_path)
    last = vkonnx.devices()[-1].name  # not the one that is taken where nothing is selected
    for one in ("model.onnx", pathlib.Path("model.onnx"), model.SerializeToString(), bytearray(model.SerializeToString()), model):
        session = vkonnx.Session(one, device=vkonnx.Device(last), plans=2)
        name, results = run_elsewhere(tmp_path, pickle.dumps(session))
        assert name == last
        np.testing.assert_array_equal(results["y"], np.maximum(X + X[::-1], 0))
        np.testing.assert_array_equal(results["z"], X * [1, 2, 4])
    path = vkonnx.Session("model.onnx")
    (tmp_path / "model.onnx").unlink()
    with pytest.raises(vkonnx.IoError, match="cannot read '.*': no such file"):
        pickle.loads(pickle.dumps(path))


def test_pickled_it_keeps_its_arguments():
    average = unary("AveragePool", (1, 1, 4), kernel_shape=[2], strides=[3], auto_pad="SAME_UPPER")
    session = pickle.loads(pickle.dumps(vkonnx.Session(average, kernel="average_pool_direct", max_loop_iterations=7)))
    session.run({"x": np.ones((1, 1, 4), np.float32)})
    assert session.report().nodes[0].explanation.kernel == "average_pool_direct_f32"
    with pytest.raises(vkonnx.InvalidArgument, match="nowhere"):
        pickle.loads(pickle.dumps(vkonnx.Session(average, kernel="nowhere"))).run({"x": np.ones((1, 1, 4), np.float32)})


def test_a_pickled_device_is_opened_by_the_same_rule():
    one = vkonnx.Device(SELECT, max_memory=1 << 20)
    other = pickle.loads(pickle.dumps(one))
    assert other.info.uuid == one.info.uuid and other.memory().limit == 1 << 20
    one.close()
    assert other.tensor(X).numpy().tolist() == X.tolist()


def test_weights_in_other_files(tmp_path):
    model = two_results()
    path, other = tmp_path / "model.onnx", tmp_path / "other"
    onnx.save(model, str(path), save_as_external_data=True, location="weights.bin", size_threshold=0)
    weights = (tmp_path / "weights.bin").read_bytes()
    assert weights[:12] == np.array([1, 2, 4], np.float32).tobytes()
    content = path.read_bytes()
    assert weights[:12] not in content
    proto = onnx.load(str(path), load_external_data=False)
    inputs = {"a": X, "b": X}
    for one, folder in ((path, None), (str(path), tmp_path), (content, str(tmp_path)), (proto, tmp_path)):
        session = vkonnx.Session(one, external_data_folder=folder)
        np.testing.assert_array_equal(session.run(inputs)["z"], X * [1, 2, 4])
        vkonnx.explain(one, {"a": (4, 3), "b": (4, 3)}, external_data_folder=folder)
    for one in (content, proto):
        with pytest.raises(vkonnx.InvalidArgument, match="lies in the file 'weights.bin', but a model that is parsed from memory"):
            vkonnx.Session(one)
    with pytest.raises(vkonnx.WrongType, match="external_data_folder must be a path, not int"):
        vkonnx.Session(path, external_data_folder=1)

    other.mkdir()
    with pytest.raises(vkonnx.IoError, match="cannot read 'weights.bin': no such file"):
        vkonnx.Session(path, external_data_folder=other)
    (other / "weights.bin").write_bytes(np.array([3, 5, 7], np.float32).tobytes())
    session = vkonnx.Session(path, external_data_folder=other)
    np.testing.assert_array_equal(session.run(inputs)["z"], X * [3, 5, 7])


def test_metadata_is_what_the_file_says_of_itself():
    model = unary("Relu")
    assert vkonnx.Session(model).metadata == {}
    helper.set_model_props(model, {"character": "a\nα\n", "empty": ""})
    assert vkonnx.Session(model).metadata == {"character": "a\nα\n", "empty": ""}


def test_inputs_and_outputs_are_listed():
    session = vkonnx.Session(two_results())
    a, b = session.inputs
    assert (a.name, a.shape, a.dtype, a.element_type) == ("a", (None, 3), np.float32, vkonnx.DType.float32)
    assert b.name == "b" and [one.name for one in session.outputs] == ["y", "z"] and session.outputs[0].shape is None


@pytest.mark.parametrize("order", [np.asfortranarray, lambda x: x[::-1][::-1], lambda x: x.astype(">f4"),
                                   lambda x: np.stack([x, x], -1)[..., 1],
                                   lambda x: np.frombuffer(b"." + x.tobytes(), "f4", offset=1).reshape(4, 3), lambda x: x.tolist()])  # fmt: skip
def test_any_order_gives_the_same_answer(order):
    session = vkonnx.Session(two_results())
    expected = session.run({"a": X, "b": X})
    for _ in range(2):
        results = session.run({"a": order(X), "b": X})
        for name in "yz":
            np.testing.assert_array_equal(results[name], expected[name])
        results = session.run([X, order(X)])
        np.testing.assert_array_equal(results["y"], expected["y"])


def test_results_lie_in_the_librarys_memory_and_outlive_all():
    session = vkonnx.Session(two_results())
    results = session.run({"a": X, "b": X})
    assert results["y"].base is not None and not results["y"].flags.owndata and results["y"].flags.writeable
    kept = session.run({"a": X + 1, "b": X})["y"]
    again = session.run({"a": X, "b": X})
    session.close()
    del session
    gc.collect()
    np.testing.assert_array_equal(kept, np.maximum(2 * X + 1, 0))
    np.testing.assert_array_equal(again["y"], results["y"])
    kept += 1
    np.testing.assert_array_equal(kept, np.maximum(2 * X + 1, 0) + 1)


def test_shapes_change_and_the_last_are_kept():
    session = vkonnx.Session(unary("Neg"), plans=2)
    for _ in range(2):
        for n in (1, 2, 3, 0):
            x = np.arange(3 * n, dtype=np.float32).reshape(n, 3)
            np.testing.assert_array_equal(session.run({"x": x})["y"], -x)
    assert len(session._plans) == 2
    session.run({"x": x})
    assert len(session._plans) == 2


def test_plans_go_where_memory_is_short():
    n = 1 << 18
    with vkonnx.Device(SELECT, max_memory=8 << 20) as own:
        session = vkonnx.Session(unary("Neg", ("n",)), device=own)
        for size in (n, n + 1, n + 2, n + 3):  # 2 MiB and more each, of 8 in all
            assert session.run({"x": np.ones(size, np.float32)})["y"].sum() == -size
        with pytest.raises(vkonnx.OutOfMemory):
            session.run({"x": np.ones(16 * n, np.float32)})
        assert session.run({"x": np.ones(n, np.float32)})["y"].sum() == -n


def test_tensors_stay_on_the_device(device):
    session = vkonnx.Session(two_results(), device=device)
    a = device.tensor(X)
    results = session.run({"a": a, "b": X})
    assert all(isinstance(one, vkonnx.Tensor) for one in results.values())
    np.testing.assert_array_equal(results["y"].numpy(), np.maximum(2 * X, 0))
    second = session.run({"a": results["y"], "b": results["z"]})
    np.testing.assert_array_equal(second["y"].numpy(), np.maximum(np.maximum(2 * X, 0) + X * [1, 2, 4], 0))
    np.testing.assert_array_equal(results["z"].numpy(), X * [1, 2, 4])


def test_outputs_that_are_given_are_written(device):
    session = vkonnx.Session(two_results(), device=device)
    a, b = device.tensor(X), device.tensor(X)
    y, z = device.empty((4, 3)), device.empty((4, 3))
    results = session.run({"a": a, "b": b}, outputs={"z": z, "y": y})
    assert results["y"] is y and results["z"] is z
    bound = session._last.bound[1]
    a.upload(X + 1)
    session.run({"a": a, "b": b}, outputs={"y": y, "z": z})
    assert session._last.bound[1] is bound  # nothing was bound anew
    np.testing.assert_array_equal(y.numpy(), np.maximum(2 * X + 1, 0))
    session.run({"a": X, "b": X}, outputs={"y": y, "z": z})
    np.testing.assert_array_equal(y.numpy(), np.maximum(2 * X, 0))
    with pytest.raises(vkonnx.InvalidArgument, match="a Tensor for each of y, z"):
        session.run({"a": a, "b": b}, outputs={"y": y})
    with pytest.raises(vkonnx.WrongType, match="output z must be a Tensor, not ndarray"):
        session.run({"a": a, "b": b}, outputs={"y": y, "z": X})
    with pytest.raises(vkonnx.InvalidArgument):
        session.run({"a": a, "b": b}, outputs={"y": y, "z": y})


TYPES = [
    ("FLOAT16", np.array([1.5, -2, 0], np.float16)),
    ("DOUBLE", np.array([1.5, -2, 0])),
    ("BOOL", np.array([True, False, True])),
    ("UINT64", np.array([2**64 - 1, 0, 1], np.uint64)),
    ("BFLOAT16", np.array([1.5, -2, 0], ml_dtypes.bfloat16)),
    ("FLOAT8E4M3FN", np.array([1.5, -2, 0], ml_dtypes.float8_e4m3fn)),
    ("INT4", np.array([-8, 7, 3], ml_dtypes.int4)),
    ("UINT2", np.array([0, 3, 2], ml_dtypes.uint2)),
    ("FLOAT4E2M1", np.array([1.5, -2, 0], ml_dtypes.float4_e2m1fn)),
    ("COMPLEX64", np.array([1 + 2j, 0, -1j], np.complex64)),
    ("STRING", np.array(["a", "\u00fc\0b", ""], object)),
]


@pytest.mark.parametrize("name, array", TYPES)
def test_types(name, array):
    if not hasattr(TensorProto, name):
        pytest.skip(f"this onnx has no {name}")
    session = vkonnx.Session(unary("Identity", (3,), getattr(TensorProto, name)))
    for _ in range(2):
        result = session.run({"x": array})["y"]
        assert result.dtype == array.dtype and result.tolist() == array.tolist()


def test_strings_of_any_kind():
    session = vkonnx.Session(unary("Identity", ("n",), TensorProto.STRING))
    for array in (np.array(["a", "bc"]), np.array([b"a", b"bc"]), np.array([b"a", "bc"], object), ["a", "bc"]):
        assert session.run({"x": array})["y"].tolist() == ["a", "bc"]
    assert session.run({"x": np.array([], object)})["y"].shape == (0,)
    with pytest.raises(vkonnx.WrongType, match="input x: a string tensor has elements of str or bytes, not int"):
        session.run({"x": np.array(["a", 1], object)})


@pytest.mark.parametrize("inputs, sentence", [
    ({"x": X.astype(np.float64)}, r"input 'x': it has type double, but the model declares float\[\?,3\]"),
    ({"x": X[0]}, r"input 'x': it has rank 1, but the model declares float\[\?,3\]"),
    ({"x": X[:, :2]}, r"input 'x': dims\[1\] = 2, but the model declares float\[\?,3\]"),
    ({"z": X}, "the model has no input z and needs input x; its inputs are x"),
    ({}, "the model needs input x; its inputs are x"),
    ({"x": X, "z": X}, "the model has no input z; its inputs are x"),
    ([X, X], "2 inputs were given, the model has 1: x"),
    ([], "0 inputs were given, the model has 1: x"),
    (X, "inputs must be a mapping of names to arrays, or a list, not ndarray"),
    ({"x": None}, "input x is None"),
    ({"x": X.astype("datetime64[s]")}, r"vkonnx has no element type for NumPy's datetime64\[s\]"),
    ({"x": [[1, 2], [3]]}, "input x can't be made an array of: "),
    ({"x": ["a", "b"]}, "input x can't be made an array of: "),
    ({"x": np.array([[None, 1, 2]], object)}, "input 'x': it has type string"),
])  # fmt: skip
def test_inputs_that_are_wrong(inputs, sentence):
    session = vkonnx.Session(unary("Relu"))
    for _ in range(2):
        with pytest.raises(vkonnx.InvalidArgument, match=sentence):
            session.run(inputs)
        assert session.run({"x": X})["y"].max() == 5  # the session goes on, and the next time takes the quick way


@pytest.mark.parametrize("model, error, sentence", [
    ("nowhere.onnx", vkonnx.IoError, "cannot read 'nowhere.onnx': no such file"),
    (pathlib.Path("nowhere.onnx"), OSError, "no such file"),
    (b"garbage", vkonnx.InvalidArgument, "not a valid ONNX model: "),
    (b"", vkonnx.InvalidArgument, "not a valid ONNX model: it has no graph"),
    (3, vkonnx.WrongType, "model must be a path, bytes or an onnx.ModelProto, not int"),
    ("a\0b", vkonnx.InvalidArgument, "must not have a zero in it"),
    (unary("RandomUniformLike"), NotImplementedError, "operator 'RandomUniformLike' of domain 'ai.onnx'"),
])  # fmt: skip
def test_models_that_are_wrong(model, error, sentence):
    with pytest.raises(error, match=sentence) as caught:
        vkonnx.Session(model).prepare({"x": (1, 3)})
    assert isinstance(caught.value, vkonnx.Error)


def chosen_by_rate():
    """y = x + x at a rate of 8000, else x * x * x"""
    graph = helper.make_graph
    slow = graph([helper.make_node("Add", ["x", "x"], ["sum"])], "slow", [], [value("sum")])
    cubed = [helper.make_node("Mul", ["x", "x"], ["square"]), helper.make_node("Mul", ["square", "x"], ["cube"])]
    fast = graph(cubed, "fast", [], [value("cube")])
    nodes = [
        helper.make_node("Equal", ["rate", "slow_rate"], ["is_slow"]),
        helper.make_node("If", ["is_slow"], ["y"], "if", then_branch=slow, else_branch=fast),
    ]
    inputs = [value("x", ("n", 3)), value("rate", (), TensorProto.INT64)]
    return model_of(nodes, inputs, [value("y")], [numpy_helper.from_array(np.array(8000), "slow_rate")])


def test_the_value_of_an_input_chooses_the_branch_of_an_if():
    session = vkonnx.Session(chosen_by_rate())
    assert [info.decides_dimensions for info in session.inputs] == [False, True]
    for rate in (8000, 16000, 8000):
        y = session.run({"x": X, "rate": np.array(rate)})["y"]
        np.testing.assert_array_equal(y, X + X if rate == 8000 else X**3)
    # What comes without elements can't choose, so that both branches run.
    session.prepare({"x": (2, 3), "rate": ()})
    undecided = session.explain({"x": (2, 3), "rate": ()})
    assert "both branches run" in undecided.nodes[4].explanation.why
    session.prepare({"x": (2, 3), "rate": np.array(16000)})
    assert [node.explanation.kernel for node in session.report().nodes][:2] == ["host", "none"]
    for report in (
        session.explain({"x": (2, 3), "rate": np.array(8000)}),
        vkonnx.explain(chosen_by_rate(), {"x": (2, 3), "rate": np.array(8000)}),
    ):
        assert report.nodes[4].explanation.why == "its condition is true: the nodes of then_branch take its place"


def chosen_by_sum(also=()):
    """y = x + x where the sum of x is above 1, else x * x * x"""
    graph = helper.make_graph
    high = graph([helper.make_node("Add", ["x", "x"], ["double"])], "high", [], [value("double")])
    cubed = [helper.make_node("Mul", ["x", "x"], ["square"]), helper.make_node("Mul", ["square", "x"], ["cube"]), *also]
    low = graph(cubed, "low", [], [value("chosen" if also else "cube")])
    nodes = [
        helper.make_node("ReduceSum", ["x"], ["sum"]),
        helper.make_node("Greater", ["sum", "one"], ["is_high"]),
        helper.make_node("If", ["is_high"], ["y"], "if", then_branch=high, else_branch=low),
    ]
    return model_of(
        nodes, [value("x", ("n", 3))], [value("y")], [numpy_helper.from_array(np.array(1, np.float32), "one")]
    )


def test_the_device_chooses_the_branch_of_an_if():
    session = vkonnx.Session(chosen_by_sum())
    assert [info.decides_dimensions for info in session.inputs] == [False]
    for x in (X, -X, X * 0, X):
        y = session.run({"x": x})["y"]
        np.testing.assert_array_equal(y, x + x if x.sum() > 1 else x**3)
    chosen = session.report().nodes[-1]
    assert "both branches run" in chosen.explanation.why
    flat = helper.make_node("Flatten", ["cube"], ["chosen"], axis=0)
    session = vkonnx.Session(chosen_by_sum([flat]))  # whose branches give other shapes
    session.prepare({"x": (4, 3)})
    assert session.report().nodes[-1].explanation.kernel == "later"
    for x in (X, -X, X):
        y = session.run({"x": x})["y"]
        np.testing.assert_array_equal(y, x + x if x.sum() > 1 else (x**3).reshape(1, 12))


def test_a_run_decides_how_many_elements_there_are():
    nodes = [
        helper.make_node("Relu", ["x"], ["positive"]),
        helper.make_node("NonZero", ["positive"], ["places"]),
        helper.make_node("Cast", ["places"], ["y"], to=TensorProto.FLOAT),
    ]
    session = vkonnx.Session(model_of(nodes, [value("x", ("n", 3))], [value("y")]))
    for x in (X, -X, X * 0, np.ones((4, 3), np.float32)):
        np.testing.assert_array_equal(session.run({"x": x})["y"], np.array(np.nonzero(np.maximum(x, 0))))
    assert [node.explanation.kernel for node in session.report().nodes][1:] == ["later", "later"]
    assert not session.report().nodes[1].runs
    with pytest.raises(vkonnx.Unsupported, match="only a run decides the sizes of values in this model"):
        session.run({"x": session.device.tensor(X)})


@pytest.mark.parametrize("options, sentence", [
    ({"rules": "mine"}, "rules = 'mine' must be specification or onnxruntime"),
    ({"threads": 0}, "threads = 0 must be at least 1"),
    ({"kernel": "q"}, 'there is no kernel "q"'),
])  # fmt: skip
def test_options_that_are_wrong(options, sentence):
    with pytest.raises(vkonnx.InvalidArgument, match=sentence):
        vkonnx.Session(unary("Relu"), **options).prepare({"x": (2, 3)})


def test_options_arrive():
    pool = unary("AveragePool", (1, 1, 6), kernel_shape=[2])
    session = vkonnx.Session(pool, kernel="average_pool_nd", threads=2, reproducible=False, rules="onnxruntime")
    session.prepare()
    assert session.report().nodes[0].explanation.kernel.startswith("average_pool_nd")
    with vkonnx.Device(SELECT) as one:
        pool = unary("AveragePool", (1, 4, 16, 16), kernel_shape=[3, 3])
        vkonnx.Session(pool, device=one, tune=True).prepare()
        assert "average_pool" in one.tunings()


def test_explain_and_report(device):
    session = vkonnx.Session(two_results(), device=device, without_fusions=["chain"])
    with pytest.raises(vkonnx.InvalidArgument, match="nothing was prepared yet"):
        session.report()
    explained = session.explain({"a": (4, 3), "b": X})
    assert [(one.op_type, one.inputs, one.outputs) for one in explained.nodes] == [
        ("Add", ("a", "b"), ("s",)), ("Relu", ("s",), ("y",)), ("Mul", ("a", "w"), ("z",))]  # fmt: skip
    assert all(one.runs and one.opset == 22 and one.fused_into is None for one in explained.nodes)
    places = {one.name: one.place for one in explained.values}
    assert places["a"] == "input" and places["y"] == "output" and places["w"] == "constant"
    assert explained.constant_bytes >= 12 and sum(explained.arenas) == explained.arena_bytes
    assert explained.values[0].desc.shape == (4, 3)
    session.run({"a": X, "b": X})
    assert any(one.seconds > 0 for one in session.report().nodes) == device.capabilities.timestamps
    with pytest.raises(vkonnx.InvalidArgument, match="input 'b'"):
        session.explain({"a": (4, 3)})
    with pytest.raises(vkonnx.InvalidArgument, match="'c'"):
        session.explain({"a": (4, 3), "b": (4, 3), "c": (4, 3)})


def test_explain_without_a_device():
    nodes = [helper.make_node("ConvTranspose", ["x", "w"], ["t"], strides=[2]), helper.make_node("Relu", ["t"], ["y"])]
    model = model_of(nodes, [value("x", ("n", 2, 8)), value("w", (2, 2, 2))], [value("y")])
    explained = vkonnx.explain(model, {"x": (1, 2, 8)}, "mobile")
    assert explained.nodes[0].explanation.outputs[0].shape == (1, 2, 16)
    assert explained.nodes[1].explanation.kernel == "fused" and explained.nodes[1].fused_into == 0 and not explained.nodes[1].runs
    minimum = vkonnx.Capabilities.preset("minimum")
    lowered = vkonnx.explain(model, {"x": (1, 2, 8)}, minimum, kernel="conv_transpose_nd")
    assert lowered.nodes[0].explanation.kernel.startswith("conv_transpose_nd")
    with pytest.raises(vkonnx.InvalidArgument, match="no capability preset"):
        vkonnx.explain(model, {"x": (1, 2, 8)}, "no such")
    with pytest.raises(vkonnx.InvalidArgument, match="double"):
        vkonnx.explain(model, {"x": ("float64", (1, 2, 8))})


def test_fusions_can_be_switched_off():
    nodes = [helper.make_node("ConvTranspose", ["x", "w"], ["t"], strides=[2]), helper.make_node("Relu", ["t"], ["y"])]
    model = model_of(nodes, [value("x", (1, 2, 4))], [value("y")], [numpy_helper.from_array(np.ones((2, 3, 2), "f"), "w")])
    kernels = lambda *names: [node.explanation.kernel for node in vkonnx.explain(model, without_fusions=names).nodes]
    assert kernels()[1] == "fused"
    assert kernels("weights", "padding")[1] == "fused"
    assert kernels("activation")[1] == "elementwise_quads_f32"
    x = np.linspace(-1, 1, 8, dtype="f").reshape(1, 2, 4)
    fused, alone = (vkonnx.Session(model, without_fusions=names).run({"x": x})["y"] for names in ((), ("activation",)))
    assert np.array_equal(fused, alone)
    with pytest.raises(vkonnx.InvalidArgument, match="without_fusions"):
        vkonnx.explain(model, without_fusions=["all"])


def test_bodies_of_loops_run_only_so_often():
    inputs = [value("i", (), TensorProto.INT64), value("goes_on", (), TensorProto.BOOL), value("s", (2,))]
    nodes = [helper.make_node("Add", ["s", "x"], ["t"]), helper.make_node("Identity", ["goes_on"], ["still"])]
    body = helper.make_graph(nodes, "body", inputs, [value("still", (), TensorProto.BOOL), value("t", (2,))])
    count = numpy_helper.from_array(np.int64(3), "count")
    loop = helper.make_node("Loop", ["count", "", "x"], ["y"], body=body)
    model = model_of([loop], [value("x", (2,))], [value("y")], [count])
    x = np.array([1, -2], "f")
    assert vkonnx.Session(model, max_loop_iterations=3).run({"x": x})["y"].tolist() == [4, -8]
    with pytest.raises(vkonnx.Unsupported, match="max_loop_iterations = 2"):
        vkonnx.explain(model, max_loop_iterations=2)
    with pytest.raises(vkonnx.InvalidArgument, match="max_loop_iterations = 0 must be at least 1"):
        vkonnx.Session(model, max_loop_iterations=0)


def test_closed_sessions_say_so():
    session = vkonnx.Session(unary("Relu"))
    session.run({"x": X})
    session.close()
    session.close()
    for call in (lambda: session.run({"x": X}), session.explain, session.report, lambda: session.prepare({"x": (1, 3)})):
        with pytest.raises(vkonnx.InvalidArgument, match="^the Session is closed$"):
            call()
    with vkonnx.Device(SELECT) as one:
        session = vkonnx.Session(unary("Relu"), device=one)
    with pytest.raises(vkonnx.InvalidArgument, match="^the Device is closed$"):
        session.run({"x": X})


def slow():
    """Some tenths of a second on a processor."""
    w = numpy_helper.from_array(np.ones((16, 16, 3, 3), np.float32), "w")
    node = helper.make_node("ConvTranspose", ["x", "w"], ["y"])
    session = vkonnx.Session(model_of([node], [value("x", (1, 16, 160, 160))], [value("y")], [w]), kernel="conv_transpose_nd")
    session.prepare()
    return session


def test_what_a_run_reads_is_held_and_other_threads_go_on():
    session = slow()
    inputs = {"x": np.ones((1, 16, 160, 160), np.float32)}
    session.run(inputs)  # the next one is the quick way
    seen = weakref.ref(inputs["x"])
    results, times = [], []

    def work():
        times.append(time.perf_counter())
        results.append(session.run(inputs))
        times.append(time.perf_counter())

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.02)
    inputs.clear()
    held = seen() is not None
    assert thread.is_alive() and held
    session.close()  # waits for the run
    thread.join()
    assert times[1] - times[0] > 0.04, "the problem is too small to tell"
    assert results[0]["y"][0, 0, 50, 50] == 16 * 9
    del thread
    gc.collect()
    assert seen() is None


def test_handles_that_other_threads_close_are_no_crash():
    session = vkonnx.Session(unary("Neg"))
    wrong = []

    def work(tensor):
        try:
            for _ in range(100):
                vkonnx.ops.neg(tensor)
                session.run({"x": tensor})
                tensor.numpy()
        except vkonnx.InvalidArgument as error:
            if str(error) != "the Tensor is closed":
                wrong.append(error)

    for _ in range(5):
        tensor = session.device.tensor(X)
        threads = [threading.Thread(target=work, args=(tensor,)) for _ in range(3)]
        for one in threads:
            one.start()
        time.sleep(0.01)
        tensor.close()
        for one in threads:
            one.join()
    assert not wrong


def test_threads_take_turns():
    session = vkonnx.Session(two_results())
    wrong = []

    def work(k):
        for i in range(30):
            x = np.full((1 + k % 2, 3), k + i, np.float32)
            if not np.array_equal(session.run({"a": x, "b": x})["y"], 2 * x):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not wrong
