// SPDX-License-Identifier: Apache-2.0
// The kernel elementwise_quads computes four outputs at a time, which lie side by side. It takes kinds that are a few additions,
// multiplications and comparisons.
#include "modules.h"
#include "plan/engines/tiles.h"
#include "plan/operators/elementwise/problem.h"

namespace vkonnx::plan::elementwise {
namespace {

// Returns how many outputs a row has. Along a row each input either advances or stays.
int64_t row_of(const Problem& problem)
{
    return problem.axes.empty() ? problem.outputs : problem.axes.back().extent;
}

// Returns the outputs of an invocation, as the shader finds them. If all outputs are one row, it need not end with a quad.
int64_t outputs_at_once(const Problem& problem)
{
    return problem.axes.empty() || row_of(problem) % quad == 0 ? quad : elements_per_word(problem.compute_type);
}

std::string unfit(const Problem& problem)
{
    if (has_functions(problem))
        return "it adds, multiplies and compares, but computes no functions";
    if (const size_t inputs = problem.geometry.inputs.size(); inputs > max_bound_inputs)
        return "it binds at most " + std::to_string(max_bound_inputs) + " inputs, not " + std::to_string(inputs);
    // Only software drivers refuse such rows. On other devices the shader computes them word by word, so that inputs of all sizes
    // share the pipeline.
    if (stores_quads(row_of(problem), problem.capabilities) == QUADS_NEVER)
        return "rows of " + std::to_string(row_of(problem)) + " elements end amid a quad";
    return unfit_for_gather(problem, quad);
}

Result<Plan> planned(const Problem& problem)
{
    return plan_gathered(problem,
                         {.kernel = *variant(problem.geometry.steps.empty() ? modules::elementwise_functions0_outputs4
                                                                            : modules::elementwise_chain_functions0_outputs4,
                                             problem.compute_type),
                          .quads = stores_quads(row_of(problem), problem.capabilities),
                          .outputs_at_once = outputs_at_once(problem)});
}

}  // namespace

constinit const KernelOf<Problem> quads = {.name = "elementwise_quads",
                                           .variants = modules::elementwise_functions0_outputs4,
                                           .keeps_order = true,
                                           .unfit = unfit,
                                           .plan = planned};

}  // namespace vkonnx::plan::elementwise
