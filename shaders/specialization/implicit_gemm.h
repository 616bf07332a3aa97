// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of implicit_gemm and the kernels that pack and round for it.
#ifndef VKONNX_SPECIALIZATION_IMPLICIT_GEMM_H
#define VKONNX_SPECIALIZATION_IMPLICIT_GEMM_H

#include "specialization/rows.h"

#define IMPLICIT_GEMM_SPECIALIZATION(SIZE, CONSTANT)                                                                     \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, epilogue, 0) /* see epilogue.glsl */                                                                             \
    CONSTANT(2, prologue, 0) /* see prologue.glsl */                                                                             \
    CONSTANT(3, taps, 0)     /* 1: taps stand for channels, which shared/implicit_gemm.h explains */

SPECIALIZATION(ImplicitGemm, IMPLICIT_GEMM_SPECIALIZATION)

#endif
