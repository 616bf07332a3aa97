// This header has what the references of attention share.
#pragma once

#include "kit/composites.h"

namespace vkonnx::kit {

// Computes an Attention of ONNX. A sink, one for each head of queries, is a score that has a part of the weights and no value.
// Queries and keys have been through so many roundings before.
std::vector<CompositeAnswers> attention_with_sinks(const CompositeProblem& problem, const std::vector<double>& sinks,
                                                   int64_t roundings);

// Computes Attention, QAttention, MultiHeadAttention, GroupQueryAttention, RotaryEmbedding and EmbedLayerNormalization of
// com.microsoft.
std::vector<CompositeAnswers> reference_microsoft_attention(const CompositeProblem& problem);

}  // namespace vkonnx::kit
