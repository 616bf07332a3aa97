// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader is the last step of LRN: X * (bias + factor * sum of squares) ^ -beta. An invocation computes an element; of halves
// two, a word.
//
// Layouts: X, sums, Y (outer, channels, inner), row-major.
// Assumptions:
// - X and Y fit 31 bits
// Specialization: lrn_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/lrn/lrn_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/library/functions.glsl"
#include "shaders/operators/normalization/normalization.h"
#include "shaders/library/store.glsl"

#include "shaders/library/sums.glsl"

INPUT(0, InputX, x, x_at)
SUMS_INPUT(1, Sums, sums, sum_at)
#define OUTPUT_BINDING 2
#define STAGE LrnWindow
#include "shaders/engines/gather/gather.glsl"

Real output_at(uint index)
{
    Real sum = times(uintBitsToFloat(stage.factor), sum_at(index - push.w_base));
    Real base = plus(uintBitsToFloat(stage.bias), sum);
    return times(x_at(index - push.x_base), power(base, negated(uintBitsToFloat(stage.beta))));
}
