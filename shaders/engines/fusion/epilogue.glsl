// SPDX-License-Identifier: Apache-2.0
// This file applies the epilogue (PrepareOptions::epilogue) to a result before it is rounded to the tensor's type and stored, in
// kernels of any form. It is included behind the types (numbers.glsl) and behind the uniform block `problem`, which has a member
// `epilogue` (epilogue.h). The kernel's list has a constant `epilogue`: an elementwise kind and bits for what follows it.
// It is IDENTITY where there is no epilogue, and EPILOGUE_AT_RUN_TIME where compiling would take longer than branches do.
#include "shaders/library/activations.glsl"

// This struct holds the epilogue that was asked for. Loops that store keep it in registers, since compilers read a uniform again
// after each store.
struct Epilogue {
    uint asked;
    Real first;
    Real second;
    Real factor;
    Real addend;
};

Epilogue asked_epilogue()
{
    return Epilogue(spec_epilogue == EPILOGUE_AT_RUN_TIME ? problem.epilogue.constant : spec_epilogue,
                    real_of(uvec2(problem.epilogue.first_low, problem.epilogue.first_high)),
                    real_of(uvec2(problem.epilogue.second_low, problem.epilogue.second_high)),
                    real_of(uvec2(problem.epilogue.factor_low, problem.epilogue.factor_high)),
                    real_of(uvec2(problem.epilogue.addend_low, problem.epilogue.addend_high)));
}

// Returns the value after the multiplication and the addition that the epilogue has behind its activation.
Real scaled_by_epilogue(Epilogue epilogue, Real value)
{
    Real multiplied = times(value, epilogue.factor);
    value = (epilogue.asked & EPILOGUE_MULTIPLIES) != 0u ? multiplied : value;
    Real added = plus(value, epilogue.addend);
    return (epilogue.asked & EPILOGUE_ADDS) != 0u ? added : value;
}

// Returns what after_epilogue does, where the epilogue calls no functions. Its code is shorter.
Real after_plain_epilogue(Epilogue epilogue, Real value)
{
    if (spec_epilogue == IDENTITY)
        return value;
    value = plain_activation(epilogue.asked & EPILOGUE_KIND, value, epilogue.first, epilogue.second);
    return scaled_by_epilogue(epilogue, value);
}

Real after_epilogue(Epilogue epilogue, Real value)
{
    if (spec_epilogue == IDENTITY)
        return value;
    uint kind = epilogue.asked & EPILOGUE_KIND;
    if (spec_epilogue == EPILOGUE_AT_RUN_TIME)
        value = plain_activation(kind, value, epilogue.first, epilogue.second);
    else
        value = activation(kind, value, epilogue.first, epilogue.second);
    return scaled_by_epilogue(epilogue, value);
}

Real epilogue(Real value)
{
    return after_epilogue(asked_epilogue(), value);
}
