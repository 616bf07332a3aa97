// SPDX-License-Identifier: Apache-2.0
// Operators on the host, for values that are known before anything runs: what models compute shapes with.
#pragma once

#include <optional>

#include "graph/graph.h"

namespace vkonnx::graph {

// The output for these inputs (null: not given), or nothing where the host does not compute it: it does integers of 32 and 64
// bits, which are exact, and as many as take `most_bytes` for each tensor; floats are left to the device, whose bits count.
Result<std::optional<HostTensor>> folded(const Operator& op, std::span<const std::shared_ptr<const Content>> inputs,
                                         const TensorDesc& output, uint64_t most_bytes);

}  // namespace vkonnx::graph
