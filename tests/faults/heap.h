// The executable's operator new: counts what the library allocates, and lets it fail on request.
//
// The library's own are the allocations of a thread inside a Scope and outside of Vulkan calls.
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

// From now on the library's allocations are numbered, and number `first` fails; `lasting`: all later ones, too.
void inject(size_t first, bool lasting);
void end_injection();
// Since `inject`: allocations that were asked for, and how many failed.
size_t asked();
size_t injected();

// The library's blocks that were not freed yet.
int64_t live();

}  // namespace vkonnx::faults::heap
