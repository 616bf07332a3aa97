// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes an elementwise operator and up to ELEMENTWISE_STEPS others behind it, each on the result of those before
// it. One invocation computes an element, those that share a word, or with OUTPUTS=4 a quad of them (elementwise_quads.glsl). On
// the way results are rounded only to the type that the kernel computes in.
//
// Layouts: row-major; an input lies as the output does, or is broadcast by a stride of 0.
// Assumptions:
// - element numbers fit 31 bits
// - the device allows the loop: spec_rank iterations an element
// - all inputs, of the first operator and of the steps, are the up to 3 that are bound: there is one part
// - where Y is the memory of an input, that input is read at the element that is written, and not later
// Specialization: elementwise_chain_constants.h
// Grid: ceil(output_count / outputs of an invocation / workgroup size) groups, folded into x, y, z
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/elementwise/elementwise_chain_constants.h"

// KIND_BIT is the bit of a kind in one of two words, which together tell what kinds the chain has.
#define KIND_BIT(kind, of_word) (((kind) >> 5u & 1u) == (of_word) ? 1u << ((kind) & 31u) : 0u)
#define CHAIN_KINDS(of_word)                                                                                                     \
    (KIND_BIT(spec_kind, of_word) | KIND_BIT(spec_step1, of_word) | KIND_BIT(spec_step2, of_word) |                              \
     KIND_BIT(spec_step3, of_word) | KIND_BIT(spec_step4, of_word) | KIND_BIT(spec_step5, of_word) |                             \
     KIND_BIT(spec_step6, of_word))
const uint chain_kinds_low = CHAIN_KINDS(0u);
const uint chain_kinds_high = CHAIN_KINDS(1u);
#define MAY_BE(kind) ((((kind) < 32u ? chain_kinds_low : chain_kinds_high) & 1u << ((kind) & 31u)) != 0u)

// OTHER is the bit of the input that a step reads. A constant without a step gives the bit of input 0.
#define OTHER(step) (1u << ((step) >> ELEMENTWISE_OTHER & 3u))
const uint steps_read =
    OTHER(spec_step1) | OTHER(spec_step2) | OTHER(spec_step3) | OTHER(spec_step4) | OTHER(spec_step5) | OTHER(spec_step6);

#include "shaders/operators/elementwise/elementwise.glsl"

// Returns what step `step`, the n-th one, makes of a.
Real after(uint step, uint n, Real a, Operands operands)
{
    uint kind = step & 0xffu;
    uint other = step >> ELEMENTWISE_OTHER & 3u;
    Real first = number(2u * n);
    Real b = other == 1u ? W_OF(operands) : other == 2u ? B_OF(operands) : first;
    bool swapped = (step & ELEMENTWISE_SWAPPED) != 0u;
    Real left = swapped ? b : a;
    Real right = swapped ? a : b;
    if (is_joined(kind))
        return joined(kind, left, right);
#if defined(FLOATS) && FUNCTIONS
#define RETURN_POWER(number, NAME, name)                                                                                         \
    if (MAY_BE(NAME) && kind == NAME)                                                                                            \
        return name##_of(left, right);
    ELEMENTWISE_POWERS(RETURN_POWER)
#endif
    return result_of(kind, left, right, first, number(2u * n + 1u));
}

// The steps are constants, so that a driver that unrolls the loop keeps for each step only its own kind. lavapipe of Mesa 22.3 unrolls
// a loop as large as this one only where it is asked to: with Erf among five kinds it then takes a fifth of the time. SwiftShader
// never unrolls. It keeps all kinds of the chain once, which it would take long to compile seven times, and runs the loop for each
// step.
Real output_of(uint index, Operands operands)
{
    const uint steps[ELEMENTWISE_STEPS] = uint[](spec_step1, spec_step2, spec_step3, spec_step4, spec_step5, spec_step6);
    uint count = 0u;
    [[unroll]] for (uint n = 0u; n < uint(ELEMENTWISE_STEPS); ++n)
        count += uint(steps[n] != 0u);
    Real a = first_result(index, operands);
    [[unroll]] for (uint n = 0u; n < count; ++n)
        a = after(steps[n], n + 1u, a, operands);
    return a;
}
