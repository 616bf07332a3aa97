// SPDX-License-Identifier: Apache-2.0
// This file makes a graph of a parsed file: names become values, and attributes become the operators' structs.
#pragma once

#include "external.h"
#include "graph/graph.h"
#include "parse.h"

namespace vkonnx::onnx {

// The graph points into the model, which must outlive it. No node of the model calls a function of the model any more. An error
// says what is wrong with names, edges, imports, initializers or declarations; a node that can't be executed only says so itself
// (graph::Node::refused). Files with weights lie in the folder.
Result<graph::Graph> build_graph(const ModelProto& model, const ExternalFolder& folder);

}  // namespace vkonnx::onnx
