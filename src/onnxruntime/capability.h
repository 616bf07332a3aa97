// SPDX-License-Identifier: Apache-2.0
// This file decides which nodes of a graph vkonnx takes from ONNX Runtime, and in which groups.
#pragma once

#include <string>
#include <vector>

#include "onnxruntime/options.h"
#include "onnxruntime/support.h"

namespace vkonnx::onnxruntime {

struct Capability {
    std::vector<std::vector<size_t>> groups = {};  // nodes of the graph by their places; each is convex
    std::vector<std::string> notes = {};           // a sentence for each node or group that is left out
};

Capability capability_of(const Graph& graph, Support& support, const CapabilityOptions& options);

}  // namespace vkonnx::onnxruntime
