// Nothing throws across the library's boundary.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <new>
#include <stdexcept>

namespace vkonnx::onnx {

// What `work` returns, a Result or a Status; out of memory where it runs out of it.
template <class Work>
auto guarded(Work work) -> decltype(work())
{
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return Status::from_literal(Code::out_of_memory, "the host has not enough memory for this model");
    } catch (const std::length_error&) {
        return Status::from_literal(Code::out_of_memory, "this model needs more memory than a process can have");
    }
}

}  // namespace vkonnx::onnx
