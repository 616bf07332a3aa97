// SPDX-License-Identifier: Apache-2.0
// Operators that only the host computes, for values that are known before anything runs: what models compute shapes with, beside
// what vkonnx::evaluate does. No device has them.
#pragma once

#include "graph/graph.h"

namespace vkonnx::graph {

// The output for inputs that are all known; `value` is ConstantOfShape's. Refuses one of more than `most_bytes`.
Result<HostTensor> computed(const HostOperator& op, std::string_view name, std::span<const HostTensor> inputs,
                            const Content* value, uint64_t most_bytes);

}  // namespace vkonnx::graph
