#pragma once

#include <cstddef>

namespace vkonnx::gpu_test {

// Allocations by operator new of this thread, in the whole executable, so far.
size_t allocations();

}  // namespace vkonnx::gpu_test
