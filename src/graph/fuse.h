// SPDX-License-Identifier: Apache-2.0
// Operators that the one before them computes, too, before it stores its results: PrepareOptions::epilogue.
#pragma once

#include "graph/rewrite.h"

namespace vkonnx::graph {

// Takes out the calls behind a ConvTranspose that are one of epilogue_kinds, where nothing else reads what lies between them and
// Clip's bounds are known. Every call that is left is needed. Fails only where a constant can't be read.
Status fuse(const Graph& graph, Rewritten& rewritten);

}  // namespace vkonnx::graph
