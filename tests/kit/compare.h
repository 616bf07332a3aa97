// This header tells whether what a device computed is what the reference expects, by the rules of docs/SEMANTICS.md, sections 5
// and 6, for all four types.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kit/cases.h"

namespace vkonnx::kit {

// Of the device. float16 and bfloat16 are computed in float and rounded once, by integer code whose result is known exactly.
struct FloatRules {
    double unit_roundoff = 0x1p-23;  // u of float: 2^-24 where the device rounds to nearest. Doubles always have 2^-53
    // Signs of zero and the kinds of Inf and NaN count; else Inf, NaN, zero and the rest are told apart, and no more.
    bool signed_zero_inf_nan = false;
    // A quotient is rounded correctly, as every software driver does; Vulkan itself allows 2.5 ULP.
    bool exact_division = false;
    // Denormals of the type that is computed in are neither read nor written as zero.
    bool keeps_denormals = false;

    static FloatRules of(const Capabilities& capabilities);
    // Of a kernel by its name (Explanation::kernel): doubles in integer words, casts and MaxPool owe nothing to it.
    static FloatRules of(const Capabilities& capabilities, std::string_view kernel);
};

// True when `got`, a number of the type, is right for an input filled so. Sums of small integers must be exact, sums of reals
// within the bound.
bool fits(const Answer& expected, DType dtype, double got, Fill fill, const FloatRules& rules);

// "" when all elements of the sample fit; else how many don't, and the first few with their positions. `got` is the whole
// output, decoded (see elements.h).
std::string mismatches(const TensorDesc& output, std::span<const int64_t> sample, std::span<const Answer> expected,
                       std::span<const double> got, Fill fill, const FloatRules& rules);

// The same of the output's bytes, which may be of any type.
std::string mismatches(const TensorDesc& output, std::span<const int64_t> sample, std::span<const Answer> expected,
                       std::span<const std::byte> got, Fill fill, const FloatRules& rules);

// The error in units of the type's last place at the expected value; Inf where one of them is Inf or NaN and the other not so.
double ulp_error(const Answer& expected, DType dtype, double got);

}  // namespace vkonnx::kit
