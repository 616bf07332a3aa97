// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of topk.
#ifndef VKONNX_TOPK_CONSTANTS_H
#define VKONNX_TOPK_CONSTANTS_H

#include "shaders/library/constants.h"

// `bits`, `infinity` and `is_signed` are as order.glsl has them. `least` asks for the least elements, else for the greatest.
// `pair_words` is 0 where X holds elements, else the words of each pair that an earlier pass left in it. `to_pairs` asks for pairs.
#define TOPK_SPECIALIZATION(SIZE, CONSTANT)                                                                                     \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, bits, 32)                                                                                                        \
    CONSTANT(2, infinity, 0)                                                                                                     \
    CONSTANT(3, is_signed, 0)                                                                                                    \
    CONSTANT(4, least, 0)                                                                                                        \
    CONSTANT(5, pair_words, 0)                                                                                                   \
    CONSTANT(6, to_pairs, 0)

SPECIALIZATION(TopK, TOPK_SPECIALIZATION)

#endif
