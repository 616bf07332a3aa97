// SPDX-License-Identifier: Apache-2.0
// The kernel elementwise takes any kind, any rank and any number of inputs. Chains have modules of their own, because drivers
// take longer to compile those. Modules without functions are for operators and chains that need no functions.
#include "modules.h"
#include "plan/operators/elementwise/problem.h"

namespace vkonnx::plan::elementwise {
namespace {

// Modules without functions have only kinds that are a few additions, multiplications and comparisons.

Kernel module_of(const Problem& problem)
{
    const bool chain = !problem.geometry.steps.empty();
    const std::optional<Kernel> plain =
        has_functions(problem)
            ? std::nullopt
            : variant(chain ? modules::elementwise_chain_functions0 : modules::elementwise_functions0, problem.compute_type);
    return plain ? *plain : *variant(chain ? modules::elementwise_chain : modules::elementwise, problem.compute_type);
}

std::string unfit(const Problem& problem)
{
    return unfit_for_gather(problem, elements_per_word(problem.compute_type));
}

Result<Plan> planned(const Problem& problem)
{
    return plan_gathered(problem, {.kernel = module_of(problem)});
}

}  // namespace

constinit const KernelOf<Problem> any_rank = {.name = "elementwise",
                                              .variants = modules::elementwise,
                                              .keeps_order = true,
                                              .last_resort = true,
                                              .unfit = unfit,
                                              .plan = planned};

}  // namespace vkonnx::plan::elementwise
