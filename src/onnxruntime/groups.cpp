// SPDX-License-Identifier: Apache-2.0
#include "onnxruntime/groups.h"

#include <algorithm>
#include <map>

namespace vkonnx::onnxruntime {

std::vector<std::vector<size_t>> convex_groups(const Sources& sources, const std::vector<bool>& taken)
{
    std::vector<size_t> levels(sources.size(), 0);
    std::vector<std::vector<size_t>> groups;
    for (size_t node = 0; node < sources.size(); ++node) {
        for (const size_t source : sources[node])
            levels[node] = std::max(levels[node], levels[source] + (taken[source] && !taken[node] ? 1 : 0));
        if (!taken[node])
            continue;
        groups.resize(std::max(groups.size(), levels[node] + 1));
        groups[levels[node]].push_back(node);
    }
    std::erase_if(groups, [](const std::vector<size_t>& group) { return group.empty(); });
    return groups;
}

std::vector<std::vector<size_t>> connected_parts(const Sources& sources, const std::vector<size_t>& group)
{
    // Each node's part is named by one of its nodes, at the end of a way along `leader`.
    std::map<size_t, size_t> leader;
    for (const size_t node : group)
        leader[node] = node;
    const auto find = [&](size_t node) {
        while (leader[node] != node)
            node = leader[node] = leader[leader[node]];
        return node;
    };
    for (const size_t node : group)
        for (const size_t source : sources[node])
            if (leader.contains(source))
                leader[find(node)] = find(source);
    std::map<size_t, std::vector<size_t>> parts;
    for (const size_t node : group)
        parts[find(node)].push_back(node);
    std::vector<std::vector<size_t>> result;
    for (auto& [name, part] : parts)
        result.push_back(std::move(part));
    return result;
}

}  // namespace vkonnx::onnxruntime
