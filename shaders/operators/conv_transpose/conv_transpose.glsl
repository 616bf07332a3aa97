// SPDX-License-Identifier: Apache-2.0
// This file holds what both ConvTranspose kernels share: the problem, its operands, where elements lie, and the taps that reach
// one output along one axis. No other tap is visited.
#include "shaders/operators/conv_transpose/conv_transpose_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/operators/conv_transpose/conv_transpose.h"
#include "shaders/library/store.glsl"

INPUT(0, InputX, x, x_at)
INPUT(1, InputW, w, w_at)
INPUT(2, InputB, b, b_at)

layout(binding = UNIFORM_BINDING) uniform Problem
{
    ConvTransposeProblem problem;
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

// This struct holds the channel of an output, which its flat index gives beside the position.
struct Channel {
    uint group;
    uint of_group;  // number in its group
    uint number;    // number in all groups
};

Channel channel_number(uint number)
{
    return Channel(number / problem.channels_out, number % problem.channels_out, number);
}

// This struct tells how far apart elements lie. Input channels are counted through all groups.
struct Steps {
    uint x_batch;
    uint x_channel;
    uint x_position;
    uint w_channel;
    uint w_column;
    uint w_tap;
};

Steps steps_of(uint x_volume, uint w_volume)
{
    uint channels = problem.group * problem.channels_in;
    Steps steps;
    steps.x_batch = channels * x_volume;
    steps.x_channel = spec_layout == LAYOUT_NXC ? 1u : x_volume;
    steps.x_position = spec_layout == LAYOUT_NXC ? channels : 1u;
    if (spec_filter == FILTER_XIO) {
        steps.w_column = 1u;
        steps.w_channel = problem.channels_out;
        steps.w_tap = channels * problem.channels_out;
    } else if (spec_filter == FILTER_OIX) {
        steps.w_tap = 1u;
        steps.w_channel = w_volume;
        steps.w_column = channels * w_volume;
    } else {
        steps.w_tap = 1u;
        steps.w_column = w_volume;
        steps.w_channel = problem.channels_out * w_volume;
    }
    return steps;
}

// Tap number j reads input `position - j * axis.dilation` with weight `tap + j * axis.stride`, for j in [0, count).
struct Taps {
    uint tap;
    uint position;
    uint count;
};

// Tells whether padded output position p has a phase, the residue of taps that it meets. Only positions that the gcd divides have
// one.
bool has_phase(ConvTransposeAxis axis, uint p)
{
    return p % axis.gcd == 0u;
}

uint phase_of(ConvTransposeAxis axis, uint p)
{
    return p / axis.gcd % axis.stride;
}

// Returns the taps of [tap_begin, tap_end) for padded output position p, where `tap` is the first tap of p's phase.
Taps taps_in_range(ConvTransposeAxis axis, uint p, uint tap, uint tap_begin, uint tap_end)
{
    Taps none = Taps(0u, 0u, 0u);
    if (tap < tap_begin)
        tap += divide_up(tap_begin - tap, axis.stride) * axis.stride;
    if (tap >= tap_end || tap * axis.dilation * axis.gcd > p)
        return none;
    uint position = (p - tap * axis.dilation * axis.gcd) / (axis.stride * axis.gcd);
    if (position >= axis.in_extent) {
        uint skipped = divide_up(position - axis.in_extent + 1u, axis.dilation);
        if (skipped * axis.dilation > position)
            return none;
        tap += skipped * axis.stride;
        position -= skipped * axis.dilation;
        if (tap >= tap_end)
            return none;
    }
    return Taps(tap, position, min((tap_end - 1u - tap) / axis.stride, position / axis.dilation) + 1u);
}

Real finished(Real sum, bool any_tap, Channel channel)
{
    if (spec_bias != 0u)
        sum = plus(sum, b_at(channel.number - push.b_base));
    else if (!any_tap)
        sum = zero();
    return epilogue(sum);
}
