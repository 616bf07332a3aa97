# SPDX-License-Identifier: Apache-2.0
"""The provider in ONNX Runtime, on each Vulkan device in turn, beside ONNX Runtime's own CPU kernels."""

import os
import pathlib
import re
import subprocess
import sys
import textwrap
import threading

import numpy as np
import onnxruntime
import onnxruntime_ep_vkonnx as vkonnx_ep
import pytest
from onnx import TensorProto, helper, numpy_helper

NAME = "VkonnxExecutionProvider"
VERSION = tuple(int(part) for part in onnxruntime.__version__.split(".")[:2])
DEVICES = [one.ep_metadata["vulkan_device"] for one in vkonnx_ep.devices()]


def tensor(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


def info(name, shape, element_type=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, element_type, shape)


def model_of(nodes, inputs, outputs, initializers=(), opset=17):
    graph = helper.make_graph(nodes, "graph", inputs, outputs, initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9).SerializeToString()


def session_of(model, device, options=None):
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 3
    settings.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    return vkonnx_ep.session(model, options, device=device, session_options=settings)


def expect_groups(session, *groups):
    """The provider must have taken these groups of operators, in any order. ONNX Runtime tells since 1.24."""
    if hasattr(session, "get_provider_graph_assignment_info"):
        parts = [part for part in session.get_provider_graph_assignment_info() if part.ep_name == NAME]
        assert sorted(sorted(node.op_type for node in part.get_nodes()) for part in parts) == sorted(groups)


def on_cpu(model, feeds):
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 3
    return onnxruntime.InferenceSession(model, settings, providers=["CPUExecutionProvider"]).run(None, feeds)


def random(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape, dtype=np.float32)


def network():
    """Convolution, activation, pool and product, for any batch."""
    return model_of(
        [
            helper.make_node("Conv", ["x", "w", "b"], ["c"], pads=[1, 1, 1, 1]),
            helper.make_node("LeakyRelu", ["c"], ["r"], alpha=0.25),
            helper.make_node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
            helper.make_node("Flatten", ["p"], ["f"]),
            helper.make_node("Gemm", ["f", "g"], ["y"], transB=1),
        ],
        [info("x", ["batch", 3, 8, 8])],
        [info("y", ["batch", 5])],
        [tensor("w", random(4, 3, 3, 3)), tensor("b", random(4)), tensor("g", random(5, 64))],
    )


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param


def test_devices_tell_what_they_are():
    assert len(DEVICES) == len(set(DEVICES)) and any("llvmpipe" in name for name in DEVICES)
    for one in vkonnx_ep.devices():
        told = one.ep_metadata
        assert one.ep_name == NAME and one.ep_vendor == "vkonnx" and one.device.type == onnxruntime.OrtHardwareDeviceType.CPU
        assert told["software"] == "1" and told["vulkan_driver"] and len(told["vulkan_uuid"]) == 32
        assert one.ep_options == {"device": "uuid:" + told["vulkan_uuid"]}


def test_takes_a_whole_network_for_any_batch(device):
    session = session_of(network(), device)
    expect_groups(session, ["Conv", "Flatten", "Gemm", "LeakyRelu", "MaxPool"])
    for batch in (2, 1, 3, 2):
        feeds = {"x": random(batch, 3, 8, 8)}
        np.testing.assert_allclose(session.run(None, feeds)[0], on_cpu(network(), feeds)[0], rtol=1e-4, atol=1e-4)


def test_uses_the_device_that_is_named():
    for name in DEVICES:
        expected = next(one.ep_options["device"] for one in vkonnx_ep.devices() if one.ep_metadata["vulkan_device"] == name)
        told = vkonnx_ep.session(network(), device=name).get_provider_options()[NAME]
        assert told.get("device", expected) == expected  # ONNX Runtime tells since 1.26
    with pytest.raises(vkonnx_ep.ProviderMissing, match="a Vulkan device with 'nowhere' in its name; there are: .*llvmpipe"):
        vkonnx_ep.session(network(), device="nowhere")
    with pytest.raises(Exception, match="vkonnx: no device fits 'nowhere'"):
        vkonnx_ep.session(network(), {"device": "nowhere"})


def det_between(second_input):
    """Exp, then Det, which vkonnx lacks, then an Add that reads Det and `second_input`."""
    return model_of(
        [
            helper.make_node("Exp", ["x"], ["e"]),
            helper.make_node("Det", ["e"], ["d"]),
            helper.make_node("Add", ["d", second_input], ["s"]),
            helper.make_node("Relu", ["s"], ["y"]),
        ],
        [info("x", [2, 2])],
        [info("y", [2, 2])],
    )


@pytest.mark.parametrize("second_input", ["x", "e"])
def test_leaves_out_what_vkonnx_lacks(device, second_input):
    session = session_of(det_between(second_input), device)
    expect_groups(session, ["Add", "Relu"], ["Exp"])  # not one group, which would wait for itself
    feeds = {"x": random(2, 2)}
    np.testing.assert_allclose(session.run(None, feeds)[0], on_cpu(det_between(second_input), feeds)[0], rtol=1e-5)


def test_takes_shapes_only_with_what_needs_the_device(device):
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Gather", ["s", "first"], ["n"]),
        helper.make_node("Concat", ["n", "rest"], ["to"], axis=0),
        helper.make_node("Reshape", ["x", "to"], ["r"]),
        helper.make_node("Relu", ["r"], ["y"]),
    ]
    inputs = [info("x", ["n", 2, 3])]
    initializers = [tensor("first", np.array([0])), tensor("rest", np.array([-1]))]
    whole = model_of(nodes, inputs, [info("y", ["n", 6])], initializers)
    session = session_of(whole, device)
    expect_groups(session, ["Concat", "Gather", "Relu", "Reshape", "Shape"])
    x = random(4, 2, 3)
    np.testing.assert_array_equal(session.run(None, {"x": x})[0], np.maximum(x.reshape(4, 6), 0))

    shapes = model_of(nodes[:3], inputs, [info("to", [2], TensorProto.INT64)], initializers)
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 3
    expect_groups(session_of(shapes, device, {"groups": "all"}), ["Concat", "Gather", "Shape"])
    assert NAME in vkonnx_ep.session(shapes, device=device, session_options=settings).get_providers()
    expect_groups(session_of(shapes, device))
    assert session_of(shapes, device).run(None, {"x": x})[0].tolist() == [4, -1]


def test_takes_sizes_that_a_run_decides_where_asked(device):
    model = model_of(
        [helper.make_node("Expand", ["x", "to"], ["e"]), helper.make_node("Neg", ["e"], ["y"])],
        [info("x", [1, 3]), info("to", [2], TensorProto.INT64)],
        [info("y", ["a", "b"])],
    )
    expect_groups(session_of(model, device), ["Neg"])
    session = session_of(model, device, {"groups": "all"})
    expect_groups(session, ["Expand", "Neg"])
    x = random(1, 3)
    for rows in (2, 5, 2):
        got = session.run(None, {"x": x, "to": np.array([rows, 3])})[0]
        np.testing.assert_array_equal(got, -np.broadcast_to(x, (rows, 3)))
    with pytest.raises(Exception, match="vkonnx: node 'e': Expand: shape has extent 2 on axis 1 of the output, where input has 3"):
        session.run(None, {"x": x, "to": np.array([2, 2])})
    assert session.run(None, {"x": x, "to": np.array([1, 3])})[0].shape == (1, 3)  # an error is the end of one run


def loop_of(trips):
    body = helper.make_graph(
        [
            helper.make_node("MatMul", ["state", "m"], ["product"]),
            helper.make_node("Tanh", ["product"], ["next"]),
            helper.make_node("Identity", ["condition"], ["again"]),
        ],
        "body",
        [info("i", [], TensorProto.INT64), info("condition", [], TensorProto.BOOL), info("state", [2, 2])],
        [info("again", [], TensorProto.BOOL), info("next", [2, 2])],
    )
    return helper.make_node("Loop", [trips, "", "x"], ["y"], body=body)


def test_takes_a_loop_whose_length_is_known_and_leaves_others_whole(device):
    matrix, feeds = tensor("m", random(2, 2)), {"x": random(2, 2)}
    outputs = [info("y", [2, 2])]
    known = model_of([loop_of("trips")], [info("x", [2, 2])], outputs, [matrix, tensor("trips", np.array(3))])
    expect_groups(session_of(known, device), ["Loop"])
    np.testing.assert_allclose(session_of(known, device).run(None, feeds)[0], on_cpu(known, feeds)[0], rtol=1e-5)

    inputs = [info("x", [2, 2]), info("trips", [], TensorProto.INT64)]
    open_ended = model_of([loop_of("trips")], inputs, outputs, [matrix])
    session = session_of(open_ended, device)
    expect_groups(session)
    feeds["trips"] = np.array(4)
    np.testing.assert_allclose(session.run(None, feeds)[0], on_cpu(open_ended, feeds)[0], rtol=1e-5)


def test_takes_an_if_of_both_branches_or_parts_of_them(device):
    def branch(name, nodes, shape):
        return helper.make_graph(nodes, name, [], [info(f"{name}_y", shape)])

    def model(other):
        then = branch("then", [helper.make_node("Exp", ["x"], ["then_y"])], [2, 3])
        node = helper.make_node("If", ["condition"], ["y"], then_branch=then, else_branch=other)
        return model_of([node], [info("x", [2, 3]), info("condition", [], TensorProto.BOOL)], [info("y", None)])

    negative = branch("else", [helper.make_node("Neg", ["x"], ["else_y"])], [2, 3])
    whole = session_of(model(negative), device)
    expect_groups(whole, *([["If"]] if VERSION >= (1, 27) else [["Exp"], ["Neg"]]))
    shorter = branch("else", [helper.make_node("ReduceSum", ["x"], ["else_y"], keepdims=0)], [])
    parts = session_of(model(shorter), device)
    expect_groups(parts, ["Exp"], ["ReduceSum"])
    x = random(2, 3)
    for condition, expected in ((True, np.exp(x)), (False, -x)):
        np.testing.assert_allclose(whole.run(None, {"x": x, "condition": np.array(condition)})[0], expected, rtol=1e-5)
    for condition, expected in ((True, np.exp(x)), (False, x.sum())):
        np.testing.assert_allclose(parts.run(None, {"x": x, "condition": np.array(condition)})[0], expected, rtol=1e-5)


def test_least_nodes_leaves_small_groups_to_the_cpu(device):
    model = det_between("x")
    expect_groups(session_of(model, device, {"least_nodes": 2}), ["Add", "Relu"])
    expect_groups(session_of(model, device, {"least_nodes": 3}))


def test_weights_outside_the_model_and_in_nested_graphs(device, tmp_path):
    import onnx

    model = onnx.load_from_string(network())
    onnx.save(model, tmp_path / "m.onnx", save_as_external_data=True, location="weights", size_threshold=0)
    session = session_of(str(tmp_path / "m.onnx"), device)
    expect_groups(session, ["Conv", "Flatten", "Gemm", "LeakyRelu", "MaxPool"])
    (tmp_path / "weights").unlink()  # they are read while the session is made
    feeds = {"x": random(2, 3, 8, 8)}
    np.testing.assert_allclose(session.run(None, feeds)[0], on_cpu(network(), feeds)[0], rtol=1e-4, atol=1e-4)


def test_every_kind_of_attribute_and_type(device):
    """An integer, integers, a float, floats, a text and a tensor; and outputs that are not asked for."""
    model = model_of(
        [
            helper.make_node("ConstantOfShape", ["shape"], ["two"], value=helper.make_tensor("", TensorProto.FLOAT, [1], [2])),
            helper.make_node("Mul", ["x", "two"], ["d"]),
            helper.make_node("LSTM", ["d", "w", "r"], ["", "h"], hidden_size=2, activations=["Sigmoid", "Tanh", "HardSigmoid"],
                             activation_alpha=[0.0, 0.0, 0.125], direction="forward"),
            helper.make_node("Squeeze", ["h", "zero"], ["s"]),
            helper.make_node("TopK", ["s", "one"], ["values", "places"], axis=-1),
            helper.make_node("Cast", ["values"], ["halves"], to=TensorProto.FLOAT16),
        ],
        [info("x", [3, 2, 4])],
        [info("halves", [2, 1], TensorProto.FLOAT16), info("places", [2, 1], TensorProto.INT64)],
        [tensor("shape", np.array([4])), tensor("w", random(1, 8, 4)), tensor("r", random(1, 8, 2)),
         tensor("zero", np.array([0])), tensor("one", np.array([1]))],
    )  # fmt: skip
    session = session_of(model, device)
    expect_groups(session, ["Cast", "LSTM", "Mul", "Squeeze", "TopK"])
    feeds = {"x": random(3, 2, 4)}
    for got, expected in zip(session.run(None, feeds), on_cpu(model, feeds)):
        assert got.dtype == expected.dtype
        np.testing.assert_allclose(got, expected, rtol=2e-3)


def test_threads_share_a_session(device):
    session = session_of(network(), device)
    feeds = [{"x": random(1 + i % 2, 3, 8, 8)} for i in range(8)]
    expected = [on_cpu(network(), one)[0] for one in feeds]
    got = [None] * len(feeds)

    def run(i):
        for _ in range(5):
            got[i] = session.run(None, feeds[i])[0]

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(feeds))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for ours, theirs in zip(got, expected):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)


def test_options_are_refused_by_a_sentence(device):
    for options, sentence in (
        ({"colour": "red"}, "vkonnx: there is no option 'colour'; the options are device, cache_folder, "),
        ({"max_plans": 0}, "vkonnx: the option max_plans is '0', expected is a number of at least 1"),
        ({"max_memory": 1}, "vkonnx: .*DeviceOptions::max_memory"),
    ):
        with pytest.raises(Exception, match=sentence):
            vkonnx_ep.session(network(), options, device=device).run(None, {"x": random(1, 3, 8, 8)})


# ---- docs/onnxruntime.md

PAGE = (pathlib.Path(__file__).resolve().parents[3] / "docs" / "onnxruntime.md").read_text(encoding="utf-8")


def test_programs_of_the_page_run(tmp_path):
    programs = re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)
    assert len(programs) == 2
    (tmp_path / "model.onnx").write_bytes(network())
    for program in programs:
        printed = run_apart(program, cwd=tmp_path)
        expected = re.search(r"print\(.*\)  # (.*)", program)
        assert printed.strip() == (expected[1] if expected else DEVICES[0])


def test_the_page_has_every_option():
    with pytest.raises(Exception, match="there is no option 'none'") as refused:
        vkonnx_ep.session(network(), {"none": 1})
    names = re.search("the options are (.*)", str(refused.value))[1].replace(" and ", ", ").split(", ")
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.M) == names


# ---- processes of their own


def run_apart(script, cwd=None, **variables):
    """What a process prints, which must end well. It may import this file."""
    paths = [os.path.dirname(os.path.abspath(__file__)), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_software_devices_only_where_asked():
    script = "import onnxruntime_ep_vkonnx as v; print(len(v.devices()))"
    assert run_apart(script, VKONNX_ONNXRUNTIME_SOFTWARE="0") == "0\n"
    assert run_apart(script) == f"{len(DEVICES)}\n"


def test_without_a_driver_there_is_no_device_and_the_cpu_still_works():
    script = """
        import numpy as np, onnxruntime, onnxruntime_ep_vkonnx as v
        from test_provider import network
        try:
            v.session(network())
        except v.ProviderMissing as error:
            print(error)
        print(onnxruntime.InferenceSession(network()).run(None, {"x": np.zeros((1, 3, 8, 8), np.float32)})[0].shape)
    """
    printed = run_apart(script, VK_ICD_FILENAMES="/nowhere.json")
    assert printed == "there must be a Vulkan device; there are: none\n(1, 5)\n"


def test_registers_again_and_again():
    script = """
        import onnxruntime, onnxruntime_ep_vkonnx as v
        for i in range(100):
            onnxruntime.register_execution_provider_library("vkonnx", v.get_library_path())
            assert any(one.ep_name == v.get_ep_name() for one in onnxruntime.get_ep_devices())
            onnxruntime.unregister_execution_provider_library("vkonnx")
            assert not any(one.ep_name == v.get_ep_name() for one in onnxruntime.get_ep_devices())
        print("done")
    """
    assert run_apart(script) == "done\n"


def test_a_process_may_end_with_sessions():
    script = """
        from test_provider import DEVICES, network, random, session_of
        sessions = [session_of(network(), name) for name in DEVICES]
        for session in sessions:
            session.run(None, {"x": random(1, 3, 8, 8)})
        print(len(sessions))
    """
    assert run_apart(script) == f"{len(DEVICES)}\n"
