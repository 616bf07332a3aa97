// SPDX-License-Identifier: Apache-2.0
// Which values are never below 0, as far as the operators tell.
#pragma once

#include <vector>

#include "graph/calls.h"

namespace vkonnx::graph {

// A flag for each block that there is: no element is below 0, though it may be NaN. It stays so, whatever is fused.
Result<std::vector<bool>> nowhere_negative(const Calls& calls);

}  // namespace vkonnx::graph
