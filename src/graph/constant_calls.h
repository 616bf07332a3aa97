// SPDX-License-Identifier: Apache-2.0
// This file finds calls that compute the same in every run, because nothing that they read depends on the graph's inputs.
#pragma once

#include "graph/rewrite.h"

namespace vkonnx::graph {

// Takes calls whose inputs are all constants out of the graph (Fusion::constants). What they make becomes contents that the
// device computes when a kernel first asks for them (Content::computed). The outputs of the graph are left to calls. Every call
// must be needed.
void take_constant_calls(const Graph& graph, Rewritten& rewritten, const PrepareOptions& options,
                         const Capabilities& capabilities, Memo& memo);

}  // namespace vkonnx::graph
