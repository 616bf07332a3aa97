// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader packs one class of W for implicit_gemm, with the descriptions of its tiles and rows.
// Layout: implicit_gemm.h
// Specialization: implicit_gemm_constants.h
// Grid: ceil((end - first) / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/engines/implicit_gemm/implicit_gemm_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/engines/implicit_gemm/implicit_gemm.h"
#include "shaders/library/store.glsl"

#include "shaders/engines/implicit_gemm/gemm_texels.glsl"

INPUT(0, InputW, w, w_at)

layout(binding = 1) writeonly buffer Packed
{
    Texel texels[];
};
layout(push_constant) uniform Push
{
    GemmWeights push;
};

uint low(uint pair)
{
    return pair & 0xffffu;
}

uint high(uint pair)
{
    return pair >> 16u;
}

// This struct holds a row of the class: its output channel, and on each axis the number of its phase.
struct Row {
    uint channel;
    uvec3 phase;
};

Row row_of(uint number)
{
    Row row;
    for (uint i = 0u; i < 3u; ++i) {
        uint axis = 2u - i;
        uint phases = low(push.phases_and_taps[axis]);
        row.phase[axis] = number % phases;
        number /= phases;
    }
    row.channel = number;
    return row;
}

Row next(Row row)
{
    for (uint i = 0u; i < 3u; ++i) {
        uint axis = 2u - i;
        if (++row.phase[axis] < low(push.phases_and_taps[axis]))
            return row;
        row.phase[axis] = 0u;
    }
    ++row.channel;
    return row;
}

// Writes description number i of a group whose texels begin at `first`.
void describe(uint first, uint i, vec4 numbers)
{
#if HALF_TEXELS
    texels[first + 2u * i] = floatBitsToUint(numbers.xy);
    texels[first + 2u * i + 1u] = floatBitsToUint(numbers.zw);
#else
    texels[first + i] = Texel(numbers);
#endif
}

vec4 description_of(Row row)
{
    vec4 described = vec4(row.channel < push.channels_out ? float(row.channel) : -1.0);
    for (uint axis = 0u; axis < 3u; ++axis)
        described[axis + 1u] = float(low(push.phase_and_step[axis]) + row.phase[axis] * high(push.phase_and_step[axis]));
    return described;
}

void main()
{
    uint i = push.first + flat_invocation();
    if (i >= push.end)
        return;
    uint taps = 1u;
    for (uint axis = 0u; axis < 3u; ++axis)
        taps *= high(push.phases_and_taps[axis]);
    uint quads = divide_up(push.channels_in, 4u);
    uint tile_texels = quads * taps * push.tile_rows;
    uint class_texels = push.tiles * (GEMM_TILE_TEXELS + push.tile_rows + tile_texels);
    uint group = i / class_texels;
    uint at = group * push.group_texels;
    i %= class_texels;

    if (i < push.tiles * GEMM_TILE_TEXELS) {
        vec4 texel;
        for (uint axis = 0u; axis < 3u; ++axis)
            texel[axis] = float(i % 2u == 0u ? high(push.phases_and_taps[axis]) : low(push.place_and_tap[axis]));
        texel.w = float(push.first_weight + i / GEMM_TILE_TEXELS * tile_texels);
        describe(at, push.first_tile * GEMM_TILE_TEXELS + i, texel);
        return;
    }
    i -= push.tiles * GEMM_TILE_TEXELS;
    if (i < push.tiles * push.tile_rows) {
        describe(at, push.all_tiles * GEMM_TILE_TEXELS + push.first_tile * push.tile_rows + i, description_of(row_of(i)));
        return;
    }
    i -= push.tiles * push.tile_rows;
    at += push.first_weight + i;

    uint row_quads = push.tile_rows / 4u;
    uint first_row = 4u * (i % row_quads);
    i /= row_quads;
    uint channel = i % 4u;
    i /= 4u;
    uint rest = i % taps;
    uvec3 tap;
    for (uint a = 0u; a < 3u; ++a) {
        uint axis = 2u - a;
        uint count = high(push.phases_and_taps[axis]);
        tap[axis] = rest % count;
        rest /= count;
    }
    i /= taps;
    channel += 4u * (i % quads);
    first_row += i / quads * push.tile_rows;
    Real4 texel = Real4(empty_sum());  // its products with zeros change no sum
    Row row = row_of(first_row);
    for (uint r = 0u; r < 4u && channel < push.channels_in; ++r) {
        uint tap_number = 0u;
        for (uint axis = 0u; axis < 3u; ++axis)
            tap_number = tap_number * low(push.kernel_and_step[axis]) + high(push.place_and_tap[axis]) +
                         row.phase[axis] * push.tap_step[axis] + tap[axis] * high(push.kernel_and_step[axis]);
        // Rows beyond the class take weights of its own rows, so that they need no case of their own.
        texel[r] = w_at(group * push.w_group + channel * push.w_channel +
                        min(row.channel, push.channels_out - 1u) * push.w_column + tap_number * push.w_tap);
        row = next(row);
    }
    texels[at] = packed(texel);
}
