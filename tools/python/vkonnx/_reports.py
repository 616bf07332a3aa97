# SPDX-License-Identifier: Apache-2.0
"""What the library tells, as plain data. Each member means what the one of that name in the headers of C++ does."""

from __future__ import annotations

import ctypes as c
from dataclasses import dataclass, fields
from typing import Any, Optional, Union

import numpy as np

from . import _library, _structs
from ._dtypes import DType, dtype_of, known, shape_of
from ._errors import InvalidArgument, WrongType
from ._library import core
from ._structs import read, read_each, string

LAYOUTS = ("NCX", "NXC")
RULES = ("specification", "onnxruntime")
FUSIONS = ("padding", "pattern", "weights", "activation", "chain", "prologue", "constants")
KINDS = ("other", "integrated_gpu", "discrete_gpu", "virtual_gpu", "cpu")
PLACES = ("none", "input", "output", "constant", "arena")


def number_of(word: Any, words: tuple[str, ...], what: str) -> int:
    if word not in words:
        raise InvalidArgument(f"{what} = {word!r} must be {' or '.join(words)}")
    return words.index(word)


def word_of(number: int, words: tuple[str, ...]) -> str:
    return words[number] if 0 <= number < len(words) else str(number)


@dataclass(frozen=True)
class TensorDesc:
    """A type and dimensions, outermost first; `layout` ("NCX" or "NXC") is what they mean to ConvTranspose and AveragePool."""

    element_type: DType
    shape: tuple[int, ...]
    layout: str = "NCX"

    @property
    def dtype(self) -> np.dtype:
        return self.element_type.numpy

    def __str__(self) -> str:
        name = string(core.vkonnx_dtype_name(self.element_type))
        return f"{name}[{','.join(map(str, self.shape))}]{' NXC' if self.layout == 'NXC' else ''}"


def desc_struct(desc: TensorDesc) -> Any:
    dims = (c.c_int64 * len(desc.shape))(*desc.shape)
    layout = number_of(desc.layout, LAYOUTS, "layout")
    return _structs.TensorDesc(dtype=desc.element_type, layout=layout, rank=len(desc.shape), dims=dims)


def desc_of(struct: Any) -> TensorDesc:
    return TensorDesc(known(struct.dtype), tuple(struct.dims[: struct.rank]), word_of(struct.layout, LAYOUTS))


def descs_of(address: Any) -> tuple[TensorDesc, ...]:
    descs = read(address, _structs.TensorDescs)
    return tuple(desc_of(one) for one in read_each(descs.descs, descs.count))


def describe(value: Any, what: str, layout: str = "NCX", element_type: Optional[DType] = None) -> TensorDesc:
    """Of a TensorDesc, an array, a Tensor, (dtype, shape), or a shape, which is `element_type` or float32."""
    if isinstance(value, TensorDesc):
        return value
    if hasattr(value, "element_type"):  # a Tensor
        return TensorDesc(value.element_type, value.shape, value.layout)
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return TensorDesc(dtype_of(value.dtype), tuple(value.shape), layout)
    if isinstance(value, tuple) and len(value) == 2 and not hasattr(value[1], "__index__"):
        return TensorDesc(dtype_of(value[0]), shape_of(value[1], what), layout)
    return TensorDesc(element_type or DType.float32, shape_of(value, what), layout)


@dataclass(frozen=True)
class Capabilities:
    """What a device offers, as far as choosing a kernel depends on it. dataclasses.replace() makes others."""

    name: str
    is_cpu: bool
    subgroup_shuffles: bool
    timestamps: bool
    float16: bool
    float64: bool
    rounds_to_nearest: bool
    keeps_signed_zero_inf_nan: bool
    cooperative_matrices: bool
    storage16: bool
    max_storage_buffer_range: int
    storage_buffer_alignment: int
    max_texel_buffer_elements: int
    texel_buffer_alignment: int
    max_uniform_buffer_range: int
    max_storage_buffers: int
    max_push_constant_bytes: int
    max_invocations: int
    max_workgroup_size: tuple[int, int, int]
    max_group_count: tuple[int, int, int]
    max_shared_bytes: int
    max_loop_iterations: int
    subgroup_size: int
    cooperative_matrix: tuple[int, int, int]
    invocation_registers: int
    work_per_second: float

    @staticmethod
    def preset(name: str) -> "Capabilities":
        """One of `preset_names`. InvalidArgument for another."""
        return _capabilities_of(_preset(name))

    @staticmethod
    def preset_names() -> list[str]:
        """Of what `preset` takes: "minimum" is what Vulkan 1.1 guarantees."""
        names: list[str] = []
        while name := core.vkonnx_capabilities_preset_name(len(names)):
            names.append(string(name))
        return names


def _preset(name: str) -> Any:
    handle = _library.Capabilities()
    core.vkonnx_capabilities_preset(_library.text(name, "capabilities"), c.byref(handle))
    return handle


def _capabilities_of(address: Any) -> Capabilities:
    struct = read(address, _structs.Capabilities)
    values = {field.name: getattr(struct, field.name) for field in fields(Capabilities)}
    values = {name: tuple(value) if isinstance(value, c.Array) else value for name, value in values.items()}
    values["name"] = string(values["name"])
    return Capabilities(**values)


def capabilities_handle(capabilities: Union[str, Capabilities]) -> Any:
    """Of a preset's name, or of capabilities. These are written over a preset, whose struct may have members that we don't know."""
    if isinstance(capabilities, str):
        return _preset(capabilities)
    if not isinstance(capabilities, Capabilities):
        raise WrongType(f"capabilities must be a preset's name or Capabilities, not {type(capabilities).__name__}")
    handle = _preset("desktop")
    handle.text = _library.text(capabilities.name, "capabilities.name")
    struct = c.cast(handle, c.POINTER(_structs.Capabilities)).contents
    for name, kind in struct._fields_[1:]:
        value = handle.text if name == "name" else getattr(capabilities, name)
        if getattr(_structs.Capabilities, name).offset < struct.struct_size:
            setattr(struct, name, kind(*value) if isinstance(value, tuple) else value)
    return handle


@dataclass(frozen=True)
class DeviceInfo:
    """A device: `kind` is "cpu", "integrated_gpu", ...; `rejected` says why it can't be opened, "" where it can."""

    index: int
    name: str
    kind: str
    driver: str
    api_version: tuple[int, int, int]
    uuid: str
    rejected: str
    capabilities: Capabilities
    vendor_id: int
    device_id: int


def device_info_of(struct: Any) -> DeviceInfo:
    texts = [string(getattr(struct, name)) for name in ("name", "driver", "uuid", "rejected")]
    return DeviceInfo(
        index=struct.index,
        name=texts[0],
        kind=word_of(struct.kind, KINDS),
        driver=texts[1],
        api_version=tuple(struct.api_version),
        uuid=texts[2],
        rejected=texts[3],
        capabilities=_capabilities_of(struct.capabilities),
        vendor_id=struct.vendor_id,
        device_id=struct.device_id,
    )


@dataclass(frozen=True)
class MemoryUse:
    """Device memory of one Device, in bytes; staging apart from what is used, but not from what is allocated."""

    used: int
    allocated: int
    peak_used: int
    peak_allocated: int
    limit: int
    staging: int
    peak_staging: int


@dataclass(frozen=True)
class CacheUse:
    """What a Device's cache has done: `place` is its file, "" where nothing is kept; `missed` and `unwritten` say why nothing was
    read when the device was opened, and why the last write did not happen. Of the pipelines, `found` were built from what was
    read, `confirmed` of them without compiling as the driver says, `compiled` are all others, `kept` of them can be kept."""

    place: str
    missed: str
    unwritten: str
    read_bytes: int
    written_bytes: int
    read_pipelines: int
    found: int
    confirmed: int
    compiled: int
    kept: int
    writes: int


@dataclass(frozen=True)
class Peaks:
    """What a device reaches at best, measured; a multiply-add counts as two."""

    flops_f32: float
    flops_f16: float
    copy_bytes_per_second: float


@dataclass(frozen=True)
class Pipeline:
    """A kernel, and the constants that a driver compiles it with."""

    kernel: str
    specialization: dict[str, int]


@dataclass(frozen=True)
class Explanation:
    """How a problem was understood and what would run."""

    outputs: tuple[TensorDesc, ...]
    pads_begin: tuple[int, ...]
    pads_end: tuple[int, ...]
    equation: str
    kernel: str
    specialization: dict[str, int]
    pipelines: tuple[Pipeline, ...]
    grids: tuple[tuple[int, int, int], ...]
    seconds: float
    scratch_bytes: int
    packed_bytes: int
    why: str
    in_place: tuple[int, ...]
    host_result: tuple[int, ...]


def _specialization(pairs: Any, count: int) -> dict[str, int]:
    return {string(one.name): one.value for one in read_each(pairs, count)}


def explanation_of(address: Any) -> Explanation:
    struct = read(address, _structs.Explanation)
    grids = struct.grids[: 3 * struct.grid_count]
    return Explanation(
        outputs=descs_of(struct.outputs),
        pads_begin=tuple(struct.pads_begin[: struct.pad_count]),
        pads_end=tuple(struct.pads_end[: struct.pad_count]),
        equation=string(struct.equation),
        kernel=string(struct.kernel),
        specialization=_specialization(struct.specialization, struct.specialization_count),
        pipelines=tuple(
            Pipeline(string(one.kernel), _specialization(one.specialization, one.specialization_count))
            for one in read_each(struct.pipelines, struct.pipeline_count)
        ),
        grids=tuple((grids[i], grids[i + 1], grids[i + 2]) for i in range(0, len(grids), 3)),
        seconds=struct.seconds,
        scratch_bytes=struct.scratch_bytes,
        packed_bytes=struct.packed_bytes,
        why=string(struct.why),
        in_place=tuple(struct.in_place[: struct.in_place_count]),
        host_result=tuple(struct.host_result[: struct.host_result_count]),
    )


@dataclass(frozen=True)
class KernelInfo:
    """One of an operator's kernels: `unfit` says why it can't run the problem, "" where it can; else `seconds` is its estimate."""

    name: str
    unfit: str
    seconds: float
    keeps_order: bool
    only_by_name: bool
    last_resort: bool


def kernels_of(address: Any) -> list[KernelInfo]:
    infos = read(address, _structs.KernelInfos)
    return [
        KernelInfo(
            string(one.name), string(one.unfit), one.seconds, one.keeps_order, one.only_by_name, one.last_resort
        )
        for one in read_each(infos.kernels, infos.count)
    ]


@dataclass(frozen=True)
class ValueInfo:
    """A graph input or output as the file declares it: None for a dimension that is open, and for a shape that is not given.

    decides_dimensions: its elements do (Reshape's shape, Slice's starts), or they decide the branch of an If or how often a
        Loop runs, so that a session is prepared when they come.
    """

    name: str
    element_type: DType
    shape: Optional[tuple[Optional[int], ...]]
    decides_dimensions: bool = False

    @property
    def dtype(self) -> np.dtype:
        return self.element_type.numpy


def value_infos_of(address: Any) -> list[ValueInfo]:
    infos = read(address, _structs.ValueInfos)
    return [
        ValueInfo(
            string(one.name),
            known(one.dtype),
            tuple(None if dim < 0 else dim for dim in one.dims[: one.rank]) if one.has_shape else None,
            one.decides_dimensions,
        )
        for one in read_each(infos.values, infos.count)
    ]


def metadata_of(address: Any) -> dict[str, str]:
    metadata = read(address, _structs.Metadata)
    return {string(one.key): string(one.value) for one in read_each(metadata.entries, metadata.count)}


@dataclass(frozen=True)
class NodeReport:
    """How one node was understood, and what became of it: `explanation.kernel` says it, `explanation.why` has the reason."""

    name: str
    op_type: str
    domain: str
    opset: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    explanation: Explanation
    fused_into: Optional[int]
    seconds: float

    @property
    def runs(self) -> bool:
        return self.explanation.kernel not in ("view", "host", "fused", "none", "later", "once")


@dataclass(frozen=True)
class ValueReport:
    """Memory of one value, which its views share; `place` is "input", "output", "constant", "arena" or "none"."""

    name: str
    desc: TensorDesc
    place: str
    bytes: int
    arena: int
    offset: int
    first: int
    last: int


@dataclass(frozen=True)
class GraphReport:
    """A graph for given shapes: as it was read, as it was rewritten, and the device memory that it takes, in bytes."""

    nodes: tuple[NodeReport, ...]
    values: tuple[ValueReport, ...]
    arenas: tuple[int, ...]
    arena_bytes: int
    unshared_bytes: int
    constant_bytes: int
    packed_bytes: int
    scratch_bytes: int


def graph_report_of(address: Any) -> GraphReport:
    struct = read(address, _structs.GraphReport)
    nodes = tuple(
        NodeReport(
            name=string(one.name),
            op_type=string(one.op_type),
            domain=string(one.domain),
            opset=one.opset,
            inputs=tuple(map(string, one.inputs[: one.input_count])),
            outputs=tuple(map(string, one.outputs[: one.output_count])),
            explanation=explanation_of(one.explanation),
            fused_into=None if one.fused_into < 0 else one.fused_into,
            seconds=one.seconds,
        )
        for one in read_each(struct.nodes, struct.node_count)
    )
    values = tuple(
        ValueReport(
            name=string(one.name),
            desc=desc_of(read(one.desc, _structs.TensorDesc)),
            place=word_of(one.place, PLACES),
            bytes=one.bytes,
            arena=one.arena,
            offset=one.offset,
            first=one.first,
            last=one.last,
        )
        for one in read_each(struct.values, struct.value_count)
    )
    sizes = {
        name: getattr(struct, name)
        for name in ("arena_bytes", "unshared_bytes", "constant_bytes", "packed_bytes", "scratch_bytes")
    }
    return GraphReport(nodes, values, tuple(struct.arenas[: struct.arena_count]), **sizes)
