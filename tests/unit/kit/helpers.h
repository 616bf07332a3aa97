// This header holds what tests of this folder share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "kit/reference.h"

namespace vkonnx::kit {

inline constexpr double inf = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Returns how many elements lie between the first and the last that a window reads, both included.
inline int64_t dilated(const ReferenceAxis& axis)
{
    return (axis.kernel - 1) * axis.dilation + 1;
}

inline bool any_axis(const std::vector<ReferenceAxis>& axes, bool (*holds)(const ReferenceAxis&))
{
    return std::any_of(axes.begin(), axes.end(), holds);
}

}  // namespace vkonnx::kit
