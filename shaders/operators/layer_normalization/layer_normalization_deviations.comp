// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes what the rows of LayerNormalization are multiplied by: 1 / sqrt(variance + epsilon), a row an invocation.
//
// Layouts: variances, Y (rows).
// Assumptions:
// - Y fits 31 bits
// Specialization: layer_normalization_deviations_constants.h
// Grid: ceil(output_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/layer_normalization/layer_normalization_deviations_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/operators/normalization/normalization.h"
#include "shaders/library/store.glsl"

INPUT(0, Variances, variances, variance_at)
#define OUTPUT_BINDING 1
#define STAGE LayerNormalizationDeviations
#include "shaders/engines/gather/gather.glsl"

Real output_at(uint index)
{
    Real square = plus(variance_at(index - push.x_base), real_of(uvec2(stage.epsilon[0], stage.epsilon[1])));
    if (spec_exactly != 0u)
        return quotient_exactly(one(), square_root_exactly(square));
    return quotient(one(), square_root(square));
}
