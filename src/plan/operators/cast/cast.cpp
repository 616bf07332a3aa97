// SPDX-License-Identifier: Apache-2.0
#include "plan/operators/operators.h"

#include <algorithm>

#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/gather.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/operators/cast/cast.h"
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

// Returns how many elements a byte has, or 1 where an element takes whole bytes.
int64_t of_byte(DType dtype)
{
    return std::max<int64_t>(8 / bits(dtype), 1);
}

uint32_t bytes_of_element(DType dtype)
{
    return std::max(bits(dtype) / 8, 1u);
}

// The kernel cast converts elements of any type to any other. It is a gather with no taps. Where elements have less than 8 bits,
// it reads and writes whole bytes.

std::string unfit(const Problem&)
{
    return "";
}

Result<Plan> planned(const Problem& problem)
{
    const ops::CastGeometry& g = problem.geometry;
    const int64_t elements = problem.outputs, of_x = of_byte(g.from), of_y = of_byte(g.output.dtype);
    Gather gather = {.op = op,
                     .compute_type = problem.compute_type,
                     .element_bytes = bytes_of_element(g.output.dtype),
                     .outputs = divide_up(elements, of_y),
                     .output_operand = 1,
                     .inputs = {{0, divide_up(elements, of_x), bytes_of_element(g.from)}},
                     .reads =
                         [=](const Part& part) {
                             const int64_t first = part.outputs.first * of_y / of_x;
                             const int64_t end = divide_up(std::min(part.outputs.end() * of_y, elements), of_x);
                             return Reads{Range{first, end - first}};
                         },
                     .kernel = *variant(modules::cast, problem.compute_type)};
    gather.specialization = specialization::Cast{.workgroup_size = workgroup_size(problem.capabilities),
                                                 .from = uint32_t(g.from),
                                                 .to = uint32_t(g.output.dtype),
                                                 .saturate = g.saturate,
                                                 .round_mode = uint32_t(g.round_mode)}
                                .values();
    gather.uses_uniform = false;
    gather.push = bytes_of(push::CastEnd{.elements = uint32_t(elements)});
    Result<Plan> plan = plan_gather(gather, problem.capabilities, problem.options);
    if (plan && bits(g.from) == bits(g.output.dtype))
        plan->in_place = {0};
    return plan;
}

constinit const KernelOf<Problem> any_type = {
    .name = "cast", .variants = modules::cast, .keeps_order = true, .unfit = unfit, .plan = planned};

constexpr const KernelOf<Problem>* kernels[] = {&any_type};

Result<Problem> problem_of(const ops::CastGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    constexpr Needs needs = {.storage_buffers = 2, .push_constant_bytes = sizeof(push::GatherPart) + sizeof(push::CastEnd)};
    Result<Problem> problem = common_problem<Problem>(
        op, needs, geometry, *raw_type_of(8 * bytes_of_element(geometry.output.dtype)), geometry.output, capabilities, options);
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
