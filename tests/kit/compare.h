// Is what a device computed what the reference expects? The rules of SEMANTICS sections 5 and 6 for float.
#pragma once

#include <span>
#include <string>

#include "kit/cases.h"

namespace vkonnx::kit {

struct FloatRules {
    double unit_roundoff = 0x1p-23;  // u: 2^-24 where the device rounds to nearest
    // Signs of zero and the kinds of Inf and NaN count; else Inf, NaN, zero and the rest are told apart, and no more.
    bool signed_zero_inf_nan = false;
    // A quotient is rounded correctly, as every software driver does; Vulkan itself allows 2.5 ULP.
    bool exact_division = false;

    static FloatRules of(const Capabilities& capabilities);
};

// True when `got` is right for an input filled so. Sums of small integers must be exact, sums of reals within the bound.
bool fits(const Answer& expected, float got, Fill fill, const FloatRules& rules);

// "" when all elements of the sample fit; else how many don't, and the first few with their positions. `got` is the whole
// output.
std::string mismatches(const TensorDesc& output, std::span<const int64_t> sample, std::span<const Answer> expected,
                       std::span<const float> got, Fill fill, const FloatRules& rules);

}  // namespace vkonnx::kit
