// SPDX-License-Identifier: Apache-2.0
// One pass of a reduction, shared by C++ and GLSL. Behind the part of the gather protocol (shared/gather.h).
#ifndef VKONNX_SHARED_REDUCTION_H
#define VKONNX_SHARED_REDUCTION_H

#include "shared/blocks.h"

// What the terms are, as vkonnx::plan::Term numbers it.
#define REDUCTION_SUM 0
#define REDUCTION_GREATEST 1
#define REDUCTION_EXPONENTIALS 2
#define REDUCTION_SQUARES 3
#define REDUCTION_PROLOGUE 4

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
