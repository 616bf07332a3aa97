#include "heap.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

std::atomic<size_t> held = 0;
std::atomic<size_t> peak = 0;
std::atomic<uint64_t> allocations = 0;

// In front of each piece of memory stands its size.
constexpr size_t front = alignof(std::max_align_t);
static_assert(front >= sizeof(size_t));

void* take(size_t size) noexcept
{
    void* const memory = size > SIZE_MAX - front ? nullptr : std::malloc(size + front);
    if (!memory)
        return nullptr;
    *static_cast<size_t*>(memory) = size;
    ++allocations;
    const size_t now = held += size;
    if (now > peak)  // a race between threads would lose some of a peak, but no more
        peak = now;
    return static_cast<std::byte*>(memory) + front;
}

void give_back(void* memory) noexcept
{
    if (!memory)
        return;
    std::byte* const start = static_cast<std::byte*>(memory) - front;
    held -= *reinterpret_cast<size_t*>(start);
    std::free(start);
}

}  // namespace

void* operator new(size_t size)
{
    if (void* memory = take(size))
        return memory;
    throw std::bad_alloc();
}

// Operators of the sanitizers would not match the delete of this file.
void* operator new(size_t size, const std::nothrow_t&) noexcept
{
    return take(size);
}

void operator delete(void* memory) noexcept
{
    give_back(memory);
}

void operator delete(void* memory, size_t) noexcept
{
    give_back(memory);
}

namespace vkonnx {

HeapUse::HeapUse() : held_before_(held), allocations_before_(::allocations)
{
    peak = held_before_;
}

size_t HeapUse::peak_bytes() const
{
    return peak - held_before_;
}

uint64_t HeapUse::allocations() const
{
    return ::allocations - allocations_before_;
}

}  // namespace vkonnx
