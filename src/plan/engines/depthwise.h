// SPDX-License-Identifier: Apache-2.0
// This file has what the kernels share that take groups of one channel of X, of Conv and of ConvTranspose: what they refuse,
// which tensors they bind, and how tiles lie in rows where no channels stand behind the axes.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "plan/core/arithmetic.h"
#include "plan/core/limits.h"
#include "plan/engines/convolution.h"
#include "plan/engines/epilogue.h"
#include "plan/engines/tiles.h"
#include "shaders/engines/depthwise/depthwise_constants.h"

namespace vkonnx::plan::depthwise {

inline constexpr size_t max_axes = 3;

// Returns max_axes axes. Those that the rank lacks stand in front, with extents of 1.
template <class Geometry>
std::array<ops::Axis, max_axes> all_axes(const Geometry& g)
{
    std::array<ops::Axis, max_axes> all = {};
    std::copy(g.axes.begin(), g.axes.end(), all.end() - std::ptrdiff_t(g.axes.size()));
    return all;
}

template <class Geometry>
int64_t x_elements(const Geometry& g)
{
    return *element_count(tensor_of(g, g.batch, g.channels_in, &ops::Axis::in));
}

template <class Geometry>
int64_t w_elements(const Geometry& g)
{
    return *element_count(tensor_of(g, g.channels_in / g.group, g.channels_out, &ops::Axis::kernel));
}

// Tells why no such kernel can run the problem, whatever its windows; returns "" where one can.
template <class Geometry>
std::string unfit(const Geometry& g, const Capabilities& capabilities, Layout layout)
{
    if (g.group != g.channels_in)
        return "it takes groups of one channel of X, not of " + std::to_string(g.channels_in / g.group);
    if (g.axes.size() > max_axes)
        return "it takes at most 3 spatial axes, not " + std::to_string(g.axes.size());
    if (g.layout != layout)
        return layout == Layout::ncx ? "it takes nothing behind the axes, and layout NXC has channels there"
                                     : "it takes channels behind the axes, and layout NCX has none there";
    if (x_elements(g) == 0 || w_elements(g) == 0)
        return "there is nothing to multiply";
    const int64_t w_bytes = saturated_product(w_elements(g), bits(g.dtype) / 8);
    if (w_bytes > int64_t(capabilities.max_storage_buffer_range))
        return too_many_bytes(uint64_t(w_bytes), capabilities);
    return "";
}

inline std::string unfit_for_loops(const Capabilities& capabilities, int64_t iterations, int64_t storing)
{
    if (saturated_sum(iterations, storing) <= capabilities.max_loop_iterations)
        return "";
    return too_many_iterations("its loops", capabilities);
}

// Returns a plan of one pipeline, which has no steps yet.
template <class Problem>
Plan plan_of(const Problem& problem, Kernel kernel, std::vector<uint32_t> specialization, std::vector<std::byte> uniform)
{
    const auto& g = problem.geometry;
    Plan plan;
    plan.inputs = g.bias ? 3 : 2;
    for (const int64_t elements : {x_elements(g), w_elements(g), g.channels_out, problem.outputs})
        plan.tensor_bytes.push_back(buffer_bytes(uint64_t(elements) * bits(g.dtype) / 8));
    if (!g.bias)
        plan.tensor_bytes.erase(plan.tensor_bytes.begin() + 2);
    plan.max_submit_seconds = problem.options.max_dispatch_seconds;
    plan.uniform = std::move(uniform);
    plan.pipelines = {{.kernel = kernel,
                       .specialization = std::move(specialization),
                       .views = std::vector<View>(4, View::storage),
                       .uses_uniform = true,
                       .push_bytes = sizeof(push::TileRange)}};
    return plan;
}

// Begins the tiles of a kernel. The caller adds how many there are, what one costs, and which outputs and inputs belong to them.
template <class Problem>
Tiles tiles_of(std::string_view op, const Problem& problem, const Plan& plan, int64_t y_unit)
{
    const auto& g = problem.geometry;
    const uint32_t width = bits(g.dtype) / 8;
    Tiles tiles;
    tiles.op = op;
    tiles.compute_type = problem.compute_type;
    tiles.workgroup_size = tile_workgroup_size(problem.capabilities);
    tiles.from = {.operand = {.tensor = 0}, .elements = x_elements(g), .element_bytes = width, .unit = quad};
    tiles.whole = {{.tensor = 1}, {.tensor = uint8_t(g.bias ? 2 : 1)}};
    tiles.to = {.operand = {.tensor = uint8_t(plan.inputs), .access = Access::write},
                .elements = problem.outputs,
                .element_bytes = width,
                .unit = y_unit};
    return tiles;
}

// ---- several outputs of a row

template <class Problem>
bool has_whole_rows(const Problem& problem)
{
    return problem.geometry.axes.back().out % quad == 0;
}

// Returns the values of the specialization constants. `taps0` and `taps1` are the taps of the axes before the last.
template <class Problem>
std::vector<uint32_t> row_specialization(const Problem& problem, int64_t taps0, int64_t taps1)
{
    return specialization::Depthwise{.workgroup_size = tile_workgroup_size(problem.capabilities),
                                     .bias = problem.geometry.bias,
                                     .taps0 = uint32_t(taps0),
                                     .taps1 = uint32_t(taps1),
                                     .stores_quads = stores_quads(problem.geometry.axes.back().out, problem.capabilities),
                                     .epilogue = constant_of(problem.epilogue)}
        .values();
}

// Returns the tiles, each with `outputs` outputs of a row and `work` multiply-adds.
template <class Problem>
Tiles row_tiles(std::string_view op, const Problem& problem, const Plan& plan, int64_t outputs, double work)
{
    const auto& g = problem.geometry;
    const int64_t row = g.axes.back().out;
    const int64_t tiles_of_row = divide_up(row, outputs);
    const int64_t x_image = x_elements(g) / (g.batch * g.channels_in);
    const int64_t y_image = problem.outputs / (g.batch * g.channels_out);
    const int64_t multiplier = g.channels_out / g.group;
    const auto outputs_of = [=](const Range& tiles) {
        const auto end_of = [&](int64_t tile) {  // the end of the outputs of the tiles up to this one
            return tile / tiles_of_row * row + std::min((tile % tiles_of_row + 1) * outputs, row);
        };
        const int64_t first = tiles.first / tiles_of_row * row + tiles.first % tiles_of_row * outputs;
        return Range{first, end_of(tiles.end() - 1) - first};
    };
    const auto inputs_of = [=](const Range& tiles) {  // the whole images that the outputs read
        const Range some = outputs_of(tiles);
        const int64_t first = some.first / y_image / multiplier;
        return Range{first * x_image, ((some.end() - 1) / y_image / multiplier + 1 - first) * x_image};
    };
    Tiles tiles = tiles_of(op, problem, plan, has_whole_rows(problem) ? quad : elements_per_word(problem.compute_type));
    tiles.tiles = {0, problem.outputs / row * tiles_of_row};
    tiles.work = work;
    tiles.from.used = inputs_of;
    tiles.to.used = outputs_of;
    return tiles;
}

}  // namespace vkonnx::plan::depthwise
