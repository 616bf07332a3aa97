// SPDX-License-Identifier: Apache-2.0
// This file computes operators that no device has: elements decide how much they make. vkonnx::evaluate computes other operators
// on the host.
#pragma once

#include "graph/graph.h"

namespace vkonnx::graph {

// Returns the outputs for inputs that are all known; one that is left out has an undefined type. `value` is ConstantOfShape's
// attribute. An output of more than `most_bytes` is refused.
Result<std::vector<HostTensor>> computed(const HostOperator& op, std::string_view name, std::span<const HostTensor> inputs,
                                         const Content* value, uint64_t most_bytes);

}  // namespace vkonnx::graph
