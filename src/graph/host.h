// SPDX-License-Identifier: Apache-2.0
// This file computes operators that no device has: models compute shapes with them, of values that are known before anything
// runs. vkonnx::evaluate computes other operators on the host.
#pragma once

#include "graph/graph.h"

namespace vkonnx::graph {

// Returns the output for inputs that are all known. `value` is ConstantOfShape's attribute. An output of more than `most_bytes`
// is refused.
Result<HostTensor> computed(const HostOperator& op, std::string_view name, std::span<const HostTensor> inputs,
                            const Content* value, uint64_t most_bytes);

}  // namespace vkonnx::graph
