// SPDX-License-Identifier: Apache-2.0
// This file has what needs no handle: version, statuses, descriptions and presets.
#include <array>
#include <cstdlib>

#include "c/handles.h"

using namespace vkonnx;
using namespace vkonnx::c;

namespace {

// Returns the name of a number, or "" for one that has none. Names in C++ are literals, which end with a zero.
template <class Value>
const char* name_or_empty(int32_t number, int32_t last)
{
    const std::string_view text = number < 0 || number > last ? std::string_view() : name(Value(number));
    return text.empty() ? "" : text.data();
}

}  // namespace

const char* vkonnx_version(void)
{
    return version().data();
}

vkonnx_code vkonnx_status_code(const vkonnx_status* status)
{
    return status ? status->code : VKONNX_OK;
}

const char* vkonnx_status_message(const vkonnx_status* status)
{
    return status ? status->message : "";
}

vkonnx_status* vkonnx_status_create(vkonnx_code code, const char* message)
{
    return to_c(guarded([&] { return Status(Code(code), text(message)); }));
}

void vkonnx_status_destroy(vkonnx_status* status)
{
    if (status && !status->is_literal)
        std::free(status);
}

const char* vkonnx_code_name(vkonnx_code code)
{
    constexpr std::array names = {"ok",          "invalid_argument", "unsupported", "out_of_memory", "no_loader",
                                  "no_driver",   "no_device",        "device_lost", "timeout",       "io",
                                  "driver_error"};
    return code < 0 || size_t(code) >= names.size() ? "" : names[size_t(code)];
}

void vkonnx_string_destroy(char* text)
{
    std::free(text);
}

void vkonnx_tensor_descs_destroy(const vkonnx_tensor_descs* descs)
{
    delete static_cast<const OwnedFrom<vkonnx_tensor_descs, std::vector<TensorDesc>>*>(descs);
}

const char* vkonnx_dtype_name(vkonnx_dtype dtype)
{
    return name_or_empty<DType>(dtype, VKONNX_INT2);
}

uint32_t vkonnx_dtype_bits(vkonnx_dtype dtype)
{
    return dtype < 0 || dtype > VKONNX_INT2 ? 0 : bits(DType(dtype));
}

const char* vkonnx_layout_name(vkonnx_layout layout)
{
    return name_or_empty<Layout>(layout, VKONNX_NXC);
}

vkonnx_status* vkonnx_element_count(const vkonnx_tensor_desc* desc, int64_t* count)
{
    return call(__func__, {{"desc", desc}, {"count", count}}, [&]() -> Status {
        const Result<TensorDesc> read = desc_of("desc", desc);
        const Result<int64_t> elements = read ? element_count(*read) : read.status();
        if (elements)
            *count = *elements;
        return elements.status();
    });
}

vkonnx_status* vkonnx_byte_size(const vkonnx_tensor_desc* desc, uint64_t* bytes)
{
    return call(__func__, {{"desc", desc}, {"bytes", bytes}}, [&]() -> Status {
        const Result<TensorDesc> read = desc_of("desc", desc);
        const Result<uint64_t> size = read ? byte_size(*read) : read.status();
        if (size)
            *bytes = *size;
        return size.status();
    });
}

vkonnx_status* vkonnx_tensor_desc_to_string(const vkonnx_tensor_desc* desc, char** text)
{
    return call(__func__, {{"desc", desc}, {"text", text}}, [&]() -> Status {
        const Result<TensorDesc> read = desc_of("desc", desc);
        return read ? hand_out_text(to_string(*read), text) : read.status();
    });
}

// ---- capabilities

namespace {

using OwnedCapabilities = OwnedFrom<vkonnx_capabilities, Capabilities>;

Status hand_out_capabilities(Capabilities capabilities, vkonnx_capabilities** result)
{
    auto owned = std::make_unique<OwnedCapabilities>(std::move(capabilities));
    fill(*owned, owned->source);
    *result = owned.release();
    return {};
}

}  // namespace

const char* vkonnx_capabilities_preset_name(size_t index)
{
    const std::span<const std::string_view> names = Capabilities::preset_names();
    return index < names.size() ? names[index].data() : nullptr;
}

vkonnx_status* vkonnx_capabilities_preset(const char* name, vkonnx_capabilities** result)
{
    return call(__func__, {{"name", name}, {"result", result}}, [&]() -> Status {
        Result<Capabilities> preset = Capabilities::preset(name);
        return preset ? hand_out_capabilities(std::move(*preset), result) : preset.status();
    });
}

vkonnx_status* vkonnx_capabilities_lowered_to(const vkonnx_capabilities* capabilities, const vkonnx_capabilities* limit,
                                              vkonnx_capabilities** result)
{
    return call(__func__, {{"capabilities", capabilities}, {"limit", limit}, {"result", result}}, [&]() -> Status {
        const Result<Capabilities> first = capabilities_of(capabilities);
        const Result<Capabilities> second = capabilities_of(limit);
        if (!first || !second)
            return first ? second.status() : first.status();
        return hand_out_capabilities(first->lowered_to(*second), result);
    });
}

void vkonnx_capabilities_destroy(vkonnx_capabilities* capabilities)
{
    delete static_cast<OwnedCapabilities*>(capabilities);
}
