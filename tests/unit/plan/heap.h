#pragma once

#include <cstddef>
#include <cstdint>

namespace vkonnx {

// This class counts what operator new did in the whole executable since the object was made. There is one object at a time.
class HeapUse {
public:
    HeapUse();
    // Returns the most bytes that were held at a time, beyond what was held before.
    size_t peak_bytes() const;
    uint64_t allocations() const;

private:
    size_t held_before_;
    uint64_t allocations_before_;
};

}  // namespace vkonnx
