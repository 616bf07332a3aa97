// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of dot_product_attention.
#ifndef VKONNX_DOT_PRODUCT_ATTENTION_CONSTANTS_H
#define VKONNX_DOT_PRODUCT_ATTENTION_CONSTANTS_H

#include "shaders/library/constants.h"

#define DOT_PRODUCT_ATTENTION_SPECIALIZATION(SIZE, CONSTANT)                                                                     \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, exact_division, 0)

SPECIALIZATION(DotProductAttention, DOT_PRODUCT_ATTENTION_SPECIALIZATION)

#endif
