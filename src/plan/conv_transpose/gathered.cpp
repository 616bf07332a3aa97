// SPDX-License-Identifier: Apache-2.0
#include "plan/conv_transpose/gathered.h"

#include <algorithm>

#include "plan/arithmetic.h"
#include "plan/bytes.h"
#include "plan/epilogue.h"
#include "plan/grid.h"
#include "specialization/conv_transpose.h"

namespace vkonnx::plan::conv_transpose {
namespace {

using ops::Axis;
using ops::ConvTransposeGeometry;

static_assert(int(Layout::nxc) == LAYOUT_NXC && int(onednn::FilterFormat::xio) == FILTER_XIO &&
              int(onednn::FilterFormat::oix) == FILTER_OIX && int(onednn::FilterFormat::iox) == FILTER_IOX);

// Input positions along an axis that meet taps [tap_begin, tap_end) in outputs of a range; count 0 for none.
Range positions_of(const Axis& axis, const Range& outputs, int64_t tap_begin, int64_t tap_end)
{
    // q = (o + begin - t * dilation) / stride
    const int64_t low = outputs.first + axis.begin - (tap_end - 1) * axis.dilation;
    const int64_t high = outputs.end() - 1 + axis.begin - tap_begin * axis.dilation;
    if (high < 0)
        return {};
    const int64_t first = low <= 0 ? 0 : divide_up(low, axis.stride);
    const int64_t last = std::min(high / axis.stride, axis.in - 1);
    return {first, std::max<int64_t>(0, last - first + 1)};
}

// A range of flat indices that grows by coordinates, each `step` elements apart.
void reach(Range& flat, const Range& coordinates, int64_t step)
{
    flat.first += coordinates.first * step;
    flat.count += (coordinates.count - 1) * step;
}

// The ranges of X, W and B that a part reads, conservatively.
Reads reads_of(const ConvTransposeGeometry& g, std::span<const int64_t> output_dims, const Part& part)
{
    const bool last = g.layout == Layout::nxc;
    const int64_t columns = g.channels_out / g.group;
    const int64_t per_group = g.channels_in / g.group;
    const Bounds bounds = bounds_of(part.outputs, output_dims);
    const Range out = bounds[last ? g.axes.size() + 1 : 1];
    const size_t first_axis = last ? 1 : 2;

    const Range b = g.bias && part.finishes ? out : Range{};
    if (part.adds_nothing())
        return {Range{}, Range{}, b};
    Range position = {0, 1};
    Range tap = {0, 1};
    int64_t x_volume = 1;
    int64_t w_volume = 1;
    for (size_t a = g.axes.size(); a-- > 0;) {
        const Axis& axis = g.axes[a];
        const Range taps = {part.box.begin[a], int64_t(part.box.end[a]) - part.box.begin[a]};
        const Range positions = positions_of(axis, bounds[first_axis + a], taps.first, taps.end());
        if (positions.count == 0)
            return {Range{}, Range{}, b};
        reach(position, positions, x_volume);
        reach(tap, taps, w_volume);
        x_volume *= axis.in;
        w_volume *= axis.kernel;
    }
    const Range groups = {out.first / columns, (out.end() - 1) / columns - out.first / columns + 1};
    const Range column = groups.count == 1 ? Range{out.first % columns, out.count} : Range{0, columns};
    Range channel = {part.channels.first, part.channels.count};
    reach(channel, groups, per_group);

    Range x = {0, 1};
    reach(x, bounds[0], g.channels_in * x_volume);
    reach(x, channel, last ? 1 : x_volume);
    reach(x, position, last ? g.channels_in : 1);
    Range w = {0, 1};
    switch (g.filter) {
    case onednn::FilterFormat::xio:
        reach(w, tap, g.channels_in * columns);
        reach(w, channel, columns);
        reach(w, column, 1);
        break;
    case onednn::FilterFormat::oix:
        reach(w, column, g.channels_in * w_volume);
        reach(w, channel, w_volume);
        reach(w, tap, 1);
        break;
    case onednn::FilterFormat::iox:
        reach(w, channel, columns * w_volume);
        reach(w, column, w_volume);
        reach(w, tap, 1);
        break;
    }
    return {x, w, b};
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
    push.epilogue = numbers_of(problem.epilogue, problem.number);
    return push;
}

}  // namespace

Gather gather_of(const Problem& problem, Kernel kernel)
{
    const ConvTransposeGeometry& g = problem.geometry;
    const int64_t x_elements = *element_count(tensor_x(g));
    const int64_t w_elements = *element_count(tensor_w(g));
    Gather gather = {.op = "ConvTranspose",
                     .number = problem.number,
                     .element_bytes = bits(g.dtype) / 8,
                     .outputs = problem.outputs,
                     .channels = g.channels_in / g.group,
                     .taps = problem.taps,
                     .kernel = kernel};
    // without a bias its binding still needs a buffer; W stands in and is not read there
    gather.inputs = {{0, x_elements}, {1, w_elements}, g.bias ? InputTensor{2, g.channels_out} : InputTensor{1, w_elements}};
    gather.output_operand = g.bias ? 3 : 2;
    gather.reads = [&g, dims = output_of(g).dims](const Part& part) { return reads_of(g, dims, part); };
    gather.specialization = specialization::ConvTranspose{.workgroup_size = workgroup_size(problem.capabilities),
                                                          .rank = uint32_t(g.axes.size()),
                                                          .bias = g.bias,
                                                          .layout = uint32_t(g.layout),
                                                          .filter = uint32_t(g.filter),
                                                          .epilogue = uint32_t(problem.epilogue.kind)}
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
