// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes ConvTranspose of any rank up to 6, any stride, and any number of taps. It is the general form of
// conv_transpose_direct. One invocation adds one part of an output: a range of input channels and a box of taps.
//
// Layouts: X (N, C, D1..Dn) and Y (N, M, O1..On), or channels last; W (C, M/group, k1..kn), or as spec_filter says; all
// row-major; B (M).
// Assumptions:
// - padded extents fit 31 bits
// - the device allows the loops: channel_count * rows * (rank + taps of the last axis) iterations an output, and 32 an axis
// Where PROLOGUE is defined, the shader reads P, too, at binding 3. It then needs one storage buffer more than Vulkan promises.
// Specialization: conv_transpose_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/conv_transpose/conv_transpose.glsl"

const uint last_axis = MAX_AXES - 1u;

// Returns a * b mod m for a, b < m < 2^31. It doubles step by step where the product would not fit 32 bits.
uint multiply_mod(uint a, uint b, uint m)
{
    if (m <= 65536u || b <= 1u)
        return a * b % m;
    uint product = 0u;
    for (; b != 0u; b >>= 1) {
        if ((b & 1u) != 0u)
            product = (product + a) % m;
        a = (a + a) % m;
    }
    return product;
}

Taps taps_of(ConvTransposeAxis axis, uint output_position, uint tap_begin, uint tap_end)
{
    uint p = output_position + axis.begin;
    if (!has_phase(axis, p))
        return Taps(0u, 0u, 0u);
    return taps_in_range(axis, p, multiply_mod(phase_of(axis, p), axis.inverse, axis.stride), tap_begin, tap_end);
}

Real output_at(uint index)
{
    uint rest = index;
    uint channels_out = problem.group * problem.channels_out;
    Channel channel;
    if (spec_layout == LAYOUT_NXC) {
        channel = channel_number(rest % channels_out);
        rest /= channels_out;
    }
    Taps taps[MAX_AXES];
    uint rows = 1u;  // rows of taps: the product over all axes but the last
    bool any_tap = problem.channels_in > 0u;
    uint x_volume = 1u;
    uint w_volume = 1u;
    for (uint i = 0u; i < spec_rank; ++i) {
        uint a = last_axis - i;
        uint position = rest % problem.axes[a].out_extent;
        rest /= problem.axes[a].out_extent;
        taps[a] = taps_of(problem.axes[a], position, push.tap_begin[a], push.tap_end[a]);
        if (i > 0u)
            rows *= taps[a].count;
        // This asks for all parts, not only for this one.
        any_tap = any_tap && taps_of(problem.axes[a], position, 0u, problem.axes[a].kernel).count > 0u;
        x_volume *= problem.axes[a].in_extent;
        w_volume *= problem.axes[a].kernel;
    }
    if (spec_layout == LAYOUT_NCX) {
        channel = channel_number(rest % channels_out);
        rest /= channels_out;
    }
    Taps last = taps[last_axis];
    Steps steps = steps_of(x_volume, w_volume);
    uint x_step = problem.axes[last_axis].dilation * steps.x_position;
    uint w_step = problem.axes[last_axis].stride * steps.w_tap;
    uint first_channel = channel.group * problem.channels_in + push.first_channel;

    Real sum = sum_so_far(index);
    if (last.count > 0u) {
        for (uint c = first_channel; c < first_channel + push.channel_count; ++c) {
            uint x_origin = rest * steps.x_batch + c * steps.x_channel - push.x_base;
            uint w_origin = c * steps.w_channel + channel.of_group * steps.w_column - push.w_base;
#if PROLOGUE
            Prologue prologue = prologue_at(c * prologue_numbers() - push.p_base);
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
                    x_first += (taps[a].position - j * problem.axes[a].dilation) * x_stride;
                    w_first += (taps[a].tap + j * problem.axes[a].stride) * w_stride;
                    x_stride *= problem.axes[a].in_extent;
                    w_stride *= problem.axes[a].kernel;
                }
                x_first = x_origin + x_first * steps.x_position;
                w_first = w_origin + w_first * steps.w_tap;
                for (uint k = 0u; k < last.count; ++k) {
                    Real value = x_at(x_first - k * x_step);
#if PROLOGUE
                    value = after_prologue(prologue, value);
#endif
                    sum = plus(sum, times(value, w_at(w_first + k * w_step)));
                }
            }
        }
    }
    return push.finishes != 0u ? finished(sum, any_tap, channel) : sum;
}
