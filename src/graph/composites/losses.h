// SPDX-License-Identifier: Apache-2.0
// This header has what the two losses share.
#pragma once

#include "graph/composer.h"

namespace vkonnx::graph {

// Returns the loss of logarithms of probabilities. Input 1 is the classes, int32 or int64, and input 2 their weights, where it is
// given.
//
//   loss(n, d) = -logs(n, classes(n, d), d) * weight(classes(n, d)), and 0 where the class is `ignored`
//   "none": the losses; "sum": their sum; "mean": the sum, divided by that of the weights
//
// Without weights they are 1, and 0 where the class is ignored.
Operand loss_of(Composer& composer, const Operand& logs, std::optional<int64_t> ignored,
                const std::optional<std::string>& reduction);

}  // namespace vkonnx::graph
