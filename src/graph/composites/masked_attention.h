// SPDX-License-Identifier: Apache-2.0
// This header has what MultiHeadAttention and Attention of com.microsoft share behind their projections: masks and the product.
#pragma once

#include <string_view>

#include "graph/composites/attend.h"

namespace vkonnx::graph {

// This struct holds one attention. Queries, keys and values are by heads and in the type that is computed in. The keys and values
// of the past are in front of the new ones.
struct MaskedAttention {
    Operand q = {}, k = {}, v = {};
    DType dtype = {};  // of the output
    double scale = 0;  // 0: 1 / sqrt(size of a head)
    size_t mask = 0;   // the inputs of the composite, of which either may be left out
    std::string_view mask_name = {};
    double filter = 0;  // what is added to the score of a key that the mask leaves out
    size_t bias = 0;
    bool is_causal = false;
    int64_t past = 0;           // how many keys come before the first query's
    bool takes_starts = false;  // the second form below
};

// Makes output 0, (batch, query, head * value size). The mask is of integers, in one of these forms:
//
//   (batch)              how many keys are seen
//   (2 * batch)          the ends of the keys that are seen, then where they begin
//   (batch, key)         0 for a key that is not seen
//   (batch, query, key)  likewise
//
// The bias is broadcast to (batch, head, query, key).
void compose_masked_attention(Composer& composer, const MaskedAttention& attention);

}  // namespace vkonnx::graph
