// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader is the last step of Softmax: e^(x - greatest) / sum of them. With `logarithm` it is that of LogSoftmax: x - greatest
// - log(sum of e^(x - greatest)). An invocation computes an element; of halves two, a word.
//
// Layouts: X, Y (outer, extent, inner), greatest and sums (outer, inner), row-major.
// Assumptions:
// - X and Y fit 31 bits
// Specialization: softmax_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/softmax/softmax_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/library/functions.glsl"
#include "shaders/operators/normalization/normalization.h"
#include "shaders/library/store.glsl"

#include "shaders/library/sums.glsl"

INPUT(0, InputX, x, x_at)
SUMS_INPUT(1, Greatest, greatest, greatest_at)
SUMS_INPUT(2, Sums, sums, sum_at)
#define OUTPUT_BINDING 3
#define STAGE NormalizationRows
#include "shaders/engines/gather/gather.glsl"

Real output_at(uint index)
{
    uint row = index / stage.row * stage.inner + index % stage.inner;
    Real below = minus(x_at(index - push.x_base), greatest_at(row - push.w_base));
    Real sum = sum_at(row - push.b_base);
    if (spec_logarithm != 0u)
        return minus(below, natural_logarithm(sum));
    Real power = exponential(below);
    return spec_exact_division != 0u ? quotient_exactly(power, sum) : quotient(power, sum);
}
