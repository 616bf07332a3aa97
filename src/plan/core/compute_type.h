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

// A ComputeType is what a kernel computes in. The names are the suffixes of the kernels' names. No tensor has elements of 128
// bits: several elements are moved as one.
enum class ComputeType : uint8_t { f32, f16, bf16, f64, f64_soft, i8, i16, i32, i64, u8, u16, u32, u64, u128 };

// Returns what kernels compute a floating-point type in. Doubles are computed in integer words where the device has none.
Result<ComputeType> compute_type_of(std::string_view op, DType dtype, const Capabilities& capabilities);

std::string_view name(ComputeType compute_type);

// A Variant is a kernel's module for one compute type.
struct Variant {
    ComputeType compute_type = ComputeType::f32;
    Kernel kernel = {};
};

// Returns the module for a compute type, or nothing where the kernel has none.
std::optional<Kernel> variant(std::span<const Variant> variants, ComputeType compute_type);

// Tells whether kernels compute in halves. Two halves share a word, and their unfinished sums are floats.
inline bool is_half(ComputeType compute_type)
{
    return compute_type == ComputeType::f16 || compute_type == ComputeType::bf16;
}

// Returns the compute type of an integer type, or nothing for types that are no integers of 8 bits or more.
std::optional<ComputeType> integer_of(DType dtype);

// Returns the unsigned integer of so many bits, which carries the bits of any element unchanged, or nothing for other widths.
std::optional<ComputeType> raw_type_of(uint32_t bits);

// Returns how many elements share a word. An invocation that writes one of them writes all.
int64_t elements_per_word(ComputeType compute_type);

// Returns a constant of an expression as 64 bits of what the kernel computes in. For integers the value is a whole number of
// their type, or an infinity, which stands for an end of its range.
uint64_t bits_of(ComputeType compute_type, double value);

// Returns a note for people where doubles are computed in integer words, and "" elsewhere.
std::string compute_type_note(ComputeType compute_type);

// Returns the work units (Capabilities::work_per_second) that a multiply-add costs.
double cost_of(ComputeType compute_type);

}  // namespace vkonnx::plan
