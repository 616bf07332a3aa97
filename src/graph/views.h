// SPDX-License-Identifier: Apache-2.0
// This file computes the dimensions that operators which only rename memory give, in every version.
#pragma once

#include "graph/operators.h"

namespace vkonnx::graph {

// Returns the dimensions of the output. `values` are the second input's elements where the node has one that decides dimensions.
Result<std::vector<int64_t>> view_dims(const View& view, std::string_view name, int64_t version, const std::vector<int64_t>& data,
                                       const OptionalList& values);

}  // namespace vkonnx::graph
