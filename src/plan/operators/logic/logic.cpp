// SPDX-License-Identifier: Apache-2.0
// This file plans the operators of logic.hpp. One kernel, which is a gather with no taps, computes them all.
#include "shaders/operators/logic/logic.h"
#include "modules.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/broadcast.h"
#include "plan/engines/gather.h"
#include "plan/operators/operators.h"
#include "return_if_error.h"
#include "shaders/operators/logic/logic_constants.h"

namespace vkonnx::plan {
namespace logic {
namespace {

#define LOGIC_IS_NUMBERED(number, NAME, name)                                                                                    \
    static_assert(int(LogicKind::name) == number, "logic.h and LogicKind number a kind differently");
LOGIC_KINDS(LOGIC_IS_NUMBERED)
#undef LOGIC_IS_NUMBERED

static_assert(LOGIC_INPUTS == max_bound_inputs);

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const ops::LogicGeometry& geometry;
    ComputeType compute_type = ComputeType::u32;  // as wide as what is written at once
    int64_t outputs = 0;                          // how many elements the output tensor has
    std::vector<BroadcastAxis> axes = {};
    int64_t together = 1;  // how many elements are computed as one number
};

// Tells whether the kind works on each byte, or each bit, by itself, so that neighbours may be computed as one.
bool is_of_bytes(LogicKind kind)
{
    switch (kind) {
    case LogicKind::logical_and:
    case LogicKind::logical_or:
    case LogicKind::logical_xor:
    case LogicKind::logical_not:
    case LogicKind::bitwise_and:
    case LogicKind::bitwise_or:
    case LogicKind::bitwise_xor:
    case LogicKind::bitwise_not:
        return true;
    case LogicKind::equal:
    case LogicKind::greater:
    case LogicKind::greater_or_equal:
    case LogicKind::less:
    case LogicKind::less_or_equal:
    case LogicKind::is_nan:
    case LogicKind::is_inf:
    case LogicKind::where:
    case LogicKind::bit_shift:
        return false;
    }
    return false;
}

uint32_t bytes_of_input(const Problem& problem, size_t input)
{
    return bits(problem.geometry.types[input]) / 8 * uint32_t(problem.together);
}

uint32_t option_of(const ops::LogicGeometry& g)
{
    if (g.kind == LogicKind::is_inf)
        return (g.detects_negative ? LOGIC_DETECTS_NEGATIVE : 0u) | (g.detects_positive ? LOGIC_DETECTS_POSITIVE : 0u);
    return g.kind == LogicKind::bit_shift && g.shifts_right ? LOGIC_SHIFTS_RIGHT : 0u;
}

std::vector<uint32_t> constants_of(const Problem& problem)
{
    const ops::LogicGeometry& g = problem.geometry;
    const bool is_typed = !is_of_bytes(g.kind) && g.kind != LogicKind::where;
    return specialization::Logic{.workgroup_size = workgroup_size(problem.capabilities),
                                 .kind = uint32_t(g.kind),
                                 .rank = uint32_t(problem.axes.size()),
                                 .type = is_typed ? uint32_t(g.types[0]) : 0u,  // with 0, all types share a pipeline
                                 .width = bytes_of_input(problem, g.types.size() - 1) * 8,
                                 .option = option_of(g)}
        .values();
}

// The kernel logic takes any kind, any rank, and any type by its width.

std::string unfit(const Problem& problem)
{
    const auto rank = int64_t(problem.axes.size());
    if (rank > loop_limit(problem.compute_type, problem.capabilities))
        return too_many_iterations("its loops over " + std::to_string(rank) + " axes", problem.capabilities);
    return "";
}

// Where the operator has fewer than three inputs, the first one is bound in place of those that it lacks. It isn't read there.
Result<Plan> planned(const Problem& problem)
{
    const ops::LogicGeometry& g = problem.geometry;
    const uint32_t element_bytes = bits(g.output.dtype) / 8 * uint32_t(problem.together);
    Gather gather = {.op = name(g.kind),
                     .compute_type = problem.compute_type,
                     .element_bytes = element_bytes,
                     .outputs = problem.outputs / problem.together,
                     .output_operand = uint8_t(g.inputs.size()),
                     .kernel = *variant(modules::logic, problem.compute_type),
                     .specialization = constants_of(problem)};
    for (size_t i = 0; i < max_bound_inputs; ++i) {
        const size_t input = i < g.inputs.size() ? i : 0;
        gather.inputs.push_back(
            {uint8_t(input), elements_of(*g.inputs[input]) / problem.together, bytes_of_input(problem, input)});
    }
    gather.reads = [&problem](const Part& part) {
        Reads reads = {};
        for (size_t i = 0; i < max_bound_inputs; ++i)
            reads[i] = read_of(problem.axes, i < problem.geometry.inputs.size() ? i : 0, part.outputs);
        return reads;
    };
    Result<Plan> plan = plan_gather(gather, problem.capabilities, problem.options);
    VKONNX_RETURN_IF_ERROR(plan.status());
    push::LogicProblem uniform = {};
    put_axes(uniform.words, problem.axes);
    plan->uniform = bytes_of(uniform);
    for (size_t i = 0; i < g.inputs.size(); ++i)
        if (*g.inputs[i] == g.output.dims && bytes_of_input(problem, i) == element_bytes)
            plan->in_place.push_back(uint8_t(i));
    return plan;
}

constinit const KernelOf<Problem> any_kind = {
    .name = "logic", .variants = modules::logic, .keeps_order = true, .unfit = unfit, .plan = planned};

constexpr const KernelOf<Problem>* kernels[] = {&any_kind};

Result<Problem> problem_of(const ops::LogicGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    constexpr Needs needs = {.storage_buffers = LOGIC_INPUTS + 1,
                             .push_constant_bytes = sizeof(push::GatherPart),
                             .uniform_bytes = sizeof(push::LogicProblem)};
    const std::string_view op = name(geometry.kind);
    const uint32_t width = bits(geometry.output.dtype);
    Result<Problem> problem =
        common_problem<Problem>(op, needs, geometry, *raw_type_of(width), geometry.output, capabilities, options);
    if (!problem || problem->outputs == 0)
        return problem;
    VKONNX_RETURN_IF_ERROR(check_addressable(op, "the output", geometry.output));
    problem->axes = merged(geometry.output.dims, geometry.inputs);
    const int64_t in_a_word = elements_per_word(problem->compute_type);
    if (problem->axes.empty() && is_of_bytes(geometry.kind) && problem->outputs % in_a_word == 0 && width < 32) {
        problem->together = in_a_word;
        problem->compute_type = ComputeType::u32;
    }
    return problem;
}

}  // namespace
}  // namespace logic

Result<Plan> plan_for(const ops::LogicGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    return best_plan(name(geometry.kind), logic::kernels, logic::problem_of(geometry, capabilities, options));
}

Kernels kernels_for(const ops::LogicGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    return all_choices(name(geometry.kind), logic::kernels, logic::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
