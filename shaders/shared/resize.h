// SPDX-License-Identifier: Apache-2.0
// The problem of resize_nearest, resize_direct and resize_nd, shared by C++ and GLSL.
#ifndef VKONNX_SHARED_RESIZE_H
#define VKONNX_SHARED_RESIZE_H

#include "shared/divide.h"

#define RESIZE_AXES 64        // a merged axis has two elements or more in X or Y
#define RESIZE_DIRECT_AXES 3  // with several taps, of resize_direct; resize_nd takes MAX_AXES

// Where an element is read, or a sum taken, that lies outside.
#define RESIZE_OUTSIDE 0xffffffffu

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// An axis of the output, innermost first.
//
// Nearest: its coordinate is divided by `factor`, and is then X's; or, where that is 0, it is looked up in the table, from word
// `row` on, as an element's distance from X's first along the axis.
//
// Linear and cubic: `entries` pairs of words a coordinate, from pair `row` on: the number of taps and whether the result is
// extrapolation_value, then of each tap the distance of its element, and its weight, a float. 0 entries: the coordinate is X's.
struct ResizeAxis {
    Divisor out_extent;
    Divisor factor;
    uint stride;  // of X
    uint row;
    uint entries;
    uint number;  // among those with entries, from the innermost on
};

struct ResizeProblem {
    ResizeAxis axes[RESIZE_AXES];
    uint extrapolation_low;  // extrapolation_value as what the kernel computes in
    uint extrapolation_high;
    uint padding_[2];
};

#ifdef __cplusplus
static_assert(sizeof(ResizeAxis) % 16 == 0 && sizeof(ResizeProblem) % 16 == 0 && sizeof(ResizeProblem) <= 16384);

}  // namespace vkonnx::push
#endif

#endif
