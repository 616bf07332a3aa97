#pragma once

#include <cstddef>
#include <cstdint>

namespace vkonnx::gpu_test {

// Returns the number of allocations by operator new of this thread so far, in the whole executable.
size_t allocations();

// While an object of this class lives, allocations by operator new of this thread fail: `count` of them, after `first` that
// succeed. There is one at a time.
class FailAllocations {
public:
    explicit FailAllocations(size_t first, size_t count = SIZE_MAX);
    ~FailAllocations();
    FailAllocations(const FailAllocations&) = delete;
    FailAllocations& operator=(const FailAllocations&) = delete;

    size_t failed() const;
};

}  // namespace vkonnx::gpu_test
