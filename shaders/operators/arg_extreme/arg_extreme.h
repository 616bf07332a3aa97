// SPDX-License-Identifier: Apache-2.0
// This file holds one pass of ArgMax or ArgMin, for C++ and GLSL. Its push constants lie behind the part of the gather protocol
// (gather.h).
#ifndef VKONNX_ARG_EXTREME_H
#define VKONNX_ARG_EXTREME_H

#include "shaders/library/blocks.h"

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// X (outer, row) becomes Y (outer, width). Result j of a row is found among its elements j, j + width, j + 2 width, ...
struct ArgExtremePass {
    uint row;
    uint width;  // parts * inner
    uint inner;  // elements behind those of the row that are compared
    uint parts;
};

#ifdef __cplusplus
}  // namespace vkonnx::push
#endif

#endif
