#pragma once

#include <cstddef>
#include <cstdint>

namespace vkonnx::gpu_test {

// Allocations by operator new of this thread, in the whole executable, so far.
size_t allocations();

// While it lives, allocations by operator new of this thread fail: `count` of them, after `first` that succeed. One at a time.
class FailAllocations {
public:
    explicit FailAllocations(size_t first, size_t count = SIZE_MAX);
    ~FailAllocations();
    FailAllocations(const FailAllocations&) = delete;
    FailAllocations& operator=(const FailAllocations&) = delete;

    size_t failed() const;
};

}  // namespace vkonnx::gpu_test
