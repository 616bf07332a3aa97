#include "plan/average_pool/average_pool.h"

#include <algorithm>

#include "plan/arithmetic.h"
#include "plan/bytes.h"
#include "plan/choose.h"
#include "plan/gather.h"
#include "plan/grid.h"
#include "plan/limits.h"
#include "plan/merge.h"
#include "shared/average_pool.h"
#include "shared/gather.h"
#include "specialization/average_pool.h"

namespace vkonnx::plan {
namespace {

using ops::AveragePoolGeometry;
using ops::Axis;

constexpr const char* op = "AveragePool";

constexpr Variants direct_variants = {Kernel::average_pool_direct_f32, Kernel::average_pool_direct_f16,
                                      Kernel::average_pool_direct_bf16, Kernel::average_pool_direct_f64,
                                      Kernel::average_pool_direct_f64_soft};
constexpr Variants nd_variants = {Kernel::average_pool_nd_f32, Kernel::average_pool_nd_f16, Kernel::average_pool_nd_bf16,
                                  Kernel::average_pool_nd_f64, Kernel::average_pool_nd_f64_soft};

push::AveragePoolAxis push_axis(const Axis& axis)
{
    return {uint32_t(axis.in),       uint32_t(axis.out),   uint32_t(axis.kernel), uint32_t(axis.stride),
            uint32_t(axis.dilation), uint32_t(axis.begin), uint32_t(axis.end),    0};
}

push::AveragePoolProblem push_problem(const PoolProblem& problem)
{
    push::AveragePoolProblem push = {};
    std::fill(std::begin(push.axes), std::end(push.axes), push_axis(Axis{}));
    std::transform(problem.axes.begin(), problem.axes.end(), std::end(push.axes) - problem.axes.size(), push_axis);
    push.inner = uint32_t(problem.inner);
    return push;
}

TapAxis tap_axis(const Axis& axis)
{
    return {axis.kernel, 1, std::min(axis.kernel, divide_up(axis.in, axis.dilation))};
}

int64_t input_volume(const PoolProblem& problem)
{
    int64_t volume = 1;
    for (const Axis& axis : problem.axes)
        volume *= axis.in;
    return volume;
}

Status check(const AveragePoolGeometry& g)
{
    TensorDesc x{g.dtype, {g.batch, g.channels}};
    for (const Axis& axis : g.axes)
        x.dims.push_back(axis.in);
    if (Status status = check_addressable(op, "input X", x); !status)
        return status;
    if (Status status = check_addressable(op, "output Y", output_of(g)); !status)
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

Candidate direct_candidate(const Cuttable& problem, const Capabilities& capabilities)
{
    Candidate direct{"average_pool_direct"};
    if (problem.taps.size() > 3)
        direct.unfit = "it takes at most 3 spatial axes, not " + std::to_string(problem.taps.size());
    else if (nested_iterations(problem.taps) > loop_limit(problem.number, capabilities))
        direct.unfit = "its loops over a window would exceed the device's " + std::to_string(capabilities.max_loop_iterations) +
                       " iterations";
    return direct;
}

// The range of X that the windows of a part read, conservatively.
Range read_of(const PoolProblem& problem, std::span<const int64_t> output_dims, const Part& part)
{
    if (part.adds_nothing())
        return {};
    const Bounds bounds = bounds_of(part.outputs, output_dims);
    int64_t first = bounds[0].first;
    int64_t last = bounds[0].end() - 1;
    for (size_t a = 0; a < problem.axes.size(); ++a) {
        const Axis& axis = problem.axes[a];
        const Range& windows = bounds[a + 1];
        const int64_t low = windows.first * axis.stride - axis.begin + part.box.begin[a] * axis.dilation;
        const int64_t high = (windows.end() - 1) * axis.stride - axis.begin + (part.box.end[a] - 1) * axis.dilation;
        if (high < 0 || low >= axis.in)
            return {};
        first = first * axis.in + std::max<int64_t>(low, 0);
        last = last * axis.in + std::min(high, axis.in - 1);
    }
    const Range& inner = bounds[problem.axes.size() + 1];
    first = first * problem.inner + inner.first;
    last = last * problem.inner + inner.end() - 1;
    return {first, last - first + 1};
}

}  // namespace

Result<Plan> plan_average_pool(const AveragePoolGeometry& g, const Capabilities& capabilities, const PrepareOptions& options)
{
    if (Status status = check_options(op, capabilities, options); !status)
        return status;
    constexpr Needs needs = {
        .storage_buffers = 2, .push_constant_bytes = sizeof(push::Pass), .uniform_bytes = sizeof(push::AveragePoolProblem)};
    if (Status status = check_capabilities(op, capabilities, needs); !status)
        return status;
    const Result<Number> number = number_of(op, g.dtype, capabilities);
    if (!number)
        return number.status();
    Result<int64_t> outputs = element_count(output_of(g));
    if (!outputs)
        return outputs.status();
    if (*outputs == 0)
        return Plan{.why = "the output is empty"};
    if (Status status = check(g); !status)
        return status;

    const PoolProblem pool = merged(g);
    Cuttable problem = {.op = op, .number = *number, .element_bytes = bits(g.dtype) / 8, .outputs = *outputs};
    problem.inputs = {{0, pool.outer * input_volume(pool) * pool.inner}};
    problem.output_operand = 1;
    std::vector<int64_t> output_dims = {pool.outer};
    for (const Axis& axis : pool.axes)
        output_dims.push_back(axis.out);
    output_dims.push_back(pool.inner);
    problem.reads = [&](const Part& part) { return Reads{read_of(pool, output_dims, part)}; };
    std::transform(pool.axes.begin(), pool.axes.end(), std::back_inserter(problem.taps), tap_axis);
    problem.specialization = specialization::AveragePool{.workgroup_size = workgroup_size(capabilities),
                                                         .rank = uint32_t(pool.axes.size()),
                                                         .count_include_pad = g.count_include_pad,
                                                         .exact_division = options.reproducible}
                                 .values();

    problem.box_budget = loop_limit(*number, capabilities) - GATHER_ND_ITERATIONS - 2;
    const std::vector<TapBox> boxes = split_taps(problem.taps, problem.box_budget);
    const std::vector<Candidate> candidates = {direct_candidate(problem, capabilities),
                                               nd_candidate("average_pool_nd", boxes, capabilities)};
    Result<Plan> plan = first_that_plans(op, candidates, options.kernel, [&](size_t chosen) {
        const bool direct = chosen == 0;
        problem.kernel = variant(direct ? direct_variants : nd_variants, *number);
        problem.boxes = direct ? std::vector<TapBox>{whole_window(problem.taps)} : boxes;
        problem.takes_boxes = !direct;
        return cut(problem, capabilities, options);
    });
    if (!plan)
        return plan;
    plan->uniform = bytes_of(push_problem(pool));
    plan->why = merge_note(g.axes.size(), pool.axes.size()) + plan->why + number_note(*number);
    return plan;
}

}  // namespace vkonnx::plan
