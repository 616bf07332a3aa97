// SPDX-License-Identifier: Apache-2.0
// This file has what Resize's kernels share: their plans as gathers.
#include <algorithm>
#include <bit>
#include <cmath>

#include "halves.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/operators/resize/problem.h"
#include "shaders/operators/resize/resize.h"
#include "shaders/operators/resize/resize_constants.h"

namespace vkonnx::plan::resize {
namespace {

// Returns a range around the input positions that a range of an axis's coordinates reads.
Range read_along(const Axis& axis, const Range& coordinates)
{
    const int64_t first = coordinates.first;
    const int64_t last = coordinates.end() - 1;
    if (axis.factor != 0)
        return {first / axis.factor, last / axis.factor - first / axis.factor + 1};
    const std::vector<uint32_t>& highest = axis.high.empty() ? axis.low : axis.high;
    const int64_t low = std::min(axis.low[size_t(first)], axis.low[size_t(last)]);
    const int64_t high = std::max(highest[size_t(first)], highest[size_t(last)]);
    return {low, high - low + 1};
}

// Returns a range of X that holds all that a range of outputs reads.
Range read_by(const Problem& problem, std::span<const int64_t> extents, const Range& outputs)
{
    Range flat = {0, 1};
    visit_bounds(outputs, extents, [&](size_t a, const Range& coordinates) {
        reach(flat, read_along(problem.axes[a], coordinates), problem.axes[a].stride);
    });
    return flat;
}

// Returns the integer that Cast makes of a float: by way of int64, of which the low bits count.
uint64_t truncated(float value)
{
    const bool fits = value >= -0x1p63f && value < 0x1p63f;
    return uint64_t(fits ? int64_t(value) : INT64_MIN);
}

// Returns the bits of a float as a bfloat16, rounded to nearest even.
uint32_t bfloat16_of(float value)
{
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    return std::isnan(value) ? (bits >> 16 & 0x8000) | 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

// Returns extrapolation_value as the kernels' words have it: where elements are copied, the bits of an element.
uint64_t extrapolation_of(const Problem& problem)
{
    const float value = problem.geometry.extrapolation_value;
    const DType dtype = problem.geometry.dtype;
    if (integer_of(dtype))
        return truncated(value);
    if (!problem.copies)
        return bits_of(problem.compute_type, double(value));
    switch (dtype) {
    case DType::boolean:
        return value != 0;
    case DType::float64:
        return std::bit_cast<uint64_t>(double(value));
    case DType::float16:
        return half_bits(value);
    case DType::bfloat16:
        return bfloat16_of(value);
    default:  // float32, and the real part of complex64
        return std::bit_cast<uint32_t>(value);
    }
}

push::ResizeProblem uniform_of(const Problem& problem)
{
    push::ResizeProblem push = {};
    uint32_t number = 0;
    for (size_t i = 0; i < problem.axes.size(); ++i) {
        const Axis& axis = problem.axes[problem.axes.size() - 1 - i];
        push::ResizeAxis& to = push.axes[i];
        to.out_extent = push::divisor_of(uint32_t(axis.out));
        if (axis.factor != 0)
            to.factor = push::divisor_of(uint32_t(axis.factor));
        to.stride = uint32_t(axis.stride);
        to.row = axis.row;
        if (axis.taps > 0) {
            to.entries = uint32_t(axis.taps + 1);
            to.number = number++;
        }
    }
    const uint64_t value = extrapolation_of(problem);
    push.extrapolation_low = uint32_t(value);
    push.extrapolation_high = uint32_t(value >> 32);
    return push;
}

}  // namespace

Gather gather_of(const Problem& problem, Kernel kernel)
{
    Gather gather = {.op = "Resize",
                     .compute_type = problem.compute_type,
                     .element_bytes = bits(problem.geometry.dtype) / 8,
                     .outputs = problem.outputs,
                     .output_operand = 1,
                     .inputs = {{0, problem.inputs}},
                     .taps = problem.taps,
                     .reads_table = true,
                     .kernel = kernel};
    std::vector<int64_t> extents;
    for (const Axis& axis : problem.axes)
        extents.push_back(axis.out);
    gather.reads = [&problem, extents = std::move(extents)](const Part& part) {
        return part.adds_nothing() ? Reads() : Reads{read_by(problem, extents, part.outputs)};
    };
    gather.specialization = specialization::Resize{.workgroup_size = workgroup_size(problem.capabilities),
                                                   .axes = uint32_t(problem.axes.size()),
                                                   .tapped = uint32_t(tapped(problem))}
                                .values();
    return gather;
}

Result<Plan> plan_gathered(const Problem& problem, const Gather& gather)
{
    Result<Plan> plan = plan_gather(gather, problem.capabilities, problem.options);
    if (plan) {
        plan->uniform = bytes_of(uniform_of(problem));
        const auto table = std::as_bytes(std::span(problem.table));
        plan->table.assign(table.begin(), table.end());
    }
    return plan;
}

}  // namespace vkonnx::plan::resize
