// This is the executable's operator new. It counts what the library allocates, and lets it fail on request. Allocations belong to
// the library where a thread makes them inside a Scope and outside of Vulkan calls.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vkonnx::faults::heap {

class Scope {
public:
    Scope();
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
};

// Numbers the library's allocations from now on, and lets number `first` fail. With `lasting` all later ones fail, too.
void inject(size_t first, bool lasting);
void end_injection();
// Return how many allocations were asked for since `inject`, and how many of them failed.
size_t asked();
size_t injected();

// Returns how many of the library's blocks were not freed yet.
int64_t live();

}  // namespace vkonnx::faults::heap
