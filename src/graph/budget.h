// SPDX-License-Identifier: Apache-2.0
// How much scratch memory each call should take at most, so that a session's peak stays near the values that live at once.
#pragma once

#include "graph/rewrite.h"

namespace vkonnx::graph {

// Sets Call::scratch_budget.
void set_scratch_budgets(Rewritten& rewritten);

}  // namespace vkonnx::graph
