// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of implicit_gemm and the kernels that pack and round for it.
#ifndef VKONNX_IMPLICIT_GEMM_CONSTANTS_H
#define VKONNX_IMPLICIT_GEMM_CONSTANTS_H

#include "shaders/library/constants.h"

#define IMPLICIT_GEMM_SPECIALIZATION(SIZE, CONSTANT)                                                                     \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, epilogue, 0) /* see epilogue.glsl */                                                                             \
    CONSTANT(2, prologue, 0) /* see prologue.glsl */                                                                             \
    CONSTANT(3, taps, 0)     /* 1: taps stand for channels, which implicit_gemm.h explains */

SPECIALIZATION(ImplicitGemm, IMPLICIT_GEMM_SPECIALIZATION)

#endif
