// SPDX-License-Identifier: Apache-2.0
// Specialization constants of conv_transpose_phases and the kernels that pack and round for it.
#ifndef VKONNX_SPECIALIZATION_CONV_TRANSPOSE_PHASES_H
#define VKONNX_SPECIALIZATION_CONV_TRANSPOSE_PHASES_H

#include "specialization/rows.h"

#define CONV_TRANSPOSE_PHASES_SPECIALIZATION(SIZE, CONSTANT)                                                                     \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, tile_rows, 16) /* of packed weights: a multiple of 4 */                                                          \
    CONSTANT(2, bias, 0) /* PHASES_BIAS_... of shared/conv_transpose_phases.h */                                                 \
    CONSTANT(3, lanes, 1) /* neighbouring invocations with each other's columns between their own */                             \
    CONSTANT(4, epilogue, 0) /* see epilogue.glsl */

SPECIALIZATION(ConvTransposePhases, CONV_TRANSPOSE_PHASES_SPECIALIZATION)

#endif
