#version 450
// AveragePool of any rank up to 6 and any window: the general form of average_pool_direct. One invocation adds one pass of
// one output: a box of the window's taps.
//
// Layouts: X (N, C, D1..Dn), Y (N, C, O1..On), row-major.
// Assumptions:
// - element counts, padded extents and the window's taps fit 31 bits
// - the device allows the loops: rows * (rank + taps of the last axis) iterations
// - a pass that does not start goes on from the sum in Y
// Specialization: SPEC_WORKGROUP_SIZE, SPEC_AVERAGE_POOL_RANK, SPEC_AVERAGE_POOL_COUNT_INCLUDE_PAD
// Grid: ceil(output_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "average_pool.glsl"

layout(constant_id = SPEC_AVERAGE_POOL_RANK) const uint rank = 6;
layout(constant_id = SPEC_AVERAGE_POOL_COUNT_INCLUDE_PAD) const uint count_include_pad = 0;

layout(binding = 0) readonly buffer InputX
{
    float x[];
};
layout(binding = 1) buffer OutputY
{
    float y[];
};
layout(binding = UNIFORM_BINDING) uniform Axes
{
    AveragePoolAxis axes[6];
};

layout(push_constant) uniform Push
{
    AveragePoolNd push;
};

void main()
{
    uint index = flat_invocation();
    if (index >= push.output_count)
        return;
    index += push.first_output;

    Window windows[6];
    uint rest = index;
    uint rows = 1u;  // of taps, all axes but the last
    uint divisor = 1u;
    bool any_tap = true;
    for (uint i = 0u; i < rank; ++i) {
        uint a = rank - 1u - i;
        uint o = rest % axes[a].out_extent;
        rest /= axes[a].out_extent;
        windows[a] = window_of(axes[a], o, push.tap_begin[a], push.tap_end[a], count_include_pad != 0u);
        if (i > 0u)
            rows *= windows[a].taps;
        divisor *= windows[a].counted;
        // over all passes, not only this one
        any_tap = any_tap && window_of(axes[a], o, 0u, axes[a].kernel, false).taps > 0u;
    }
    Window last = windows[rank - 1u];
    uint last_dilation = axes[rank - 1u].dilation;

    float sum = push.starts != 0u ? empty_sum() : y[index];
    if (last.taps > 0u) {
        for (uint row = 0u; row < rows; ++row) {
            uint first = last.position;
            uint stride = axes[rank - 1u].in_extent;
            uint digits = row;
            for (uint i = 1u; i < rank; ++i) {
                uint a = rank - 1u - i;
                uint j = digits % windows[a].taps;
                digits /= windows[a].taps;
                first += (windows[a].position + j * axes[a].dilation) * stride;
                stride *= axes[a].in_extent;
            }
            first += rest * stride;
            for (uint k = 0u; k < last.taps; ++k)
                sum += x[first + k * last_dilation];
        }
    }

    if (push.finishes != 0u)
        sum = any_tap ? sum / float(divisor) : 0.0;
    y[index] = sum;
}
