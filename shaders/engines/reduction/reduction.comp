// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader is one pass of a reduction. An invocation joins the elements of a row that lie `width` apart, in their order, or a
// part of them. So neighbours read side by side, and a long row has many results, which the next pass joins. TERM says what is
// joined: elements, the greatest of them that is no NaN, or functions of them and of a statistic or a prologue of their row.
// Modules with CHOSEN or LOGARITHM have no TERM: constants choose one of several terms, and what is done with the whole.
//
// Layouts: X (outer, extent, inner), Y (outer, width), statistics (outer, inner), P (channels, numbers), row-major.
// Assumptions:
// - X, Y, the statistics and P fit 31 bits
// - the device allows the loop over the part's taps
// Specialization: reduction_constants.h, or reduction_chosen_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#if CHOSEN || LOGARITHM
#include "shaders/engines/reduction/reduction_chosen_constants.h"
#else
#include "shaders/engines/reduction/reduction_constants.h"
#endif

#include "shaders/library/common.glsl"
#include "shaders/engines/reduction/reduction.h"
#include "shaders/library/store.glsl"

#include "shaders/library/sums.glsl"
#if TERM == REDUCTION_EXPONENTIALS || LOGARITHM
#include "shaders/library/functions.glsl"
#endif

INPUT(0, InputX, x, x_at)
#if BITS == 64 && !CHOSEN
layout(binding = 0) readonly buffer NarrowX
{
    uint x_words[];
};
#endif
#if TERM == REDUCTION_EXPONENTIALS || TERM == REDUCTION_SQUARES || LOGARITHM
SUMS_INPUT(1, Statistics, statistics, statistic_at)
#define OUTPUT_BINDING 2
#elif TERM == REDUCTION_PROLOGUE
INPUT(1, InputP, p, p_at)
#include "shaders/engines/fusion/prologue.glsl"
#define OUTPUT_BINDING 2
#else
#define OUTPUT_BINDING 1
#endif
#define STAGE ReductionPass
#include "shaders/engines/gather/gather.glsl"

Real element_at(uint i)
{
#ifdef HALVES
    if (spec_from_sums != 0u)
        return SUM_OF(x[i]);
#elif BITS == 64 && !CHOSEN
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

#if CHOSEN || TERM == REDUCTION_GREATEST
// Returns the least number of the type, of floats -Inf.
Real least()
{
#ifdef FLOATS
    return real_of(uvec2(0xff800000u, 0u));
#elif defined(REALS)
    return real_of(uvec2(0u, 0xfff00000u));
#elif !defined(SIGNED)
    return zero();
#elif BITS == 64
    return uvec2(0u, 0x80000000u);
#else
    return normalized(1 << BITS - 1);
#endif
}
#endif

#if CHOSEN

// Returns the greatest number of the type, of floats +Inf.
Real greatest()
{
#ifdef REALS
    return negated(least());
#elif BITS == 64
    return ~least();
#else
    return normalized(~least());
#endif
}

// A row's result begins with START, which changes nothing that is joined with it.
#define START start()
Real start()
{
    if (spec_term == REDUCTION_MAX)
        return least();
    if (spec_term == REDUCTION_MIN)
        return greatest();
    return spec_term == REDUCTION_PRODUCT ? one() : empty_sum();
}

// Joins an element to the result so far. The greatest and the least of a NaN and anything are NaN, and those of equal numbers the
// first.
Real joined(Real sum, Real element, Real statistic)
{
    if (spec_term == REDUCTION_MAX)
        return is_nan(sum) ? sum : is_nan(element) || less(sum, element) ? element : sum;
    if (spec_term == REDUCTION_MIN)
        return is_nan(sum) ? sum : is_nan(element) || less(element, sum) ? element : sum;
    if (spec_term == REDUCTION_PRODUCT)
        return times(sum, element);
    if (spec_term == REDUCTION_MAGNITUDES)
        return plus(sum, absolute(element));
    if (spec_term == REDUCTION_OWN_SQUARES)
        return plus(sum, times(element, element));
    return plus(sum, element);
}

Real finished(Real sum, Real statistic)
{
    if (stage.count == 0u && spec_term != REDUCTION_MAX && spec_term != REDUCTION_MIN && spec_term != REDUCTION_PRODUCT)
        return zero();
#ifdef REALS
    if (spec_finish == REDUCTION_SQUARE_ROOT)
        return spec_exact_root != 0u ? square_root_exactly(sum) : square_root(sum);
#endif
#ifdef FLOATS
    if (spec_finish == REDUCTION_FINITE)  // no comparison with NaN is true
        return less(absolute(sum), greatest()) ? sum : zero();
#endif
    return sum;
}

#elif LOGARITHM

Real joined(Real sum, Real element, Real statistic)
{
    return plus(sum, spec_term == REDUCTION_EXPONENTIALS ? exponential(minus(element, statistic)) : element);
}

Real finished(Real sum, Real statistic)
{
    Real logarithm = natural_logarithm(stage.count == 0u ? zero() : sum);
    return spec_finish == REDUCTION_SHIFTED_LOGARITHM ? plus(logarithm, statistic) : logarithm;
}

#elif TERM == REDUCTION_GREATEST

#define START least()

Real joined(Real sum, Real element, Real statistic)
{
    return is_nan(element) || less(element, sum) ? sum : element;
}

Real finished(Real sum, Real statistic)
{
    return sum;
}

#else

Real joined(Real sum, Real element, Real statistic)
{
#if TERM == REDUCTION_EXPONENTIALS
    return plus(sum, exponential(minus(element, statistic)));
#elif TERM == REDUCTION_SQUARES
    Real difference = minus(element, statistic);
    return plus(sum, times(difference, difference));
#else
    return plus(sum, element);
#endif
}

Real finished(Real sum, Real statistic)
{
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

#endif

Real output_at(uint index)
{
    uint row = index / stage.width;
    uint column = index - row * stage.width;
    uint end = min(push.tap_end[MAX_AXES - 1], (stage.row + stage.width - 1u - column) / stage.width);
    uint first = row * stage.row + column - push.x_base;
    Real statistic = zero();
    uint place = (row * stage.inner + column % stage.inner) % stage.statistics;
#if LOGARITHM
    if (spec_finish == REDUCTION_SHIFTED_LOGARITHM)
        statistic = statistic_at(place - push.w_base);
#elif TERM == REDUCTION_EXPONENTIALS || TERM == REDUCTION_SQUARES
    statistic = statistic_at(place - push.w_base);
#elif TERM == REDUCTION_PROLOGUE
    Prologue prologue = prologue_at(place * prologue_numbers() - push.w_base);
#endif
#ifdef START
    Real sum = START;
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
    return push.finishes != 0u ? finished(sum, statistic) : sum;
}
