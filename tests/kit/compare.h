// This header tells whether what a device computed is what the reference expects, by the rules of docs/SEMANTICS.md, sections 5
// and 6, for all four types.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kit/cases.h"

namespace vkonnx::kit {

// These rules tell how exactly a device computes. float16 and bfloat16 are computed in float and rounded once, by integer code
// whose result is known exactly.
struct FloatRules {
    double unit_roundoff = 0x1p-23;  // u of float: 2^-24 where the device rounds to nearest. Doubles always have 2^-53
    // True: signs of zero and the kinds of Inf and NaN count. False: Inf, NaN, zero and other numbers are told apart, and no
    // more.
    bool signed_zero_inf_nan = false;
    // True: a quotient is rounded correctly, as every software driver does. Vulkan itself allows 2.5 ULP.
    bool exact_division = false;
    // True: denormals of the type that is computed in are neither read nor written as zero.
    bool keeps_denormals = false;

    static FloatRules of(const Capabilities& capabilities);
    // Returns the rules for a kernel by its name (Explanation::kernel). Doubles in integer words, casts and MaxPool do not depend
    // on the device's floating-point arithmetic.
    static FloatRules of(const Capabilities& capabilities, std::string_view kernel);
};

// Tells whether `got`, a number of the type, is right for inputs with this fill. Sums of small integers must be exact, sums of
// reals within the bound.
bool fits(const Answer& expected, DType dtype, double got, Fill fill, const FloatRules& rules);

// Returns "" when all elements of the sample fit; else how many don't, and the first few with their positions. `got` is the whole
// output, decoded (see elements.h).
std::string mismatches(const TensorDesc& output, std::span<const int64_t> sample, std::span<const Answer> expected,
                       std::span<const double> got, Fill fill, const FloatRules& rules);

// Does the same for the bytes of an output of any type.
std::string mismatches(const TensorDesc& output, std::span<const int64_t> sample, std::span<const Answer> expected,
                       std::span<const std::byte> got, Fill fill, const FloatRules& rules);

// Tells whether two outputs of the type have the same bits. One NaN is as good as another: IEEE 754 leaves its sign and payload
// open, and processors take those of either operand.
bool same_bits(DType dtype, std::span<const std::byte> a, std::span<const std::byte> b);

// Returns the error in units of the type's last place at the expected value. It is Inf where only one of both values is Inf or
// NaN.
double ulp_error(const Answer& expected, DType dtype, double got);

}  // namespace vkonnx::kit
