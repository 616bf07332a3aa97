// SPDX-License-Identifier: Apache-2.0
// This header has the rotation of pairs, by which queries and keys learn their places.
#pragma once

#include "graph/composer.h"

namespace vkonnx::graph {

// The cosines and sines of the angles are broadcast to (.., pairs), where x is (.., size).
struct Rotation {
    Operand cosines = {};
    Operand sines = {};
    int64_t pairs = 0;            // at most size / 2
    bool is_interleaved = false;  // how pairs lie, see below
};

// Turns pairs (a, b) of the last axis by an angle: (a cos - b sin, a sin + b cos). The pairs are
//
//   side by side, interleaved:  a0 b0 a1 b1 .. | rest
//   or in halves:               a0 a1 .. b0 b1 .. | rest
//
// where the rest stays as it is.
Operand rotated(Composer& composer, const Operand& x, const Rotation& rotation);

}  // namespace vkonnx::graph
