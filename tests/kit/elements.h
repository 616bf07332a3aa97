// This header converts elements of the four types that are computed with from and to the bytes that a device reads and writes.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kit/reference.h"

namespace vkonnx::kit {

// This struct describes a binary floating-point type in the form of IEEE 754.
struct FloatFormat {
    int fraction_bits = 23;
    int exponent_bits = 8;

    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    int min_exponent() const { return 1 - bias(); }  // the power of two that is the smallest normal number
};

// Returns the format of float32, float16, bfloat16 or float64, and float32's for every other type.
FloatFormat format_of(DType dtype);

// These two convert a number to a half and back: to nearest, ties to even, beyond the largest number to Inf. They use integer
// code of their own.
uint16_t half_bits(FloatFormat format, double value);
double half_value(FloatFormat format, uint16_t bits);

// Returns the nearest number of the type, ties to even. It is Inf where IEEE 754 rounds to Inf.
double rounded(DType dtype, double value);

// Returns the distance between the type's numbers around `value`, which is finite: its unit in the last place.
double ulp_at(DType dtype, double value);

// Returns the bytes of elements of float32, float16, bfloat16 or float64, each rounded to it, in host byte order, which devices
// share.
std::vector<std::byte> encoded(DType dtype, std::span<const double> values);
std::vector<std::byte> encoded(const RealTensor& tensor);
// Returns elements of 1, 2, 4 or 8 bytes in the form of RealTensor::words. Those of less than 8 bits fill the last byte, whether
// the tensor has them or not.
std::vector<uint64_t> words_of(DType dtype, std::span<const std::byte> bytes);

bool is_integer(DType dtype);  // of 8 to 64 bits
bool is_signed(DType dtype);   // an integer of any size
// Cuts the word off to the type's bits, and fills the bits above with the sign or zeros.
uint64_t normalized(DType dtype, uint64_t word);

std::vector<double> decoded(DType dtype, std::span<const std::byte> bytes);

}  // namespace vkonnx::kit
