// SPDX-License-Identifier: Apache-2.0
// This file keeps constants on a device: what is known of a graph is uploaded where a kernel asks for it, once for all plans.
#pragma once

#include <map>

#include "graph/graph.h"

namespace vkonnx::graph {

// Fills a tensor of the content's description with its elements. They are uploaded without a copy in host memory where their
// encoding allows, or computed on the device.
Status fill(const Device& device, const Content& content, Tensor& to);

class ConstantStore {
public:
    explicit ConstantStore(Device device) : device_(std::move(device)) {}

    // Returns the weights of the content. They are the same ones for as long as somebody holds the content. No two threads may
    // call this at once.
    Result<Weights> get(const std::shared_ptr<const Content>& content);
    // Forgets contents that nobody else holds.
    void sweep();

private:
    Device device_;
    std::map<std::shared_ptr<const Content>, Weights> known_;
};

}  // namespace vkonnx::graph
