// SPDX-License-Identifier: Apache-2.0
#include "plan/operators/operators.h"

#include "plan/core/limits.h"
#include "plan/operators/max_pool/problem.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"

namespace vkonnx::plan {
namespace max_pool {
namespace {

using ops::MaxPoolGeometry;

// This list begins with the best kernel: of equal estimates the first one counts.
constexpr const KernelOf<Problem>* kernels[] = {&rows, &any_rank};

Result<Problem> problem_of(const MaxPoolGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    constexpr Needs needs = {
        .storage_buffers = 3, .push_constant_bytes = sizeof(push::GatherPart), .uniform_bytes = sizeof(push::PoolProblem)};
    Result<Problem> problem = common_problem<Problem>(op, needs, geometry, *raw_type_of(bits(geometry.dtype)),
                                                      output_of(geometry), capabilities, options);
    if (!problem || problem->outputs == 0)
        return problem;
    VKONNX_RETURN_IF_ERROR(check_countable(op, geometry));
    problem->pool = has_indices(geometry) ? unmerged(geometry) : merged(geometry);
    problem->taps = taps_of(problem->pool);
    return problem;
}

}  // namespace
}  // namespace max_pool

Result<Plan> plan_for(const ops::MaxPoolGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    const Result<max_pool::Problem> problem = max_pool::problem_of(geometry, capabilities, options);
    const std::string note = problem ? merge_note(geometry.axes.size(), problem->pool.axes.size()) : "";
    return best_plan(max_pool::op, max_pool::kernels, problem, note);
}

Result<std::vector<KernelChoice>> kernels_for(const ops::MaxPoolGeometry& geometry, const Capabilities& capabilities,
                                              const PrepareOptions& options)
{
    return all_choices(max_pool::op, max_pool::kernels, max_pool::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
