# SPDX-License-Identifier: Apache-2.0
"""What is behind vkonnx.ops: a function for each operator that the library lists, with the attributes that it lists."""

from __future__ import annotations

import ctypes as c
import inspect
import keyword
import operator
import re
import types
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _library, _structs, _tensor
from ._device import Device, default_device
from ._dtypes import as_array
from ._errors import InvalidArgument, WrongType
from ._library import alive, core, text
from ._reports import (
    RULES,
    Capabilities,
    Explanation,
    KernelInfo,
    TensorDesc,
    capabilities_handle,
    desc_struct,
    descs_of,
    describe,
    explanation_of,
    kernels_of,
    number_of,
)
from ._session import prepare_options
from ._structs import pointers, read, string
from ._tensor import Tensor

_MOST_PREPARED = 256  # of a device
_FLOAT, _INT, _STRING, _FLOATS, _INTS, _STRINGS = 1, 2, 3, 6, 7, 8
_LISTS = (_FLOATS, _INTS, _STRINGS)
_HINTS = {
    _FLOAT: Optional[float],
    _INT: Optional[int],
    _STRING: Optional[str],
    _FLOATS: Optional[Sequence[float]],
    _INTS: Optional[Sequence[int]],
    _STRINGS: Optional[Sequence[str]],
}

# What all functions take besides attributes.
OPTIONS: Dict[str, Tuple[Any, Any]] = {
    "opset": (Optional[int], None),
    "rules": (Optional[str], None),
    "outputs": (Optional[int], None),
    "layout": (str, "NCX"),
    "device": (Optional[Device], None),
    "kernel": (str, ""),
    "reproducible": (bool, False),
    "tune": (bool, False),
}
_ABOUT_OPTIONS = """
opset: the version of the operator is the newest that is not newer; by default the newest that the library has.
rules: "specification", or "onnxruntime" for its sizes and pads of ConvTranspose, AveragePool and MaxPool where they differ.
outputs: how many are wanted, of an operator that has several (Split); they come as a tuple.
layout: "NXC" where the first input, an array, has its channels last; a Tensor has a layout of its own.
device: by default that of the Tensors, else default_device().
kernel, reproducible, tune: as PrepareOptions of prepare.hpp says.
"""


@dataclass(frozen=True)
class Attribute:
    type: int
    default: Any
    words: Tuple[str, ...]


@dataclass(frozen=True)
class Signature:
    """An operator as the library lists it."""

    domain: str
    name: str
    attributes: Dict[str, Attribute]
    inputs: Tuple[str, ...]  # by the document's names, more of the last where `most_inputs` says so
    least_inputs: int
    most_inputs: int

    @property
    def function_name(self) -> str:
        """ONNX's name in snake case: mat_mul, is_nan. What Python has for a keyword ends with an underscore: and_."""
        name = re.sub("(?<=[a-z0-9])(?=[A-Z][A-Za-z0-9])", "_", self.name).lower()
        return name + "_" if keyword.iskeyword(name) else name


def _attributes(handle: _library.Operator) -> Iterator[Tuple[str, Attribute]]:
    index = 0
    while address := core.vkonnx_operator_attribute_at(handle, index):
        one = read(address, _structs.Attribute)
        values = {
            _FLOAT: one.f,
            _INT: one.i,
            _STRING: string(one.s),
            _FLOATS: tuple(one.floats[: one.float_count]),
            _INTS: tuple(one.ints[: one.int_count]),
            _STRINGS: tuple(map(string, one.strings[: one.string_count])),
        }
        default = values.get(one.type) if one.given else None
        words = tuple(map(string, one.words[: one.word_count]))
        yield string(one.name), Attribute(one.type, default or None if one.type in _LISTS else default, words)
        index += 1


def signatures() -> List[Signature]:
    """Of all operators, in the order of the library."""
    found: List[Signature] = []
    while address := core.vkonnx_operator_name_at(len(found)):
        one = read(address, _structs.OperatorName)
        found.append(_signature(string(one.domain), string(one.name)))
    return found


def _signature(domain: str, name: str) -> Signature:
    handle = _create(domain, name)
    takes = read(core.vkonnx_operator_get_signature(handle), _structs.Signature)
    inputs = tuple(map(string, takes.inputs[: takes.input_count]))
    return Signature(domain, name, dict(_attributes(handle)), inputs, takes.least_inputs, takes.most_inputs)


def _create(domain: str, name: str) -> _library.Operator:
    handle = _library.Operator()
    core.vkonnx_operator_create(text(domain, "domain"), text(name, "operator"), c.byref(handle))
    return handle


def _canonical(signature: Signature, given: Dict[str, Any]) -> Tuple[Tuple[str, Any], ...]:
    """The attributes that are given, as values that can be compared."""
    values = []
    for name, value in given.items():
        known = signature.attributes.get(name)
        if known is None:
            attributes = ", ".join(signature.attributes) or "none"
            raise WrongType(
                f"{signature.name} has no attribute {name}; its attributes are {attributes}, its options {', '.join(OPTIONS)}"
            )
        if value is None:
            continue
        try:
            if known.type == _INTS:
                value = tuple(map(operator.index, value))
            elif known.type == _FLOATS:
                value = tuple(map(float, value))
            elif known.type == _STRINGS:
                if isinstance(value, str) or not all(isinstance(one, str) for one in value):
                    raise TypeError
                value = tuple(value)
            elif known.type == _INT:
                value = operator.index(value)
            elif known.type == _FLOAT:
                value = float(value)
            elif not isinstance(value, str):
                raise TypeError
        except (TypeError, ValueError):
            kinds = {
                _FLOATS: "a sequence of numbers",
                _INTS: "a sequence of integers",
                _STRINGS: "a sequence of str",
                _INT: "an integer",
                _FLOAT: "a number",
                _STRING: "a str",
            }
            raise WrongType(f"{signature.name}: {name} = {value!r} must be {kinds.get(known.type)}") from None
        for number in value if known.type == _INTS else (value,) if known.type == _INT else ():
            if not -(2**63) <= number < 2**63:
                raise InvalidArgument(f"{signature.name}: {name} = {number} is beyond 64 bits")
        values.append((name, value))
    return tuple(sorted(values))


def _operator(
    signature: Signature, attributes: Any, opset: Optional[int], rules: Optional[str], outputs: Optional[int]
) -> _library.Operator:
    handle = _create(signature.domain, signature.name)
    for name, value in attributes:
        kind = signature.attributes[name].type
        key = text(name, "attribute")
        if kind == _INTS:
            core.vkonnx_operator_set_ints(handle, key, (c.c_int64 * len(value))(*value), len(value))
        elif kind == _FLOATS:
            core.vkonnx_operator_set_floats(handle, key, (c.c_float * len(value))(*value), len(value))
        elif kind == _STRINGS:
            core.vkonnx_operator_set_strings(handle, key, (c.c_char_p * len(value))(*(text(one, name) for one in value)), len(value))
        elif kind == _INT:
            core.vkonnx_operator_set_int(handle, key, value)
        elif kind == _FLOAT:
            core.vkonnx_operator_set_float(handle, key, value)
        else:
            core.vkonnx_operator_set_string(handle, key, text(value, name))
    if opset is not None:
        core.vkonnx_operator_set_opset(handle, operator.index(opset))
    if rules is not None:
        core.vkonnx_operator_set_rules(handle, number_of(rules, RULES, "rules"))
    if outputs is not None:
        core.vkonnx_operator_set_outputs(handle, operator.index(outputs))
    return handle


def _desc_pointers(descs: Sequence[Optional[TensorDesc]]) -> Any:
    return pointers([None if desc is None else desc_struct(desc) for desc in descs])


class _Prepared:
    def __init__(self, device: _library.Device, handle: _library.Operator, descs: Any, options: Any):
        self.handle = _library.Op()
        structs = _desc_pointers(descs)
        core.vkonnx_device_prepare(device, handle, structs, len(structs), c.byref(options), c.byref(self.handle))
        self.outputs = descs_of(core.vkonnx_op_get_outputs(self.handle))
        explanation = explanation_of(core.vkonnx_op_get_explanation(self.handle))
        # Known already: dimensions, and what has no elements.
        self.known = np.array(explanation.host_result, np.int64) if explanation.kernel == "host" else None


def _prepared(device: _library.Device, signature: Signature, attributes: Any, descs: Any, options: Any) -> _Prepared:
    opset, rules, outputs, kernel, reproducible, tune = options
    key = (signature.domain, signature.name, attributes, descs, options)
    with device.lock:
        found = device.ops.get(key)
        if found is not None:
            device.ops.move_to_end(key)
            return found
    # Without the lock: this may take long. Two threads that want the same may both prepare it.
    handle = _operator(signature, attributes, opset, rules, outputs)
    made = _Prepared(device, handle, descs, prepare_options(kernel, reproducible, tune))
    with device.lock:
        device.ops[key] = made
        while len(device.ops) > _MOST_PREPARED:
            device.ops.popitem(last=False)
    return made


def _device_of(device: Optional[Device], inputs: Sequence[Any]) -> _library.Device:
    if device is not None:
        if not isinstance(device, Device):
            raise WrongType(f"device must be a Device, not {type(device).__name__}")
        return alive(device._handle, "Device")
    for one in inputs:
        if isinstance(one, Tensor):
            return one._device
    return alive(default_device()._handle, "Device")


def _run(
    signature: Signature,
    inputs: Tuple[Any, ...],
    given: Dict[str, Any],
    opset: Optional[int] = None,
    rules: Optional[str] = None,
    outputs: Optional[int] = None,
    layout: str = "NCX",
    device: Optional[Device] = None,
    kernel: str = "",
    reproducible: bool = False,
    tune: bool = False,
) -> Any:
    attributes = _canonical(signature, given)
    values = [
        one if one is None or isinstance(one, Tensor) else as_array(one, f"input {i} of {signature.name}")
        for i, one in enumerate(inputs)
    ]
    while values and values[-1] is None:
        values.pop()
    descs = tuple(
        None if one is None else describe(one, "an input", layout if i == 0 else "NCX") for i, one in enumerate(values)
    )
    handle = _device_of(device, values)
    op = _prepared(handle, signature, attributes, descs, (opset, rules, outputs, kernel, reproducible, tune))
    on_device = any(isinstance(one, Tensor) for one in values)
    if op.known is not None:
        arrays = [op.known.reshape(desc.shape).astype(desc.dtype) for desc in op.outputs]
        results = [_tensor.uploaded(handle, array) for array in arrays] if on_device else arrays
    else:
        tensors = [
            one if isinstance(one, Tensor) else _tensor.uploaded(handle, one, desc.layout)
            for one, desc in zip(values, descs)
            if one is not None and desc is not None
        ]
        made = [_tensor.create(handle, desc) for desc in op.outputs]
        handles = [alive(one._handle, "Tensor") for one in (*tensors, *made)]
        addresses = [one.value for one in handles]
        taken = (c.c_void_p * len(tensors))(*addresses[: len(tensors)])
        written = (c.c_void_p * len(made))(*addresses[len(tensors) :])
        core.vkonnx_device_run_op(handle, op.handle, taken, len(taken), written, len(written))
        results = made if on_device else [one.numpy() for one in made]
    return results[0] if len(results) == 1 else tuple(results)


def _problem(
    name: str, inputs: Any, domain: str, opset: Any, rules: Any, outputs: Any, layout: str, given: Dict[str, Any]
) -> Any:
    signature = _signature(domain, name)
    descs = [
        None if one is None else describe(one, f"input {i} of {name}", layout if i == 0 else "NCX")
        for i, one in enumerate(inputs)
    ]
    return _operator(signature, _canonical(signature, given), opset, rules, outputs), _desc_pointers(descs)


def infer(
    name: str,
    *inputs: Any,
    domain: str = "",
    opset: Optional[int] = None,
    rules: Optional[str] = None,
    outputs: Optional[int] = None,
    layout: str = "NCX",
    **attributes: Any,
) -> Tuple[TensorDesc, ...]:
    """The outputs of operator `name` ("ConvTranspose"). Needs no device.

    inputs: float32 shapes, (dtype, shape), or whatever has both; None for one that is left out.
    Errors: InvalidArgument and Unsupported.
    """
    handle, descs = _problem(name, inputs, domain, opset, rules, outputs, layout, attributes)
    result = _library.TensorDescs()
    core.vkonnx_infer(handle, descs, len(descs), c.byref(result))
    return descs_of(result)


def explain(
    name: str,
    *inputs: Any,
    capabilities: Union[str, Capabilities] = "desktop",
    domain: str = "",
    opset: Optional[int] = None,
    rules: Optional[str] = None,
    outputs: Optional[int] = None,
    layout: str = "NCX",
    kernel: str = "",
    reproducible: bool = False,
    **attributes: Any,
) -> Explanation:
    """How operator `name` understands these inputs, and what would run. Needs no device.

    inputs: as infer's. capabilities: the name of a preset, or those of a device.
    Errors: InvalidArgument and Unsupported.
    """
    handle, descs = _problem(name, inputs, domain, opset, rules, outputs, layout, attributes)
    options = prepare_options(kernel, reproducible)
    result = _library.Explanation()
    core.vkonnx_explain(
        handle, descs, len(descs), capabilities_handle(capabilities), c.byref(options), c.byref(result)
    )
    return explanation_of(result)


def kernels(
    name: str,
    *inputs: Any,
    capabilities: Union[str, Capabilities] = "desktop",
    domain: str = "",
    opset: Optional[int] = None,
    rules: Optional[str] = None,
    outputs: Optional[int] = None,
    layout: str = "NCX",
    reproducible: bool = False,
    **attributes: Any,
) -> List[KernelInfo]:
    """All kernels of operator `name`: why each does not fit, or the seconds that it is estimated to take. Arguments: as explain's."""
    handle, descs = _problem(name, inputs, domain, opset, rules, outputs, layout, attributes)
    options = prepare_options("", reproducible)
    result = _library.KernelInfos()
    core.vkonnx_kernels(
        handle, descs, len(descs), capabilities_handle(capabilities), c.byref(options), c.byref(result)
    )
    return kernels_of(result)


def _parameters(signature: Signature) -> List[inspect.Parameter]:
    """Of the inputs: x, w, b=None, /. One that is called as an attribute is (Clip's min) has a line behind its name."""
    if signature.most_inputs > len(signature.inputs):
        return [inspect.Parameter("inputs", inspect.Parameter.VAR_POSITIONAL, annotation=Any)]
    taken = {*signature.attributes, *OPTIONS}
    names = [name.lower() for name in signature.inputs]
    return [
        inspect.Parameter(
            f"{name}_" if name in taken else name,
            inspect.Parameter.POSITIONAL_ONLY,
            default=inspect.Parameter.empty if i < signature.least_inputs else None,
            annotation=Any,
        )
        for i, name in enumerate(names)
    ]


def function_of(signature: Signature) -> Callable[..., Any]:
    own_options = {name: one for name, one in OPTIONS.items() if name not in signature.attributes}  # RNN has a layout of its own

    def call(*inputs: Any, **keywords: Any) -> Any:
        options = {name: keywords.pop(name) for name in own_options if name in keywords} if keywords else {}
        return _run(signature, inputs, keywords, **options)

    hints = {name: (_HINTS.get(one.type, Any), one.default) for name, one in signature.attributes.items()}
    hints.update(own_options)
    parameter = inspect.Parameter
    inputs = _parameters(signature)
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        inputs
        + [
            parameter(name, parameter.KEYWORD_ONLY, default=default, annotation=hint)
            for name, (hint, default) in hints.items()
        ],
        return_annotation=Any,
    )
    call.__annotations__ = {**{one.name: Any for one in inputs}, **{name: hint for name, (hint, _) in hints.items()}, "return": Any}
    call.__name__ = call.__qualname__ = signature.function_name
    call.__module__ = "vkonnx.ops"
    where = f"of the domain {signature.domain}" if signature.domain else "of ONNX"
    words = [f"{name}: {' or '.join(one.words)}." for name, one in signature.attributes.items() if one.words]
    call.__doc__ = "\n".join(
        [
            f"{signature.name} {where}. Results are where inputs are: Tensors if any is one, NumPy arrays otherwise.",
            "",
            f"{', '.join(signature.inputs)}{', ...' if signature.most_inputs > len(signature.inputs) else ''}: arrays or Tensors, "
            "None for one that is left out.",
            *words,
            _ABOUT_OPTIONS.strip(),
            "Errors: InvalidArgument, Unsupported, OutOfMemory, Timeout, DeviceLost. Any thread.",
        ]
    )
    return call


def functions() -> Dict[str, Any]:
    """By their names; other domains than ONNX's are namespaces, by the first part of theirs."""
    found: Dict[str, Any] = {}
    for signature in signatures():
        function = function_of(signature)
        if signature.domain:
            space = found.setdefault(signature.domain.split(".")[0], types.SimpleNamespace())
            setattr(space, function.__name__, function)
        else:
            found[function.__name__] = function
    return found
