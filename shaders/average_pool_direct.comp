#version 450
// AveragePool, 1 to 3 spatial axes: one invocation sums one window and divides once.
//
// Layouts: X (N, C, D1..D3), Y (N, C, O1..O3), row-major.
// Assumptions:
// - a rank below 3 has leading axes of extent, kernel, stride and dilation 1
// - element counts, padded extents and the window's taps fit 31 bits
// - the device allows the loops: prod(taps + 1) iterations
// Specialization: SPEC_WORKGROUP_SIZE, SPEC_AVERAGE_POOL_RANK, SPEC_AVERAGE_POOL_COUNT_INCLUDE_PAD
// Grid: ceil(output_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "average_pool.glsl"

layout(constant_id = SPEC_AVERAGE_POOL_RANK) const uint rank = 3;
layout(constant_id = SPEC_AVERAGE_POOL_COUNT_INCLUDE_PAD) const uint count_include_pad = 0;

layout(binding = 0) readonly buffer InputX
{
    float x[];
};
layout(binding = 1) buffer OutputY
{
    float y[];
};

layout(push_constant) uniform Push
{
    AveragePoolDirect push;
};

Window whole_window(AveragePoolAxis axis, uint o)
{
    return window_of(axis, o, 0u, axis.kernel, count_include_pad != 0u);
}

void main()
{
    uint index = flat_invocation();
    if (index >= push.output_count)
        return;
    index += push.first_output;

    uint rest = index;
    Window window2 = whole_window(push.axes[2], rest % push.axes[2].out_extent);
    rest /= push.axes[2].out_extent;
    Window window1 = Window(0u, 1u, 1u);
    if (rank > 1u) {
        window1 = whole_window(push.axes[1], rest % push.axes[1].out_extent);
        rest /= push.axes[1].out_extent;
    }
    Window window0 = Window(0u, 1u, 1u);
    if (rank > 2u) {
        window0 = whole_window(push.axes[0], rest % push.axes[0].out_extent);
        rest /= push.axes[0].out_extent;
    }

    float sum = empty_sum();
    for (uint i = 0u; i < window0.taps; ++i) {
        uint plane = rest * push.axes[0].in_extent + window0.position + i * push.axes[0].dilation;
        for (uint j = 0u; j < window1.taps; ++j) {
            uint row = plane * push.axes[1].in_extent + window1.position + j * push.axes[1].dilation;
            uint first = row * push.axes[2].in_extent + window2.position;
            for (uint k = 0u; k < window2.taps; ++k)
                sum += x[first + k * push.axes[2].dilation];
        }
    }
    bool any_tap = window0.taps * window1.taps * window2.taps > 0u;
    y[index] = any_tap ? sum / float(window0.counted * window1.counted * window2.counted) : 0.0;
}
