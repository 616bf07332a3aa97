// Elements of the four types that are computed with, as the bytes that a device reads and writes.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kit/reference.h"

namespace vkonnx::kit {

// A binary floating-point type of IEEE-754's shape.
struct FloatFormat {
    int fraction_bits = 23;
    int exponent_bits = 8;

    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    int min_exponent() const { return 1 - bias(); }  // of the smallest normal number, a power of two
};

// Of float32, float16, bfloat16 or float64; float32's for every other type.
FloatFormat format_of(DType dtype);

// Halves as numbers and back: to nearest, ties to even, beyond the largest number to Inf. Own integer code.
uint16_t half_bits(FloatFormat format, double value);
double half_value(FloatFormat format, uint16_t bits);

// The nearest number of the type, ties to even; Inf where IEEE-754 rounds to it.
double rounded(DType dtype, double value);

// The distance of the type's numbers around `value`, which is finite: its unit in the last place.
double ulp_at(DType dtype, double value);

// Elements of float32, float16, bfloat16 or float64, each rounded to it. Host byte order, as devices share it.
std::vector<std::byte> encoded(DType dtype, std::span<const double> values);
std::vector<std::byte> encoded(const RealTensor& tensor);
// Elements of 1, 2, 4 or 8 bytes as RealTensor::words has them.
std::vector<uint64_t> words_of(DType dtype, std::span<const std::byte> bytes);

bool is_integer(DType dtype);
bool is_signed(DType dtype);
// The word cut off to the type's bits, with the sign or zeros above.
uint64_t normalized(DType dtype, uint64_t word);

std::vector<double> decoded(DType dtype, std::span<const std::byte> bytes);

}  // namespace vkonnx::kit
