// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader is the last step of InstanceNormalization and BatchNormalization: (X - mean) * factor + B. An invocation computes
// an element; of halves two, a word.
//
// Layouts: X, Y (outer, extent, inner), pairs of mean and factor (statistics), B (channels), row-major.
// Assumptions:
// - X and Y fit 31 bits
// Specialization: normalization_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/normalization/normalization_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/operators/normalization/normalization.h"
#include "shaders/library/store.glsl"

#include "shaders/library/sums.glsl"
#include "shaders/library/typed.glsl"

INPUT(0, InputX, x, x_at)
SUMS_INPUT(1, Factors, factors, factor_at)
TYPED_INPUT(2, InputB, b, b_at, spec_bias_type)
#define OUTPUT_BINDING 3
#define STAGE NormalizationRows
#include "shaders/engines/gather/gather.glsl"

Real output_at(uint index)
{
    uint statistic = index / stage.row * stage.inner + index % stage.inner;
    uint pair = 2u * (statistic % stage.statistics) - push.w_base;
    Real difference = minus(x_at(index - push.x_base), factor_at(pair));
    return plus(times(difference, factor_at(pair + 1u)), b_at(statistic % stage.channels - push.b_base));
}
