// SPDX-License-Identifier: Apache-2.0
// Operators on the host, for values that are known before anything runs: what models compute shapes with.
#pragma once

#include <optional>

#include "graph/graph.h"

namespace vkonnx::graph {

// An input as the operator sees it: a view may lie between it and what is known. No content: not given.
struct KnownInput {
    TensorDesc desc = {};
    std::shared_ptr<const Content> content = {};
};

// The outputs for these inputs, or nothing where the host does not compute them (vkonnx::evaluate), or where one of the tensors
// takes more than `most_bytes`.
Result<std::optional<std::vector<HostTensor>>> folded(const Operator& op, std::span<const KnownInput> inputs,
                                                      std::span<const TensorDesc> outputs, uint64_t most_bytes);

}  // namespace vkonnx::graph
