// SPDX-License-Identifier: Apache-2.0
// What no plan goes beyond, and the refusals that all operators share.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace vkonnx::plan {

// Numbers that kernels hold in 32 bits stay below this: sums of two fit without a sign.
inline constexpr int64_t index_limit = int64_t(1) << 31;

// A plan with more dispatches is refused: of half a second each they would take nine hours, and planning takes some 0.4 KiB and
// a microsecond for each, so that no problem's plan takes more than 64 MB or a tenth of a second.
inline constexpr int64_t max_dispatches = 1 << 16;

// What an operator's kernels take of a device.
struct Needs {
    uint32_t storage_buffers = 0;
    uint32_t push_constant_bytes = 0;
    uint32_t uniform_bytes = 0;
};

// Refusals that do not depend on the problem.
Status check_options(std::string_view op, const Capabilities& capabilities, const PrepareOptions& options);
// Refuses an epilogue of an operator whose kernels take none.
Status check_no_epilogue(std::string_view op, const PrepareOptions& options);
// Capabilities with which nothing can be planned, or not this operator: all other limits are kept by cutting, or are too low for
// a problem's own reason (max_storage_buffer_range, max_loop_iterations). Kernels that share memory or a subgroup's registers
// look at max_shared_bytes and subgroup_size themselves; each operator has one that shares neither.
Status check_capabilities(std::string_view op, const Capabilities& capabilities, const Needs& needs);
// All three.
Status check_common(std::string_view op, const Capabilities& capabilities, const PrepareOptions& options, const Needs& needs);

// More dispatches, as a product of these, than max_dispatches; or just more, without a number.
Status check_dispatches(std::string_view op, std::initializer_list<int64_t> factors);
Status too_many_dispatches(std::string_view op);

// A tensor beyond 31-bit element numbers. One without elements, too, must have no extents that would be beyond them together:
// strides and counts of taps are products of some of its extents.
Status check_addressable(std::string_view op, std::string_view tensor, const TensorDesc& desc);

// A number that kernels form along a spatial axis, beyond 31 bits.
Status check_spatial(std::string_view op, size_t axis, int64_t number);

}  // namespace vkonnx::plan
