// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader is the first and the last steps of RNN, GRU and LSTM: it writes elements in another order, with zeros between them,
// and in another type. An invocation writes an element; of halves two, a word. Integers become floats.
//
// Layouts: recurrent.h tells which element of the input an output is.
// Assumptions:
// - X and Y fit 31 bits
// Specialization: recurrent_copy_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/recurrent/recurrent_copy_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/operators/recurrent/recurrent.h"
#include "shaders/library/store.glsl"

#include "shaders/library/typed.glsl"

layout(binding = 0) readonly buffer InputX
{
    uint x[];
};
#define OUTPUT_BINDING 1
#define STAGE RecurrentCopy
#include "shaders/engines/gather/gather.glsl"

Real output_at(uint index)
{
    uvec4 at;
    at.w = index % stage.extents[2];
    index /= stage.extents[2];
    at.z = index % stage.extents[1];
    index /= stage.extents[1];
    at.y = index % stage.extents[0];
    at.x = index / stage.extents[0];
    if (at.y * stage.reach + at.w >= stage.limit)
        return zero();
    uint from = at.x * stage.steps[0] + at.y * stage.steps[1] + at.z * stage.steps[2] + at.w * stage.steps[3] - push.x_base;
    if (spec_dtype == DTYPE_INT32)
        return Real(int(x[from]));
    return typed(x[spec_dtype == DTYPE_FLOAT32 ? from : from >> 1u], from, spec_dtype);
}
