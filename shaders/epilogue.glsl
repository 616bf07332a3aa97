// SPDX-License-Identifier: Apache-2.0
// What becomes of a result before it is rounded to the tensor's type and stored (PrepareOptions::epilogue), for kernels of any
// form. Included behind the types (numbers.glsl) and behind the uniform block `problem`, which has a member `epilogue`
// (shared/epilogue.h); the kernel's list has a constant `epilogue`: an elementwise kind, and what may follow it, IDENTITY where
// there is none.
#include "activations.glsl"

Real epilogue(Real value)
{
    if (spec_epilogue == IDENTITY)
        return value;
    value = activation(spec_epilogue & EPILOGUE_KIND, value,
                       real_of(uvec2(problem.epilogue.first_low, problem.epilogue.first_high)),
                       real_of(uvec2(problem.epilogue.second_low, problem.epilogue.second_high)));
    if ((spec_epilogue & EPILOGUE_MULTIPLIES) != 0u)
        value = times(value, real_of(uvec2(problem.epilogue.factor_low, problem.epilogue.factor_high)));
    if ((spec_epilogue & EPILOGUE_ADDS) != 0u)
        value = plus(value, real_of(uvec2(problem.epilogue.addend_low, problem.epilogue.addend_high)));
    return value;
}
