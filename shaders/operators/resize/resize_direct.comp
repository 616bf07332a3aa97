// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes Resize by weighted sums, with up to 3 axes that have several taps, in one part. One invocation sums an
// output, taps row-major: each element times the product of its axes' weights, the innermost axis's first.
//
// Layouts: row-major. The table has a row for each coordinate of an axis with taps (resize.h).
// Assumptions:
// - element numbers fit 31 bits
// - the device allows the loops: spec_axes + prod(taps + 1) iterations an output
// Specialization: resize_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/resize/resize.glsl"

const uvec2 ITSELF = uvec2(0u, 0x3f800000u);  // for an axis that does not exist: distance 0, weight 1

Real output_at(uint index)
{
    Rows rows = rows_of(index);
    if (rows.outside)
        return extrapolation();
    Sum sum = weight_of(0x80000000u);  // -0.0 changes no first term
    uint origin = rows.origin - push.x_base;
    for (uint i = 0u; i < rows.taps[2]; ++i) {
        uvec2 outer = spec_tapped > 2u ? table[rows.first[2] + i] : ITSELF;
        for (uint j = 0u; j < rows.taps[1]; ++j) {
            uvec2 middle = spec_tapped > 1u ? table[rows.first[1] + j] : ITSELF;
            for (uint k = 0u; k < rows.taps[0]; ++k) {
                uvec2 inner = table[rows.first[0] + k];
                Sum weight = weight_of(inner.y);
                if (spec_tapped > 1u)
                    weight = multiplied(weight, weight_of(middle.y));
                if (spec_tapped > 2u)
                    weight = multiplied(weight, weight_of(outer.y));
                sum = added(sum, multiplied(weight, element_at(origin + outer.x + middle.x + inner.x)));
            }
        }
    }
    return result_of(sum);
}
