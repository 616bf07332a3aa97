// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of arg_extreme.
#ifndef VKONNX_ARG_EXTREME_CONSTANTS_H
#define VKONNX_ARG_EXTREME_CONSTANTS_H

#include "shaders/library/constants.h"

// `bits` is the width of the tensor's elements. `infinity` is the high word of the type's infinity, with as many bits as a word
// has, or 0 for integers. `is_signed` tells which integers there are. `least` asks for the least element, else for the greatest,
// and `last` for the last of equal ones, else for the first. `pair_words` is 0 where X holds elements, else the words of each pair
// that an earlier pass left in it. `to_pairs` asks for pairs.
#define ARG_EXTREME_SPECIALIZATION(SIZE, CONSTANT)                                                                               \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, bits, 32)                                                                                                        \
    CONSTANT(2, infinity, 0)                                                                                                     \
    CONSTANT(3, is_signed, 0)                                                                                                    \
    CONSTANT(4, least, 0)                                                                                                        \
    CONSTANT(5, last, 0)                                                                                                         \
    CONSTANT(6, pair_words, 0)                                                                                                   \
    CONSTANT(7, to_pairs, 0)

SPECIALIZATION(ArgExtreme, ARG_EXTREME_SPECIALIZATION)

#endif
