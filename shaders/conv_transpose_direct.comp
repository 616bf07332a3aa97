#version 450
// ConvTranspose, 1 to 3 spatial axes: one invocation gathers one output.
//
//   Y[n, m, o] = B[m] + sum over channels c of m's group and taps t that meet o of X[n, c, q] * W[c, m', t]
//
// Layouts: X (N, C, D1..D3), W (C, M/group, k1..k3), Y (N, M, O1..O3), all row-major; B (M).
// Assumptions:
// - a rank below 3 has leading axes of extent, kernel, stride and dilation 1
// - stride/gcd of an axis is at most 65,536 or its inverse at most 1, so that phase * inverse fits 32 bits
// - element counts and padded extents fit 31 bits
// - the device allows the loops: channel_count * prod(taps + 1) iterations
// - a pass with first_channel > 0 goes on from the sum in Y
// Specialization: SPEC_WORKGROUP_SIZE, SPEC_CONV_TRANSPOSE_RANK, SPEC_CONV_TRANSPOSE_BIAS
// Grid: ceil(output_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "conv_transpose.glsl"

layout(constant_id = SPEC_CONV_TRANSPOSE_RANK) const uint rank = 3;
layout(constant_id = SPEC_CONV_TRANSPOSE_BIAS) const uint has_bias = 0;

layout(binding = 0) readonly buffer InputX
{
    float x[];
};
layout(binding = 1) readonly buffer InputW
{
    float w[];
};
layout(binding = 2) readonly buffer InputB
{
    float b[];
};
layout(binding = 3) buffer OutputY
{
    float y[];
};

layout(push_constant) uniform Push
{
    ConvTransposeDirect push;
};

Taps taps_of(ConvTransposeAxis axis, uint output_position)
{
    uint p = output_position + axis.begin;
    if (!has_phase(axis, p))
        return Taps(0u, 0u, 0u);
    uint tap = phase_of(axis, p) * axis.inverse % axis.stride;
    return taps_in_range(axis, p, tap, 0u, axis.kernel);
}

void main()
{
    uint index = flat_invocation();
    if (index >= push.output_count)
        return;
    index += push.first_output;

    uint rest = index;
    Taps taps2 = taps_of(push.axes[2], rest % push.axes[2].out_extent);
    rest /= push.axes[2].out_extent;
    Taps taps1 = Taps(0u, 0u, 1u);
    if (rank > 1u) {
        taps1 = taps_of(push.axes[1], rest % push.axes[1].out_extent);
        rest /= push.axes[1].out_extent;
    }
    Taps taps0 = Taps(0u, 0u, 1u);
    if (rank > 2u) {
        taps0 = taps_of(push.axes[0], rest % push.axes[0].out_extent);
        rest /= push.axes[0].out_extent;
    }
    uint channel_out = rest % (push.group * push.channels_out);
    uint batch = rest / (push.group * push.channels_out);
    uint group = channel_out / push.channels_out;

    uint x_volume = push.axes[0].in_extent * push.axes[1].in_extent * push.axes[2].in_extent;
    uint w_volume = push.axes[0].kernel * push.axes[1].kernel * push.axes[2].kernel;

    float sum = push.first_channel > 0u ? y[index] : empty_sum();
    for (uint c = push.first_channel; c < push.first_channel + push.channel_count; ++c) {
        uint x_channel = ((batch * push.group + group) * push.channels_in + c) * x_volume;
        uint w_channel = ((group * push.channels_in + c) * push.channels_out + channel_out % push.channels_out) * w_volume;
        for (uint i = 0u; i < taps0.count; ++i) {
            uint x_plane = (taps0.position - i * push.axes[0].dilation) * push.axes[1].in_extent;
            uint w_plane = (taps0.tap + i * push.axes[0].stride) * push.axes[1].kernel;
            for (uint j = 0u; j < taps1.count; ++j) {
                uint x_row = (x_plane + taps1.position - j * push.axes[1].dilation) * push.axes[2].in_extent;
                uint w_row = (w_plane + taps1.tap + j * push.axes[1].stride) * push.axes[2].kernel;
                uint x_first = x_channel + x_row + taps2.position;
                uint w_first = w_channel + w_row + taps2.tap;
                for (uint k = 0u; k < taps2.count; ++k)
                    sum += x[x_first - k * push.axes[2].dilation] * w[w_first + k * push.axes[2].stride];
            }
        }
    }

    if (push.first_channel + push.channel_count == push.channels_in) {
        if (has_bias != 0u)
            sum += b[channel_out];
        else if (push.channels_in == 0u || taps0.count * taps1.count * taps2.count == 0u)
            sum = 0.0;
    }
    y[index] = sum;
}
