// SPDX-License-Identifier: Apache-2.0
#include "plan/elementwise/elementwise.h"

#include "plan/elementwise/problem.h"
#include "plan/limits.h"
#include "shared/elementwise.h"
#include "shared/gather.h"

namespace vkonnx::plan {
namespace elementwise {
namespace {

using ops::ElementwiseGeometry;

// Best first.
constexpr const KernelOf<Problem>* kernels[] = {&any_rank};

// Identity needs none but one of the width.
Result<Number> number_for(const ElementwiseGeometry& geometry, const Capabilities& capabilities)
{
    if (geometry.kind == ElementwiseKind::identity)
        if (const std::optional<Number> carrier = carrier_of(bits(geometry.dtype)))
            return *carrier;
    if (const std::optional<Number> integer = integer_of(geometry.dtype))
        return *integer;
    return number_of(name(geometry.kind), geometry.dtype, capabilities);
}

Result<Problem> problem_of(const ElementwiseGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    const std::string_view op = name(geometry.kind);
    if (Status status = check_options(op, capabilities, options); !status)
        return status;
    if (Status status = check_no_epilogue(op, options); !status)
        return status;
    constexpr Needs needs = {.storage_buffers = ELEMENTWISE_INPUTS + 1,
                             .push_constant_bytes = sizeof(push::GatherPart),
                             .uniform_bytes = sizeof(push::ElementwiseProblem)};
    if (Status status = check_capabilities(op, capabilities, needs); !status)
        return status;
    const Result<Number> number = number_for(geometry, capabilities);
    if (!number)
        return number.status();
    const Result<int64_t> outputs = element_count(output_of(geometry));
    if (!outputs)
        return outputs.status();
    Problem problem = {
        .capabilities = capabilities, .options = options, .geometry = geometry, .number = *number, .outputs = *outputs};
    if (*outputs == 0)
        return problem;
    if (Status status = check_addressable(op, "the output", output_of(geometry)); !status)
        return status;
    problem.axes = merged(geometry);
    return problem;
}

}  // namespace
}  // namespace elementwise

Result<Plan> plan_elementwise(const ops::ElementwiseGeometry& geometry, const Capabilities& capabilities,
                              const PrepareOptions& options)
{
    const Result<elementwise::Problem> problem = elementwise::problem_of(geometry, capabilities, options);
    if (!problem)
        return problem.status();
    if (problem->outputs == 0)
        return Plan{.why = "the output is empty"};
    Result<Plan> plan = choose(name(geometry.kind), elementwise::kernels, *problem);
    if (plan)
        plan->why += number_note(problem->number);
    return plan;
}

Result<std::vector<KernelChoice>> kernels_for(const ops::ElementwiseGeometry& geometry, const Capabilities& capabilities,
                                              const PrepareOptions& options)
{
    const Result<elementwise::Problem> problem = elementwise::problem_of(geometry, capabilities, options);
    if (!problem)
        return problem.status();
    if (problem->outputs == 0)
        return std::vector<KernelChoice>();
    return enumerate(elementwise::kernels, *problem);
}

}  // namespace vkonnx::plan
