// SPDX-License-Identifier: Apache-2.0
// What became of a model's nodes and values, in words. A new size of inputs does without: who asks for it has it made.
#pragma once

#include "graph/schedule.h"

namespace vkonnx::graph {

onnx::GraphReport report_of(const Graph& graph, const Schedule& schedule, Explanations explanations);

}  // namespace vkonnx::graph
