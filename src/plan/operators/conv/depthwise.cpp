// SPDX-License-Identifier: Apache-2.0
// The kernel conv_depthwise takes 1 to 3 axes, groups of one channel of X, and common windows along the last axis. An invocation
// computes several outputs of a row.
#include "plan/engines/depthwise.h"

#include "modules.h"
#include "plan/core/bytes.h"
#include "plan/engines/epilogue.h"
#include "plan/operators/conv/problem.h"
#include "return_if_error.h"
#include "shaders/operators/conv/conv_depthwise.h"

namespace vkonnx::plan::conv {
namespace {

using ops::Axis;
using ops::ConvGeometry;

constexpr int64_t outputs = 8;  // outputs of a tile

// This struct describes a window of the last axis for which there are modules.
struct WindowModules {
    int64_t kernel;
    int64_t stride;
    std::span<const Variant> variants;
};

constexpr WindowModules windows[] = {{3, 1, modules::conv_depthwise_kernel3_stride1_outputs8},
                                     {3, 2, modules::conv_depthwise_kernel3_stride2_outputs8},
                                     {5, 1, modules::conv_depthwise_kernel5_stride1_outputs8},
                                     {5, 2, modules::conv_depthwise_kernel5_stride2_outputs8},
                                     {7, 1, modules::conv_depthwise_kernel7_stride1_outputs8}};

const WindowModules* modules_for(const Axis& axis)
{
    for (const WindowModules& window : windows)
        if (window.kernel == axis.kernel && window.stride == axis.stride)
            return &window;
    return nullptr;
}

std::string unfit(const Problem& problem)
{
    const ConvGeometry& g = problem.geometry;
    if (std::string wrong = plan::depthwise::unfit(g, problem.capabilities, Layout::ncx); !wrong.empty())
        return wrong;
    const Axis& last = g.axes.back();
    if (!modules_for(last))
        return "it has no module for kernel " + std::to_string(last.kernel) + " and stride " + std::to_string(last.stride) +
               " of the last axis";
    if (last.dilation != 1)
        return "it takes no dilation of the last axis, not " + std::to_string(last.dilation);
    if (const int64_t elements = plan::depthwise::x_elements(g); elements % quad != 0)
        return "it reads 4 elements at a time, and X has " + std::to_string(elements);
    if (is_half(problem.compute_type) && last.out % 2 != 0)
        return "rows of " + std::to_string(last.out) + " halves end amid a word";
    const auto [outer, inner, innermost] = plan::depthwise::all_axes(g);
    return plan::depthwise::unfit_for_loops(problem.capabilities, saturated_product(outer.kernel + 1, inner.kernel + 1), outputs);
}

push::ConvDepthwiseProblem uniform_of(const Problem& problem)
{
    const ConvGeometry& g = problem.geometry;
    const auto axes = plan::depthwise::all_axes(g);
    push::ConvDepthwiseProblem push = {};
    std::transform(axes.begin(), axes.end(), std::begin(push.axes), push_axis);
    push.epilogue = numbers_of(problem.epilogue, problem.compute_type);
    push.tiles_of_row = push::divisor_of(uint32_t(divide_up(axes.back().out, outputs)));
    for (size_t a = 0; a + 1 < axes.size(); ++a)
        push.outs[a] = push::divisor_of(uint32_t(axes[a].out));
    push.channels = push::divisor_of(uint32_t(g.channels_out));
    push.multiplier = push::divisor_of(uint32_t(g.channels_out / g.group));
    return push;
}

Result<Plan> planned(const Problem& problem)
{
    const auto [outer, inner, last] = plan::depthwise::all_axes(problem.geometry);
    Plan plan = plan::depthwise::plan_of(problem, *variant(modules_for(last)->variants, problem.compute_type),
                                         plan::depthwise::row_specialization(problem, outer.kernel, inner.kernel),
                                         bytes_of(uniform_of(problem)));
    const double loads = double((outputs - 1) * last.stride + last.kernel) / quad + 1 + double(last.kernel);
    const double work = 8 + (plan::depthwise::has_whole_rows(problem) ? 0.5 : 1) * double(outputs) +
                        double(outer.kernel * inner.kernel) * (0.5 * loads + 0.1 * double(last.kernel * outputs));
    const Tiles tiles = plan::depthwise::row_tiles("Conv", problem, plan, outputs, work);
    VKONNX_RETURN_IF_ERROR(add_steps(tiles, problem.capabilities, problem.options, plan));
    return plan;
}

}  // namespace

constinit const KernelOf<Problem> depthwise = {.name = "conv_depthwise",
                                               .variants = modules::conv_depthwise_kernel3_stride1_outputs8,
                                               .keeps_order = true,
                                               .takes_epilogue = true,
                                               .unfit = unfit,
                                               .plan = planned};

}  // namespace vkonnx::plan::conv
