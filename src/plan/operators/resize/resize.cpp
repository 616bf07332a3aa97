// SPDX-License-Identifier: Apache-2.0
#include "plan/operators/operators.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "plan/core/arithmetic.h"
#include "plan/core/limits.h"
#include "plan/operators/resize/problem.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/operators/resize/resize.h"

namespace vkonnx::plan {
namespace resize {
namespace {

using ops::ResizeAxis;
using ops::ResizeGeometry;
using ops::ResizeTap;

constexpr const char* op = "Resize";

// This list begins with the best kernel: of equal estimates the first one counts.
constexpr const KernelOf<Problem>* kernels[] = {&nearest, &direct, &nd};

// The table is bounded, so that a plan takes no more memory, and is made no slower, than limits.h says.
constexpr int64_t most_words = 1 << 22;
constexpr int64_t least_words = 2;  // a binding needs a buffer

// Returns how many words the table may have at the most. It saturates.
int64_t table_words(const ResizeGeometry& geometry)
{
    int64_t words = 0;
    for (const ResizeAxis& axis : geometry.axes)
        if (axis.changes) {
            const int64_t each = geometry.mode == ResizeMode::nearest ? 1 : saturated_product(2, 1 + most_taps(geometry, axis));
            words = saturated_sum(words, saturated_product(axis.out, each));
        }
    return std::max(words, least_words);
}

Status check_table(const ResizeGeometry& geometry, const Capabilities& capabilities)
{
    const int64_t words = table_words(geometry);
    const int64_t most = int64_t(std::min<uint64_t>(most_words, capabilities.max_storage_buffer_range / 4));
    if (words <= most)
        return {};
    return Status(Code::unsupported,
                  std::string(op) + ": the table of its coordinates may take " + std::to_string(words) + " words, more than " +
                      (most == most_words ? "the " + std::to_string(most) + " that plans hold"
                                          : "the device's max_storage_buffer_range = " +
                                                std::to_string(capabilities.max_storage_buffer_range) + " allows"));
}

// Returns the number that coordinates are divided by, where that gives all positions; else 0.
int64_t factor_of(const Axis& axis, std::span<const uint32_t> distances)
{
    if (axis.out % axis.in != 0)
        return 0;
    const int64_t factor = axis.out / axis.in;
    for (int64_t o = 0; o < axis.out; ++o)
        if (distances[size_t(o)] != uint32_t(o / factor * axis.stride))
            return 0;
    return factor;
}

void look_up_nearest(const ResizeGeometry& geometry, const ResizeAxis& from, Axis& axis, std::vector<uint32_t>& table)
{
    const size_t row = table.size();
    std::vector<ResizeTap> taps;
    axis.low.reserve(size_t(axis.out));
    for (int64_t o = 0; o < axis.out; ++o) {
        const bool outside = find_taps(geometry, from, o, taps);
        const int64_t position = taps.front().position;
        axis.low.push_back(uint32_t(position));
        table.push_back(outside ? RESIZE_OUTSIDE : uint32_t(position * axis.stride));
    }
    axis.factor = factor_of(axis, std::span(table).subspan(row));
    axis.row = uint32_t(row);
    if (axis.factor != 0) {
        table.resize(row);
        axis.low = {};
    }
}

// Returns the bits of a weight. Denormals become 0, because devices may take them for 0 or not.
uint32_t bits_of_weight(float weight)
{
    return std::bit_cast<uint32_t>(std::fabs(weight) < 0x1p-126f ? 0.0f : weight);
}

void look_up_taps(const ResizeGeometry& geometry, const ResizeAxis& from, Axis& axis, std::vector<uint32_t>& table)
{
    axis.taps = most_taps(geometry, from);
    axis.row = uint32_t(table.size() / 2);
    axis.factor = 0;
    std::vector<ResizeTap> taps;
    axis.low.reserve(size_t(axis.out));
    axis.high.reserve(size_t(axis.out));
    for (int64_t o = 0; o < axis.out; ++o) {
        const bool outside = find_taps(geometry, from, o, taps);
        axis.low.push_back(uint32_t(taps.front().position));
        axis.high.push_back(uint32_t(taps.back().position));
        table.push_back(uint32_t(taps.size()));
        table.push_back(outside);
        for (const ResizeTap& tap : taps) {
            table.push_back(uint32_t(tap.position * axis.stride));
            table.push_back(bits_of_weight(tap.weight));
        }
        table.resize(table.size() + size_t(axis.taps - int64_t(taps.size())) * 2);
    }
}

// Finds the axes and fills the table, from the innermost axis outwards.
void find_axes(const ResizeGeometry& geometry, Problem& problem)
{
    problem.table.reserve(size_t(table_words(geometry)));
    int64_t stride = 1;
    for (size_t a = geometry.axes.size(); a-- > 0;) {
        const ResizeAxis& from = geometry.axes[a];
        Axis axis = {.in = from.in, .out = from.out, .stride = stride};
        stride *= from.in;
        if (from.changes && geometry.mode == ResizeMode::nearest)
            look_up_nearest(geometry, from, axis, problem.table);
        else if (from.changes)
            look_up_taps(geometry, from, axis, problem.table);
        const bool stays = axis.factor == 1;
        if (stays && axis.out == 1)
            continue;
        if (stays && !problem.axes.empty() && problem.axes.back().factor == 1) {
            problem.axes.back().in *= axis.in;
            problem.axes.back().out *= axis.out;
        } else {
            problem.axes.push_back(std::move(axis));
        }
    }
    std::reverse(problem.axes.begin(), problem.axes.end());
    for (const Axis& axis : problem.axes)
        if (axis.taps > 0)
            problem.taps.push_back({axis.taps, 1, axis.taps});
    if (problem.table.empty())
        problem.table.assign(size_t(least_words), 0);
}

bool copies(const ResizeGeometry& geometry)
{
    return geometry.mode == ResizeMode::nearest ||
           std::none_of(geometry.axes.begin(), geometry.axes.end(), [](const ResizeAxis& axis) { return axis.changes; });
}

// Returns the type that a kernel computes in. For copies it only has to have the width of the elements.
Result<ComputeType> number_for(const ResizeGeometry& geometry, const Capabilities& capabilities)
{
    if (copies(geometry))
        if (const std::optional<ComputeType> raw = raw_type_of(bits(geometry.dtype)))
            return *raw;
    if (const std::optional<ComputeType> integer = integer_of(geometry.dtype))
        return *integer;
    return compute_type_of(op, geometry.dtype, capabilities);
}

Status check_tensors(const ResizeGeometry& geometry)
{
    TensorDesc x = {geometry.dtype, {}};
    for (const ResizeAxis& axis : geometry.axes)
        x.dims.push_back(axis.in);
    VKONNX_RETURN_IF_ERROR(check_addressable(op, "input X", x));
    return check_addressable(op, "output Y", output_of(geometry));
}

Result<Problem> problem_of(const ResizeGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    constexpr Needs needs = {
        .storage_buffers = 3, .push_constant_bytes = sizeof(push::GatherPart), .uniform_bytes = sizeof(push::ResizeProblem)};
    Result<Problem> problem = common_problem<Problem>(op, needs, geometry, number_for(geometry, capabilities),
                                                      output_of(geometry), capabilities, options);
    if (!problem || problem->outputs == 0)
        return problem;
    VKONNX_RETURN_IF_ERROR(check_tensors(geometry));
    VKONNX_RETURN_IF_ERROR(check_table(geometry, capabilities));
    problem->copies = copies(geometry);
    problem->inputs = 1;
    for (const ResizeAxis& axis : geometry.axes)
        problem->inputs *= axis.in;
    find_axes(geometry, *problem);
    const size_t most = integer_of(geometry.dtype) ? RESIZE_DIRECT_AXES : MAX_AXES;
    if (tapped(*problem) > most)
        return Status(Code::unsupported, std::string(op) + ": " + std::to_string(tapped(*problem)) + " axes of " +
                                             std::string(name(geometry.dtype)) +
                                             " change by linear or cubic interpolation, and kernels take " +
                                             std::to_string(most));
    return problem;
}

}  // namespace
}  // namespace resize

Result<Plan> plan_for(const ops::ResizeGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    return best_plan(resize::op, resize::kernels, resize::problem_of(geometry, capabilities, options));
}

Result<std::vector<KernelChoice>> kernels_for(const ops::ResizeGeometry& geometry, const Capabilities& capabilities,
                                              const PrepareOptions& options)
{
    return all_choices(resize::op, resize::kernels, resize::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
