// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes Resize to nearest elements: one invocation copies an element, or those that share a word. TYPE_ is the
// unsigned integer as wide as an element, which carries its bits.
//
// Layouts: row-major. The table has a word for each coordinate of axes that are no quotients (resize.h).
// Assumptions:
// - element numbers fit 31 bits
// - the device allows the loop: spec_axes iterations an element
// Specialization: resize_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/resize/resize_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/library/divide.glsl"
#include "shaders/operators/resize/resize.h"
#include "shaders/library/store.glsl"

INPUT(0, InputX, x, x_at)

layout(binding = 1) readonly buffer Table
{
    uint table[];
};

layout(binding = UNIFORM_BINDING) uniform Problem
{
    ResizeProblem problem;
};

#define OUTPUT_BINDING 2
#include "shaders/engines/gather/gather.glsl"

Real output_at(uint index)
{
    uint place = 0u;
    uint rest = index;
    bool outside = false;
    for (uint i = 0u; i < spec_axes; ++i) {
        uint above = i + 1u < spec_axes ? divided(rest, problem.axes[i].out_extent) : 0u;
        uint coordinate = rest - above * problem.axes[i].out_extent.number;
        rest = above;
        if (problem.axes[i].factor.number != 0u) {
            place += divided(coordinate, problem.axes[i].factor) * problem.axes[i].stride;
        } else {
            uint distance = table[problem.axes[i].row + coordinate];
            outside = outside || distance == RESIZE_OUTSIDE;
            place += distance;
        }
    }
    if (outside)
        return real_of(uvec2(problem.extrapolation_low, problem.extrapolation_high));
    return x_at(place - push.x_base);
}
