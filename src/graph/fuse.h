// SPDX-License-Identifier: Apache-2.0
// Operators that another one computes, too: what onnx::Fusion lists, a file each. Every call of the graph is needed here. They
// fail only where a constant can't be read.
#pragma once

#include "graph/calls.h"

namespace vkonnx::graph {

// Returns the fusions, as bits of onnx::Fusion, that need more than the device has.
uint32_t fusions_beyond(const Capabilities& capabilities);

// All but those of such bits.
Status fuse(const Graph& graph, Rewritten& rewritten, uint32_t without, Memo& memo);

// fuse_padding.cpp: a Pad of zeros, into the Conv behind it.
Status fuse_padding(Calls& calls);
// fuse_pattern.cpp: HardSigmoid and HardSwish out of Add, Clip, Mul and Div.
Status fuse_pattern(Calls& calls);
// fuse_weights.cpp: BatchNormalization, and constants that are added to or multiplied by channels, into the weights and bias of
// the Conv, ConvTranspose, Gemm or MatMul before them; the constants also into scale and B of a BatchNormalization.
Status fuse_weights(Calls& calls);
// fuse_activation.cpp: one of epilogue_kinds, and a Mul and an Add by numbers behind it, into the Conv, ConvTranspose, Gemm or
// MatMul before it, or into those whose outputs a Concat joins.
Status fuse_activation(Calls& calls);
// fuse_prologue.cpp: a BatchNormalization, but of halves, a Relu, LeakyRelu or PRelu behind it, or one of both, into the Conv,
// ConvTranspose or GlobalAveragePool that reads what they make.
Status fuse_prologue(Calls& calls);
// fuse_chain.cpp: elementwise operators one behind the other, and BatchNormalization among them, but of halves, into one:
// Elementwise::steps.
Status fuse_chain(Calls& calls);

}  // namespace vkonnx::graph
