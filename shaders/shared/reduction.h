// SPDX-License-Identifier: Apache-2.0
// One pass of a reduction, shared by C++ and GLSL. Behind the part of the gather protocol (shared/gather.h).
#ifndef VKONNX_SHARED_REDUCTION_H
#define VKONNX_SHARED_REDUCTION_H

#include "shared/blocks.h"

// What the terms are, as vkonnx::plan::Term numbers them. A module of TERM 0 to 4 has that one, CHOSEN modules have all that need
// nothing but the element, and LOGARITHM modules sums and exponentials.
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

// What becomes of the whole, as vkonnx::plan::Finish numbers it: the first of all modules, the next two of CHOSEN ones, and the
// others of LOGARITHM ones.
#define REDUCTION_AS_IT_IS 0
#define REDUCTION_SQUARE_ROOT 1
#define REDUCTION_FINITE 2
#define REDUCTION_LOGARITHM 3
#define REDUCTION_SHIFTED_LOGARITHM 4

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// X (outer, row) becomes Y (outer, width): of a row result j is that of the elements j, j + width, j + 2 width, ...
struct ReductionPass {
    uint row;
    uint width;       // a multiple of `inner`
    uint inner;       // elements behind the reduced ones
    uint statistics;  // there is one for (outer, inner), modulo so many; of a prologue a row of numbers
    uint count;       // of elements; 0: of none
    uint divides;     // 1: their sum is divided by it
};

#ifdef __cplusplus
}  // namespace vkonnx::push
#endif

#endif
