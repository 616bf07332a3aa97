#include "count_allocations.h"

#include <cstdlib>
#include <new>

namespace {

thread_local size_t count = 0;
thread_local size_t succeeding = SIZE_MAX;  // the allocations before the first that fails
thread_local size_t failing = 0;
thread_local size_t failed_so_far = 0;

void* allocate(size_t size) noexcept
{
    ++count;
    if (succeeding > 0) {
        succeeding -= succeeding != SIZE_MAX;
    } else if (failing > 0) {
        --failing;
        ++failed_so_far;
        return nullptr;
    }
    return std::malloc(size ? size : 1);
}

}  // namespace

void* operator new(size_t size)
{
    if (void* memory = allocate(size))
        return memory;
    throw std::bad_alloc();
}

// This is replaced, too, because the sanitizers' own would not match our delete.
void* operator new(size_t size, const std::nothrow_t&) noexcept
{
    return allocate(size);
}

void operator delete(void* memory) noexcept
{
    std::free(memory);
}

void operator delete(void* memory, size_t) noexcept
{
    std::free(memory);
}

namespace vkonnx::gpu_test {

size_t allocations()
{
    return count;
}

FailAllocations::FailAllocations(size_t first, size_t most)
{
    succeeding = first;
    failing = most;
    failed_so_far = 0;
}

FailAllocations::~FailAllocations()
{
    succeeding = SIZE_MAX;
    failing = 0;
}

size_t FailAllocations::failed() const
{
    return failed_so_far;
}

}  // namespace vkonnx::gpu_test
