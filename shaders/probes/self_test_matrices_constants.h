// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of self_test_matrices.
#ifndef VKONNX_SELF_TEST_MATRICES_CONSTANTS_H
#define VKONNX_SELF_TEST_MATRICES_CONSTANTS_H

#include "shaders/library/constants.h"

#define SELF_TEST_MATRICES_SPECIALIZATION(SIZE, CONSTANT)                                                                        \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, rows, 16)                                                                                                        \
    CONSTANT(2, columns, 16)                                                                                                     \
    CONSTANT(3, depth, 16)

SPECIALIZATION(SelfTestMatrices, SELF_TEST_MATRICES_SPECIALIZATION)

#endif
