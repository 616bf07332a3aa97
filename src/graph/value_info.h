// SPDX-License-Identifier: Apache-2.0
// This file compares what a model declares about a graph input or output with what is there.
#pragma once

#include <string>

#include "graph/graph.h"

namespace vkonnx::graph {

// Returns text such as "float[1,3,?,?]".
std::string to_string(const ValueInfo& info);

// Tells whether the type and every extent are declared.
bool is_complete(const ValueInfo& info);

// Returns what in `desc` contradicts the declaration, as half a sentence, or "".
std::string contradiction(const ValueInfo& info, const TensorDesc& desc);

}  // namespace vkonnx::graph
