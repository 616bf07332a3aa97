// SPDX-License-Identifier: Apache-2.0
#include "plan/operators/operators.h"

#include "plan/core/limits.h"
#include "plan/operators/average_pool/problem.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"

namespace vkonnx::plan {
namespace average_pool {
namespace {

using ops::AveragePoolGeometry;

constexpr const char* op = "AveragePool";

// The best come first: of equal estimates the first counts.
constexpr const KernelOf<Problem>* kernels[] = {&separable, &sliding, &rows, &channels, &runs, &moving, &direct, &nd};

// Computes once what all kernels need, or returns why no kernel can run the problem.
Result<Problem> problem_of(const AveragePoolGeometry& given, const Capabilities& capabilities, const PrepareOptions& options)
{
    constexpr Needs needs = {
        .storage_buffers = 2, .push_constant_bytes = sizeof(push::GatherPart), .uniform_bytes = sizeof(push::PoolProblem)};
    VKONNX_RETURN_IF_ERROR(check_common(op, capabilities, options, needs));
    const Result<ComputeType> compute_type = compute_type_of(op, given.dtype, capabilities);
    VKONNX_RETURN_IF_ERROR(compute_type.status());
    const Result<int64_t> outputs = element_count(output_of(given));
    VKONNX_RETURN_IF_ERROR(outputs.status());
    Problem problem = {.capabilities = capabilities,
                       .options = options,
                       .compute_type = *compute_type,
                       .outputs = *outputs,
                       .dtype = given.dtype,
                       .count_include_pad = given.count_include_pad};
    if (*outputs == 0)
        return problem;
    VKONNX_RETURN_IF_ERROR(check_countable(op, given));
    problem.pool = merged(given);
    problem.taps = taps_of(problem.pool);
    return problem;
}

}  // namespace
}  // namespace average_pool

Result<Plan> plan_for(const ops::AveragePoolGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    const Result<average_pool::Problem> problem = average_pool::problem_of(geometry, capabilities, options);
    const std::string note = problem ? merge_note(geometry.axes.size(), problem->pool.axes.size()) : "";
    return best_plan(average_pool::op, average_pool::kernels, problem, note);
}

Result<std::vector<KernelChoice>> kernels_for(const ops::AveragePoolGeometry& geometry, const Capabilities& capabilities,
                                              const PrepareOptions& options)
{
    return all_choices(average_pool::op, average_pool::kernels, average_pool::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
