// SPDX-License-Identifier: Apache-2.0
// This file reads a node's attributes into the operators' structs. Attributes that are unknown or of a wrong type are refused.
#pragma once

#include "external.h"
#include "graph/graph.h"
#include "parse.h"

namespace vkonnx::onnx {

// Returns elements that lie in the model's file, or in another in the folder, checked but not read. They point into the tensor.
Result<std::shared_ptr<const graph::Content>> content_of(const TensorProto& tensor, const ExternalFolder& folder);

// Sets node.operation, and node.content for a Constant or ConstantOfShape. node.info and node.opset must be set. The opset goes
// into structs that have one. Which attributes a version of a kernel's operator has is not checked here, but by the operator.
Status read_attributes(const NodeProto& proto, const ExternalFolder& folder, graph::Node& node);

}  // namespace vkonnx::onnx
