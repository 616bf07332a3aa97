// SPDX-License-Identifier: Apache-2.0
// This file has the limits that no plan exceeds, and the refusals that all operators share.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace vkonnx::plan {

// Numbers that kernels hold in 32 bits stay below this, so that the sum of two fits an unsigned word.
inline constexpr int64_t index_limit = int64_t(1) << 31;

// A plan with more dispatches is refused. With half a second for each they would take nine hours. Planning takes some 0.4 KiB and
// a microsecond for each, so that no problem's plan takes more than 64 MB or a tenth of a second.
inline constexpr int64_t max_dispatches = 1 << 16;

// Needs are what all kernels of an operator need of a device.
struct Needs {
    uint32_t storage_buffers = 0;
    uint32_t push_constant_bytes = 0;
    uint32_t uniform_bytes = 0;
};

// Refuses options, whatever the problem.
Status check_options(std::string_view op, const Capabilities& capabilities, const PrepareOptions& options);
// Refuses an epilogue of an operator whose kernels take none.
Status check_no_epilogue(std::string_view op, const PrepareOptions& options);
// Refuses capabilities with which nothing can be planned, or not this operator. All other limits are kept by cutting, or are too
// low only for some problems (max_storage_buffer_range, max_loop_iterations). Kernels that use shared memory or subgroups look at
// max_shared_bytes and subgroup_size themselves; each operator has a kernel that uses neither.
Status check_capabilities(std::string_view op, const Capabilities& capabilities, const Needs& needs);
// Makes the three checks above.
Status check_common(std::string_view op, const Capabilities& capabilities, const PrepareOptions& options, const Needs& needs);

// Refuses more dispatches, as a product of these factors, than max_dispatches. too_many_dispatches returns that refusal without a
// number.
Status check_dispatches(std::string_view op, std::initializer_list<int64_t> factors);
Status too_many_dispatches(std::string_view op);

// These say why a kernel does not fit a device: what it binds at once has too many bytes, or `loops`, as "its loops over a
// window", take too many iterations.
std::string too_many_bytes(uint64_t bytes, const Capabilities& capabilities);
std::string too_many_iterations(std::string_view loops, const Capabilities& capabilities);

// Refuses a tensor whose elements have numbers of more than 31 bits. The extents of one without elements must not be beyond that
// together either, because strides and counts of taps are products of some of its extents.
Status check_addressable(std::string_view op, std::string_view tensor, const TensorDesc& desc);

// Refuses a number of more than 31 bits that kernels form along a spatial axis.
Status check_spatial(std::string_view op, size_t axis, int64_t number);

}  // namespace vkonnx::plan
