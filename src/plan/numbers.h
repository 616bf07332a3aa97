// SPDX-License-Identifier: Apache-2.0
// This file tells what a kernel computes in, for a tensor type on a device.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels.h"

namespace vkonnx::plan {

// A Number is what a kernel computes in. The names are the suffixes of the kernels' names. No tensor has elements of 128 bits:
// several elements are moved as one.
enum class Number : uint8_t { f32, f16, bf16, f64, f64_soft, i8, i16, i32, i64, u8, u16, u32, u64, u128 };

// Returns the number that kernels compute a floating-point type in. Doubles are computed in integer words where the device has
// none.
Result<Number> number_of(std::string_view op, DType dtype, const Capabilities& capabilities);

std::string_view name(Number number);

// A Variant is a kernel's module for one number.
struct Variant {
    Number number = Number::f32;
    Kernel kernel = {};
};

// Returns the module for a number, or nothing where the kernel has none.
std::optional<Kernel> variant(std::span<const Variant> variants, Number number);

// Tells whether a number is a half. Two halves share a word, and their unfinished sums are floats.
inline bool is_half(Number number)
{
    return number == Number::f16 || number == Number::bf16;
}

// Returns the number of an integer type, or nothing for types that are no integers of 8 bits or more.
std::optional<Number> integer_of(DType dtype);

// Returns the unsigned integer of so many bits, which carries the bits of any element unchanged, or nothing for other widths.
std::optional<Number> raw_type_of(uint32_t bits);

// Returns how many elements share a word. An invocation that writes one of them writes all.
int64_t elements_per_word(Number number);

// Returns a constant of an expression as 64 bits of what the kernel computes in. For integers the value is a whole number of
// their type, or an infinity, which stands for an end of its range.
uint64_t bits_of(Number number, double value);

// Returns a note for people where doubles are computed in integer words, and "" elsewhere.
std::string number_note(Number number);

// Returns the work units (Capabilities::work_per_second) that a multiply-add costs.
double cost_of(Number number);

}  // namespace vkonnx::plan
