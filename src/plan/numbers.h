// SPDX-License-Identifier: Apache-2.0
// What a kernel computes in, for a tensor type on a device.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels.h"

namespace vkonnx::plan {

// Named as the kernels' suffixes. No tensor has elements of 128 bits: several are moved as one.
enum class Number : uint8_t { f32, f16, bf16, f64, f64_soft, i8, i16, i32, i64, u8, u16, u32, u64, u128 };

// Returns the number that kernels compute a floating-point type in. Doubles are computed in integer words where the device has
// none.
Result<Number> number_of(std::string_view op, DType dtype, const Capabilities& capabilities);

std::string_view name(Number number);

// A kernel's module for one number.
struct Variant {
    Number number = Number::f32;
    Kernel kernel = {};
};

// Nothing where the kernel has no module for it.
std::optional<Kernel> variant(std::span<const Variant> variants, Number number);

// Two elements share a word, and sums that are not finished are floats.
inline bool is_half(Number number)
{
    return number == Number::f16 || number == Number::bf16;
}

// Nothing for types that are no integers of 8 bits or more.
std::optional<Number> integer_of(DType dtype);

// The unsigned integer of so many bits, which carries any element as it stands; nothing for other widths.
std::optional<Number> raw_type_of(uint32_t bits);

// Elements that share a word: an invocation that writes one of them writes all.
int64_t elements_per_word(Number number);

// A number of an expression as two words, in what the kernel computes in. Integers have whole numbers of their type, and the ends
// of its range, for which infinities stand.
uint64_t bits_of(Number number, double value);

// "", or why doubles are computed so.
std::string number_note(Number number);

// Work units (Capabilities::work_per_second) that a multiply-add costs.
double cost_of(Number number);

}  // namespace vkonnx::plan
