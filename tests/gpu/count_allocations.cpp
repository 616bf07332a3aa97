#include "count_allocations.h"

#include <cstdlib>
#include <new>

namespace {

thread_local size_t count = 0;

}  // namespace

void* operator new(size_t size)
{
    ++count;
    if (void* memory = std::malloc(size ? size : 1))
        return memory;
    throw std::bad_alloc();
}

// The sanitizers' own would not match our delete.
void* operator new(size_t size, const std::nothrow_t&) noexcept
{
    ++count;
    return std::malloc(size ? size : 1);
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

}  // namespace vkonnx::gpu_test
