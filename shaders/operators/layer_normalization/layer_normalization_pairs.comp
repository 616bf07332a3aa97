// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader makes one list of pairs from two lists, so that LayerNormalization reads both through one binding: the mean and the
// deviation of each row, or Scale and B of each position. An invocation writes an element of a pair.
//
// Layouts: firsts, seconds, Y (count, 2), row-major.
// Assumptions:
// - Y fits 31 bits
// Specialization: layer_normalization_pairs_constants.h
// Grid: ceil(output_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/layer_normalization/layer_normalization_pairs_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/operators/normalization/normalization.h"
#include "shaders/library/store.glsl"

#include "shaders/library/typed.glsl"

TYPED_INPUT(0, Firsts, firsts, first_at, spec_dtype)
TYPED_INPUT(1, Seconds, seconds, second_at, spec_dtype)
#define OUTPUT_BINDING 2
#define STAGE LayerNormalizationPairs
#include "shaders/engines/gather/gather.glsl"

Real output_at(uint index)
{
    uint pair = index >> 1u;
    if ((index & 1u) == 0u)
        return first_at(pair % stage.firsts - push.x_base);
    return stage.seconds == 0u ? zero() : second_at(pair % stage.seconds - push.w_base);
}
