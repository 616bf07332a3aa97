// SPDX-License-Identifier: Apache-2.0
// A node's attributes in the operators' structs; every attribute is of the right type and known, or refused by name.
#pragma once

#include "external.h"
#include "graph/graph.h"
#include "parse.h"

namespace vkonnx::onnx {

// Elements that the file holds, or another one in the folder, checked but not read. They look into the tensor.
Result<std::shared_ptr<const graph::Content>> content_of(const TensorProto& tensor, const ExternalFolder& folder);

// Sets node.operation, or node.content where the node is a Constant; node.info and node.opset are known. The opset goes into
// structs that have one. Which attribute a version of a kernel's operator has is the operator's own matter, not checked here.
Status read_attributes(const NodeProto& proto, const ExternalFolder& folder, graph::Node& node);

}  // namespace vkonnx::onnx
