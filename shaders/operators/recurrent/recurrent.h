// SPDX-License-Identifier: Apache-2.0
// This file holds what the kernels of RNN, GRU and LSTM are told. C++ and GLSL share it.
#ifndef VKONNX_RECURRENT_H
#define VKONNX_RECURRENT_H

#include "shaders/library/blocks.h"

#define RECURRENT_RNN 0
#define RECURRENT_GRU 1
#define RECURRENT_LSTM 2

#define RECURRENT_FORWARD 0
#define RECURRENT_REVERSE 1
#define RECURRENT_BIDIRECTIONAL 2

#define RECURRENT_FUNCTIONS 3  // f, g and h of a direction
#define RECURRENT_STATES 5     // H before and behind a step, C, the update gate, and what sums take instead of H

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// Element i of an output (extents[0], extents[1], extents[2]), behind what lies in front of these axes, has the coordinates (c0,
// c1, c2, c3), the last of them innermost. It is the element of the input at the sum of their products with `steps`, or 0 where
// c1 * reach + c3 is `limit` or more.
struct RecurrentCopy {
    uint extents[3];
    uint steps[4];
    uint reach;
    uint limit;
};

// This struct holds one dispatch.
struct RecurrentSteps {
    uint rows;  // directions times batch
    uint batch;
    uint hidden;
    uint step_count;  // of the whole sequence
    uint first_step;
    uint steps;    // steps of the dispatch; 1 unless spec_shares
    uint first;    // unless spec_shares, the first element of H; where H is rounded, the first quad
    uint count;    // likewise, the number of them
    uint instead;  // likewise, 1: computes only GRU's z and its r times H, or the rounded H, which the next dispatch takes
    uint state_step;  // floats from one of the states to the next
    uint b_begin;     // where B and P begin in the weights
    uint p_begin;
    uint clip;                                  // the bits of a float
    uint numbers[2 * 2 * RECURRENT_FUNCTIONS];  // likewise: alpha and beta of each function of each direction
};

#ifdef __cplusplus
}  // namespace vkonnx::push
#endif

#endif
