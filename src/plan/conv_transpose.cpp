#include "plan/conv_transpose.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "plan/passes.h"
#include "push_constants.h"
#include "spec_ids.h"

namespace vkonnx::plan {
namespace {

using ops::Axis;
using ops::ConvTransposeGeometry;

constexpr const char* op = "ConvTranspose";

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

TensorDesc tensor(const ConvTransposeGeometry& g, int64_t outer, int64_t inner, int64_t Axis::*extent)
{
    TensorDesc desc{g.dtype, {outer, inner}};
    for (const Axis& axis : g.axes)
        desc.dims.push_back(axis.*extent);
    return desc;
}

Status check(const ConvTransposeGeometry& g, const Capabilities& capabilities)
{
    const TensorDesc x = tensor(g, g.batch, g.channels_in, &Axis::in);
    const TensorDesc w = tensor(g, g.channels_in, g.channels_out / g.group, &Axis::kernel);
    const TensorDesc y = tensor(g, g.batch, g.channels_out, &Axis::out);
    for (const auto& [name, desc] : {std::pair("input X", &x), std::pair("input W", &w), std::pair("output Y", &y)})
        if (Status status = check_addressable(op, name, *desc, capabilities); !status)
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

Candidate direct_candidate(std::span<const TapAxis> taps, std::span<const push::ConvTransposeAxis> axes,
                           const Capabilities& capabilities)
{
    Candidate direct{"conv_transpose_direct"};
    if (axes.size() > 3)
        direct.unfit = "it takes at most 3 spatial axes, not " + std::to_string(axes.size());
    else if (nested_iterations(taps) + 2 > capabilities.max_loop_iterations)
        direct.unfit = "its loops over one channel's taps would exceed the device's " +
                       std::to_string(capabilities.max_loop_iterations) + " iterations";
    for (const push::ConvTransposeAxis& axis : axes)
        if (axis.stride > 65536 && axis.inverse > 1)
            direct.unfit =
                "it multiplies phases in 32 bits, and stride / gcd(stride, dilation) = " + std::to_string(axis.stride) +
                " is beyond 65536";
    return direct;
}

// What one dispatch adds to the sums: channels [first, first + count) of a group, and a box of taps.
struct Pass {
    uint32_t first_channel;
    uint32_t channel_count;
    TapBox box;
};

// As many channels at a time as the loops allow; an empty pass where there are none. Order: channel major, taps row-major.
std::vector<Pass> slice_sum(int64_t channels, int64_t channels_at_once, std::span<const TapBox> boxes)
{
    std::vector<Pass> passes;
    for (int64_t first = 0; first < std::max<int64_t>(channels, 1); first += channels_at_once)
        for (const TapBox& box : boxes)
            passes.push_back({uint32_t(first), uint32_t(std::min(channels_at_once, channels - first)), box});
    return passes;
}

// The words that both kernels' push constants share.
template <class Push>
void fill(Push& push, const ConvTransposeGeometry& g, const Pass& pass, const OutputSlice& slice)
{
    push.channels_in = uint32_t(g.channels_in / g.group);
    push.channels_out = uint32_t(g.channels_out / g.group);
    push.group = uint32_t(g.group);
    push.first_channel = pass.first_channel;
    push.channel_count = pass.channel_count;
    push.first_output = slice.first;
    push.output_count = slice.count;
}

push::ConvTransposeDirect direct_push(const ConvTransposeGeometry& g, std::span<const push::ConvTransposeAxis> axes)
{
    push::ConvTransposeDirect push = {};
    std::fill(std::begin(push.axes), std::end(push.axes), push_axis(Axis{}));
    std::copy(axes.begin(), axes.end(), std::end(push.axes) - g.axes.size());
    return push;
}

push::ConvTransposeNd nd_push(const TapBox& box)
{
    push::ConvTransposeNd push = {};
    std::copy(box.begin.begin(), box.begin.end(), push.tap_begin);
    std::copy(box.end.begin(), box.end.end(), push.tap_end);
    return push;
}

}  // namespace

Result<Plan> plan_conv_transpose(const ConvTransposeGeometry& g, const Capabilities& capabilities, const PrepareOptions& options)
{
    if (Status status = check_type(op, g.dtype); !status)
        return status;
    Result<int64_t> outputs = element_count(output_of(g));
    if (!outputs)
        return outputs.status();
    if (*outputs == 0)
        return Plan{.why = "the output is empty"};
    if (Status status = check(g, capabilities); !status)
        return status;

    std::vector<TapAxis> taps;
    push::ConvTransposeUniform uniform = {};
    for (const Axis& axis : g.axes) {
        uniform.axes[taps.size()] = push_axis(axis);
        taps.push_back(tap_axis(axis));
    }
    const std::span axes(uniform.axes, taps.size());
    const int64_t limit = capabilities.max_loop_iterations;

    std::vector<TapBox> boxes = split_taps(taps, limit - nd_fixed_iterations - 2);
    const Candidate candidates[] = {direct_candidate(taps, axes, capabilities),
                                    nd_candidate("conv_transpose_nd", boxes, capabilities)};
    Result<size_t> chosen = choose_kernel(op, candidates, options.kernel);
    if (!chosen)
        return chosen.status();
    const bool direct = *chosen == 0;

    // several channels in a pass only where all taps of one fit
    int64_t channels_at_once = 1;
    if (direct)
        boxes = {TapBox{}};
    if (direct || boxes.size() == 1)
        channels_at_once =
            direct ? (limit - 1) / (nested_iterations(taps) + 1) : (limit - nd_fixed_iterations - 1) / (row_iterations(taps) + 1);
    const std::vector<OutputSlice> slices = slice_outputs(*outputs, capabilities);
    const int64_t sweeps = divide_up(g.channels_in / g.group, channels_at_once);
    if (Status status = check_dispatches(op, {sweeps, int64_t(boxes.size()), int64_t(slices.size())}); !status)
        return status;
    const std::vector<Pass> passes = slice_sum(g.channels_in / g.group, channels_at_once, boxes);

    Plan plan;
    for (const Pass& pass : passes) {
        for (const OutputSlice& slice : slices) {
            Step step;
            step.kernel = direct ? Kernel::conv_transpose_direct_f32 : Kernel::conv_transpose_nd_f32;
            step.specialization = {workgroup_size(capabilities), uint32_t(g.axes.size()), g.bias};
            // without a bias its binding still needs a buffer; W stands in and is not read there
            step.operands = g.bias ? std::vector<uint8_t>{0, 1, 2, 3} : std::vector<uint8_t>{0, 1, 1, 2};
            step.groups = slice.groups;
            step.uses_uniform = !direct;
            if (direct) {
                push::ConvTransposeDirect push = direct_push(g, axes);
                fill(push, g, pass, slice);
                step.push = bytes_of(push);
            } else {
                push::ConvTransposeNd push = nd_push(pass.box);
                fill(push, g, pass, slice);
                push.starts = &pass == &passes.front();
                push.finishes = &pass == &passes.back();
                step.push = bytes_of(push);
            }
            plan.steps.push_back(std::move(step));
        }
    }
    if (!direct)
        plan.uniform = bytes_of(uniform);
    plan.why = why(candidates, *chosen, options.kernel);
    return plan;
}

}  // namespace vkonnx::plan
