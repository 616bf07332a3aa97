// SPDX-License-Identifier: Apache-2.0
// The operators that only rename memory: Identity, Reshape, Flatten, Squeeze, Unsqueeze, and Constant, in every version.
// Types are not restricted as the documents of old versions do: no element is ever looked at.
#pragma once

#include <vkonnx/onnx.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph.h"

namespace vkonnx::onnx {

// The operator's version for messages and rules: "Reshape-14".
int64_t view_version(const Node& node);

// Whether the second input (a new shape, or axes) decides the dimensions: Reshape from 5, Squeeze and Unsqueeze from 13.
bool has_values_input(const Node& node);

// Dimensions of the output. `values` are the second input's elements where the node has one.
Result<std::vector<int64_t>> view_dims(const Node& node, const TensorDesc& data,
                                       const std::optional<std::vector<int64_t>>& values);

// What a Constant holds: a tensor in the file, or one made from its number or string attributes.
struct ConstantContent {
    TensorDesc desc = {};
    std::shared_ptr<const TensorProto> stored = {};
    std::shared_ptr<const HostTensor> made = {};
};
Result<ConstantContent> read_constant(const Node& node);

}  // namespace vkonnx::onnx
