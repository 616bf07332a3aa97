// SPDX-License-Identifier: Apache-2.0
#include "plan/operators/operators.h"

#include "modules.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/chain.h"
#include "plan/operators/softmax/problem.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/engines/reduction/reduction.h"
#include "shaders/operators/normalization/normalization.h"
#include "shaders/operators/softmax/softmax_constants.h"

namespace vkonnx::plan {
namespace softmax {
namespace {

using ops::SoftmaxGeometry;

std::string unfit(const Problem& problem)
{
    return unfit_for_passes(problem.passes, problem.compute_type, problem.capabilities);
}

// Returns the gather that computes the elements from what is known of their rows: the greatest element and the sum.
Gather elements_of(const Problem& problem)
{
    const SoftmaxGeometry& g = problem.geometry;
    const int64_t rows = g.outer * g.inner;
    const int64_t row = g.extent * g.inner;
    Gather gather = {
        .op = g.op,
        .compute_type = problem.compute_type,
        .element_bytes = problem.width(),
        .outputs = problem.outputs,
        .output_operand = 3,
        .inputs = {{0, problem.outputs}, {1, rows, sum_bytes(problem.compute_type)}, {2, rows, sum_bytes(problem.compute_type)}},
        .kernel = *variant(modules::softmax, problem.compute_type),
        .uses_uniform = false};
    gather.reads = [row, inner = g.inner, rows](const Part& part) -> Reads {
        const Range statistics = statistics_of(part.outputs, row, inner, rows);
        return {part.outputs, statistics, statistics};
    };
    gather.specialization = specialization::Softmax{.workgroup_size = workgroup_size(problem.capabilities),
                                                    .exact_division = problem.options.reproducible,
                                                    .logarithm = g.logarithm}
                                .values();
    gather.push = bytes_of(
        push::NormalizationRows{.row = uint32_t(row), .inner = uint32_t(g.inner), .statistics = uint32_t(rows), .channels = 0});
    return gather;
}

Result<Plan> planned(const Problem& problem)
{
    const SoftmaxGeometry& g = problem.geometry;
    const uint64_t bytes = buffer_bytes(uint64_t(problem.outputs) * problem.width());
    Chain chain(g.op, problem.capabilities, problem.options, 1, {bytes, bytes});
    const int64_t rows = g.outer * g.inner;
    const Memory x = {.tensor = 0};
    const Memory greatest = chain.scratch(rows, sum_bytes(problem.compute_type));
    const Memory sums = chain.scratch(rows, sum_bytes(problem.compute_type));
    Reduction reduction = {.compute_type = problem.compute_type,
                           .element_bytes = problem.width(),
                           .term = Term::greatest,
                           .passes = problem.passes,
                           .to_sums = true};
    VKONNX_RETURN_IF_ERROR(add_reduction(chain, reduction, x, greatest));
    reduction.term = Term::exponentials;
    reduction.statistics = greatest;
    reduction.statistic_count = rows;
    VKONNX_RETURN_IF_ERROR(add_reduction(chain, reduction, x, sums));
    const Memory operands[] = {x, greatest, sums, {.tensor = 1}};
    VKONNX_RETURN_IF_ERROR(chain.add(elements_of(problem), operands));
    Plan plan = chain.take();
    plan.in_place = {0};  // the last step reads an element only where it writes it; all steps before only read X
    return plan;
}

// The kernel finds the greatest element of each row, sums the exponentials of the differences from it, and divides each of them
// by that sum, or for LogSoftmax subtracts the sum's logarithm from each difference.
constexpr KernelOf<Problem> kernel = {
    .name = "softmax", .variants = modules::softmax, .keeps_order = true, .unfit = unfit, .plan = planned};
constexpr const KernelOf<Problem>* kernels[] = {&rows, &kernel};

Result<Problem> problem_of(const SoftmaxGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    constexpr Needs needs = {.storage_buffers = 4, .push_constant_bytes = sizeof(push::GatherPart) + sizeof(push::ReductionPass)};
    Result<Problem> problem =
        common_problem<Problem>(geometry.op, needs, geometry, compute_type_of(geometry.op, geometry.output.dtype, capabilities),
                                geometry.output, capabilities, options);
    if (!problem || problem->outputs == 0)
        return problem;
    VKONNX_RETURN_IF_ERROR(check_addressable(geometry.op, "the output", geometry.output));
    const Rows rows = {geometry.outer, geometry.extent, geometry.inner};
    problem->passes = passes_of({&rows, 1});
    return problem;
}

}  // namespace
}  // namespace softmax

Result<Plan> plan_for(const ops::SoftmaxGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    return best_plan(geometry.op, softmax::kernels, softmax::problem_of(geometry, capabilities, options));
}

Result<std::vector<KernelChoice>> kernels_for(const ops::SoftmaxGeometry& geometry, const Capabilities& capabilities,
                                              const PrepareOptions& options)
{
    return all_choices(geometry.op, softmax::kernels, softmax::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
