// SPDX-License-Identifier: Apache-2.0
// This file checks the kinds of shaders/library/elementwise_kinds.h against the public enumeration, and tells what is said of
// them there.
#pragma once

#include <vkonnx/operators.hpp>

#include <iterator>

#include "shaders/library/elementwise_kinds.h"

namespace vkonnx::plan {

#define ELEMENTWISE_IS_NUMBERED(number, NAME, name)                                                                              \
    static_assert(int(ElementwiseKind::name) == number, "elementwise_kinds.h and ElementwiseKind number a kind differently");
ELEMENTWISE_KINDS(ELEMENTWISE_IS_NUMBERED)
#undef ELEMENTWISE_IS_NUMBERED
static_assert(std::size(elementwise_words) == push::elementwise_kind_count, "elementwise_kinds.h lacks a kind, or has one more");

constexpr bool is_in(uint64_t kinds, ElementwiseKind kind)
{
    return (kinds >> uint32_t(kind) & 1) != 0;
}

// Tells whether a kind is more than a few additions, multiplications and comparisons. Modules of FUNCTIONS=0 don't compute it.
constexpr bool is_function(ElementwiseKind kind)
{
    return is_in(push::elementwise_functions, kind);
}

constexpr bool epilogues_are_activations()
{
    for (const auto& word : elementwise_words)
        if (may_be_epilogue(word.value) != is_in(push::elementwise_activations, word.value))
            return false;
    return true;
}
static_assert(epilogues_are_activations(), "kernels of other operators compute the activations of elementwise_kinds.h alone");

}  // namespace vkonnx::plan
