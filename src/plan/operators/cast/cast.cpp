// SPDX-License-Identifier: Apache-2.0
#include "plan/operators/operators.h"

#include <algorithm>

#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/gather.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/operators/cast/cast_constants.h"

namespace vkonnx::plan {
namespace cast {
namespace {

constexpr const char* op = "Cast";

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const ops::CastGeometry& geometry;
    ComputeType compute_type = ComputeType::u32;  // as wide as the output's elements
    int64_t outputs = 0;
};

// The kernel cast converts elements of any type to any other. It is a gather with no taps.

std::string unfit(const Problem&)
{
    return "";
}

Result<Plan> planned(const Problem& problem)
{
    const ops::CastGeometry& g = problem.geometry;
    const uint32_t width_in = bits(g.from) / 8;  // 0 where a byte has several elements, of which it is read as one
    const int64_t each = width_in == 0 ? 8 / bits(g.from) : 1;
    const uint32_t width_out = bits(g.output.dtype) / 8;
    Gather gather = {.op = op,
                     .compute_type = problem.compute_type,
                     .element_bytes = width_out,
                     .outputs = problem.outputs,
                     .output_operand = 1,
                     .inputs = {{0, divide_up(problem.outputs, each), std::max(width_in, 1u)}},
                     .reads =
                         [each](const Part& part) {
                             const int64_t first = part.outputs.first / each;
                             return Reads{Range{first, divide_up(part.outputs.end(), each) - first}};
                         },
                     .kernel = *variant(modules::cast, problem.compute_type)};
    gather.specialization = specialization::Cast{.workgroup_size = workgroup_size(problem.capabilities),
                                                 .from = uint32_t(g.from),
                                                 .to = uint32_t(g.output.dtype),
                                                 .saturate = g.saturate,
                                                 .round_mode = uint32_t(g.round_mode)}
                                .values();
    gather.uses_uniform = false;
    Result<Plan> plan = plan_gather(gather, problem.capabilities, problem.options);
    if (plan && width_in == width_out)
        plan->in_place = {0};
    return plan;
}

constinit const KernelOf<Problem> any_type = {
    .name = "cast", .variants = modules::cast, .keeps_order = true, .unfit = unfit, .plan = planned};

constexpr const KernelOf<Problem>* kernels[] = {&any_type};

Result<Problem> problem_of(const ops::CastGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    constexpr Needs needs = {.storage_buffers = 2, .push_constant_bytes = sizeof(push::GatherPart)};
    Result<Problem> problem = common_problem<Problem>(op, needs, geometry, *raw_type_of(bits(geometry.output.dtype)),
                                                      geometry.output, capabilities, options);
    if (!problem || problem->outputs == 0)
        return problem;
    VKONNX_RETURN_IF_ERROR(check_addressable(op, "the output", geometry.output));
    return problem;
}

}  // namespace
}  // namespace cast

Result<Plan> plan_for(const ops::CastGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    return best_plan(cast::op, cast::kernels, cast::problem_of(geometry, capabilities, options));
}

Result<std::vector<KernelChoice>> kernels_for(const ops::CastGeometry& geometry, const Capabilities& capabilities,
                                              const PrepareOptions& options)
{
    return all_choices(cast::op, cast::kernels, cast::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
