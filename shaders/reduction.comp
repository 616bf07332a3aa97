// SPDX-License-Identifier: Apache-2.0
#version 450
// One pass of a reduction: an invocation joins the elements of a row that lie `width` apart, in their order, or a part of them;
// so neighbours read side by side, and a long row has many results, which the next pass joins. TERM says what is joined:
// elements, the greatest of them that is no NaN, or functions of them and of a statistic or a prologue of their row.
//
// Layouts: X (outer, extent, inner), Y (outer, width), statistics (outer, inner), P (channels, numbers), row-major.
// Assumptions:
// - X, Y, the statistics and P fit 31 bits
// - the device allows the loop over the part's taps
// Specialization: specialization/reduction.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "specialization/reduction.h"

#include "common.glsl"
#include "shared/reduction.h"
#include "store.glsl"

#include "sums.glsl"
#if TERM == REDUCTION_EXPONENTIALS
#include "functions.glsl"
#endif

INPUT(0, InputX, x, x_at)
#if BITS == 64
layout(binding = 0) readonly buffer NarrowX
{
    uint x_words[];
};
#endif
#if TERM == REDUCTION_EXPONENTIALS || TERM == REDUCTION_SQUARES
SUMS_INPUT(1, Statistics, statistics, statistic_at)
#define OUTPUT_BINDING 2
#elif TERM == REDUCTION_PROLOGUE
INPUT(1, InputP, p, p_at)
#include "prologue.glsl"
#define OUTPUT_BINDING 2
#else
#define OUTPUT_BINDING 1
#endif
#define STAGE ReductionPass
#include "gather.glsl"

Real element_at(uint i)
{
#ifdef HALVES
    if (spec_from_sums != 0u)
        return SUM_OF(x[i]);
#elif BITS == 64
    if (spec_narrow != 0u) {
        uint word = x_words[i];
#ifdef SIGNED
        return uvec2(word, uint(int(word) >> 31));
#else
        return uvec2(word, 0u);
#endif
    }
#endif
    return x_at(i);
}

Real joined(Real sum, Real element, Real statistic)
{
#if TERM == REDUCTION_GREATEST
    return is_nan(element) || less(element, sum) ? sum : element;
#elif TERM == REDUCTION_EXPONENTIALS
    return plus(sum, exponential(minus(element, statistic)));
#elif TERM == REDUCTION_SQUARES
    Real difference = minus(element, statistic);
    return plus(sum, times(difference, difference));
#else
    return plus(sum, element);
#endif
}

#if TERM == REDUCTION_GREATEST
// Below all.
Real least()
{
#ifdef FLOATS
    return real_of(uvec2(0xff800000u, 0u));
#else
    return real_of(uvec2(0u, 0xfff00000u));
#endif
}
#endif

Real finished(Real sum)
{
#if TERM == REDUCTION_GREATEST
    return sum;
#endif
    if (stage.count == 0u)
        return zero();
    if (stage.divides == 0u)
        return sum;
#ifdef REALS
    return over(sum, stage.count, spec_exact_division != 0u);
#else
    return quotient(sum, real_of(uvec2(stage.count, 0u)));
#endif
}

Real output_at(uint index)
{
    uint row = index / stage.width;
    uint column = index - row * stage.width;
    uint end = min(push.tap_end[MAX_AXES - 1], (stage.row + stage.width - 1u - column) / stage.width);
    uint first = row * stage.row + column - push.x_base;
    Real statistic = zero();
    uint place = (row * stage.inner + column % stage.inner) % stage.statistics;
#if TERM == REDUCTION_EXPONENTIALS || TERM == REDUCTION_SQUARES
    statistic = statistic_at(place - push.w_base);
#elif TERM == REDUCTION_PROLOGUE
    Prologue prologue = prologue_at(place * prologue_numbers() - push.w_base);
#endif
#if TERM == REDUCTION_GREATEST
    Real sum = least();
    if (push.starts == 0u)
        sum = sum_so_far(index);
#else
    Real sum = sum_so_far(index);
#endif
    for (uint tap = push.tap_begin[MAX_AXES - 1]; tap < end; ++tap) {
        Real element = element_at(first + tap * stage.width);
#if TERM == REDUCTION_PROLOGUE
        element = after_prologue(prologue, element);
#endif
        sum = joined(sum, element, statistic);
    }
    return push.finishes != 0u ? finished(sum) : sum;
}
