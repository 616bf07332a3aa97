// SPDX-License-Identifier: Apache-2.0
// This file turns PrepareOptions::epilogue into what kernels are told: a specialization constant `epilogue`, and a member of
// their uniform block.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include "ops/geometry.h"
#include "plan/core/compute_type.h"
#include "plan/engines/elementwise_kinds.h"
#include "shaders/engines/fusion/epilogue.h"

namespace vkonnx::plan {

inline uint32_t constant_of(const ops::Epilogue& epilogue)
{
    return uint32_t(epilogue.kind) | (epilogue.factor ? EPILOGUE_MULTIPLIES : 0) | (epilogue.addend ? EPILOGUE_ADDS : 0);
}

// Returns the constant for kernels whose modules a driver for a CPU takes long to compile. There one constant serves all
// epilogues that call no functions.
inline uint32_t shared_constant_of(const ops::Epilogue& epilogue, const Capabilities& capabilities)
{
    return capabilities.is_cpu && !is_function(epilogue.kind) ? EPILOGUE_AT_RUN_TIME : constant_of(epilogue);
}

inline push::EpilogueNumbers numbers_of(const ops::Epilogue& epilogue, ComputeType compute_type)
{
    const uint64_t first = bits_of(compute_type, epilogue.numbers[0]);
    const uint64_t second = bits_of(compute_type, epilogue.numbers[1]);
    const uint64_t factor = bits_of(compute_type, epilogue.factor.value_or(1));
    const uint64_t addend = bits_of(compute_type, epilogue.addend.value_or(0));
    push::EpilogueNumbers numbers = {};
    numbers.first_low = uint32_t(first);
    numbers.first_high = uint32_t(first >> 32);
    numbers.second_low = uint32_t(second);
    numbers.second_high = uint32_t(second >> 32);
    numbers.factor_low = uint32_t(factor);
    numbers.factor_high = uint32_t(factor >> 32);
    numbers.addend_low = uint32_t(addend);
    numbers.addend_high = uint32_t(addend >> 32);
    numbers.constant = constant_of(epilogue);
    return numbers;
}

}  // namespace vkonnx::plan
