// SPDX-License-Identifier: Apache-2.0
// This file plans ONNX's Gather, GatherElements and GatherND.
#include "shaders/operators/take/take.h"
#include "modules.h"
#include "plan/core/limits.h"
#include "plan/operators/operators.h"
#include "plan/operators/take/problem.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/operators/take/take_nd.h"

namespace vkonnx::plan {
namespace take {
namespace {

constexpr const KernelOf<Problem>* kernels[] = {&rows, &nd};

// Returns how many elements that lie side by side in data and in the output are moved at once: as many as a device reads at once.
int64_t together_of(const ops::GatherGeometry& geometry)
{
    const ops::GatherAxis& last = geometry.axes.back();
    int64_t together = last.data == 1 && last.indices == 0 ? 128 / bits(geometry.data.dtype) : 1;
    while (last.extent % together != 0)
        together /= 2;
    return together;
}

Result<Problem> problem_of(const ops::GatherGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    constexpr Needs needs = {.storage_buffers = 3,
                             .push_constant_bytes = sizeof(push::GatherPart),
                             .uniform_bytes = std::max(sizeof(push::TakeProblem), sizeof(push::TakeNdProblem))};
    const int64_t together = together_of(geometry);
    const ComputeType compute_type = *raw_type_of(bits(geometry.data.dtype) * uint32_t(together));
    Result<Problem> problem =
        common_problem<Problem>(geometry.op, needs, geometry, compute_type, geometry.output, capabilities, options);
    if (!problem || problem->outputs == 0)
        return problem;
    problem->together = together;
    VKONNX_RETURN_IF_ERROR(check_addressable(geometry.op, "the output", geometry.output));
    VKONNX_RETURN_IF_ERROR(check_addressable(geometry.op, "data", geometry.data));
    VKONNX_RETURN_IF_ERROR(check_addressable(geometry.op, "indices", geometry.indices));
    return problem;
}

// Rounds the tensors' sizes up to whole words, because a word of several elements is read and written as a whole.
Result<Plan> whole_words(Result<Plan> plan)
{
    if (plan)
        for (uint64_t& bytes : plan->tensor_bytes)
            bytes = buffer_bytes(bytes);
    return plan;
}

}  // namespace
}  // namespace take

Result<Plan> plan_for(const ops::GatherGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    const Result<take::Problem> problem = take::problem_of(geometry, capabilities, options);
    return take::whole_words(best_plan(geometry.op, take::kernels, problem));
}

Kernels kernels_for(const ops::GatherGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    return all_choices(geometry.op, take::kernels, take::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
