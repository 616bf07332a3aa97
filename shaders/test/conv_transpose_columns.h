// SPDX-License-Identifier: Apache-2.0
// This file holds the push constants of the three modules of conv_transpose_columns. C++ and GLSL share it.
#ifndef VKONNX_CONV_TRANSPOSE_COLUMNS_H
#define VKONNX_CONV_TRANSPOSE_COLUMNS_H

#include "shaders/library/blocks.h"

#define COLUMNS_AXES 3

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// Axes that the rank lacks stand in front, with all extents 1.
struct Columns {
    uint count;         // elements that the dispatch writes
    uint channels_in;   // of one group
    uint channels_out;  // of one group
    uint group;
    uint taps;       // of the whole window
    uint positions;  // of the whole input
    uint bias;
    uint in_extent[COLUMNS_AXES];
    uint out_extent[COLUMNS_AXES];
    uint kernel[COLUMNS_AXES];
    uint begin[COLUMNS_AXES];
    uint stride[COLUMNS_AXES];
    uint dilation[COLUMNS_AXES];
};

#ifdef __cplusplus
static_assert(sizeof(Columns) <= 128);
}  // namespace vkonnx::push
#endif

#endif
