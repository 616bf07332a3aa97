// SPDX-License-Identifier: Apache-2.0
// This file holds one pass of a reduction, for C++ and GLSL. Its push constants lie behind the part of the gather protocol
// (gather.h).
#ifndef VKONNX_REDUCTION_H
#define VKONNX_REDUCTION_H

#include "shaders/library/blocks.h"

// These are the terms, as vkonnx::plan::Term numbers them. A module of TERM 0 to 4 has that one. CHOSEN modules have all terms
// that need nothing but the element, and LOGARITHM modules sums and exponentials.
#define REDUCTION_SUM 0
#define REDUCTION_GREATEST 1
#define REDUCTION_EXPONENTIALS 2
#define REDUCTION_SQUARES 3
#define REDUCTION_PROLOGUE 4
#define REDUCTION_MAX 5
#define REDUCTION_MIN 6
#define REDUCTION_PRODUCT 7
#define REDUCTION_MAGNITUDES 8
#define REDUCTION_OWN_SQUARES 9

// These tell what is done with the whole, as vkonnx::plan::Finish numbers it. All modules have the first, CHOSEN modules the next
// two, and LOGARITHM modules the others.
#define REDUCTION_AS_IT_IS 0
#define REDUCTION_SQUARE_ROOT 1
#define REDUCTION_FINITE 2
#define REDUCTION_LOGARITHM 3
#define REDUCTION_SHIFTED_LOGARITHM 4

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// X (outer, row) becomes Y (outer, width). Result j of a row joins its elements j, j + width, j + 2 width, ...
struct ReductionPass {
    uint row;
    uint width;       // a multiple of `inner`
    uint inner;       // elements behind the reduced ones
    uint statistics;  // one for each (outer, inner), modulo so many; for a prologue each is a row of numbers
    uint count;       // of elements; 0: there are none
    uint divides;     // 1: the sum is divided by the count
};

#ifdef __cplusplus
}  // namespace vkonnx::push
#endif

#endif
