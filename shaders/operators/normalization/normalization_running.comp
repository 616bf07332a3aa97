// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes the running statistics that BatchNormalization returns in training: given * momentum + current * (1 -
// momentum). An invocation computes a statistic; of halves two, a word.
//
// Layouts: given, current, Y (channels).
// Assumptions:
// - Y fits 31 bits
// Specialization: normalization_running_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/normalization/normalization_running_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/operators/normalization/normalization.h"
#include "shaders/library/store.glsl"

#include "shaders/library/sums.glsl"

INPUT(0, Given, x, x_at)
SUMS_INPUT(1, Current, current, current_at)
#define OUTPUT_BINDING 2
#define STAGE NormalizationRunning
#include "shaders/engines/gather/gather.glsl"

Real output_at(uint index)
{
    Real given = times(x_at(index - push.x_base), real_of(uvec2(stage.momentum[0], stage.momentum[1])));
    return plus(given, times(current_at(index - push.w_base), real_of(uvec2(stage.rest[0], stage.rest[1]))));
}
