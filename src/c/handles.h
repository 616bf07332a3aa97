// SPDX-License-Identifier: Apache-2.0
// This file has what stands behind the handles of vkonnx.h, and tells how both libraries of C cross the boundary: what a function
// is given is checked and read here, what it throws ends here, and what it gives out lives here.
#pragma once

#include <vkonnx/vkonnx.h>
#include <vkonnx/vkonnx.hpp>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <memory_resource>
#include <new>

#include "guard.h"

struct vkonnx_status {
    vkonnx_code code = VKONNX_OK;
    bool is_literal = false;   // whether nobody needs to free it
    const char* message = "";  // text that lies behind the struct, in one piece of memory with it
};

namespace vkonnx::c {

// ---- memory that is given out

// A Memory holds structs, lists and texts of one lifetime. They are plain, so none of them is ever destroyed by itself.
class Memory {
public:
    template <class T>
    T* make()
    {
        static_assert(std::is_trivially_destructible_v<T>);
        T* made = new (memory_.allocate(sizeof(T), alignof(T))) T();
        if constexpr (requires { made->struct_size; })
            made->struct_size = sizeof(T);
        return made;
    }
    const char* text(std::string_view text)
    {
        char* copy = static_cast<char*>(memory_.allocate(text.size() + 1, 1));
        if (!text.empty())
            std::memcpy(copy, text.data(), text.size());
        copy[text.size()] = 0;
        return copy;
    }
    // Returns what `convert` makes of each element, side by side, or null where there are no elements.
    template <class Range, class Convert>
    auto list(const Range& elements, Convert convert)
    {
        using T = std::remove_cvref_t<decltype(convert(*std::begin(elements)))>;
        const size_t count = std::size(elements);
        T* list = count > 0 ? static_cast<T*>(memory_.allocate(count * sizeof(T), alignof(T))) : nullptr;
        size_t i = 0;
        for (const auto& element : elements)
            new (list + i++) T(convert(element));
        return static_cast<const T*>(list);
    }

private:
    std::pmr::monotonic_buffer_resource memory_;
};

// An Owned is a struct that is given out, and destroyed together with what it points to.
template <class Struct>
struct Owned : Struct {
    Owned() : Struct() { this->struct_size = sizeof(Struct); }
    Memory memory;
};

// An OwnedFrom is one that also holds the value that it was made of, because it points into it.
template <class Struct, class Source>
struct OwnedFrom : Owned<Struct> {
    explicit OwnedFrom(Source given) : source(std::move(given)) {}
    Source source;
};

// ---- errors

// Returns null for a status that is ok. It never fails: without memory it returns a status that says so.
vkonnx_status* to_c(const Status& status) noexcept;

struct Argument {
    const char* name;
    const void* given;
};

inline Status require(const char* function, std::initializer_list<Argument> arguments)
{
    for (const Argument& argument : arguments)
        if (!argument.given)
            return Status(Code::invalid_argument, std::string(function) + ": " + argument.name + " is NULL");
    return {};
}

// This is the body of a function of C. `work` gives a Status, and is called once all of `arguments` are known to be there.
template <class Work>
vkonnx_status* call(const char* function, std::initializer_list<Argument> arguments, Work work) noexcept
{
    return to_c(guarded([&]() -> Status {
        Status status = require(function, arguments);
        return status ? work() : status;
    }));
}

// ---- what is passed in

// Reads a caller's struct, with 0 for members that an older caller does not have. `what` names it for people.
template <class Struct>
Result<Struct> read(const char* what, const Struct* given)
{
    Struct own = {};
    own.struct_size = sizeof(Struct);
    if (!given)
        return own;
    constexpr size_t most = 4096;  // no struct is larger: a size that was never set is not followed into the unknown
    const size_t size = given->struct_size;
    if (size <= sizeof(size_t) || size > most)
        return Status(Code::invalid_argument, std::string(what) + "::struct_size is " + std::to_string(size) +
                                                  ", expected sizeof(" + what + "), " + std::to_string(sizeof(Struct)) + " here");
    const std::byte* bytes = reinterpret_cast<const std::byte*>(given);
    for (size_t i = sizeof(Struct); i < size; ++i)
        if (bytes[i] != std::byte(0))
            return Status(Code::unsupported, std::string(what) + " has members behind its first " +
                                                 std::to_string(sizeof(Struct)) +
                                                 " bytes that are not 0, and this version of the library does not know them");
    std::memcpy(&own, given, std::min(size, sizeof(Struct)));
    return own;
}

// Fills a caller's struct as far as it reaches.
template <class Struct>
Status fill(const char* what, Struct own, Struct* result)
{
    Result<Struct> given = read(what, result);
    if (!given && given.code() != Code::unsupported)
        return given.status();
    own.struct_size = result->struct_size;
    std::memcpy(result, &own, std::min(own.struct_size, sizeof(Struct)));
    return {};
}

inline std::string text(const char* given)
{
    return given ? std::string(given) : std::string();
}

// Reads a list of C, which has `count` elements and may be null only without any. `convert` makes a Result of each.
template <class T, class Convert>
auto read_list(const std::string& what, const T* elements, size_t count, Convert convert)
    -> Result<std::vector<std::remove_cvref_t<decltype(*convert(std::string(), elements[0]))>>>
{
    std::vector<std::remove_cvref_t<decltype(*convert(std::string(), elements[0]))>> all;
    if (!elements && count > 0)
        return Status(Code::invalid_argument, what + " is NULL, but counts " + std::to_string(count) + " elements");
    for (size_t i = 0; i < count; ++i) {
        auto one = convert(what + "[" + std::to_string(i) + "]", elements[i]);
        if (!one)
            return one.status();
        all.push_back(std::move(*one));
    }
    return all;
}

Result<TensorDesc> desc_of(const std::string& what, const vkonnx_tensor_desc* given);
// A description that is NULL stands for an input that was left out.
Result<std::vector<TensorDesc>> inputs_of(const char* function, const vkonnx_tensor_desc* const* inputs, size_t count);
Result<std::vector<Tensor>> tensors_of(const char* function, const char* argument, const vkonnx_tensor* const* tensors,
                                       size_t count, bool may_be_null = false);
Result<Rules> rules_of(const char* what, vkonnx_rules rules);
Result<Capabilities> capabilities_of(const vkonnx_capabilities* given);
Result<PrepareOptions> options_of(const vkonnx_prepare_options* given);
Result<DeviceOptions> options_of(const vkonnx_device_options* given);

// ---- what is given out

void fill(vkonnx_tensor_desc& place, const TensorDesc& desc);
void fill(vkonnx_tensor_descs& place, std::span<const TensorDesc> descs, Memory& memory);
void fill(vkonnx_capabilities& place, const Capabilities& capabilities);
void fill(vkonnx_device_info& place, const DeviceInfo& info, Memory& memory);
void fill(vkonnx_explanation& place, const Explanation& explanation, Memory& memory);

// Gives out a copy, which vkonnx_string_destroy frees.
Status hand_out_text(std::string_view text, char** result);

// An ExplainedPipeline is a vkonnx_pipeline of an explanation, with the planned pipeline that it stands for.
struct ExplainedPipeline : vkonnx_pipeline {
    const PlannedPipeline* planned = nullptr;
};

// Makes a struct for each element, and the array of pointers to the structs. The structs point into the elements.
template <class Struct, class Range, class Fill>
const Struct* const* make_list(const Range& elements, Memory& memory, Fill fill_one)
{
    return memory.list(elements, [&](const auto& element) {
        Struct* made = memory.make<Struct>();
        fill_one(*made, element);
        return static_cast<const Struct*>(made);
    });
}

inline const char* const* make_texts(std::span<const std::string> texts, Memory& memory)
{
    return memory.list(texts, [](const std::string& text) { return text.c_str(); });
}

// ---- handles

template <class Handle, class Value>
Status hand_out(Result<Value> made, Handle** result)
{
    if (!made)
        return made.status();
    *result = new Handle{std::move(*made)};
    return {};
}

}  // namespace vkonnx::c

struct vkonnx_operator {
    vkonnx::Operator op;
    vkonnx::Signature takes = {};
    vkonnx_signature signature = {};
    std::vector<vkonnx_attribute> attributes = {};  // their values point into `op`, and those of lists of strings into `strings`
    std::vector<std::vector<const char*>> strings = {};
    vkonnx::c::Memory memory = {};  // for what never changes
};

struct vkonnx_device {
    explicit vkonnx_device(vkonnx::Device given);
    vkonnx::Device device;
    vkonnx_device_info info = {};
    vkonnx::c::Memory memory = {};
};

struct vkonnx_tensor {
    explicit vkonnx_tensor(vkonnx::Tensor given);
    vkonnx::Tensor tensor;
    vkonnx_tensor_desc desc = {};
};

struct vkonnx_op {
    explicit vkonnx_op(vkonnx::Op given);
    vkonnx::Op op;
    vkonnx_tensor_descs inputs = {};
    vkonnx_tensor_descs outputs = {};
    vkonnx_explanation explanation = {};
    vkonnx::c::Memory memory = {};
};

struct vkonnx_binding {
    vkonnx::Binding binding;
};

struct vkonnx_recording {
    vkonnx::Recording recording;
};

struct vkonnx_job {
    vkonnx::Job job;
};

struct vkonnx_weights {
    vkonnx::Weights weights;
};

struct vkonnx_staging {
    vkonnx::Staging staging;
};
