// SPDX-License-Identifier: Apache-2.0
// The kernel conv_transpose_depthwise takes 1 to 3 axes, groups of one channel of X, and common kernels along the last axis. An
// invocation computes several outputs of a row. The kernel conv_transpose_depthwise_channels takes channels last, in groups of
// one channel of X and one of Y. An invocation computes four channels of several outputs.
#include <algorithm>

#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/engines/depthwise.h"
#include "plan/engines/epilogue.h"
#include "plan/operators/conv_transpose/problem.h"
#include "return_if_error.h"
#include "shaders/operators/conv_transpose/conv_transpose_depthwise.h"
#include "shaders/operators/conv_transpose/conv_transpose_depthwise_channels_constants.h"

namespace vkonnx::plan::conv_transpose {
namespace {

using ops::Axis;
using ops::ConvTransposeGeometry;

constexpr int64_t outputs = 16;  // outputs of a tile

// This struct describes a window of the last axis for which there are modules.
struct WindowModules {
    int64_t kernel;
    int64_t stride;
    std::span<const Variant> variants;
    std::span<const Variant> ends = {};  // modules for X that ends amid a quad
};

constexpr WindowModules windows[] = {{3, 1, modules::conv_transpose_depthwise_kernel3_stride1_outputs16},
                                     {2, 2, modules::conv_transpose_depthwise_kernel2_stride2_outputs16},
                                     {3, 2, modules::conv_transpose_depthwise_kernel3_stride2_outputs16},
                                     {4, 2, modules::conv_transpose_depthwise_kernel4_stride2_outputs16},
                                     {8, 4, modules::conv_transpose_depthwise_kernel8_stride4_outputs16},
                                     {16, 8, modules::conv_transpose_depthwise_kernel16_stride8_outputs16,
                                      modules::conv_transpose_depthwise_kernel16_stride8_outputs16_ends1}};

const WindowModules* modules_for(const Axis& axis)
{
    for (const WindowModules& window : windows)
        if (window.kernel == axis.kernel && window.stride == axis.stride)
            return &window;
    return nullptr;
}

int64_t taps_of(const Axis& axis)
{
    return divide_up(axis.kernel, axis.stride);
}

// Returns why neither kernel can run the problem; "" where both may.
std::string unfit_for_both(const Problem& problem, Layout layout)
{
    const ConvTransposeGeometry& g = problem.geometry;
    if (std::string wrong = plan::depthwise::unfit(g, problem.capabilities, layout); !wrong.empty())
        return wrong;
    for (const Axis& axis : g.axes)
        if (axis.dilation != 1)
            return "it takes no dilations, not " + std::to_string(axis.dilation);
    return "";
}

std::string unfit(const Problem& problem)
{
    const ConvTransposeGeometry& g = problem.geometry;
    if (std::string wrong = unfit_for_both(problem, Layout::ncx); !wrong.empty())
        return wrong;
    const Axis& last = g.axes.back();
    if (!modules_for(last))
        return "it has no module for kernel " + std::to_string(last.kernel) + " and stride " + std::to_string(last.stride) +
               " of the last axis";
    if (last.kernel % quad == 0 && weight_steps(g).tap != 1)
        return "it reads rows of W, and the taps of a filter_format that ends with channels are no rows";
    const int64_t x_elements = plan::depthwise::x_elements(g);
    if (x_elements < quad || (x_elements % quad != 0 && !variant(modules_for(last)->ends, problem.compute_type)))
        return "it reads 4 elements at a time, and X has " + std::to_string(x_elements);
    if (is_half(problem.compute_type) && last.out % 2 != 0)
        return "rows of " + std::to_string(last.out) + " halves end amid a word";
    const auto [outer, inner, innermost] = plan::depthwise::all_axes(g);
    const int64_t iterations = saturated_product(taps_of(outer) + 1, taps_of(inner) + 1);
    return plan::depthwise::unfit_for_loops(problem.capabilities, iterations, outputs);
}

push::DepthwiseProblem uniform_of(const Problem& problem, int64_t tiles_of_row)
{
    const ConvTransposeGeometry& g = problem.geometry;
    const std::array<Axis, DEPTHWISE_AXES> axes = plan::depthwise::all_axes(g);
    const WeightSteps steps = weight_steps(g);
    push::DepthwiseProblem push = {};
    push.epilogue = numbers_of(problem.epilogue, problem.compute_type);
    push.tiles_of_row = push::divisor_of(uint32_t(tiles_of_row));
    push.channels = push::divisor_of(uint32_t(g.channels_out));
    push.multiplier = push::divisor_of(uint32_t(g.channels_out / g.group));
    push.w_channel = uint32_t(steps.channel);
    push.w_column = uint32_t(steps.column);
    push.w_tap = uint32_t(steps.tap);
    for (size_t a = 0; a < axes.size(); ++a)
        push.axes[a] = {.in_extent = uint32_t(axes[a].in),
                        .out_extent = uint32_t(axes[a].out),
                        .kernel = uint32_t(axes[a].kernel),
                        .begin = uint32_t(axes[a].begin),
                        .stride = push::divisor_of(uint32_t(axes[a].stride))};
    for (size_t a = 0; a + 1 < axes.size(); ++a)
        push.outs[a] = push::divisor_of(uint32_t(axes[a].out));
    return push;
}

Result<Plan> planned(const Problem& problem)
{
    const ConvTransposeGeometry& g = problem.geometry;
    const auto [outer, inner, last] = plan::depthwise::all_axes(g);
    const WindowModules& window = *modules_for(last);
    const bool ends = plan::depthwise::x_elements(g) % quad != 0;
    Plan plan = plan::depthwise::plan_of(problem, *variant(ends ? window.ends : window.variants, problem.compute_type),
                                         plan::depthwise::row_specialization(problem, taps_of(outer), taps_of(inner)),
                                         bytes_of(uniform_of(problem, divide_up(last.out, outputs))));
    const double taps = double(taps_of(last));
    const double loads = double(outputs) / double(window.stride * quad) + 2 +
                         double(window.kernel % quad == 0 ? window.kernel / quad : window.kernel);
    const double work = 8 + (plan::depthwise::has_whole_rows(problem) ? 0.5 : 1) * double(outputs) +
                        double(taps_of(outer) * taps_of(inner)) * (0.5 * loads + 0.1 * taps * double(outputs));
    const Tiles tiles = plan::depthwise::row_tiles("ConvTranspose", problem, plan, outputs, work);
    VKONNX_RETURN_IF_ERROR(add_steps(tiles, problem.capabilities, problem.options, plan));
    return plan;
}

// ---- channels last

constexpr int64_t positions = 4;  // outputs of a tile along the last axis, a stride apart

// Returns how many runs a row has. The outputs of a run are a stride apart.
int64_t runs_of(const Axis& last)
{
    return std::min(divide_up(last.out, last.stride * positions) * last.stride, last.out);
}

std::string unfit_for_channels(const Problem& problem)
{
    const ConvTransposeGeometry& g = problem.geometry;
    if (std::string wrong = unfit_for_both(problem, Layout::nxc); !wrong.empty())
        return wrong;
    if (g.channels_out != g.group)
        return "it takes groups of one channel of Y, not of " + std::to_string(g.channels_out / g.group);
    if (g.channels_in % quad != 0)
        return "it takes multiples of 4 channels, not " + std::to_string(g.channels_in);
    if (g.axes.back().stride * positions >= index_limit)
        return "it goes 4 strides along the last axis at once, and counts to " + std::to_string(index_limit - 1);
    int64_t iterations = 1;
    for (const Axis& axis : g.axes)
        iterations = saturated_product(iterations, taps_of(axis));
    return plan::depthwise::unfit_for_loops(problem.capabilities, iterations, positions * quad);
}

Result<Plan> planned_channels(const Problem& problem)
{
    const ConvTransposeGeometry& g = problem.geometry;
    const std::array<Axis, DEPTHWISE_AXES> axes = plan::depthwise::all_axes(g);
    const Axis& last = axes.back();
    const int64_t runs = runs_of(last);
    const int64_t tiles_of_row = runs * (g.channels_in / quad);
    push::DepthwiseProblem uniform = uniform_of(problem, runs);
    uniform.channels = push::divisor_of(uint32_t(g.channels_in / quad));
    Plan plan = plan::depthwise::plan_of(
        problem, *variant(modules::conv_transpose_depthwise_channels_outputs4, problem.compute_type),
        specialization::ConvTransposeDepthwiseChannels{.workgroup_size = tile_workgroup_size(problem.capabilities),
                                                       .bias = g.bias,
                                                       .taps0 = uint32_t(taps_of(axes[0])),
                                                       .taps1 = uint32_t(taps_of(axes[1])),
                                                       .taps2 = uint32_t(taps_of(last)),
                                                       .epilogue = constant_of(problem.epilogue)}
            .values(),
        bytes_of(uniform));

    const int64_t y_row = last.out * g.channels_out;
    const int64_t y_image = problem.outputs / g.batch;
    const int64_t x_image = plan::depthwise::x_elements(g) / g.batch;
    const auto outputs_of = [&](const Range& tiles) {  // rounded to whole rows
        const int64_t first = tiles.first / tiles_of_row;
        return Range{first * y_row, ((tiles.end() - 1) / tiles_of_row + 1 - first) * y_row};
    };
    const auto inputs_of = [&](const Range& tiles) {  // rounded to whole images
        const Range some = outputs_of(tiles);
        const int64_t first = some.first / y_image;
        return Range{first * x_image, ((some.end() - 1) / y_image + 1 - first) * x_image};
    };
    double taps = 1;
    for (const Axis& axis : axes)
        taps *= double(taps_of(axis));
    Tiles tiles = plan::depthwise::tiles_of("ConvTranspose", problem, plan, quad);
    tiles.tiles = {0, problem.outputs / y_row * tiles_of_row};
    tiles.work = 5 + 0.25 * double(positions * quad) + taps * (0.3 * double(positions + quad) + 0.06 * double(positions * quad));
    tiles.from.used = inputs_of;
    tiles.to.used = outputs_of;
    VKONNX_RETURN_IF_ERROR(add_steps(tiles, problem.capabilities, problem.options, plan));
    return plan;
}

}  // namespace

constinit const KernelOf<Problem> depthwise = {.name = "conv_transpose_depthwise",
                                               .variants = modules::conv_transpose_depthwise_kernel3_stride1_outputs16,
                                               .keeps_order = true,
                                               .takes_epilogue = true,
                                               .unfit = unfit,
                                               .plan = planned};

constinit const KernelOf<Problem> depthwise_channels = {.name = "conv_transpose_depthwise_channels",
                                                        .variants = modules::conv_transpose_depthwise_channels_outputs4,
                                                        .keeps_order = true,
                                                        .takes_epilogue = true,
                                                        .unfit = unfit_for_channels,
                                                        .plan = planned_channels};

}  // namespace vkonnx::plan::conv_transpose
