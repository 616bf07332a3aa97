#include "plan/conv_transpose/conv_transpose.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "plan/arithmetic.h"
#include "plan/bytes.h"
#include "plan/choose.h"
#include "plan/gather.h"
#include "plan/grid.h"
#include "plan/limits.h"
#include "plan/merge.h"
#include "shared/conv_transpose.h"
#include "shared/gather.h"
#include "specialization/conv_transpose.h"

namespace vkonnx::plan {
namespace {

using ops::Axis;
using ops::ConvTransposeGeometry;

constexpr const char* op = "ConvTranspose";

constexpr Variants direct_variants = {Kernel::conv_transpose_direct_f32, Kernel::conv_transpose_direct_f16,
                                      Kernel::conv_transpose_direct_bf16, Kernel::conv_transpose_direct_f64,
                                      Kernel::conv_transpose_direct_f64_soft};
constexpr Variants nd_variants = {Kernel::conv_transpose_nd_f32, Kernel::conv_transpose_nd_f16, Kernel::conv_transpose_nd_bf16,
                                  Kernel::conv_transpose_nd_f64, Kernel::conv_transpose_nd_f64_soft};

static_assert(int(Layout::nxc) == LAYOUT_NXC && int(onednn::FilterFormat::xio) == FILTER_XIO &&
              int(onednn::FilterFormat::oix) == FILTER_OIX && int(onednn::FilterFormat::iox) == FILTER_IOX);

// x with a * x = 1 mod m, for coprime a and m, by Euclid's algorithm; 0 for m = 1
int64_t inverse_modulo(int64_t a, int64_t m)
{
    int64_t r0 = m, r1 = a % m, x0 = 0, x1 = 1;
    while (r1 != 0) {
        int64_t quotient = r0 / r1;
        std::tie(r0, r1) = std::pair(r1, r0 - quotient * r1);
        std::tie(x0, x1) = std::pair(x1, x0 - quotient * x1);
    }
    return m == 1 ? 0 : (x0 % m + m) % m;
}

push::ConvTransposeAxis push_axis(const Axis& axis)
{
    int64_t gcd = std::gcd(axis.stride, axis.dilation);
    int64_t stride = axis.stride / gcd;
    int64_t dilation = axis.dilation / gcd;
    return {uint32_t(axis.in), uint32_t(axis.out), uint32_t(axis.kernel), uint32_t(axis.begin),
            uint32_t(gcd),     uint32_t(stride),   uint32_t(dilation),    uint32_t(inverse_modulo(dilation, stride))};
}

TapAxis tap_axis(const Axis& axis)
{
    int64_t gcd = std::gcd(axis.stride, axis.dilation);
    int64_t step = axis.stride / gcd;
    return {axis.kernel, step, std::min(divide_up(axis.kernel, step), divide_up(axis.in, axis.dilation / gcd))};
}

push::ConvTransposeProblem push_problem(const ConvTransposeGeometry& g)
{
    push::ConvTransposeProblem push = {};
    std::fill(std::begin(push.axes), std::end(push.axes), push_axis(Axis{}));
    std::transform(g.axes.begin(), g.axes.end(), std::end(push.axes) - g.axes.size(), push_axis);
    push.channels_in = uint32_t(g.channels_in / g.group);
    push.channels_out = uint32_t(g.channels_out / g.group);
    push.group = uint32_t(g.group);
    return push;
}

TensorDesc tensor(const ConvTransposeGeometry& g, int64_t outer, int64_t inner, int64_t Axis::*extent)
{
    TensorDesc desc{g.dtype, {outer, inner}};
    for (const Axis& axis : g.axes)
        desc.dims.push_back(axis.*extent);
    return desc;
}

Status check(const ConvTransposeGeometry& g)
{
    const TensorDesc x = tensor(g, g.batch, g.channels_in, &Axis::in);
    const TensorDesc w = tensor(g, g.channels_in, g.channels_out / g.group, &Axis::kernel);
    const TensorDesc y = tensor(g, g.batch, g.channels_out, &Axis::out);
    for (const auto& [name, desc] : {std::pair("input X", &x), std::pair("input W", &w), std::pair("output Y", &y)})
        if (Status status = check_addressable(op, name, *desc); !status)
            return status;
    for (size_t a = 0; a < g.axes.size(); ++a) {
        const Axis& axis = g.axes[a];
        // every number that a kernel forms along the axis lies below one of these
        for (int64_t number : {axis.out + axis.begin, axis.stride, axis.dilation, axis.dilated_kernel()})
            if (number >= index_limit)
                return Status(Code::unsupported, std::string(op) + ": spatial axis " + std::to_string(a) + " reaches " +
                                                     std::to_string(number) + ", and kernels count to 2147483647");
    }
    return {};
}

Candidate direct_candidate(const Cuttable& problem, std::span<const Axis> axes, const Capabilities& capabilities)
{
    Candidate direct{"conv_transpose_direct"};
    if (axes.size() > 3)
        direct.unfit = "it takes at most 3 spatial axes, not " + std::to_string(axes.size());
    else if (saturated_sum(nested_iterations(problem.taps), 2) > loop_limit(problem.number, capabilities))
        direct.unfit = "its loops over one channel's taps would exceed the device's " +
                       std::to_string(capabilities.max_loop_iterations) + " iterations";
    for (const Axis& axis : axes) {
        const push::ConvTransposeAxis pushed = push_axis(axis);
        if (pushed.stride > 65536 && pushed.inverse > 1)
            direct.unfit =
                "it multiplies phases in 32 bits, and stride / gcd(stride, dilation) = " + std::to_string(pushed.stride) +
                " is beyond 65536";
    }
    return direct;
}

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

}  // namespace

Result<Plan> plan_conv_transpose(const ConvTransposeGeometry& given, const Capabilities& capabilities,
                                 const PrepareOptions& options)
{
    if (Status status = check_options(op, capabilities, options); !status)
        return status;
    constexpr Needs needs = {
        .storage_buffers = 4, .push_constant_bytes = sizeof(push::Pass), .uniform_bytes = sizeof(push::ConvTransposeProblem)};
    if (Status status = check_capabilities(op, capabilities, needs); !status)
        return status;
    const Result<Number> number = number_of(op, given.dtype, capabilities);
    if (!number)
        return number.status();
    Result<int64_t> outputs = element_count(output_of(given));
    if (!outputs)
        return outputs.status();
    if (*outputs == 0)
        return Plan{.why = "the output is empty"};
    if (Status status = check(given); !status)
        return status;

    const ConvTransposeGeometry g = merged(given);
    Cuttable problem = {.op = op, .number = *number, .element_bytes = bits(g.dtype) / 8, .outputs = *outputs};
    const int64_t x_elements = *element_count(tensor(g, g.batch, g.channels_in, &Axis::in));
    const int64_t w_elements = *element_count(tensor(g, g.channels_in, g.channels_out / g.group, &Axis::kernel));
    // without a bias its binding still needs a buffer; W stands in and is not read there
    problem.inputs = {{0, x_elements}, {1, w_elements}, g.bias ? InputTensor{2, g.channels_out} : InputTensor{1, w_elements}};
    problem.output_operand = g.bias ? 3 : 2;
    const std::vector<int64_t> output_dims = output_of(g).dims;
    problem.reads = [&](const Part& part) { return reads_of(g, output_dims, part); };
    problem.channels = g.channels_in / g.group;
    std::transform(g.axes.begin(), g.axes.end(), std::back_inserter(problem.taps), tap_axis);
    problem.specialization = specialization::ConvTranspose{.workgroup_size = workgroup_size(capabilities),
                                                           .rank = uint32_t(g.axes.size()),
                                                           .bias = g.bias,
                                                           .layout = uint32_t(g.layout),
                                                           .filter = uint32_t(g.filter)}
                                 .values();

    const int64_t limit = loop_limit(*number, capabilities);
    problem.box_budget = limit - GATHER_ND_ITERATIONS - 2;
    const std::vector<TapBox> boxes = split_taps(problem.taps, problem.box_budget);
    const std::vector<Candidate> candidates = {direct_candidate(problem, g.axes, capabilities),
                                               nd_candidate("conv_transpose_nd", boxes, capabilities)};
    Result<Plan> plan = first_that_plans(op, candidates, options.kernel, [&](size_t chosen) {
        const bool direct = chosen == 0;
        problem.kernel = variant(direct ? direct_variants : nd_variants, *number);
        problem.boxes = direct ? std::vector<TapBox>{whole_window(problem.taps)} : boxes;
        problem.takes_boxes = !direct;
        problem.channels_at_once = 1;
        if (direct)
            problem.channels_at_once = (limit - 1) / saturated_sum(nested_iterations(problem.taps), 1);
        else if (boxes.size() == 1)
            problem.channels_at_once = (limit - GATHER_ND_ITERATIONS - 1) / saturated_sum(row_iterations(problem.taps), 1);
        return cut(problem, capabilities, options);
    });
    if (!plan)
        return plan;
    plan->uniform = bytes_of(push_problem(g));
    plan->why = merge_note(given.axes.size(), g.axes.size()) + plan->why + number_note(*number);
    return plan;
}

}  // namespace vkonnx::plan
