// SPDX-License-Identifier: Apache-2.0
// Specialization constants of implicit_gemm and the kernels that pack and round for it.
#ifndef VKONNX_SPECIALIZATION_IMPLICIT_GEMM_H
#define VKONNX_SPECIALIZATION_IMPLICIT_GEMM_H

#include "specialization/rows.h"

#define IMPLICIT_GEMM_SPECIALIZATION(SIZE, CONSTANT)                                                                     \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, tile_rows, 16) /* of packed weights: a multiple of 4 */                                                          \
    CONSTANT(2, bias, 0) /* GEMM_BIAS_... of shared/implicit_gemm.h */                                                 \
    CONSTANT(3, lanes, 1) /* neighbouring invocations with each other's columns between their own */                             \
    CONSTANT(4, epilogue, 0) /* see epilogue.glsl */

SPECIALIZATION(ImplicitGemm, IMPLICIT_GEMM_SPECIALIZATION)

#endif
