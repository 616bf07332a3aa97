// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes ConvTranspose with 1 to 3 spatial axes: one invocation gathers an output.
//
//   Y[n, m, o] = B[m] + sum over channels c of m's group and taps t that meet o of X[n, c, q] * W[c, m', t]
//
// Order of the sum: channels, then taps row-major, bias last; every product and sum is rounded by itself.
// Layouts: X (N, C, D1..D3) and Y (N, M, O1..O3), or channels last; W (C, M/group, k1..k3), or as spec_filter says; all
// row-major; B (M).
// Assumptions:
// - stride/gcd of an axis is at most 65,536 or its inverse at most 1, so that phase * inverse fits 32 bits
// - padded extents fit 31 bits
// - the device allows the loops: channel_count * prod(taps + 1) iterations an output
// Specialization: conv_transpose_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/conv_transpose/conv_transpose.glsl"

Taps taps_of(ConvTransposeAxis axis, uint output_position)
{
    uint p = output_position + axis.begin;
    if (!has_phase(axis, p))
        return Taps(0u, 0u, 0u);
    uint tap = phase_of(axis, p) * axis.inverse % axis.stride;
    return taps_in_range(axis, p, tap, 0u, axis.kernel);
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
    Taps taps2 = taps_of(problem.axes[5], rest % problem.axes[5].out_extent);
    rest /= problem.axes[5].out_extent;
    Taps taps1 = Taps(0u, 0u, 1u);
    if (spec_rank > 1u) {
        taps1 = taps_of(problem.axes[4], rest % problem.axes[4].out_extent);
        rest /= problem.axes[4].out_extent;
    }
    Taps taps0 = Taps(0u, 0u, 1u);
    if (spec_rank > 2u) {
        taps0 = taps_of(problem.axes[3], rest % problem.axes[3].out_extent);
        rest /= problem.axes[3].out_extent;
    }
    if (spec_layout == LAYOUT_NCX) {
        channel = channel_number(rest % channels_out);
        rest /= channels_out;
    }

    Steps steps = steps_of(problem.axes[3].in_extent * problem.axes[4].in_extent * problem.axes[5].in_extent,
                           problem.axes[3].kernel * problem.axes[4].kernel * problem.axes[5].kernel);
    uint x_step = problem.axes[5].dilation * steps.x_position;
    uint w_step = problem.axes[5].stride * steps.w_tap;
    uint first_channel = channel.group * problem.channels_in + push.first_channel;

    Real sum = sum_so_far(index);
    for (uint c = first_channel; c < first_channel + push.channel_count; ++c) {
        uint x_origin = rest * steps.x_batch + c * steps.x_channel - push.x_base;
        uint w_origin = c * steps.w_channel + channel.of_group * steps.w_column - push.w_base;
        for (uint i = 0u; i < taps0.count; ++i) {
            uint x_plane = (taps0.position - i * problem.axes[3].dilation) * problem.axes[4].in_extent;
            uint w_plane = (taps0.tap + i * problem.axes[3].stride) * problem.axes[4].kernel;
            for (uint j = 0u; j < taps1.count; ++j) {
                uint x_row = (x_plane + taps1.position - j * problem.axes[4].dilation) * problem.axes[5].in_extent;
                uint w_row = (w_plane + taps1.tap + j * problem.axes[4].stride) * problem.axes[5].kernel;
                uint x_first = x_origin + (x_row + taps2.position) * steps.x_position;
                uint w_first = w_origin + (w_row + taps2.tap) * steps.w_tap;
                for (uint k = 0u; k < taps2.count; ++k)
                    sum = plus(sum, times(x_at(x_first - k * x_step), w_at(w_first + k * w_step)));
            }
        }
    }
    bool any_tap = problem.channels_in > 0u && taps0.count * taps1.count * taps2.count > 0u;
    return push.finishes != 0u ? finished(sum, any_tap, channel) : sum;
}
