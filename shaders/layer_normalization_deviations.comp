// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes what the rows of LayerNormalization are multiplied by: 1 / sqrt(variance + epsilon), a row an invocation.
//
// Layouts: variances, Y (rows).
// Assumptions:
// - Y fits 31 bits
// Specialization: specialization/layer_normalization_deviations.h
// Grid: ceil(output_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "specialization/layer_normalization_deviations.h"

#include "common.glsl"
#include "shared/normalization.h"
#include "store.glsl"

INPUT(0, Variances, variances, variance_at)
#define OUTPUT_BINDING 1
#define STAGE LayerNormalizationDeviations
#include "gather.glsl"

Real output_at(uint index)
{
    Real square = plus(variance_at(index - push.x_base), real_of(uvec2(stage.epsilon[0], stage.epsilon[1])));
    if (spec_exactly != 0u)
        return quotient_exactly(one(), square_root_exactly(square));
    return quotient(one(), square_root(square));
}
