// SPDX-License-Identifier: Apache-2.0
// This file declares the fusions of onnx::Fusion, by which one operator computes others, too. Each has a file of its own. They
// expect that every call of the graph is needed, and fail only where a constant can't be read.
#pragma once

#include "graph/calls.h"

namespace vkonnx::graph {

// Returns the fusions, as bits of onnx::Fusion, that need more than the device has.
uint32_t fusions_beyond(const Capabilities& capabilities);

// Runs all fusions but those whose bits are in `without`, for a device with these capabilities.
Status fuse(const Graph& graph, Rewritten& rewritten, uint32_t without, Memo& memo, const Capabilities& capabilities,
            const PrepareOptions& options);

// Fuses a Pad of zeros into the Conv behind it (fuse_padding.cpp).
Status fuse_padding(Calls& calls);
// Makes HardSigmoid and HardSwish out of Add, Clip, Mul and Div (fuse_pattern.cpp).
Status fuse_pattern(Calls& calls);
// Makes LayerNormalization out of the operators that spell it out (fuse_layer_normalization.cpp).
Status fuse_layer_normalization(Calls& calls);
// Makes DotProductAttention out of the operators that spell it out, where the device is faster at it (fuse_attention.cpp).
Status fuse_attention(Calls& calls);
// Fuses BatchNormalization, and constants that are added to or multiplied by channels, into the weights and bias of the Conv,
// ConvTranspose, Gemm or MatMul before them. The constants also go into scale and B of a BatchNormalization (fuse_weights.cpp).
Status fuse_weights(Calls& calls);
// Fuses one of epilogue_kinds, and a Mul and an Add by numbers behind it, into the Conv, ConvTranspose, Gemm or MatMul before it,
// or into those whose outputs a Concat joins (fuse_activation.cpp).
Status fuse_activation(Calls& calls);
// Fuses a BatchNormalization (but none of halves), or a Relu, LeakyRelu or PRelu, or the former and one of the latter behind it,
// into the Conv, ConvTranspose or GlobalAveragePool that reads the result (fuse_prologue.cpp).
Status fuse_prologue(Calls& calls);
// Makes elementwise operators one behind the other into one operator with Elementwise::steps. A BatchNormalization may be among
// them, but none of halves (fuse_chain.cpp).
Status fuse_chain(Calls& calls);

}  // namespace vkonnx::graph
