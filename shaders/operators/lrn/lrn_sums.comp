// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader is the first step of LRN: the sum of the squares of the channels around an element's own, or a part of it. An
// invocation computes one element.
//
// Layouts: X, Y (outer, channels, inner), row-major.
// Assumptions:
// - X and Y fit 31 bits
// - the device allows the loop over the part's taps
// Specialization: lrn_constants.h
// Grid: ceil(output_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/lrn/lrn_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/operators/normalization/normalization.h"
#include "shaders/library/store.glsl"

INPUT(0, InputX, x, x_at)
#define OUTPUT_BINDING 1
#define STAGE LrnWindow
#include "shaders/engines/gather/gather.glsl"

Real output_at(uint index)
{
    uint row = index / stage.inner;
    uint channel = row % stage.channels;
    uint before = min(channel, stage.before);
    // The taps from `begin` to `end` are those that meet a channel.
    uint begin = max(push.tap_begin[MAX_AXES - 1], stage.before - before);
    uint end = min(push.tap_end[MAX_AXES - 1], stage.channels + stage.before - channel);
    uint first = index - stage.before * stage.inner - push.x_base;
    Real sum = sum_so_far(index);
    for (uint tap = begin; tap < end; ++tap) {
        Real element = x_at(first + tap * stage.inner);
        sum = plus(sum, times(element, element));
    }
    return sum;
}
