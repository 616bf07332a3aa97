// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader is the last step of LayerNormalization: (X - mean) * deviation * Scale + B. An invocation computes an element; of
// halves two, a word.
//
// Layouts: X, Y (rows, extent), pairs of mean and deviation (rows, 2), pairs of Scale and B (extent, 2), row-major.
// Assumptions:
// - X and Y fit 31 bits
// Specialization: plain_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/library/plain_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/operators/normalization/normalization.h"
#include "shaders/library/store.glsl"

#include "shaders/library/sums.glsl"

INPUT(0, InputX, x, x_at)
SUMS_INPUT(1, PairsOfRows, pairs_of_rows, of_row_at)
SUMS_INPUT(2, PairsOfPositions, pairs_of_positions, of_position_at)
#define OUTPUT_BINDING 3
#define STAGE LayerNormalizationElements
#include "shaders/engines/gather/gather.glsl"

Real output_at(uint index)
{
    uint row = 2u * (index / stage.extent) - push.w_base;
    uint position = 2u * (index % stage.extent) - push.b_base;
    Real normalized = times(minus(x_at(index - push.x_base), of_row_at(row)), of_row_at(row + 1u));
    return plus(times(normalized, of_position_at(position)), of_position_at(position + 1u));
}
