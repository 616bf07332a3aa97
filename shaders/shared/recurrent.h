// SPDX-License-Identifier: Apache-2.0
// What the kernels of RNN, GRU and LSTM are told, shared by C++ and GLSL.
#ifndef VKONNX_SHARED_RECURRENT_H
#define VKONNX_SHARED_RECURRENT_H

#include "shared/blocks.h"

#define RECURRENT_RNN 0
#define RECURRENT_GRU 1
#define RECURRENT_LSTM 2

#define RECURRENT_FORWARD 0
#define RECURRENT_REVERSE 1
#define RECURRENT_BIDIRECTIONAL 2

#define RECURRENT_FUNCTIONS 3  // f, g and h of a direction
#define RECURRENT_STATES 5     // H before and behind a step, C, the update gate, and what was reset

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// Element i of an output (extents[0], extents[1], extents[2]) within what is before it has the coordinates (c0, c1, c2, c3), the
// last of them innermost. It is the element of the input at the sum of their products with `steps`, or 0 where c1 * reach + c3 is
// `limit` or more.
struct RecurrentCopy {
    uint extents[3];
    uint steps[4];
    uint reach;
    uint limit;
};

// One dispatch.
struct RecurrentSteps {
    uint rows;  // directions times batch
    uint batch;
    uint hidden;
    uint step_count;  // of the whole sequence
    uint first_step;
    uint steps;    // where spec_shares
    uint first;    // elsewhere: the first element of H
    uint count;    // likewise, how many
    uint resets;   // likewise: only GRU's z and r are computed, and what the next dispatch of this step takes
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
