// SPDX-License-Identifier: Apache-2.0
#include "plan/operators/conv_transpose/gathered.h"

#include <algorithm>

#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/engines/convolution.h"
#include "plan/engines/epilogue.h"
#include "shaders/operators/conv_transpose/conv_transpose_constants.h"

namespace vkonnx::plan::conv_transpose {
namespace {

using ops::Axis;
using ops::ConvTransposeGeometry;

static_assert(int(Layout::nxc) == LAYOUT_NXC && int(onednn::FilterFormat::xio) == FILTER_XIO &&
              int(onednn::FilterFormat::oix) == FILTER_OIX && int(onednn::FilterFormat::iox) == FILTER_IOX);

// Returns the input positions along an axis from which these taps reach these outputs. The count is 0 where there are none.
Range positions_of(const Axis& axis, const Range& outputs, const Range& taps)
{
    // q = (o + begin - t * dilation) / stride
    const int64_t low = outputs.first + axis.begin - (taps.end() - 1) * axis.dilation;
    const int64_t high = outputs.end() - 1 + axis.begin - taps.first * axis.dilation;
    if (high < 0)
        return {};
    const int64_t first = low <= 0 ? 0 : divide_up(low, axis.stride);
    const int64_t last = std::min(high / axis.stride, axis.in - 1);
    return {first, std::max<int64_t>(0, last - first + 1)};
}

Range weights_of(const ConvTransposeGeometry& g, const Met& met)
{
    const int64_t columns = g.channels_out / g.group;
    const Range column = met.groups.count == 1 ? Range{met.columns.first % columns, met.columns.count} : Range{0, columns};
    const WeightSteps steps = weight_steps(g);
    Range w = {0, 1};
    reach(w, met.channels, steps.channel);
    reach(w, column, steps.column);
    reach(w, met.taps, steps.tap);
    return w;
}

push::ConvTransposeProblem uniform_of(const Problem& problem)
{
    constexpr push::ConvTransposeAxis lacking = {
        .in_extent = 1, .out_extent = 1, .kernel = 1, .begin = 0, .gcd = 1, .stride = 1, .dilation = 1, .inverse = 0};
    const ConvTransposeGeometry& g = problem.geometry;
    push::ConvTransposeProblem push = {};
    std::fill(std::begin(push.axes), std::end(push.axes), lacking);
    std::copy_backward(problem.axes.begin(), problem.axes.end(), std::end(push.axes));
    push.channels_in = uint32_t(g.channels_in / g.group);
    push.channels_out = uint32_t(g.channels_out / g.group);
    push.group = uint32_t(g.group);
    push.epilogue = numbers_of(problem.epilogue, problem.compute_type);
    return push;
}

}  // namespace

Gather gather_of(const Problem& problem, Kernel kernel)
{
    const ConvTransposeGeometry& g = problem.geometry;
    const std::optional<Prologue>& prologue = problem.options.prologue;
    Gather gather = {.op = "ConvTranspose",
                     .compute_type = problem.compute_type,
                     .element_bytes = bits(g.dtype) / 8,
                     .outputs = problem.outputs,
                     .output_operand = operand_y(g.bias, prologue),
                     .inputs = bound_inputs(g, tensor_x(g), tensor_w(g), prologue),
                     .channels = g.channels_in / g.group,
                     .taps = problem.taps,
                     .kernel = kernel};
    gather.reads = [&g, dims = output_of(g).dims, numbers = prologue_numbers(prologue)](const Part& part) {
        return reads_of(g, dims, numbers, part, positions_of, [&](const Met& met) { return weights_of(g, met); });
    };
    gather.specialization = specialization::ConvTranspose{.workgroup_size = workgroup_size(problem.capabilities),
                                                          .rank = uint32_t(g.axes.size()),
                                                          .bias = g.bias,
                                                          .layout = uint32_t(g.layout),
                                                          .filter = uint32_t(g.filter),
                                                          .epilogue = constant_of(problem.epilogue),
                                                          .prologue = constant_of(prologue)}
                                .values();
    return gather;
}

Result<Plan> plan_gathered(const Problem& problem, const Gather& gather)
{
    Result<Plan> plan = plan_gather(gather, problem.capabilities, problem.options);
    if (plan)
        plan->uniform = bytes_of(uniform_of(problem));
    return plan;
}

}  // namespace vkonnx::plan::conv_transpose
