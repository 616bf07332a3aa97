// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes what the elements of a statistic are normalized by: its mean, and scale / sqrt(var + epsilon). An
// invocation computes one of the two.
//
// Layouts: mean, var (statistics), scale (channels), Y (statistics, 2), row-major.
// Assumptions:
// - Y fits 31 bits
// Specialization: normalization_factors_constants.h
// Grid: ceil(output_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/normalization/normalization_factors_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/operators/normalization/normalization.h"
#include "shaders/library/store.glsl"

#include "shaders/library/typed.glsl"

TYPED_INPUT(0, InputMean, mean, mean_at, spec_statistics_type)
TYPED_INPUT(1, InputVar, var, var_at, spec_statistics_type)
TYPED_INPUT(2, InputScale, scale, scale_at, spec_scale_type)
#define OUTPUT_BINDING 3
#define STAGE NormalizationFactors
#include "shaders/engines/gather/gather.glsl"

Real output_at(uint index)
{
    uint statistic = index >> 1u;
    if ((index & 1u) == 0u)
        return mean_at(statistic - push.x_base);
    Real square = plus(var_at(statistic - push.w_base), real_of(uvec2(stage.epsilon[0], stage.epsilon[1])));
    Real factor = scale_at(statistic % stage.channels - push.b_base);
    if (spec_exactly != 0u)
        return quotient_exactly(factor, square_root_exactly(square));
    return quotient(factor, square_root(square));
}
