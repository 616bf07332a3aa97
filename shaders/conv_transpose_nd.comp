#version 450
// ConvTranspose of any rank up to 6, any stride, any number of taps: the general form of conv_transpose_direct.
// One invocation adds one pass of one output: a range of input channels and a box of taps.
//
// Layouts: X (N, C, D1..Dn), W (C, M/group, k1..kn), Y (N, M, O1..On), all row-major; B (M).
// Assumptions:
// - element counts and padded extents fit 31 bits
// - the device allows the loops: channel_count * rows * (rank + taps of the last axis) iterations and 32 an axis
// - a pass that does not start goes on from the sum in Y
// Specialization: SPEC_WORKGROUP_SIZE, SPEC_CONV_TRANSPOSE_RANK, SPEC_CONV_TRANSPOSE_BIAS
// Grid: ceil(output_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "conv_transpose.glsl"

layout(constant_id = SPEC_CONV_TRANSPOSE_RANK) const uint rank = 6;
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
layout(binding = UNIFORM_BINDING) uniform Axes
{
    ConvTransposeAxis axes[6];
};

layout(push_constant) uniform Push
{
    ConvTransposeNd push;
};

// a * b mod m for a, b < m < 2^31, by doubling where the product would not fit 32 bits
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

void main()
{
    uint index = flat_invocation();
    if (index >= push.output_count)
        return;
    index += push.first_output;

    Taps taps[6];
    uint rest = index;
    uint rows = 1u;  // of taps, all axes but the last
    bool any_tap = push.channels_in > 0u;
    uint x_volume = 1u;
    uint w_volume = 1u;
    for (uint i = 0u; i < rank; ++i) {
        uint a = rank - 1u - i;
        uint position = rest % axes[a].out_extent;
        rest /= axes[a].out_extent;
        taps[a] = taps_of(axes[a], position, push.tap_begin[a], push.tap_end[a]);
        if (i > 0u)
            rows *= taps[a].count;
        // over all passes, not only this one
        any_tap = any_tap && taps_of(axes[a], position, 0u, axes[a].kernel).count > 0u;
        x_volume *= axes[a].in_extent;
        w_volume *= axes[a].kernel;
    }
    uint channel_out = rest % (push.group * push.channels_out);
    uint batch = rest / (push.group * push.channels_out);
    uint group = channel_out / push.channels_out;
    Taps last = taps[rank - 1u];
    uint last_dilation = axes[rank - 1u].dilation;
    uint last_stride = axes[rank - 1u].stride;

    float sum = push.starts != 0u ? empty_sum() : y[index];
    if (last.count > 0u) {
        for (uint c = push.first_channel; c < push.first_channel + push.channel_count; ++c) {
            uint x_channel = ((batch * push.group + group) * push.channels_in + c) * x_volume;
            uint w_channel = ((group * push.channels_in + c) * push.channels_out + channel_out % push.channels_out) * w_volume;
            for (uint row = 0u; row < rows; ++row) {
                uint x_first = x_channel + last.position;
                uint w_first = w_channel + last.tap;
                uint x_stride = axes[rank - 1u].in_extent;
                uint w_stride = axes[rank - 1u].kernel;
                uint digits = row;
                for (uint i = 1u; i < rank; ++i) {
                    uint a = rank - 1u - i;
                    uint j = digits % taps[a].count;
                    digits /= taps[a].count;
                    x_first += (taps[a].position - j * axes[a].dilation) * x_stride;
                    w_first += (taps[a].tap + j * axes[a].stride) * w_stride;
                    x_stride *= axes[a].in_extent;
                    w_stride *= axes[a].kernel;
                }
                for (uint k = 0u; k < last.count; ++k)
                    sum += x[x_first - k * last_dilation] * w[w_first + k * last_stride];
            }
        }
    }

    if (push.finishes != 0u) {
        if (has_bias != 0u)
            sum += b[channel_out];
        else if (!any_tap)
            sum = 0.0;
    }
    y[index] = sum;
}
