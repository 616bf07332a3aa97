// SPDX-License-Identifier: Apache-2.0
#include "plan/average_pool/average_pool.h"

#include <algorithm>

#include "plan/arithmetic.h"
#include "plan/average_pool/problem.h"
#include "plan/limits.h"
#include "shared/average_pool.h"
#include "shared/gather.h"

namespace vkonnx::plan {
namespace average_pool {
namespace {

using ops::AveragePoolGeometry;
using ops::Axis;

constexpr const char* op = "AveragePool";

// Best first.
constexpr const KernelOf<Problem>* kernels[] = {&separable, &sliding, &rows, &channels, &runs, &direct, &nd};

TapAxis tap_axis(const Axis& axis)
{
    return {axis.kernel, 1, std::min(axis.kernel, divide_up(axis.in, axis.dilation))};
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

// All that is computed once for all kernels, and what refuses the problem whatever the kernel.
Result<Problem> problem_of(const AveragePoolGeometry& given, const Capabilities& capabilities, const PrepareOptions& options)
{
    if (Status status = check_options(op, capabilities, options); !status)
        return status;
    if (Status status = check_no_epilogue(op, options); !status)
        return status;
    constexpr Needs needs = {
        .storage_buffers = 2, .push_constant_bytes = sizeof(push::GatherPart), .uniform_bytes = sizeof(push::AveragePoolProblem)};
    if (Status status = check_capabilities(op, capabilities, needs); !status)
        return status;
    const Result<Number> number = number_of(op, given.dtype, capabilities);
    if (!number)
        return number.status();
    const Result<int64_t> outputs = element_count(output_of(given));
    if (!outputs)
        return outputs.status();
    Problem problem = {.capabilities = capabilities,
                       .options = options,
                       .number = *number,
                       .outputs = *outputs,
                       .dtype = given.dtype,
                       .count_include_pad = given.count_include_pad};
    if (*outputs == 0)
        return problem;
    if (Status status = check(given); !status)
        return status;
    problem.pool = merged(given);
    std::transform(problem.pool.axes.begin(), problem.pool.axes.end(), std::back_inserter(problem.taps), tap_axis);
    return problem;
}

}  // namespace
}  // namespace average_pool

Result<Plan> plan_average_pool(const ops::AveragePoolGeometry& geometry, const Capabilities& capabilities,
                               const PrepareOptions& options)
{
    const Result<average_pool::Problem> problem = average_pool::problem_of(geometry, capabilities, options);
    if (!problem)
        return problem.status();
    if (problem->outputs == 0)
        return Plan{.why = "the output is empty"};
    Result<Plan> plan = choose(average_pool::op, average_pool::kernels, *problem);
    if (plan)
        plan->why = merge_note(geometry.axes.size(), problem->pool.axes.size()) + plan->why + number_note(problem->number);
    return plan;
}

Result<std::vector<KernelChoice>> kernels_for(const ops::AveragePoolGeometry& geometry, const Capabilities& capabilities,
                                              const PrepareOptions& options)
{
    const Result<average_pool::Problem> problem = average_pool::problem_of(geometry, capabilities, options);
    if (!problem)
        return problem.status();
    if (problem->outputs == 0)
        return std::vector<KernelChoice>();
    return enumerate(average_pool::kernels, *problem);
}

}  // namespace vkonnx::plan
