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

// Named as the kernels' suffixes.
enum class Number : uint8_t { f32, f16, bf16, f64, f64_soft };

// Doubles are computed in integer words where the device has none.
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

// "", or why doubles are computed so.
std::string number_note(Number number);

// Work units (Capabilities::work_per_second) that a multiply-add costs.
double cost_of(Number number);

}  // namespace vkonnx::plan
