// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes Conv of any rank up to 6, any stride, and any number of taps. One invocation adds one part of an output: a
// range of input channels and a box of taps.
//
// Layouts: X (N, C, D1..Dn) and Y (N, M, O1..On), or channels last; W (M, C/group, k1..kn); all row-major; B (M).
// Assumptions:
// - padded extents fit 31 bits
// - the device allows the loops: channel_count * rows * (rank + taps of the last axis) iterations an output
// Where PROLOGUE is defined, the shader reads P, too, at binding 3. It then needs one storage buffer more than Vulkan promises.
// Specialization: conv_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/conv/conv_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/operators/conv/conv.h"
#include "shaders/library/store.glsl"

INPUT(0, InputX, x, x_at)
INPUT(1, InputW, w, w_at)
INPUT(2, InputB, b, b_at)

layout(binding = UNIFORM_BINDING) uniform Problem
{
    ConvProblem problem;
};

#include "shaders/engines/fusion/epilogue.glsl"
#if PROLOGUE
INPUT(3, InputP, p, p_at)
#include "shaders/engines/fusion/prologue.glsl"
#define OUTPUT_BINDING 4
#else
#define OUTPUT_BINDING 3
#endif
#include "shaders/engines/gather/gather.glsl"

const uint last_axis = MAX_AXES - 1u;

// This struct holds the taps [tap, tap + count), which read the input, the first one at `position`.
struct Taps {
    uint tap;
    uint position;
    uint count;
};

// Returns the taps of output o that read the input, of those in [tap_begin, tap_end).
Taps taps_of(ConvAxis axis, uint o, uint tap_begin, uint tap_end)
{
    uint start = o * axis.stride;  // counted from the first padded position; input position 0 is `begin`
    uint beyond = axis.begin + axis.in_extent;
    uint first = start >= axis.begin ? 0u : divide_up(axis.begin - start, axis.dilation);
    uint end = start >= beyond ? 0u : min(axis.kernel, (beyond - 1u - start) / axis.dilation + 1u);
    first = max(first, tap_begin);
    end = min(end, tap_end);
    if (first >= end)
        return Taps(0u, 0u, 0u);
    return Taps(first, start + first * axis.dilation - axis.begin, end - first);
}

Real output_at(uint index)
{
    uint channels_out = problem.group * problem.channels_out;
    uint channels_in = problem.group * problem.channels_in;
    bool last_channels = spec_layout == LAYOUT_NXC;
    uint rest = index;
    uint channel = 0u;
    if (last_channels) {
        channel = rest % channels_out;
        rest /= channels_out;
    }
    Taps taps[MAX_AXES];
    uint rows = 1u;  // rows of taps: the product over all axes but the last
    bool any_tap = problem.channels_in > 0u;
    uint x_volume = 1u;
    uint w_volume = 1u;
    for (uint i = 0u; i < spec_rank; ++i) {
        uint a = last_axis - i;
        uint o = rest % problem.axes[a].out_extent;
        rest /= problem.axes[a].out_extent;
        taps[a] = taps_of(problem.axes[a], o, push.tap_begin[a], push.tap_end[a]);
        if (i > 0u)
            rows *= taps[a].count;
        // This asks for all parts, not only for this one.
        any_tap = any_tap && taps_of(problem.axes[a], o, 0u, problem.axes[a].kernel).count > 0u;
        x_volume *= problem.axes[a].in_extent;
        w_volume *= problem.axes[a].kernel;
    }
    if (!last_channels) {
        channel = rest % channels_out;
        rest /= channels_out;
    }
    Taps last = taps[last_axis];
    uint x_channel = last_channels ? 1u : x_volume;
    uint x_position = last_channels ? channels_in : 1u;
    uint first_channel = channel / problem.channels_out * problem.channels_in;
    uint x_step = problem.axes[last_axis].dilation * x_position;

    Real sum = sum_so_far(index);
    if (last.count > 0u) {
        for (uint c = push.first_channel; c < push.first_channel + push.channel_count; ++c) {
            uint x_origin = rest * channels_in * x_volume + (first_channel + c) * x_channel - push.x_base;
            uint w_origin = (channel * problem.channels_in + c) * w_volume - push.w_base;
#if PROLOGUE
            Prologue prologue = prologue_at((first_channel + c) * prologue_numbers() - push.p_base);
#endif
            for (uint row = 0u; row < rows; ++row) {
                uint x_first = last.position;
                uint w_first = last.tap;
                uint x_stride = problem.axes[last_axis].in_extent;
                uint w_stride = problem.axes[last_axis].kernel;
                uint digits = row;
                for (uint i = 1u; i < spec_rank; ++i) {
                    uint a = last_axis - i;
                    uint j = digits % taps[a].count;
                    digits /= taps[a].count;
                    x_first += (taps[a].position + j * problem.axes[a].dilation) * x_stride;
                    w_first += (taps[a].tap + j) * w_stride;
                    x_stride *= problem.axes[a].in_extent;
                    w_stride *= problem.axes[a].kernel;
                }
                x_first = x_origin + x_first * x_position;
                w_first += w_origin;
                for (uint k = 0u; k < last.count; ++k) {
                    Real value = x_at(x_first + k * x_step);
#if PROLOGUE
                    value = after_prologue(prologue, value);
#endif
                    sum = plus(sum, times(value, w_at(w_first + k)));
                }
            }
        }
    }
    if (push.finishes == 0u)
        return sum;
    if (spec_bias != 0u)
        sum = plus(sum, b_at(channel - push.b_base));
    else if (!any_tap)
        sum = zero();
    return epilogue(sum);
}
