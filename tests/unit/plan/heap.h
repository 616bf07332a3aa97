#pragma once

#include <cstddef>

namespace vkonnx {

// The most that operator new held at a time since this stands, beyond what it held then, in the whole executable. One at a time.
class PeakHeap {
public:
    PeakHeap();
    size_t bytes() const;

private:
    size_t before_;
};

}  // namespace vkonnx
