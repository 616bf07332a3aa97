// SPDX-License-Identifier: Apache-2.0
// This header has what composites of attention share. Their queries, keys and values are by heads, with the axes (batch, head,
// place, size). A head of keys serves as many heads of queries as there are to one of it; these lie side by side.
#pragma once

#include <functional>

#include "graph/composer.h"

namespace vkonnx::graph {

// Returns (batch, head, place, size) of (batch, place, head, size), or the other way round.
Operand with_heads_and_places_swapped(Composer& composer, const Operand& x);

// These are the stages of y = softmax(mask(cap(scale * q * k^T))) * v. The scores and weights have the axes (batch, query head,
// query, key).
struct Attended {
    Operand scores = {};   // scale * q * k^T
    Operand capped = {};   // softcap * tanh(scores / softcap), or the scores
    Operand masked = {};   // what the mask made of them
    Operand weights = {};  // the softmax
    Operand y = {};        // (batch, query head, query, value size)
};

struct AttendOptions {
    double scale = 1;
    double softcap = 0;  // 0: none
    // Each head of queries may have one more score, which has a part of the weights and no value: (heads).
    std::optional<Operand> sink = {};
};

// The queries, keys and values must be in the type that is computed in. `mask` is called with the capped scores and returns them
// with what it adds.
Attended attend(Composer& composer, const Operand& q, const Operand& k, const Operand& v, const AttendOptions& options,
                const std::function<Operand(const Operand&)>& mask);

// Checks that an input has floats of these dimensions.
bool check_floats_of(Composer& composer, size_t input, std::string_view name, const std::vector<int64_t>& dims);

// Returns 0 for each pair of a query and a key that is allowed, and -Inf for others.
Operand minus_infinity_unless(Composer& composer, const Operand& allowed, DType dtype);

}  // namespace vkonnx::graph
