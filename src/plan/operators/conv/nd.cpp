// SPDX-License-Identifier: Apache-2.0
// The kernel conv_nd takes any rank, any stride and any number of taps. A dispatch adds a box of the taps.
#include <algorithm>

#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/engines/convolution.h"
#include "plan/engines/epilogue.h"
#include "plan/engines/gather.h"
#include "plan/operators/conv/problem.h"
#include "shaders/operators/conv/conv.h"
#include "shaders/operators/conv/conv_constants.h"

namespace vkonnx::plan::conv {
namespace {

using ops::Axis;
using ops::ConvGeometry;

static_assert(int(Layout::nxc) == LAYOUT_NXC && int(Layout::ncx) == LAYOUT_NCX);

// Returns the input positions along an axis that these outputs read by these taps. The count is 0 where there are none.
Range positions_of(const Axis& axis, const Range& outputs, const Range& taps)
{
    const int64_t low = outputs.first * axis.stride - axis.begin + taps.first * axis.dilation;
    const int64_t high = (outputs.end() - 1) * axis.stride - axis.begin + (taps.end() - 1) * axis.dilation;
    if (high < 0 || low >= axis.in)
        return {};
    const int64_t first = std::max<int64_t>(low, 0);
    return {first, std::min(high, axis.in - 1) - first + 1};
}

Range weights_of(const ConvGeometry& g, const Part& part, const Met& met)
{
    Range w = met.taps;
    reach(w, part.channels, met.volume);
    reach(w, met.columns, g.channels_in / g.group * met.volume);
    return w;
}

}  // namespace

push::ConvAxis push_axis(const Axis& axis)
{
    return {.in_extent = uint32_t(axis.in),
            .out_extent = uint32_t(axis.out),
            .kernel = uint32_t(axis.kernel),
            .stride = uint32_t(axis.stride),
            .dilation = uint32_t(axis.dilation),
            .begin = uint32_t(axis.begin),
            .padding0_ = 0,
            .padding1_ = 0};
}

namespace {

push::ConvProblem uniform_of(const Problem& problem)
{
    const ConvGeometry& g = problem.geometry;
    push::ConvProblem push = {};
    std::fill(std::begin(push.axes), std::end(push.axes), push_axis(Axis()));
    std::transform(g.axes.begin(), g.axes.end(), std::end(push.axes) - g.axes.size(), push_axis);
    push.channels_in = uint32_t(g.channels_in / g.group);
    push.channels_out = uint32_t(g.channels_out / g.group);
    push.group = uint32_t(g.group);
    push.epilogue = numbers_of(problem.epilogue, problem.compute_type);
    return push;
}

std::string unfit(const Problem& problem)
{
    std::string reason = unfit_for_operands(problem.capabilities, problem.options.prologue);
    return reason.empty() ? unfit_for_boxes(problem.taps, problem.compute_type, problem.capabilities) : reason;
}

Result<Plan> planned(const Problem& problem)
{
    const ConvGeometry& g = problem.geometry;
    const int64_t limit = loop_limit(problem.compute_type, problem.capabilities);
    const std::optional<Prologue>& prologue = problem.options.prologue;
    Gather gather = {.op = "Conv",
                     .compute_type = problem.compute_type,
                     .element_bytes = bits(g.dtype) / 8,
                     .outputs = problem.outputs,
                     .output_operand = operand_y(g.bias, prologue),
                     .inputs = bound_inputs(g, tensor_x(g), tensor_w(g), prologue),
                     .channels = g.channels_in / g.group,
                     .taps = problem.taps,
                     .kernel = *variant(prologue ? modules::conv_nd_prologue1 : modules::conv_nd, problem.compute_type),
                     .goes_on = true,
                     .takes_boxes = true,
                     .channels_at_once = (limit - GATHER_ND_ITERATIONS - 1) / saturated_sum(row_iterations(problem.taps), 1)};
    gather.reads = [&g, dims = output_of(g).dims, numbers = prologue_numbers(prologue)](const Part& part) {
        return reads_of(g, dims, numbers, part, positions_of, [&](const Met& met) { return weights_of(g, part, met); });
    };
    gather.specialization = specialization::Conv{.workgroup_size = workgroup_size(problem.capabilities),
                                                 .rank = uint32_t(g.axes.size()),
                                                 .bias = g.bias,
                                                 .layout = uint32_t(g.layout),
                                                 .epilogue = constant_of(problem.epilogue),
                                                 .prologue = constant_of(prologue)}
                                .values();
    Result<Plan> plan = plan_gather(gather, problem.capabilities, problem.options);
    if (plan)
        plan->uniform = bytes_of(uniform_of(problem));
    return plan;
}

}  // namespace

constinit const KernelOf<Problem> nd = {.name = "conv_nd",
                                        .variants = modules::conv_nd,
                                        .keeps_order = true,
                                        .takes_epilogue = true,
                                        .takes_prologue = true,
                                        .last_resort = true,
                                        .unfit = unfit,
                                        .plan = planned};

}  // namespace vkonnx::plan::conv
