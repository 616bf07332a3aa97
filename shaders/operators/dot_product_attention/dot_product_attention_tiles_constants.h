// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of dot_product_attention_tiles.
#ifndef VKONNX_DOT_PRODUCT_ATTENTION_TILES_CONSTANTS_H
#define VKONNX_DOT_PRODUCT_ATTENTION_TILES_CONSTANTS_H

#include "shaders/library/constants.h"

// `size` and `value_size` are the elements of a key and of a value.
#define DOT_PRODUCT_ATTENTION_TILES_SPECIALIZATION(SIZE, CONSTANT)                                                               \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, has_bias, 0)                                                                                                     \
    CONSTANT(2, size, 1)                                                                                                         \
    CONSTANT(3, value_size, 1)

SPECIALIZATION(DotProductAttentionTiles, DOT_PRODUCT_ATTENTION_TILES_SPECIALIZATION)

#endif
