// SPDX-License-Identifier: Apache-2.0
// elementwise: any kind, any rank, any number of inputs. Where steps follow, modules of their own compute them: drivers take
// longer to compile these. Modules without functions are for kinds and steps that are none.
#include "modules.h"
#include "plan/elementwise/problem.h"

namespace vkonnx::plan::elementwise {
namespace {

// Without what is more than a few additions, multiplications and comparisons.

Kernel module_of(const Problem& problem)
{
    const bool chain = !problem.geometry.steps.empty();
    const std::optional<Kernel> plain =
        has_functions(problem)
            ? std::nullopt
            : variant(chain ? modules::elementwise_chain_functions0 : modules::elementwise_functions0, problem.number);
    return plain ? *plain : *variant(chain ? modules::elementwise_chain : modules::elementwise, problem.number);
}

std::string unfit(const Problem& problem)
{
    return unfit_for_gather(problem, elements_per_word(problem.number));
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
