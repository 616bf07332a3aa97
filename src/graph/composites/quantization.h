// SPDX-License-Identifier: Apache-2.0
// This header has what composites of quantized tensors share.
//
//   q = saturate(round(x / scale) + zero_point)        x = (q - zero_point) * scale
#pragma once

#include "graph/composer.h"

namespace vkonnx::graph {

// Rounds numbers to nearest even, adds the zero point and limits the sum to the type, an integer of 2 to 16 bits. The numbers are
// floats or doubles. Without a zero point it is 0. Other types are an error.
Operand quantized(Composer& composer, const Operand& numbers, const std::optional<Operand>& zero_point, DType dtype);

// This struct holds numbers that are rounded to 8 bits: q as uint8, with the scale and the zero point.
struct Quantized {
    Operand elements = {};
    Operand scale = {};
    Operand zero_point = {};
};

// Rounds floats to 8 bits, with the scale and the zero point of DynamicQuantizeLinear.
Quantized dynamically_quantized(Composer& composer, const Operand& x);

// Tells whether the first inputs, as far as they are given, are known before anything runs.
bool is_all_known(const Composer& composer, size_t inputs);

// Tells whether elements of the type are integers of 8 bits.
inline bool is_byte(DType dtype)
{
    return dtype == DType::int8 || dtype == DType::uint8;
}

// Checks that an input has one element.
bool check_one(Composer& composer, size_t input, std::string_view name);

// This enum tells where a tensor has its channels: on axis 1, or on the last one.
enum class Channels : uint8_t { first, last };

// Returns the tensor with its channels at that place. They are at the other one if `is_asked` is true; else nothing is moved.
Operand with_channels(Composer& composer, const Operand& x, Channels place, bool is_asked);

// Returns x - zero_point as int32, or as floats. x is an integer of at most 32 bits, and for floats of at most 16 bits: they hold
// every such difference.
Operand centred(Composer& composer, const Operand& x, const std::optional<Operand>& zero_point, DType made);

}  // namespace vkonnx::graph
