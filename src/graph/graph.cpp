// SPDX-License-Identifier: Apache-2.0
#include "graph/graph.h"

namespace vkonnx::graph {

std::shared_ptr<const Content> content_of(HostTensor made)
{
    auto host = std::make_shared<const HostTensor>(std::move(made));
    return std::make_shared<const Content>(
        Content{.desc = host->desc, .bytes = host->data, .read = [host]() -> Result<HostTensor> { return *host; }});
}

std::string display_name(const Node& node)
{
    return node.name.empty() ? "#" + std::to_string(node.index) : std::string(node.name);
}

std::string label(const Node& node)
{
    return "node " + (node.name.empty() ? display_name(node) + " (" + visible(node.op_type) + ")" : quote(node.name));
}

Status in_node(const Node& node, const Status& status)
{
    if (status.code() == Code::out_of_memory)
        return status;
    return Status(status.code(), label(node) + ": " + std::string(status.message()));
}

}  // namespace vkonnx::graph
