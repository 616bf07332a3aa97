# SPDX-License-Identifier: Apache-2.0
import dataclasses
import gc
import os
import threading
import time

import numpy as np
import pytest
import vkonnx
from conftest import SELECT, python


def test_devices_are_listed(device):
    listed = vkonnx.devices()
    assert device.info.name in [one.name for one in listed]
    for i, one in enumerate(listed):
        assert one.index == i and one.kind in ("other", "integrated_gpu", "discrete_gpu", "virtual_gpu", "cpu")
        assert one.vendor_id > 0 and len(one.uuid) == 32 and one.api_version >= (1, 1, 0) and one.driver
        assert one.capabilities.max_storage_buffer_range >= 2**27
        assert len(one.capabilities.max_workgroup_size) == 3


def test_selections():
    listed = vkonnx.devices()
    for select in ("", 0, "0", f"uuid:{listed[0].uuid}"):
        with vkonnx.Device(select) as one:
            assert one.info.name in [each.name for each in listed]
    with pytest.raises(vkonnx.NoDevice, match="no device fits 'no such'; there is 0 '") as error:
        vkonnx.Device("no such")
    assert error.value.code is vkonnx.Code.no_device
    with pytest.raises(vkonnx.WrongType, match="select must be a str, not list"):
        vkonnx.Device([])
    with pytest.raises(vkonnx.InvalidArgument, match="must not have a zero in it"):
        vkonnx.Device("cpu\0gpu")


@pytest.mark.parametrize("options, sentence", [
    ({"work_per_second": -1}, "work_per_second = -1 must be 0, or greater than 0 and finite"),
    ({"work_per_second": float("inf")}, "work_per_second = inf must be 0, or greater than 0 and finite"),
    ({"timeout": 0}, "timeout = 0 must be greater than 0"),
    ({"timeout": float("nan")}, "timeout = nan must be greater than 0"),
    ({"max_memory": -1}, "max_memory = -1 must be from 0"),
    ({"max_cached_pipelines": 2**40}, "max_cached_pipelines"),
    ({"tunings": "bad line"}, "line 1, 'bad line'"),
    ({"capabilities": "no such"}, "no capability preset is called 'no such'; there are minimum"),
    ({"capabilities": 3}, "capabilities must be a preset's name or Capabilities, not int"),
    ({"log": 3}, "log must be callable, not int"),
])  # fmt: skip
def test_options_that_are_wrong(options, sentence):
    with pytest.raises(vkonnx.InvalidArgument, match=sentence):
        vkonnx.Device(**options)


def test_no_driver():
    code = "import vkonnx\ntry: vkonnx.devices(); vkonnx.Device()\nexcept vkonnx.NoDevice as e: print(e.code.name, '/', e)"
    status, out, err = python(code, VK_ICD_FILENAMES="/nowhere.json", VK_DRIVER_FILES="/nowhere.json")
    assert status == 0 and not err
    assert out.startswith(("no_driver / ", "no_device / "))


def test_max_memory_refuses_before_it_takes():
    with vkonnx.Device(SELECT, max_memory=8 << 20) as one:
        assert one.memory().limit == 8 << 20
        with pytest.raises(vkonnx.OutOfMemory, match="max_memory") as error:
            one.empty((4 << 20,))
        assert isinstance(error.value, MemoryError) and error.value.code is vkonnx.Code.out_of_memory
        assert one.memory().peak_allocated <= 8 << 20


def test_capabilities_are_lowered(device):
    with vkonnx.Device(SELECT, capabilities="minimum") as one:
        assert not one.capabilities.float64 and one.capabilities.max_invocations == 128
    lowered = dataclasses.replace(device.capabilities, float16=False, max_workgroup_size=(64, 32, 16))
    with vkonnx.Device(SELECT, capabilities=lowered) as one:
        assert not one.capabilities.float16 and one.capabilities.max_workgroup_size == (64, 32, 16)
        assert one.capabilities.max_invocations == device.capabilities.max_invocations
        # Doubles in integer words, where the device has none.
        x = np.array([-1.5, 2.25])
        assert vkonnx.ops.relu(x, device=one).tolist() == [0, 2.25]


def test_presets():
    names = vkonnx.Capabilities.preset_names()
    assert {"minimum", "desktop", "mobile"} <= set(names)
    for name in names:
        assert vkonnx.Capabilities.preset(name).name == name
    with pytest.raises(vkonnx.InvalidArgument):
        vkonnx.Capabilities.preset("no such")


def test_a_device_that_does_not_answer_and_a_log_that_outlives_it():
    said = []
    with vkonnx.Device(SELECT, self_test=False, timeout=1e-9, log=lambda level, text: said.append((level, text))) as one:
        tensor = one.empty((1 << 22,))  # some milliseconds
    del one
    gc.collect()
    with pytest.raises(vkonnx.Timeout, match="the device did not answer within") as error:
        vkonnx.ops.neg(tensor)
    assert isinstance(error.value, TimeoutError) and error.value.code is vkonnx.Code.timeout
    assert said and said[0][0] == "error" and "did not answer in time" in said[0][1]
    with pytest.raises(vkonnx.DeviceLost):
        vkonnx.ops.neg(tensor)


def test_closed_devices_say_so():
    one = vkonnx.Device(SELECT)
    tensor = one.tensor(np.array([-1, 2], np.float32))
    session_device = one
    one.close()
    one.close()
    for call in (lambda: one.tensor([1.0]), lambda: one.empty((2,)), one.memory, one.measure_peaks, one.tunings,
                 lambda: vkonnx.ops.relu([1.0], device=one)):  # fmt: skip
        with pytest.raises(vkonnx.InvalidArgument, match="^the Device is closed$"):
            call()
    assert "closed" in repr(session_device)
    assert vkonnx.ops.relu(tensor).numpy().tolist() == [0, 2]  # what it made works on


def test_default_device_is_opened_once_by_many_threads(device):
    found = []
    threads = [threading.Thread(target=lambda: found.append(vkonnx.default_device())) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == [device] * 8


def test_default_device_is_what_VKONNX_DEVICE_selects():
    code = "import vkonnx\ntry: vkonnx.default_device()\nexcept vkonnx.NoDevice as e: print(e)"
    status, out, _ = python(code, VKONNX_DEVICE="no such")
    assert status == 0 and out.startswith("no device fits 'no such'")


def test_tensors_of_two_devices_do_not_meet(device):
    with vkonnx.Device(SELECT) as other:
        x = np.ones(3, np.float32)
        with pytest.raises(vkonnx.InvalidArgument, match="belongs to another device"):
            vkonnx.ops.add(device.tensor(x), other.tensor(x))


def test_the_lock_of_the_interpreter_is_free_while_a_call_waits(device):
    began, ended = [], []

    def long():
        began.append(time.perf_counter())
        device.measure_peaks()
        ended.append(time.perf_counter())

    thread = threading.Thread(target=long)
    ticks = []
    thread.start()
    while thread.is_alive():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    during = [one for one in ticks if began[0] + 0.005 < one < ended[0] - 0.005]
    assert len(during) > 10


def test_a_cache_is_found_by_the_next_device(tmp_path, monkeypatch):
    with vkonnx.Device(SELECT, cache_folder=str(tmp_path)) as one:
        one.save_cache()
        first = one.cache_use()
    assert first.missed == "there is no file" and first.writes == 1 and first.written_bytes > 80
    assert os.path.dirname(first.place) == str(tmp_path) and os.path.getsize(first.place) == first.written_bytes
    monkeypatch.setenv("VKONNX_CACHE_DIR", str(tmp_path))
    assert vkonnx.default_cache_folder() == str(tmp_path)
    with vkonnx.Device(SELECT) as one:  # by default
        second = one.cache_use()
        assert one.capabilities.work_per_second > 0
    assert (second.place, second.missed, second.read_bytes) == (first.place, "", first.written_bytes)
    with vkonnx.Device(SELECT, cache_folder="") as one:
        assert one.cache_use().place == ""


def test_tunings_are_text_that_another_device_takes():
    with vkonnx.Device(SELECT) as one:
        x = np.ones((1, 4, 16, 16), np.float32)
        vkonnx.ops.average_pool(x, kernel_shape=[3, 3], tune=True, device=one)
        found = one.tunings()
    assert "average_pool" in found
    with vkonnx.Device(SELECT, tunings=found) as one:
        assert one.tunings() == found


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_is_refused_and_does_not_crash():
    code = """
import os, vkonnx, numpy as np
x = vkonnx.default_device().tensor(np.ones(3, np.float32))
child = os.fork()
if not child:
    try:
        vkonnx.ops.relu(x)
    except vkonnx.DeviceLost as e:
        print(e, flush=True)
        os._exit(7)
    os._exit(1)
print(os.waitpid(child, 0)[1] >> 8)
"""
    status, out, _ = python(code)
    assert status == 0 and out.splitlines()[-1] == "7", out
