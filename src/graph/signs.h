// SPDX-License-Identifier: Apache-2.0
// This file finds values that are never below 0, as far as the operators tell.
#pragma once

#include <vector>

#include "graph/calls.h"

namespace vkonnx::graph {

// Returns a flag for each block: whether no element is below 0, though it may be NaN. This stays so, whatever is fused.
Result<std::vector<bool>> nowhere_negative(const Calls& calls);

}  // namespace vkonnx::graph
