// SPDX-License-Identifier: Apache-2.0
#include "plan/core/limits.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "plan/core/arithmetic.h"
#include "return_if_error.h"

namespace vkonnx::plan {

Status check_options(std::string_view op, const Capabilities& capabilities, const PrepareOptions& options)
{
    if (!(options.max_dispatch_seconds > 0))
        return Status(Code::invalid_argument, std::string(op) + ": PrepareOptions::max_dispatch_seconds = " +
                                                  std::to_string(options.max_dispatch_seconds) + " must be greater than 0");
    if (options.reproducible && !capabilities.rounds_to_nearest)
        return Status(Code::unsupported,
                      std::string(op) +
                          ": PrepareOptions::reproducible needs a device that rounds sums and products of floats "
                          "to nearest even, and no self-test has seen '" +
                          capabilities.name + "' do so (Capabilities::rounds_to_nearest)");
    return {};
}

Status check_no_epilogue(std::string_view op, const PrepareOptions& options)
{
    if (!options.epilogue)
        return {};
    return Status(Code::invalid_argument, std::string(op) +
                                              ": PrepareOptions::epilogue = " + std::string(name(options.epilogue->kind)) +
                                              " must not be given: it follows Conv, ConvTranspose, Gemm or MatMul");
}

Status check_capabilities(std::string_view op, const Capabilities& capabilities, const Needs& needs)
{
    const auto refuse = [&](Code code, std::string_view field, const std::string& value, const std::string& expected) {
        return Status(code, std::string(op) + ": Capabilities::" + std::string(field) + " = " + value + " must be " + expected);
    };
    struct Limit {
        std::string_view field;
        uint32_t value;
        uint32_t least;
    };
    const auto& size = capabilities.max_workgroup_size;
    const auto& count = capabilities.max_group_count;
    const Limit limits[] = {{"max_invocations", capabilities.max_invocations, 1},
                            {"max_workgroup_size[0]", size[0], 1},
                            {"max_workgroup_size[1]", size[1], 1},
                            {"max_workgroup_size[2]", size[2], 1},
                            {"max_group_count[0]", count[0], 1},
                            {"max_group_count[1]", count[1], 1},
                            {"max_group_count[2]", count[2], 1},
                            {"max_storage_buffers", capabilities.max_storage_buffers, needs.storage_buffers},
                            {"max_push_constant_bytes", capabilities.max_push_constant_bytes, needs.push_constant_bytes},
                            {"max_uniform_buffer_range", capabilities.max_uniform_buffer_range, needs.uniform_bytes}};
    for (const Limit& limit : limits)
        if (limit.value < limit.least)
            return refuse(Code::unsupported, limit.field, std::to_string(limit.value), "at least " + std::to_string(limit.least));
    for (const auto& [field, alignment] : {std::pair("storage_buffer_alignment", capabilities.storage_buffer_alignment),
                                           std::pair("texel_buffer_alignment", capabilities.texel_buffer_alignment)})
        if (!std::has_single_bit(alignment))
            return refuse(Code::invalid_argument, field, std::to_string(alignment), "a power of two");
    const double work = capabilities.work_per_second;
    if (!(work > 0) || !std::isfinite(work))
        return refuse(Code::invalid_argument, "work_per_second", std::to_string(work), "greater than 0 and finite");
    return {};
}

Status check_common(std::string_view op, const Capabilities& capabilities, const PrepareOptions& options, const Needs& needs)
{
    VKONNX_RETURN_IF_ERROR(check_options(op, capabilities, options));
    VKONNX_RETURN_IF_ERROR(check_no_epilogue(op, options));
    return check_capabilities(op, capabilities, needs);
}

Status check_dispatches(std::string_view op, std::initializer_list<int64_t> factors)
{
    const int64_t dispatches = saturated_product(factors);
    if (dispatches > max_dispatches)
        return Status(Code::unsupported,
                      std::string(op) + ": the device's limits and max_dispatch_seconds would cut this problem into " +
                          std::to_string(dispatches) + " dispatches, more than " + std::to_string(max_dispatches));
    return {};
}

Status too_many_dispatches(std::string_view op)
{
    return Status(Code::unsupported, std::string(op) +
                                         ": the device's limits and max_dispatch_seconds would cut this problem into more than " +
                                         std::to_string(max_dispatches) + " dispatches");
}

std::string too_many_bytes(uint64_t bytes, const Capabilities& capabilities)
{
    const std::string binds = "it binds " + std::to_string(bytes) + " bytes at once, and ";
    if (bytes <= capabilities.max_storage_buffer_range)
        return binds + "kernels count to 2147483647";
    return binds + "the device's max_storage_buffer_range is " + std::to_string(capabilities.max_storage_buffer_range);
}

std::string too_many_iterations(std::string_view loops, const Capabilities& capabilities)
{
    return std::string(loops) + " would exceed the device's " + std::to_string(capabilities.max_loop_iterations) + " iterations";
}

Status check_addressable(std::string_view op, std::string_view tensor, const TensorDesc& desc)
{
    Result<int64_t> elements = element_count(desc);
    VKONNX_RETURN_IF_ERROR(elements.status());
    if (*elements >= index_limit)
        return Status(Code::unsupported, std::string(op) + ": " + std::string(tensor) + " " + to_string(desc) + " has " +
                                             std::to_string(*elements) +
                                             " elements, more than the 2147483647 that kernels can number");
    int64_t extents = 1;
    for (const int64_t extent : desc.dims)
        extents = saturated_product(extents, std::max<int64_t>(extent, 1));
    if (extents >= index_limit)
        return Status(Code::unsupported, std::string(op) + ": " + std::string(tensor) + " " + to_string(desc) +
                                             " has no elements, but its other extents make more than the 2147483647 that kernels "
                                             "can number");
    return {};
}

Status check_spatial(std::string_view op, size_t axis, int64_t number)
{
    if (number < index_limit)
        return {};
    return Status(Code::unsupported, std::string(op) + ": spatial axis " + std::to_string(axis) + " reaches " +
                                         std::to_string(number) + ", and kernels count to 2147483647");
}

}  // namespace vkonnx::plan
