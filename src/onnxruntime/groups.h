// SPDX-License-Identifier: Apache-2.0
// This file divides the nodes of a graph into groups, each of which can run as one node.
#pragma once

#include <cstddef>
#include <vector>

namespace vkonnx::onnxruntime {

// The nodes of a graph, in an order in which they can run. `sources` has for each node those whose outputs it reads.
using Sources = std::vector<std::vector<size_t>>;

// Returns the groups of the nodes that are `taken`, as few as possible, each in the graph's order. They are convex: no way from a
// node of a group to another node of it leads through a node outside. Nor do two groups wait for each other. So each group can
// run as one node.
//
//   level(n) = the greatest over the sources s of n of  level(s) + 1   where s is taken and n is not
//                                                       level(s)       elsewhere;   0 without sources
//
// The taken nodes of a level are a group. A way that leaves it leads to a node that is not taken, and from there on it is on a
// higher level.
std::vector<std::vector<size_t>> convex_groups(const Sources& sources, const std::vector<bool>& taken);

// Divides a group into parts that read nothing of each other.
std::vector<std::vector<size_t>> connected_parts(const Sources& sources, const std::vector<size_t>& group);

}  // namespace vkonnx::onnxruntime
