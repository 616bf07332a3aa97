#include "heap.h"

#include <atomic>
#include <cstdlib>
#include <new>

#include "kit/vulkan_shim.h"

namespace {

thread_local int scopes = 0;
thread_local bool injecting = false;
thread_local bool lasting = false;
thread_local size_t first = SIZE_MAX;
thread_local size_t asked_for = 0;
thread_local size_t failed = 0;
std::atomic<int64_t> live_blocks = 0;

// A header lies in front of every block. Its size keeps the block aligned.
struct alignas(__STDCPP_DEFAULT_NEW_ALIGNMENT__) Header {
    bool counted;
};

bool fails()
{
    if (!injecting)
        return false;
    const size_t number = asked_for++;
    const bool now = number == first || (number > first && lasting);
    failed += now;
    return now;
}

void* allocate(size_t size) noexcept
{
    const bool counted = scopes > 0 && !vkonnx::kit::VulkanShim::below();
    if (counted && fails())
        return nullptr;
    if (size > SIZE_MAX - sizeof(Header))
        return nullptr;
    void* const memory = std::malloc(size + sizeof(Header));
    if (!memory)
        return nullptr;
    live_blocks += counted;
    return new (memory) Header{counted} + 1;
}

void release(void* memory) noexcept
{
    if (!memory)
        return;
    Header* const header = static_cast<Header*>(memory) - 1;
    live_blocks -= header->counted;
    std::free(header);
}

}  // namespace

void* operator new(size_t size)
{
    if (void* const memory = allocate(size))
        return memory;
    throw std::bad_alloc();
}

void* operator new(size_t size, const std::nothrow_t&) noexcept
{
    return allocate(size);
}

void* operator new[](size_t size)
{
    return operator new(size);
}

void* operator new[](size_t size, const std::nothrow_t&) noexcept
{
    return allocate(size);
}

void operator delete(void* memory) noexcept
{
    release(memory);
}

void operator delete(void* memory, size_t) noexcept
{
    release(memory);
}

void operator delete(void* memory, const std::nothrow_t&) noexcept
{
    release(memory);
}

void operator delete[](void* memory) noexcept
{
    release(memory);
}

void operator delete[](void* memory, size_t) noexcept
{
    release(memory);
}

void operator delete[](void* memory, const std::nothrow_t&) noexcept
{
    release(memory);
}

namespace vkonnx::faults::heap {

Scope::Scope()
{
    ++scopes;
}

Scope::~Scope()
{
    --scopes;
}

void inject(size_t number, bool all_later)
{
    first = number;
    lasting = all_later;
    asked_for = 0;
    failed = 0;
    injecting = true;
}

void end_injection()
{
    injecting = false;
}

size_t asked()
{
    return asked_for;
}

size_t injected()
{
    return failed;
}

int64_t live()
{
    return live_blocks;
}

}  // namespace vkonnx::faults::heap
