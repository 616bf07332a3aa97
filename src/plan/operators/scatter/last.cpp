// SPDX-License-Identifier: Apache-2.0
// This file plans the kernel scatter_last, for what has no reduction: the last update of each slice is found first, and then each
// element is either data's or that of its update. That takes as long as data and updates are large, however many updates there
// are for a slice.
#include "modules.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/operators/scatter/problem.h"
#include "return_if_error.h"
#include "shaders/operators/scatter/scatter.h"
#include "shaders/operators/scatter/scatter_constants.h"

namespace vkonnx::plan::scatter {
namespace {

std::string unfit(const Problem& problem)
{
    if (problem.geometry.reduction != ScatterReduction::none)
        return "it takes no reduction";
    if (problem.updates == 0)
        return "there are no updates";
    const int64_t most = std::max(problem.updates, problem.slices());
    if (uint64_t(most) * 4 > problem.capabilities.max_storage_buffer_range)
        return "the device's max_storage_buffer_range = " + std::to_string(problem.capabilities.max_storage_buffer_range) +
               " is too small for the numbers of " + std::to_string(most) + " slices";
    return unfit_for_targets(problem);
}

Result<Plan> planned(const Problem& problem)
{
    const int64_t slice = problem.slice();
    Chain chain = chain_of(problem);
    const Memory numbers = chain.scratch(problem.slices(), 4);
    VKONNX_RETURN_IF_ERROR(add_last(chain, problem, numbers));
    const int64_t elements = problem.updates * slice;
    Gather gather = {
        .op = problem.geometry.op,
        .compute_type = problem.compute_type,
        .element_bytes = problem.bytes(),
        .outputs = problem.elements(),
        .output_operand = 3,
        .inputs = {{0, problem.elements()}, {1, problem.slices(), 4}, {2, elements}},
        .kernel = *variant(modules::scatter_last1, problem.compute_type),
        .specialization =
            specialization::Scatter{.workgroup_size = workgroup_size(problem.capabilities), .rank = 0, .reduction = SCATTER_NONE}
                .values()};
    gather.reads = [slice, elements](const Part& part) {
        const int64_t first = part.outputs.first / slice;
        return Reads{part.outputs, Range{first, (part.outputs.end() - 1) / slice - first + 1}, Range{0, elements}};
    };
    VKONNX_RETURN_IF_ERROR(chain.add(gather, std::vector<Memory>{{.tensor = 0}, numbers, {.tensor = 2}, {.tensor = 3}}));
    return plan_of(problem, chain);
}

}  // namespace

constinit const KernelOf<Problem> last = {
    .name = "scatter_last", .variants = modules::scatter_last1, .keeps_order = true, .unfit = unfit, .plan = planned};

}  // namespace vkonnx::plan::scatter
