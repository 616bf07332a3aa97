// SPDX-License-Identifier: Apache-2.0
// What a model declares about a graph input or output, against what is there.
#pragma once

#include <string>

#include "graph/graph.h"

namespace vkonnx::graph {

// "float[1,3,?,?]"
std::string to_string(const ValueInfo& info);

// Whether type and every extent are declared.
bool is_complete(const ValueInfo& info);

// What in `desc` the declaration rules out, as half a sentence; empty if nothing.
std::string contradiction(const ValueInfo& info, const TensorDesc& desc);

}  // namespace vkonnx::graph
