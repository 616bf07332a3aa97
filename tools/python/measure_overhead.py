#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Session.run, with arrays and with Tensors, costs above the C functions that it calls: medians in microseconds.

    python3 measure_overhead.py [RUNS]

It takes vkonnx and onnx. The model is the least that runs: an Add of two times 16 floats.
"""

import ctypes
import statistics
import sys
import time

import numpy as np
import vkonnx
from onnx import TensorProto, helper
from vkonnx import _library


def model():
    names = ("a", "b", "y")
    a, b, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [16]) for name in names)
    graph = helper.make_graph([helper.make_node("Add", ["a", "b"], ["y"])], "add", [a, b], [y])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)])


def medians(runs, *functions, clock=time.perf_counter):
    """Of each, taken in turns, so that what the machine does meanwhile meets all of them."""
    seconds = [[] for _ in functions]
    for _ in range(runs):
        for function, each in zip(functions, seconds):
            start = clock()
            function()
            each.append(clock() - start)
    return [1e6 * statistics.median(each) for each in seconds]


def main(runs=3000):
    session = vkonnx.Session(model())
    arrays = {name: np.arange(16, dtype=np.float32) for name in "ab"}
    tensors = {name: session.device.tensor(array) for name, array in arrays.items()}
    results = {"y": session.device.empty([16])}
    session.run(arrays)
    session.run(tensors, outputs=results)
    plan = next(iter(session._plans.values()))
    onnx, core = _library.onnx(), _library.core
    recording = plan.bound[1]
    # The loop must not pay for Python's own objects around the call: those are what is measured.
    run, destroy = onnx.vkonnx_session_run, onnx.vkonnx_host_tensors_destroy
    handle, pointers, given = plan.handle, plan.pointers, ctypes.c_void_p()
    by_reference = ctypes.byref(given)

    def c_run():
        run(handle, pointers, 2, by_reference)
        destroy(given)

    print(f"{session.device.info.name}, {runs} runs of each, medians")
    for name, ours, theirs in (
        ("arrays", lambda: session.run(arrays), c_run),
        ("tensors into given ones", lambda: session.run(tensors, outputs=results), lambda: core.vkonnx_recording_run(recording)),
        ("tensors into new ones", lambda: session.run(tensors), lambda: core.vkonnx_recording_run(recording)),
    ):
        above, below = medians(runs, ours, theirs)
        # What Python computes, without what waiting makes cold; it counts on a busy machine, too.
        busy, least = medians(runs, ours, theirs, clock=time.thread_time)
        print(f"{name}: Session.run {above:.1f} us, the C call {below:.1f} us, above it {above - below:.1f} us; "
              f"of this thread's processor time {busy - least:.1f} us")  # fmt: skip
    x = arrays["a"]
    print(f"ops.add of arrays {medians(runs, lambda: vkonnx.ops.add(x, x))[0]:.1f} us, of Tensors "
          f"{medians(runs, lambda: vkonnx.ops.add(tensors['a'], tensors['b']))[0]:.1f} us")  # fmt: skip


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
