// SPDX-License-Identifier: Apache-2.0
#include "graph/graph.h"

#include <cstring>

namespace vkonnx::graph {

std::shared_ptr<const Content> content_of(HostTensor made)
{
    auto host = std::make_shared<const HostTensor>(std::move(made));
    return std::make_shared<const Content>(
        Content{.desc = host->desc, .bytes = host->data, .read = [host]() -> Result<HostTensor> { return *host; }});
}

std::vector<int64_t> integers_of(const HostTensor& tensor)
{
    const bool wide = tensor.desc.dtype == DType::int64;
    std::vector<int64_t> values(tensor.data.size() / (wide ? sizeof(int64_t) : sizeof(int32_t)));
    for (size_t i = 0; i < values.size(); ++i) {
        int32_t narrow = 0;
        if (wide)
            std::memcpy(&values[i], tensor.data.data() + i * sizeof(int64_t), sizeof(int64_t));
        else
            std::memcpy(&narrow, tensor.data.data() + i * sizeof narrow, sizeof narrow);
        values[i] = wide ? values[i] : narrow;
    }
    return values;
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
