// SPDX-License-Identifier: Apache-2.0
// This file tells what became of a model's nodes and values, in words. Plans for new sizes of inputs make no report before
// somebody asks for it.
#pragma once

#include "graph/schedule.h"

namespace vkonnx::graph {

// Returns how the node was read, without what became of it.
onnx::NodeReport report_of(const Graph& graph, const Node& node);

onnx::GraphReport report_of(const Graph& graph, const Schedule& schedule, Explanations explanations);

}  // namespace vkonnx::graph
