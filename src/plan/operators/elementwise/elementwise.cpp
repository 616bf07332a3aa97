// SPDX-License-Identifier: Apache-2.0
#include "plan/operators/operators.h"

#include "plan/core/limits.h"
#include "plan/operators/elementwise/problem.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/operators/elementwise/elementwise.h"

namespace vkonnx::plan {
namespace elementwise {
namespace {

using ops::ElementwiseGeometry;

// The best come first: of equal estimates the first counts.
constexpr const KernelOf<Problem>* kernels[] = {&quads, &any_rank};

// Returns the type that kernels compute in. For Identity without steps any of the width will do.
Result<ComputeType> number_for(const ElementwiseGeometry& geometry, const Capabilities& capabilities)
{
    if (geometry.kind == ElementwiseKind::identity && geometry.steps.empty())
        if (const std::optional<ComputeType> raw = raw_type_of(bits(geometry.dtype)))
            return *raw;
    if (const std::optional<ComputeType> integer = integer_of(geometry.dtype))
        return *integer;
    return compute_type_of(name(geometry.kind), geometry.dtype, capabilities);
}

Result<Problem> problem_of(const ElementwiseGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    const std::string_view op = name(geometry.kind);
    constexpr Needs needs = {.storage_buffers = ELEMENTWISE_INPUTS + 1,
                             .push_constant_bytes = sizeof(push::GatherPart),
                             .uniform_bytes = sizeof(push::ElementwiseProblem)};
    Result<Problem> problem = common_problem<Problem>(op, needs, geometry, number_for(geometry, capabilities),
                                                      output_of(geometry), capabilities, options);
    if (!problem || problem->outputs == 0)
        return problem;
    VKONNX_RETURN_IF_ERROR(check_addressable(op, "the output", output_of(geometry)));
    problem->axes = merged(geometry.dims, geometry.inputs);
    return problem;
}

}  // namespace
}  // namespace elementwise

Result<Plan> plan_for(const ops::ElementwiseGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    return best_plan(name(geometry.kind), elementwise::kernels, elementwise::problem_of(geometry, capabilities, options));
}

Result<std::vector<KernelChoice>> kernels_for(const ops::ElementwiseGeometry& geometry, const Capabilities& capabilities,
                                              const PrepareOptions& options)
{
    return all_choices(name(geometry.kind), elementwise::kernels, elementwise::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
