// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes the elementwise operators: one invocation computes an element, or those that share a word, or with
// OUTPUTS=4 a quad of them (elementwise_quads.glsl).
//
// Layouts: row-major; an input lies as the output does, or is broadcast by a stride of 0.
// Assumptions:
// - element numbers fit 31 bits
// - the device allows the loop: spec_rank iterations an element
// - up to 3 inputs are bound; where there are more of them (Sum, Mean, Min, Max), parts go on from what those before them left:
//   inputs
//   are the channels of the gather protocol, and spec_given is 1
// - where Y is the memory of an input, that input is read at the element that is written, and not later
// Specialization: elementwise_constants.h
// Grid: ceil(output_count / outputs of an invocation / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/elementwise/elementwise_constants.h"

#define MAY_BE(kind) (spec_kind == (kind))

const uint steps_read = 0u;  // bit i tells whether steps behind the operator read input i

#include "shaders/operators/elementwise/elementwise.glsl"

Real output_of(uint index, Operands operands)
{
    return first_result(index, operands);
}
