// SPDX-License-Identifier: Apache-2.0
// This file is vkonnx as an execution provider of one session of ONNX Runtime.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include "onnxruntime/options.h"
#include "onnxruntime/support.h"

namespace vkonnx::onnxruntime {

class Provider : public OrtEp {
public:
    Provider(const Runtime& runtime, Device device, ProviderOptions options);

private:
    void get_capability(const OrtGraph* graph, OrtEpGraphSupportInfo* info);
    void compile(const OrtGraph** graphs, const OrtNode** nodes, size_t count, OrtNodeComputeInfo** groups);
    bool belongs_to_a_taken_node(const Graph& graph);

    const Runtime& runtime_;
    Device device_;
    ProviderOptions options_;
    Support support_;
};

}  // namespace vkonnx::onnxruntime
