# SPDX-License-Identifier: Apache-2.0
"""The structs of vkonnx.h and onnx.h, in their words; tests/test_header.py compares them with the headers."""

from __future__ import annotations

import ctypes as c
from typing import Any

WORDS: dict[str, Any] = {
    "bool": c.c_bool,
    "i32": c.c_int32,
    "u32": c.c_uint32,
    "i64": c.c_int64,
    "u64": c.c_uint64,
    "size": c.c_size_t,
    "f32": c.c_float,
    "f64": c.c_double,
    "text": c.c_char_p,
    "ptr": c.c_void_p,
}


class Struct(c.Structure):
    def __init__(self, **members: Any):
        super().__init__(c.sizeof(self), **members)


def _struct(name: str, members: str) -> Any:
    """`size count, f64* values, node** nodes, u32[3] grid`: struct_size stands before them."""
    fields = [("struct_size", c.c_size_t)]
    for member in members.split(","):
        word, called = member.split()
        base, _, length = word.rstrip("*").partition("[")
        kind = WORDS[base]
        for _ in range(word.count("*")):
            kind = c.POINTER(kind)
        if length:
            kind = kind * int(length[:-1])
        fields.append((called, kind))
    WORDS[name] = type(name, (Struct,), {"_fields_": fields})
    return WORDS[name]


def read(address: Any, kind: Any) -> Any:
    """A copy of what the library gave out. Members that an older library does not have are 0: none is read beyond its struct_size."""
    address = c.cast(address, c.c_void_p).value
    size = c.c_size_t.from_address(address).value
    copy = kind()
    c.memmove(c.byref(copy), address, min(size, c.sizeof(kind)))
    return copy


def read_each(pointers: Any, count: int) -> list[Any]:
    """The structs behind an array of pointers to them."""
    return [read(pointers[i], pointers._type_._type_) for i in range(count)]


def pointers(structs: Any) -> Any:
    """The array of pointers that functions take; None is NULL. It keeps the structs alive."""
    array = (c.c_void_p * len(structs))(*(None if one is None else c.addressof(one) for one in structs))
    array.structs = structs  # type: ignore[attr-defined]
    return array


def string(text: bytes | None) -> str:
    return (text or b"").decode("utf-8", "replace")


TensorDesc = _struct("tensor_desc", "i32 dtype, i32 layout, size rank, i64* dims")
TensorDescs = _struct("tensor_descs", "size count, tensor_desc** descs")
OperatorName = _struct("operator_name", "text domain, text name")
Attribute = _struct(
    "attribute",
    "text name, i32 type, bool given, f32 f, i64 i, text s, i64* ints, size int_count, text* words, size word_count, f32* floats, size float_count, text* strings, size string_count",
)
Signature = _struct("signature", "text* inputs, size input_count, size least_inputs, size most_inputs")
Capabilities = _struct(
    "capabilities",
    "text name, bool is_cpu, bool subgroup_shuffles, bool timestamps, bool float16, bool float64, bool rounds_to_nearest,"
    "bool keeps_signed_zero_inf_nan, bool cooperative_matrices, bool storage16, u64 max_storage_buffer_range, u32 storage_buffer_alignment,"
    "u32 max_texel_buffer_elements, u32 texel_buffer_alignment, u32 max_uniform_buffer_range, u32 max_storage_buffers,"
    "u32 max_push_constant_bytes, u32 max_invocations, u32[3] max_workgroup_size, u32[3] max_group_count, u32 max_shared_bytes,"
    "u32 max_loop_iterations, u32 subgroup_size, u32[3] cooperative_matrix, u32 invocation_registers, f64 work_per_second",
)
ConstantInput = _struct("constant_input", "size input, ptr tensor, ptr weights")
Specialization = _struct("specialization", "text name, u32 value")
Pipeline = _struct("pipeline", "text kernel, specialization** specialization, size specialization_count")
PrepareOptions = _struct(
    "prepare_options",
    "text kernel, bool reproducible, bool tune, f64 max_dispatch_seconds, constant_input** constants, size constant_count,"
    "ptr epilogue, ptr prologue, bool prologue_scaled, u64 scratch_budget, pipeline** built, size built_count, ptr staging",
)
Explanation = _struct(
    "explanation",
    "tensor_descs* outputs, i64* pads_begin, i64* pads_end, size pad_count, text equation, text kernel,"
    "specialization** specialization, size specialization_count, pipeline** pipelines, size pipeline_count, u32* grids,"
    "size grid_count, f64 seconds, u64 scratch_bytes, u64 packed_bytes, text why, size* in_place, size in_place_count,"
    "i64* host_result, size host_result_count",
)
KernelInfo = _struct(
    "kernel_info", "text name, text unfit, f64 seconds, bool keeps_order, bool only_by_name, bool last_resort"
)
KernelInfos = _struct("kernel_infos", "size count, kernel_info** kernels")
DeviceInfo = _struct(
    "device_info",
    "u32 index, i32 kind, text name, text driver, u32[3] api_version, text uuid, text rejected, capabilities* capabilities,"
    "u32 vendor_id, u32 device_id",
)
DeviceInfos = _struct("device_infos", "size count, device_info** devices")
DeviceOptions = _struct(
    "device_options",
    "text select, ptr get_instance_proc_addr, capabilities* capabilities, bool validation, bool debug_names, bool no_self_test,"
    "bool compiler_statistics, f64 timeout_seconds, u64 max_memory, ptr allocation_callbacks, text tunings,"
    "i64 max_cached_pipelines, ptr log, ptr log_user, text cache_folder, ptr load_cache, ptr store_cache, ptr cache_user,"
    "f64 work_per_second",
)
MemoryUse = _struct(
    "memory_use",
    "u64 used, u64 allocated, u64 peak_used, u64 peak_allocated, u64 limit, u64 staging, u64 peak_staging",
)
CacheUse = _struct(
    "cache_use",
    "text place, text missed, text unwritten, u64 read_bytes, u64 written_bytes, u32 read_pipelines, u32 found,"
    "u32 confirmed, u32 compiled, u32 kept, u32 writes",
)
Peaks = _struct("peaks", "f64 flops_f32, f64 flops_f16, f64 copy_bytes_per_second")
HostTensor = _struct(
    "host_tensor", "tensor_desc* desc, ptr data, size bytes, text* strings, size* string_sizes, size string_count"
)
HostTensors = _struct("host_tensors", "size count, host_tensor** tensors")
ValueInfo = _struct("value_info", "text name, i32 dtype, bool has_shape, size rank, i64* dims, bool decides_dimensions")
ValueInfos = _struct("value_infos", "size count, value_info** values")
MetadataEntry = _struct("metadata_entry", "text key, text value, size value_bytes")
Metadata = _struct("metadata", "size count, metadata_entry** entries")
ModelOptions = _struct("model_options", "text external_data_folder")
NamedDesc = _struct("named_desc", "text name, tensor_desc* desc, ptr value, size value_bytes")
SessionOptions = _struct(
    "session_options",
    "i32 rules, prepare_options* prepare, u32 prepare_threads, u64 max_folded_bytes, u32 without_fusions, u64 max_plans, "
    "u64 max_loop_iterations",
)
NodeReport = _struct(
    "node_report",
    "text name, text op_type, text domain, i64 opset, text* inputs, size input_count, text* outputs, size output_count,"
    "explanation* explanation, i64 fused_into, f64 seconds",
)
ValueReport = _struct(
    "value_report", "text name, tensor_desc* desc, i32 place, u64 bytes, size arena, u64 offset, size first, size last"
)
GraphReport = _struct(
    "graph_report",
    "node_report** nodes, size node_count, value_report** values, size value_count, u64* arenas, size arena_count,"
    "u64 arena_bytes, u64 unshared_bytes, u64 constant_bytes, u64 packed_bytes, u64 scratch_bytes",
)

# The log of DeviceOptions.
Log = c.CFUNCTYPE(None, c.c_void_p, c.c_int32, c.c_char_p)
