// SPDX-License-Identifier: Apache-2.0
// This file holds the gather protocol, for C++ and GLSL: rules for kernels that compute one output at a time, each as a sum whose
// terms they gather in the order of the sum. gather.glsl is its main, and src/plan/engines/gather.cpp its planner; nothing of it
// stands elsewhere.
//
// A problem is cut into parts, a dispatch each: a part adds some terms (channels, and in each a box of taps) to the sums of some
// outputs.
// - Outputs are numbered row-major. An invocation has one output, or those that share a word: two halves or four bytes. In a
//   kernel with a main of its own it has as many as Gather::outputs_at_once says. No word is written by two invocations.
// - The grid has ceil(output_count / outputs of an invocation / workgroup size) groups, folded into x, y, z.
// - Terms of an output are added one by one, channels first, taps row-major within one, each product and sum rounded by itself.
//   Parts run in that order, each going on from the sum that the one before it left. So bits do not depend on the cuts.
// - The part that `starts` begins from the empty sum; all others read the sum so far. The part that `finishes` adds the bias, or
//   divides, and writes the tensor's own type. Where one part has all terms of an output, it does both.
// - A sum that is not finished lies in Y, where its output will. Halves would lose bits there: their sums are floats in scratch
//   memory, which is bound as Y, and y_base is the output that it begins with. The part that finishes them adds no term. It reads
//   no X, so that scratch memory is bound as X, with its x_base, and Y as itself.
// - Of a tensor too large for one binding a window is bound: the bases are the elements that windows begin with. Addresses are
//   formed modulo 2^32 and the base is taken off last, so that only a window's own extent must fit 32 bits.
// - X, W and B are bound at 0, 1, 2, as far as an operator has them. Then comes P where a kernel applies a prologue, or the
//   plan's table where it reads that, and Y behind them.
// - A kernel that takes no boxes adds all taps of a channel. If a kernel cannot go on from a sum, each of its parts starts and
//   finishes.
#ifndef VKONNX_GATHER_H
#define VKONNX_GATHER_H

#include "shaders/library/blocks.h"

#define GATHER_SCRATCH_BYTES 4    // bytes of a sum in scratch memory: a float
#define GATHER_ND_ITERATIONS 512  // the most of the nd kernels' loops over axes, beside those over channels and taps

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// This struct holds a part. All numbers count elements.
struct GatherPart {
    uint first_output;
    uint output_count;
    uint first_channel;  // of each group: ConvTranspose adds channels [first_channel, first_channel + channel_count)
    uint channel_count;
    uint x_base;
    uint w_base;
    uint b_base;
    uint p_base;
    uint y_base;
    uint starts;
    uint finishes;
    uint tap_begin[MAX_AXES];  // the box of taps, in kernels that take one
    uint tap_end[MAX_AXES];
};

#ifdef __cplusplus
static_assert(sizeof(GatherPart) <= 128);

}  // namespace vkonnx::push
#endif

#endif
