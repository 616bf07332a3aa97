// SPDX-License-Identifier: Apache-2.0
// This file runs a group of nodes for ONNX Runtime.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <vkonnx/onnx.hpp>

#include "onnxruntime/graph.h"

namespace vkonnx::onnxruntime {

// A ComputedGroup is a group of nodes as ONNX Runtime runs it: one node that has the inputs and outputs of the group.
class ComputedGroup : public OrtNodeComputeInfo {
public:
    // `graph` has the nodes of the group and no others. `node` is what takes their place. Where all dimensions are known, the
    // group is prepared at once, and otherwise in its first run.
    static std::unique_ptr<ComputedGroup> compile(const Runtime& runtime, const Device& device,
                                                  const onnx::SessionOptions& options, const OrtGraph* graph,
                                                  const OrtNode* node);

private:
    ComputedGroup(const Runtime& runtime, const Device& device, const onnx::SessionOptions& options);

    void run(OrtKernelContext* context);

    const Runtime& runtime_;
    Device device_;
    onnx::SessionOptions options_;
    onnx::Model model_ = {};
    std::vector<size_t> inputs_ = {};  // of the model, by their places among the node's
    // ONNX Runtime may run a group in several threads. A session belongs to one at a time.
    std::mutex mutex_ = {};
    std::optional<onnx::Session> session_ = {};
};

}  // namespace vkonnx::onnxruntime
