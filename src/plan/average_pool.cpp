#include "plan/average_pool.h"

#include <algorithm>

#include "plan/passes.h"
#include "push_constants.h"

namespace vkonnx::plan {
namespace {

using ops::AveragePoolGeometry;
using ops::Axis;

constexpr const char* op = "AveragePool";

push::AveragePoolAxis push_axis(const Axis& axis)
{
    return {uint32_t(axis.in),       uint32_t(axis.out),   uint32_t(axis.kernel), uint32_t(axis.stride),
            uint32_t(axis.dilation), uint32_t(axis.begin), uint32_t(axis.end),    0};
}

TapAxis tap_axis(const Axis& axis)
{
    return {axis.kernel, 1, std::min(axis.kernel, divide_up(axis.in, axis.dilation))};
}

Status check(const AveragePoolGeometry& g, const Capabilities& capabilities)
{
    TensorDesc x{g.dtype, {g.batch, g.channels}};
    for (const Axis& axis : g.axes)
        x.dims.push_back(axis.in);
    if (Status status = check_addressable(op, "input X", x, capabilities); !status)
        return status;
    if (Status status = check_addressable(op, "output Y", output_of(g), capabilities); !status)
        return status;
    int64_t window = 1;
    for (size_t a = 0; a < g.axes.size(); ++a) {
        const Axis& axis = g.axes[a];
        // every number that a kernel forms along the axis lies below one of these
        for (int64_t number : {axis.begin, axis.end, axis.in + axis.begin + axis.end, axis.stride, axis.dilated_kernel()})
            if (number >= index_limit)
                return Status(Code::unsupported, std::string(op) + ": spatial axis " + std::to_string(a) + " reaches " +
                                                     std::to_string(number) + ", and kernels count to 2147483647");
        if (axis.kernel > index_limit / window)
            return Status(Code::unsupported,
                          std::string(op) + ": kernel_shape spans more than the 2147483647 taps that kernels can count");
        window *= axis.kernel;
    }
    return {};
}

Candidate direct_candidate(std::span<const TapAxis> taps, const Capabilities& capabilities)
{
    Candidate direct{"average_pool_direct"};
    if (taps.size() > 3)
        direct.unfit = "it takes at most 3 spatial axes, not " + std::to_string(taps.size());
    else if (nested_iterations(taps) > capabilities.max_loop_iterations)
        direct.unfit = "its loops over a window would exceed the device's " + std::to_string(capabilities.max_loop_iterations) +
                       " iterations";
    return direct;
}

push::AveragePoolDirect direct_push(std::span<const push::AveragePoolAxis> axes, const OutputSlice& slice)
{
    push::AveragePoolDirect push = {};
    std::fill(std::begin(push.axes), std::end(push.axes), push_axis(Axis{}));
    std::copy(axes.begin(), axes.end(), std::end(push.axes) - axes.size());
    push.first_output = slice.first;
    push.output_count = slice.count;
    return push;
}

push::AveragePoolNd nd_push(const TapBox& box, const OutputSlice& slice)
{
    push::AveragePoolNd push = {};
    std::copy(box.begin.begin(), box.begin.end(), push.tap_begin);
    std::copy(box.end.begin(), box.end.end(), push.tap_end);
    push.first_output = slice.first;
    push.output_count = slice.count;
    return push;
}

}  // namespace

Result<Plan> plan_average_pool(const AveragePoolGeometry& g, const Capabilities& capabilities, const PrepareOptions& options)
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
    push::AveragePoolUniform uniform = {};
    for (const Axis& axis : g.axes) {
        uniform.axes[taps.size()] = push_axis(axis);
        taps.push_back(tap_axis(axis));
    }
    const std::span axes(uniform.axes, taps.size());

    std::vector<TapBox> boxes = split_taps(taps, int64_t(capabilities.max_loop_iterations) - nd_fixed_iterations);
    const Candidate candidates[] = {direct_candidate(taps, capabilities), nd_candidate("average_pool_nd", boxes, capabilities)};
    Result<size_t> chosen = choose_kernel(op, candidates, options.kernel);
    if (!chosen)
        return chosen.status();
    const bool direct = *chosen == 0;
    if (direct)
        boxes = {TapBox{}};
    const std::vector<OutputSlice> slices = slice_outputs(*outputs, capabilities);
    if (Status status = check_dispatches(op, {int64_t(boxes.size()), int64_t(slices.size())}); !status)
        return status;

    Plan plan;
    for (const TapBox& box : boxes) {
        for (const OutputSlice& slice : slices) {
            Step step;
            step.kernel = direct ? Kernel::average_pool_direct_f32 : Kernel::average_pool_nd_f32;
            step.specialization = {workgroup_size(capabilities), uint32_t(g.axes.size()), g.count_include_pad};
            step.operands = {0, 1};
            step.groups = slice.groups;
            step.uses_uniform = !direct;
            if (direct) {
                step.push = bytes_of(direct_push(axes, slice));
            } else {
                push::AveragePoolNd push = nd_push(box, slice);
                push.starts = &box == &boxes.front();
                push.finishes = &box == &boxes.back();
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
