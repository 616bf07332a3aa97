// SPDX-License-Identifier: Apache-2.0
// This file makes dense tensors of a file's sparse ones.
#pragma once

#include "external.h"
#include "graph/graph.h"
#include "parse.h"

namespace vkonnx::onnx {

// Returns the elements of the dense tensor: zeros, or empty strings, but where the sparse one has values. Its shape and indices
// are checked here. The elements are made when they are read. They point into the sparse tensor.
Result<std::shared_ptr<const graph::Content>> content_of(const SparseTensorProto& tensor, const ExternalFolder& folder);

}  // namespace vkonnx::onnx
