// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader is the last step of conv_transpose_columns: each output gathers its taps' columns.
//
//   Y[n, g, m, o] = B[g, m] + sum over taps t that meet o of columns[n, g, t * M' + m, q]
//
// Order of the sum: taps row-major, bias last.
// Specialization: shaders/test/columns_constants.h, with one row
// Grid: ceil(count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/test/columns_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/test/conv_transpose_columns.h"

layout(binding = 0) readonly buffer Scratch
{
    float columns[];
};
layout(binding = 1) readonly buffer InputB
{
    float b[];
};
layout(binding = 2) writeonly buffer OutputY
{
    float y[];
};
layout(push_constant) uniform Push
{
    Columns push;
};

// Tells whether tap t meets padded output position p, and sets `position` to the input position where it does.
bool meets(uint p, uint t, uint axis, out uint position)
{
    uint reach = t * push.dilation[axis];
    position = (p - reach) / push.stride[axis];
    return reach <= p && (p - reach) % push.stride[axis] == 0u && position < push.in_extent[axis];
}

void main()
{
    uint index = flat_invocation();
    if (index >= push.count)
        return;
    uint p[COLUMNS_AXES];
    uint rest = index;
    for (int axis = COLUMNS_AXES - 1; axis >= 0; --axis) {
        p[axis] = rest % push.out_extent[axis] + push.begin[axis];
        rest /= push.out_extent[axis];
    }
    uint column = rest % push.channels_out;
    uint first = rest / push.channels_out * push.taps * push.channels_out + column;  // row 0 of the image's group
    float sum = uintBitsToFloat(0x80000000u);
    bool any_tap = false;
    uint q0, q1, q2;
    for (uint i = 0u; i < push.kernel[0]; ++i) {
        if (!meets(p[0], i, 0u, q0))
            continue;
        for (uint j = 0u; j < push.kernel[1]; ++j) {
            if (!meets(p[1], j, 1u, q1))
                continue;
            for (uint k = 0u; k < push.kernel[2]; ++k) {
                if (!meets(p[2], k, 2u, q2))
                    continue;
                uint tap = (i * push.kernel[1] + j) * push.kernel[2] + k;
                uint position = (q0 * push.in_extent[1] + q1) * push.in_extent[2] + q2;
                sum += columns[(first + tap * push.channels_out) * push.positions + position];
                any_tap = true;
            }
        }
    }
    if (push.bias != 0u)
        y[index] = sum + b[rest % (push.group * push.channels_out)];
    else
        y[index] = any_tap ? sum : 0.0;
}
