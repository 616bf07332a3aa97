# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ctypes as c
import os
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, Dict, List, Optional, Union

import numpy as np

from . import _library, _structs, _tensor
from ._device import Device, default_device
from ._dtypes import DType, PACKED_BITS, address_of, as_array, dtype_of, memory_of, unpack
from ._errors import InvalidArgument, OutOfMemory, WrongType
from ._library import alive, core, text
from ._reports import (
    FUSIONS,
    RULES,
    Capabilities,
    GraphReport,
    TensorDesc,
    ValueInfo,
    capabilities_handle,
    desc_struct,
    desc_of,
    descs_of,
    describe,
    graph_report_of,
    metadata_of,
    number_of,
    value_infos_of,
)
from ._structs import pointers
from ._tensor import Tensor

Shapes = Optional[Mapping[str, Any]]
Path = Union[str, "os.PathLike[str]", None]
Inputs = Union[Mapping[str, Any], Sequence[Any]]


def _load(model: Any, folder: Any) -> _library.Model:
    handle = _library.Model()
    onnx = _library.onnx()
    if folder is not None and not isinstance(folder, (str, os.PathLike)):
        raise WrongType(f"external_data_folder must be a path, not {type(folder).__name__}")
    named = None if folder is None else text(os.fsdecode(folder), "external_data_folder")
    options = _structs.ModelOptions(external_data_folder=named)
    if isinstance(model, (str, os.PathLike)):
        onnx.vkonnx_model_load(text(os.fsdecode(model), "model"), c.byref(options), c.byref(handle))
        return handle
    if hasattr(model, "SerializeToString"):
        model = model.SerializeToString()
    if not isinstance(model, (bytes, bytearray, memoryview)):
        raise WrongType(f"model must be a path, bytes or an onnx.ModelProto, not {type(model).__name__}")
    content = bytes(model)
    onnx.vkonnx_model_parse(content, len(content), c.byref(options), c.byref(handle))
    return handle


def _options(rules: str, threads: int, without_fusions: Sequence[str], max_loop_iterations: int, **prepare: Any) -> Any:
    if not 0 < threads < 2**32:
        raise InvalidArgument(f"threads = {threads} must be at least 1")
    if not 0 < max_loop_iterations < 2**64:
        raise InvalidArgument(f"max_loop_iterations = {max_loop_iterations} must be at least 1")
    return _structs.SessionOptions(
        rules=number_of(rules, RULES, "rules"),
        prepare=c.pointer(prepare_options(**prepare)),
        prepare_threads=threads,
        without_fusions=sum(1 << number_of(one, FUSIONS, "without_fusions") for one in set(without_fusions)),
        max_plans=1,  # Session keeps its own
        max_loop_iterations=max_loop_iterations,
    )


def prepare_options(kernel: str, reproducible: bool, tune: bool = False) -> Any:
    return _structs.PrepareOptions(kernel=text(kernel, "kernel"), reproducible=reproducible, tune=tune)


def _descs(infos: List[ValueInfo], shapes: Shapes) -> Dict[str, TensorDesc]:
    """As given, or in the file in full; what neither says is the library's to ask for."""
    descs: Dict[str, Optional[TensorDesc]] = {info.name: None for info in infos}
    for info in infos:
        if info.shape is not None and None not in info.shape:
            descs[info.name] = TensorDesc(info.element_type, info.shape)  # type: ignore[arg-type]
    types = {info.name: info.element_type for info in infos}
    for name, value in (shapes or {}).items():
        descs[name] = describe(value, f"the shape of {name}", element_type=types.get(name))
    return {name: desc for name, desc in descs.items() if desc is not None}


Values = Mapping[str, bytes]  # elements of inputs that decide dimensions


def _values(infos: List[ValueInfo], shapes: Shapes) -> Dict[str, bytes]:
    """Of those that are given as arrays."""
    values = {}
    for info in infos:
        given = (shapes or {}).get(info.name)
        if info.decides_dimensions and isinstance(given, np.ndarray) and dtype_of(given.dtype) is not DType.string:
            values[info.name] = memory_of(given, dtype_of(given.dtype)).tobytes()
    return values


def _named(descs: Mapping[str, TensorDesc], values: Values = {}) -> Any:
    structs = []
    for name, desc in descs.items():
        one = _structs.NamedDesc(name=text(name, "an input's name"), desc=c.pointer(desc_struct(desc)))
        if name in values:
            one.elements = c.create_string_buffer(values[name], len(values[name]) + 1)  # held with the struct
            one.value, one.value_bytes = c.addressof(one.elements), len(values[name])
        structs.append(one)
    return pointers(structs)


def _explain(model: Any, infos: List[ValueInfo], shapes: Shapes, capabilities: Any, options: Any) -> GraphReport:
    result = _library.GraphReport()
    named = _named(_descs(infos, shapes), _values(infos, shapes))
    onnx = _library.onnx()
    onnx.vkonnx_model_explain(model, named, len(named), capabilities, c.byref(options), c.byref(result))
    return graph_report_of(result)


def explain(
    model: Any,
    shapes: Shapes = None,
    capabilities: Union[str, Capabilities] = "desktop",
    *,
    rules: str = "specification",
    kernel: str = "",
    reproducible: bool = False,
    without_fusions: Sequence[str] = (),
    max_loop_iterations: int = 4096,
    external_data_folder: Path = None,
) -> GraphReport:
    """What would run for a model, node by node, and the memory that it would take. Needs no device.

    model, external_data_folder: as Session's. shapes: by the names of inputs; those that the file gives in full may be left out.
    Each is a shape, of the file's type, or (dtype, shape), or anything that has both. An input whose elements decide dimensions,
    the branch of an If or how often a Loop runs (ValueInfo.decides_dimensions) needs an array with them. Without those that
    decide nothing but branches, both branches run. capabilities: a preset's name, or of a device. Errors: as Session's.
    """
    handle = _load(model, external_data_folder)
    infos = value_infos_of(_library.onnx().vkonnx_model_get_inputs(handle))
    options = _options(rules, 1, without_fusions, max_loop_iterations, kernel=kernel, reproducible=reproducible)
    return _explain(handle, infos, shapes, capabilities_handle(capabilities), options)


class _Output:
    """How a result in host memory becomes an array."""

    def __init__(self, desc: TensorDesc):
        self.element_type, self.shape = desc.element_type, desc.shape
        self.dtype = desc.dtype  # that there is none is told before anything runs
        size = c.c_uint64()
        if desc.element_type is not DType.string:
            core.vkonnx_byte_size(c.byref(desc_struct(desc)), c.byref(size))
        self.buffer = c.c_char * size.value if size else None
        self.whole = desc.element_type not in PACKED_BITS

    def array(self, tensor: Any, owner: Any) -> np.ndarray:
        if self.buffer is None:
            strings = self.element_type is DType.string
            return _strings_of(tensor, self.shape) if strings else np.empty(self.shape, self.dtype)
        # The library's own memory, without a copy: the array holds the buffer, and the buffer the handle.
        buffer = self.buffer.from_address(tensor.data)
        buffer.owner = owner  # type: ignore[attr-defined]
        if self.whole:
            return np.ndarray(self.shape, self.dtype, buffer)
        return unpack(np.frombuffer(buffer, np.uint8), self.element_type, self.shape)


def _strings_of(tensor: Any, shape: tuple[int, ...]) -> np.ndarray:
    starts = c.cast(tensor.strings, c.POINTER(c.c_void_p))
    array = np.empty(tensor.string_count, object)
    for i in range(tensor.string_count):
        array[i] = c.string_at(starts[i], tensor.string_sizes[i]).decode("utf-8", "surrogateescape")
    return array.reshape(shape)


def _set_strings(tensor: Any, array: np.ndarray, name: str) -> None:
    elements = []
    for element in array.reshape(-1):
        if not isinstance(element, (str, bytes)):
            raise WrongType(f"input {name}: a string tensor has elements of str or bytes, not {type(element).__name__}")
        elements.append(element if isinstance(element, bytes) else element.encode("utf-8", "surrogateescape"))
    tensor.strings = (c.c_char_p * len(elements))(*elements)
    tensor.string_sizes = (c.c_size_t * len(elements))(*map(len, elements))
    tensor.string_count = len(elements)


class _Plan:
    """A model prepared for one set of shapes, and of the values of inputs that decide dimensions."""

    def __init__(
        self,
        device: _library.Device,
        model: _library.Model,
        descs: Mapping[str, TensorDesc],
        values: Values,
        options: Any,
        other: Optional["_Plan"],
    ):
        """other: one of the same model, device and options, whose weights it shares."""
        self.handle = _library.Session()
        self.handle.device = device  # its log
        named = _named(descs, values)
        self.has_values = bool(values)
        onnx = _library.onnx()
        if other is None:
            onnx.vkonnx_session_prepare(device, model, named, len(named), c.byref(options), c.byref(self.handle))
        else:
            onnx.vkonnx_session_for_inputs(other.handle, named, len(named), c.byref(self.handle))
        self.outputs = descs_of(_library.onnx().vkonnx_session_get_outputs(self.handle))
        self.inputs = [_structs.HostTensor(desc=c.pointer(desc_struct(desc))) for desc in descs.values()]
        self.pointers = pointers(self.inputs)
        self.quick: Any = None  # what `takes` compares
        # How results become arrays: made by the first run, and anew by each run where that decides their shapes.
        self.arrays: Optional[List[_Output]] = None
        self.in_stages = bool(onnx.vkonnx_session_runs_in_stages(self.handle))
        self.bound: Any = None

    def takes(self, inputs: Any) -> Optional[List[np.ndarray]]:
        """Points at these inputs, if they are arrays of the shapes and types of the last run and lie as they must. Most are, and
        this takes a third of the time of finding out what is different. They are given back to be held: the dict is not ours."""
        if self.quick is None or type(inputs) is not dict or len(inputs) != len(self.quick):
            return None
        held = []
        for name, dtype, shape, tensor in self.quick:
            array = inputs.get(name)
            if type(array) is not np.ndarray or array.dtype is not dtype or array.shape != shape:
                return None
            flags = array.flags
            if not (flags.c_contiguous and flags.aligned):
                return None
            tensor.data = address_of(array)
            held.append(array)
        return held

    def run_arrays(
        self, names: Sequence[str], arrays: Sequence[np.ndarray], types: Sequence[DType]
    ) -> List[np.ndarray]:
        if self.arrays is None and not self.in_stages:
            self.arrays = [_Output(desc) for desc in self.outputs]
        memories = []
        for name, tensor, array, element_type in zip(names, self.inputs, arrays, types):
            if element_type is DType.string:
                _set_strings(tensor, array, name)
                continue
            memory = memory_of(array, element_type)
            memories.append(memory)
            tensor.data = address_of(memory)
            tensor.bytes = memory.nbytes
        results = self.run()
        if not self.has_values and not any(element_type is DType.string or element_type in PACKED_BITS for element_type in types):
            self.quick = [
                (name, element_type.numpy, array.shape, tensor)
                for name, element_type, array, tensor in zip(names, types, arrays, self.inputs)
            ]
        return results

    def run(self) -> List[np.ndarray]:
        result = _library.HostTensors()
        _library.onnx().vkonnx_session_run(self.handle, self.pointers, len(self.inputs), c.byref(result))
        tensors = _structs.HostTensors.from_address(result.value).tensors
        arrays = self.arrays
        if arrays is None:
            arrays = [_Output(desc_of(tensors[i].contents.desc.contents)) for i in range(len(self.outputs))]
        return [output.array(tensors[i].contents, result) for i, output in enumerate(arrays)]

    def run_on_device(self, inputs: Sequence[Tensor], outputs: Optional[Sequence[Tensor]]) -> List[Tensor]:
        made = outputs
        if made is None:
            made = [_tensor.create(self.handle.device, desc) for desc in self.outputs]
        handles = [alive(tensor._handle, "Tensor") for tensor in (*inputs, *made)]
        recording = self.bound[1] if self.bound and self.bound[0] == handles else None
        if recording is None:
            recording = _library.Recording()
            recording.device = self.handle.device
            addresses = [handle.value for handle in handles]
            taken = (c.c_void_p * len(inputs))(*addresses[: len(inputs)])
            given = (c.c_void_p * len(made))(*addresses[len(inputs) :])
            _library.onnx().vkonnx_session_bind(self.handle, taken, len(taken), given, len(given), c.byref(recording))
        core.vkonnx_recording_run(recording)
        if outputs is not None:
            self.bound = (handles, recording)
        return list(made)


def _made_anew(arguments: Dict[str, Any]) -> "Session":
    return Session(**arguments)


class Session:
    """A model on a device. It is prepared for the shapes of its inputs when they first come, and keeps the last `plans` of them.

    model: a path, the bytes of a file, or an onnx.ModelProto.
    rules: "specification", or "onnxruntime" for its sizes and pads of ConvTranspose, AveragePool and MaxPool where they differ.
    kernel, reproducible, tune: as PrepareOptions of prepare.hpp says.
    threads: that prepare operators.
    external_data_folder: of the files that hold weights which are not in the model; nothing outside it is read. None: a path's own
        folder; other models must have all of theirs inside. The files must stay as they are while the session is used.
    without_fusions: of "padding", "pattern", "weights", "activation", "chain", "prologue", "constants", as Fusion of onnx.hpp
        lists them.
    max_loop_iterations: the bodies of all Loops and Scans together may run so often.

    `inputs` and `outputs` are as the file declares them, `metadata` is what it says of itself, by keys.

    A Session pickles as its model and its arguments, and is made anew where it arrives: on the device that `device` selects there, or
    on the default one where none was given. A path stays a path, and must lead to the same file there; bytes and protos go along.

    Errors: IoError, InvalidArgument (a broken file), Unsupported (what this library does not have, named), OutOfMemory.
    Threads: any; calls take turns. The interpreter's lock is free while one waits.
    """

    def __init__(
        self,
        model: Any,
        *,
        device: Optional[Device] = None,
        rules: str = "specification",
        kernel: str = "",
        reproducible: bool = False,
        tune: bool = False,
        threads: int = 1,
        plans: int = 4,
        without_fusions: Sequence[str] = (),
        max_loop_iterations: int = 4096,
        external_data_folder: Path = None,
    ):
        self._arguments = {name: value for name, value in locals().items() if name != "self"}
        prepare = {"kernel": kernel, "reproducible": reproducible, "tune": tune}
        self._options = _options(rules, threads, without_fusions, max_loop_iterations, **prepare)
        self._model: Optional[_library.Model] = _load(model, external_data_folder)
        self._lock = threading.Lock()
        self._plans: "OrderedDict[Any, _Plan]" = OrderedDict()
        self._most_plans = max(1, plans)
        self.device: Device = device if device is not None else default_device()
        self.inputs: List[ValueInfo] = value_infos_of(_library.onnx().vkonnx_model_get_inputs(self._model))
        self.outputs: List[ValueInfo] = value_infos_of(_library.onnx().vkonnx_model_get_outputs(self._model))
        self.metadata: Dict[str, str] = metadata_of(_library.onnx().vkonnx_model_get_metadata(self._model))
        self._names = [info.name for info in self.inputs]
        self._output_names = [info.name for info in self.outputs]
        self._last: Optional[_Plan] = None
        self._decides = any(info.decides_dimensions for info in self.inputs)

    def __reduce__(self) -> Any:
        arguments = dict(self._arguments)
        for name in ("model", "external_data_folder"):
            if isinstance(arguments[name], (str, os.PathLike)):
                arguments[name] = os.path.abspath(os.fsdecode(arguments[name]))  # where it arrives, the folder is another
        if isinstance(arguments["model"], (bytearray, memoryview)):
            arguments["model"] = bytes(arguments["model"])
        return _made_anew, (arguments,)

    def prepare(self, shapes: Shapes = None) -> None:
        """What the first `run` with these shapes would do before it runs. shapes: as explain's."""
        with self._lock:
            self._plan(_descs(self.inputs, shapes), _values(self.inputs, shapes))

    def run(self, inputs: Inputs, *, outputs: Optional[Mapping[str, Tensor]] = None) -> Dict[str, Any]:
        """Runs the model; results are where inputs are: Tensors if any input is one, NumPy arrays otherwise.

        inputs: arrays or Tensors by name, or a list of them in the order of `inputs`. An array of any order and byte order is
        read as what it means; lists and numbers become arrays of the type that the file gives.
        outputs: Tensors to write, by name, all of them; no new ones are made, and these stay bound with the inputs, so that the
        next run with the same ones only submits and waits.
        Errors: InvalidArgument and Unsupported, for names, types and shapes too, OutOfMemory, Timeout, DeviceLost.
        """
        with self._lock:
            last = self._last if outputs is None else None
            held = None if last is None else last.takes(inputs)
            results = self._run_and_make_room(inputs, outputs) if last is None or held is None else last.run()
        return dict(zip(self._output_names, results))

    def _run_and_make_room(self, inputs: Inputs, outputs: Optional[Mapping[str, Tensor]]) -> List[Any]:
        try:
            return self._run(inputs, outputs)
        except OutOfMemory:
            if not self._plans:
                raise
        # What plans for other shapes hold may be what is missing; the exception held this one, too.
        self._plans.clear()
        self._last = None
        return self._run(inputs, outputs)

    def _run(self, inputs: Inputs, outputs: Optional[Mapping[str, Tensor]]) -> List[Any]:
        alive(self._model, "Session")
        values = self._in_order(inputs)
        on_device = outputs is not None
        types = []
        for i, value in enumerate(values):
            if isinstance(value, Tensor):
                on_device = True
                types.append(value.element_type)
                continue
            info = self.inputs[i]
            if value is None:
                raise WrongType(f"input {info.name} is None")
            if not isinstance(value, np.ndarray):
                wanted = None if hasattr(value, "dtype") else info.dtype
                values[i] = value = as_array(value, f"input {info.name}", wanted)
            types.append(dtype_of(value.dtype))
        known = self._known(values, types) if self._decides else {}
        key = tuple([(element_type, value.shape) for element_type, value in zip(types, values)]) + tuple(known.items())
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plan({name: TensorDesc(*one) for name, one in zip(self._names, key)}, known)
        self._plans.move_to_end(key)
        self._last = plan
        if not on_device:
            return plan.run_arrays(self._names, values, types)
        device = plan.handle.device
        tensors = [value if isinstance(value, Tensor) else _tensor.uploaded(device, value) for value in values]
        return plan.run_on_device(tensors, self._given(outputs))

    def explain(self, shapes: Shapes = None) -> GraphReport:
        """What would run on this device, by estimates alone. shapes: as explain's."""
        model = alive(self._model, "Session")
        device = alive(self.device._handle, "Device")
        capabilities = core.vkonnx_device_get_capabilities(device)
        return _explain(model, self.inputs, shapes, capabilities, self._options)

    def report(self) -> GraphReport:
        """What runs for the shapes of the last `run` or `prepare`, with the GPU's seconds where that gave and took arrays."""
        with self._lock:
            alive(self._model, "Session")
            if not self._plans:
                raise InvalidArgument("Session.report: nothing was prepared yet")
            result = _library.GraphReport()
            last = self._last or next(reversed(self._plans.values()))
            _library.onnx().vkonnx_session_report(last.handle, c.byref(result))
            return graph_report_of(result)

    def close(self) -> None:
        """Frees what the session holds, once a call in another thread is done. Every later call is InvalidArgument."""
        with self._lock:
            self._model = self._last = None
            self._plans.clear()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _known(self, values: Sequence[Any], types: Sequence[DType]) -> Dict[str, bytes]:
        """Elements of the inputs that decide dimensions."""
        known = {}
        for info, value, element_type in zip(self.inputs, values, types):
            if not info.decides_dimensions or element_type is DType.string:
                continue
            array = value.numpy() if isinstance(value, Tensor) else value
            known[info.name] = memory_of(array, element_type).tobytes()
        return known

    def _plan(self, descs: Mapping[str, TensorDesc], values: Values = {}) -> _Plan:
        """The one for these descriptions. Least recently used ones go."""
        model = alive(self._model, "Session")
        device = alive(self.device._handle, "Device")
        other = next(iter(self._plans.values()), None)
        plan = _Plan(device, model, descs, values, self._options, other)
        key = tuple((desc.element_type, desc.shape) for desc in descs.values())
        self._plans[key + tuple(values.items())] = plan
        while len(self._plans) > self._most_plans:
            self._plans.popitem(last=False)
        return plan

    def _in_order(self, inputs: Inputs) -> List[Any]:
        if isinstance(inputs, Mapping):
            if len(inputs) == len(self._names):
                try:
                    return [inputs[name] for name in self._names]
                except KeyError:
                    pass
            unknown = [str(name) for name in inputs if name not in self._names]
            missing = [name for name in self._names if name not in inputs]
            wrong = [f"has no input {name}" for name in unknown] + [f"needs input {name}" for name in missing]
            raise InvalidArgument(f"the model {' and '.join(wrong)}; its inputs are {', '.join(self._names) or 'none'}")
        if not isinstance(inputs, (list, tuple)):
            raise WrongType(f"inputs must be a mapping of names to arrays, or a list, not {type(inputs).__name__}")
        if len(inputs) != len(self._names):
            names = ", ".join(self._names) or "none"
            raise InvalidArgument(f"{len(inputs)} inputs were given, the model has {len(self._names)}: {names}")
        return list(inputs)

    def _given(self, outputs: Optional[Mapping[str, Tensor]]) -> Optional[List[Tensor]]:
        if outputs is None:
            return None
        names = self._output_names
        if not isinstance(outputs, Mapping) or set(outputs) != set(names):
            raise InvalidArgument(f"outputs must be a mapping with a Tensor for each of {', '.join(names)}")
        for name in names:
            if not isinstance(outputs[name], Tensor):
                raise WrongType(f"output {name} must be a Tensor, not {type(outputs[name]).__name__}")
        return [outputs[name] for name in names]
