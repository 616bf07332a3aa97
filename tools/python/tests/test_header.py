# SPDX-License-Identifier: Apache-2.0
"""The package's structs and functions are those of vkonnx.h and onnx.h, word by word."""

import ctypes as c
import pathlib
import re

import pytest
import vkonnx
from vkonnx import _library, _reports, _structs

INCLUDE = pathlib.Path(__file__).parent / "../../../include/vkonnx"
if not INCLUDE.is_dir():
    pytest.skip("the headers are not here", allow_module_level=True)

TEXT = "".join((INCLUDE / name).read_text() for name in ("vkonnx.h", "onnx.h"))
TEXT = re.sub(r"/\*.*?\*/|//[^\n]*", "", TEXT, flags=re.S)
TEXT = re.sub(r"^#.*$", "", TEXT, flags=re.M)
NUMBERS = {"int32_t": "i32", "uint32_t": "u32", "int64_t": "i64", "uint64_t": "u64", "size_t": "size", "float": "f32",
           "double": "f64", "bool": "bool"}  # fmt: skip
NUMBERS.update({word: "i32" for word in re.findall(r"typedef int32_t (\w+);", TEXT)})
STRUCTS = {name: body for name, body in re.findall(r"typedef struct vkonnx_(\w+) \{(.*?)\}", TEXT, flags=re.S)}


def word(declared: str) -> str:
    """`const char* const*` -> `text*`, as _structs has it."""
    if re.match(r"\s*char\*", declared):  # to be destroyed: its address is wanted
        return "ptr"
    declared = re.sub(r"\b(const|struct)\b", "", declared)
    base, stars = declared.replace("*", "").strip(), declared.count("*")
    if base == "char":
        return "text" + "*" * (stars - 1)
    if base in NUMBERS:
        return NUMBERS[base] + "*" * stars
    name = base.replace("vkonnx_", "")
    return name + "*" * stars if name in STRUCTS and stars else "ptr"


def members(body: str):
    for line in filter(None, (line.strip() for line in body.split(";"))):
        function = re.match(r"\w+ \(\*(\w+)\)", line)
        if function:
            yield function[1], "ptr"
            continue
        kind, name, length = re.fullmatch(r"(.*?)(\w+)(\[\d+\])?", line, flags=re.S).groups()
        yield name, word(kind) + (length or "")


def kind_of(text: str):
    base, _, length = text.rstrip("*").partition("[")
    kind = _structs.WORDS[base]
    for _ in range(text.count("*")):
        kind = c.POINTER(kind)
    return kind * int(length[:-1]) if length else kind


OURS = [name for name in _structs.WORDS if isinstance(_structs.WORDS[name], type) and issubclass(_structs.WORDS[name], c.Structure)]


@pytest.mark.parametrize("name", OURS)
def test_struct(name):
    declared = []
    for member, text in members(STRUCTS[name]):
        # What is only passed on is a plain pointer.
        base = text.rstrip("*").partition("[")[0]
        declared.append((member, c.c_void_p if base == "ptr" or base not in _structs.WORDS else kind_of(text)))
    assert _structs.WORDS[name]._fields_ == declared


@pytest.mark.parametrize("name", [*_library.CORE, *_library.ONNX])
def test_function(name):
    declaration = re.search(rf"(?:VKONNX_C_API|VKONNX_ONNX_C_API) ([^;]*?)\b{name}\(([^;]*)\);", TEXT, flags=re.S)
    assert declaration, "the headers do not have it"
    result, arguments = declaration.groups()

    def passed(text):
        return "ptr" if word(text).endswith("*") else word(text)

    def argument(text):
        return passed(re.fullmatch(r"(.*?)(\w+)", text.strip(), flags=re.S)[1])

    if result.strip() == "void":
        result = "none"
    elif "vkonnx_status*" in result:
        result = "status"
    else:
        result = passed(result)
    given = [] if arguments.strip() == "void" else [argument(one) for one in arguments.split(",")]
    assert [result, *given] == (_library.CORE.get(name) or _library.ONNX[name]).split()


def constants(of: str) -> dict:
    body = re.search(rf"typedef int32_t vkonnx_{of};\s*enum \{{(.*?)\}}", TEXT, flags=re.S)[1]
    return {name.lower(): int(number) for name, number in re.findall(r"VKONNX_(\w+) = (\d+)", body)}


def test_numbers():
    assert {one.name: one.value for one in vkonnx.DType} == constants("dtype")
    assert {one.name: one.value for one in vkonnx.Code} == constants("code")
    from vkonnx._device import LOG_LEVELS

    for words, prefix, of in (
        (_reports.LAYOUTS, "", "layout"),
        (_reports.RULES, "rules_", "rules"),
        (_reports.KINDS, "kind_", "device_kind"),
        (_reports.PLACES, "place_", "value_place"),
        (LOG_LEVELS, "log_", "log_level"),
    ):
        assert {prefix + one.lower(): i for i, one in enumerate(words)} == constants(of)


def test_dataclasses_have_what_structs_have():
    import dataclasses

    pairs = [(vkonnx.Capabilities, "capabilities"), (vkonnx.DeviceInfo, "device_info"), (vkonnx.Explanation, "explanation"),
             (vkonnx.KernelInfo, "kernel_info"), (vkonnx.NodeReport, "node_report"), (vkonnx.ValueReport, "value_report"),
             (vkonnx.GraphReport, "graph_report"), (vkonnx.MemoryUse, "memory_use"), (vkonnx.Peaks, "peaks"),
             (vkonnx.CacheUse, "cache_use")]  # fmt: skip
    for ours, theirs in pairs:
        counts = {"pad_count", *(name for name, _ in members(STRUCTS[theirs]) if name.endswith("_count"))}
        declared = {name for name, _ in members(STRUCTS[theirs])} - counts - {"struct_size"}
        if theirs == "capabilities":
            declared.add("max_group_count")
        assert {field.name for field in dataclasses.fields(ours)} == declared


def test_code_names():
    assert [_library.core.vkonnx_code_name(code).decode() for code in vkonnx.Code] == [code.name for code in vkonnx.Code]


def test_bits_of_packed_types():
    from vkonnx._dtypes import PACKED_BITS

    bits = {one: _library.core.vkonnx_dtype_bits(one) for one in vkonnx.DType}
    assert PACKED_BITS == {one: n for one, n in bits.items() if 0 < n < 8}


def test_what_an_older_library_lacks_is_0():
    """A struct of less than we know: its last members are not read."""
    whole = _structs.KernelInfo(name=b"direct", unfit=b"too large", seconds=2.5, keeps_order=True)
    whole.struct_size = _structs.KernelInfo.unfit.offset
    copy = _structs.read(c.addressof(whole), _structs.KernelInfo)
    assert (copy.name, copy.unfit, copy.seconds, copy.keeps_order) == (b"direct", None, 0, False)
