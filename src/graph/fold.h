// SPDX-License-Identifier: Apache-2.0
// This file computes operators on the host, for values that are known before anything runs. Models compute shapes in this way.
#pragma once

#include <optional>

#include "graph/graph.h"

namespace vkonnx::graph {

// This struct holds an input as the operator sees it: a view may lie between it and what is known. Without content it is absent.
struct KnownInput {
    TensorDesc desc = {};
    std::shared_ptr<const Content> content = {};
};

// Returns the outputs for these inputs. It returns nothing where the host does not compute them (vkonnx::evaluate), or where one
// of the tensors takes more than `most_bytes`.
Result<std::optional<std::vector<HostTensor>>> folded(const Operator& op, std::span<const KnownInput> inputs,
                                                      std::span<const TensorDesc> outputs, uint64_t most_bytes);

}  // namespace vkonnx::graph
