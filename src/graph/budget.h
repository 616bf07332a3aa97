// SPDX-License-Identifier: Apache-2.0
// This file limits the scratch memory of each call, so that a session's peak stays near the values that live at once.
#pragma once

#include "graph/rewrite.h"

namespace vkonnx::graph {

// Sets Call::scratch_budget.
void set_scratch_budgets(Rewritten& rewritten);

}  // namespace vkonnx::graph
