// SPDX-License-Identifier: Apache-2.0
// This header has exact products of integers of 8 bits.
//
// Products of integers of 8 bits are computed by the engine of floats, which is fast on every device, and are exact all the same:
// whole numbers are added without an error, in any order, as long as no sum reaches 2^24. Differences x - zero_point are from
// -255 to 255. Where there are too many terms for that, a difference d is divided into high * 16 + low, of which each is from -15
// to 15, and the products are added as int32.
//
//   terms      products of floats
//   258        a * b                                        255 * 255 * 258 < 2^24
//   4386       a * high(b), a * low(b)                      255 *  15 * 4386 < 2^24
//   74565      the four of high(a), low(a), high(b), low(b)  15 *  15 * 74565 < 2^24
#pragma once

#include "graph/composites/quantization.h"

namespace vkonnx::graph {

inline constexpr int64_t sums_without_error = int64_t(1) << 24;

// This struct is a factor: x - zero_point, of 8 bits each.
struct Factor {
    Operand x = {};
    std::optional<Operand> zero_point = {};
};

// Returns A * B, where zero points are subtracted from the rows of A and the columns of B: as whole floats, or as int32 where one
// of the factors is divided.
Operand integer_matmul(Composer& composer, const Factor& a, const Factor& b);

// Returns the convolution of x with w likewise. x has one zero point, and w one or one for each output channel.
Operand integer_conv(Composer& composer, const Conv& conv, const Factor& x, const Factor& w);

// Checks that an input has elements of 8 bits.
bool check_bytes(Composer& composer, size_t input, std::string_view name);

// Returns the factor that an input is, with the input that is its zero point, if that is given.
Factor factor_of(const Composer& composer, size_t x, size_t zero_point);

// These are the numbers of a composite's inputs: a factor B of 8 bits, its scale and zero point, and a bias.
struct ProductInputs {
    size_t b = 0, b_scale = 0, b_zero_point = 0, bias = 0;
    std::string b_name = {};  // in front of "_scale" and "_zero_point"
};

// Returns a_scale * b_scale * A * B + bias as floats, where zero points are subtracted from A and B.
Operand scaled_product(Composer& composer, const Factor& a, const Operand& a_scale, const ProductInputs& inputs);

// Returns a scale or zero point of the rows of A, or of the columns of B. A single one has no axis. Several on one axis lie, for
// the rows, along the first of two.
Operand of_rows(const Operand& parameter);
Operand of_columns(const Operand& parameter);

// Returns a scale or zero point of output channels under dimensions that broadcast to those of W or of Y.
Operand of_channels(Composer& composer, const Operand& parameter, int64_t channels, size_t axes);

}  // namespace vkonnx::graph
