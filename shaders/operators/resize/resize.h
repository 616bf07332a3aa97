// SPDX-License-Identifier: Apache-2.0
// This file holds the problem of resize_nearest, resize_direct and resize_nd. C++ and GLSL share it.
#ifndef VKONNX_RESIZE_H
#define VKONNX_RESIZE_H

#include "shaders/library/divide.h"

#define RESIZE_AXES 64        // a merged axis has two elements or more in X or Y
#define RESIZE_DIRECT_AXES 3  // axes with several taps of resize_direct; resize_nd takes MAX_AXES

// This stands in the table of a nearest Resize for a coordinate that lies outside of X.
#define RESIZE_OUTSIDE 0xffffffffu

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// This struct holds an axis of the output. Axes stand innermost first.
//
// Nearest: X's coordinate is the output's divided by `factor`. Where `factor` is 0, the table tells, from word `row` on, how far
// the element lies from X's first along the axis.
//
// Linear and cubic: the table has `entries` pairs of words for each coordinate, from pair `row` on. The first pair is the number
// of taps and whether the result is extrapolation_value. Then each tap has the distance of its element, and its weight, a float.
// With 0 entries X's coordinate is the output's.
struct ResizeAxis {
    Divisor out_extent;
    Divisor factor;
    uint stride;  // elements of X from one coordinate to the next
    uint row;
    uint entries;
    uint number;  // its number among the axes with entries, from the innermost on
};

struct ResizeProblem {
    ResizeAxis axes[RESIZE_AXES];
    uint extrapolation_low;  // the words of extrapolation_value, in the type that the kernel computes in
    uint extrapolation_high;
    uint padding_[2];
};

#ifdef __cplusplus
static_assert(sizeof(ResizeAxis) % 16 == 0 && sizeof(ResizeProblem) % 16 == 0 && sizeof(ResizeProblem) <= 16384);

}  // namespace vkonnx::push
#endif

#endif
