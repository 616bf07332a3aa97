// SPDX-License-Identifier: Apache-2.0
// This file is the boundary of the library, for every layer with public functions: what is thrown below ends here, and what is
// empty or null is refused in the same words.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <new>
#include <stdexcept>

namespace vkonnx {

// Returns what `work` returns, a Status or a Result. Where it throws, the result is a Status with a literal.
template <class Work>
auto guarded(Work work) noexcept -> decltype(work())
{
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return Status::from_literal(Code::out_of_memory, "the host is out of memory");
    } catch (const std::length_error&) {
        return Status::from_literal(Code::out_of_memory, "the host is out of memory");
    } catch (...) {
        return Status::from_literal(Code::driver_error, "an exception was thrown where none is expected");
    }
}

// This is for functions that can't say why they fail. It returns `lesser` where `work` throws.
template <class Value, class Work>
Value guarded_or(Value lesser, Work work) noexcept
{
    try {
        return work();
    } catch (...) {
        return lesser;
    }
}

// Returns an error such as "Device::run: the Binding is an empty handle".
inline Status refuse_empty(const char* function, const std::string& argument)
{
    return Status(Code::invalid_argument, std::string(function) + ": " + argument + " is an empty handle");
}

// Refuses a span that counts elements in no memory.
template <class T>
Status check_span(const char* function, const char* argument, std::span<T> elements)
{
    if (elements.data() || elements.empty())
        return {};
    return Status(Code::invalid_argument, std::string(function) + ": " + argument + " is null, but counts " +
                                              std::to_string(elements.size()) + " elements");
}

}  // namespace vkonnx
