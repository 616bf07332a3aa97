// SPDX-License-Identifier: Apache-2.0
// Kernels that say what they are, and which one of an operator's list runs a problem.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "plan/limits.h"
#include "plan/numbers.h"
#include "plan/plan.h"
#include "return_if_error.h"

namespace vkonnx::plan {

// A kernel, defined in a file of its own. Problem is what all kernels of its operator are told; it has members `number`,
// `options` and `outputs`, beside whatever else is computed once for them.
template <class Problem>
struct KernelOf {
    std::string_view name = {};
    std::span<const Variant> variants = {};
    // Adds the terms of an output one by one in the order of the operator's sum, each product and sum rounded by itself.
    // PrepareOptions::reproducible takes no other.
    bool keeps_order = true;
    // Computes PrepareOptions::epilogue before it stores.
    bool takes_epilogue = false;
    // Computes PrepareOptions::prologue where it reads X.
    bool takes_prologue = false;
    // Never picked: it runs only where PrepareOptions::kernel names it.
    bool only_by_name = false;
    // Never faster than those before it, and so not even planned where one of them can run the problem.
    bool last_resort = false;
    // Why it can't run the problem, for the middle of a sentence; "" where it can.
    std::string (*unfit)(const Problem&) = nullptr;
    // The plan but for `why`. What it takes is the kernel's own estimate: Step::seconds. Code::unsupported where limits of the
    // device, which `unfit` can't see, let no part of the problem through.
    Result<Plan> (*plan)(const Problem&) = nullptr;
};

// An operator's kernels; of equal estimates the first counts.
template <class Problem>
using KernelList = std::span<const KernelOf<Problem>* const>;

// A kernel of the list, for one problem.
struct KernelChoice {
    std::string_view name = {};
    std::string unfit = {};  // why it can't run the problem; "" where it can
    double seconds = 0;      // where it can: the estimate for its plan, which is known by planning
    double penalty = 1;      // beside PrepareOptions::built, how many times as long it counts
    bool keeps_order = true;
    bool only_by_name = false;
    bool last_resort = false;
};

// Steps that run each time.
double seconds_of(const Plan& plan);

// Beside PrepareOptions::built, how many times as long as estimated a kernel counts that needs other pipelines; else 1.
double penalty_of(const Plan& plan, const PrepareOptions& options);
// The same of a module alone, whatever it is specialized for.
double penalty_of(Kernel kernel, const PrepareOptions& options);

inline double counted(const KernelChoice& choice)
{
    return choice.seconds * choice.penalty;
}

// Code::unsupported where none fits, or not the forced one, and Code::invalid_argument where that does not exist; both name those
// that fit.
Status check_choices(std::string_view op, std::span<const KernelChoice> choices, std::string_view forced);

// Why the chosen one, for people: beside others that have an estimate.
std::string why(std::span<const KernelChoice> choices, size_t chosen, std::string_view forced);

std::string unfit_for_order();
std::string unfit_for_epilogue();
std::string unfit_for_prologue();
std::string unfit_for(Number number);

// Code::unsupported where a pipeline's module is not built in.
Status check_modules(std::string_view op, Number number, const Plan& plan);

// The kernel's plan for a problem that fits it.
template <class Problem>
Result<Plan> plan_by(std::string_view op, const KernelOf<Problem>& kernel, const Problem& problem)
{
    Result<Plan> plan = kernel.plan(problem);
    if (plan)
        VKONNX_RETURN_IF_ERROR(check_modules(op, problem.number, *plan));
    return plan;
}

template <class Problem>
KernelChoice choice_of(const KernelOf<Problem>& kernel, const Problem& problem)
{
    KernelChoice choice = {.name = kernel.name,
                           .keeps_order = kernel.keeps_order,
                           .only_by_name = kernel.only_by_name,
                           .last_resort = kernel.last_resort};
    if (problem.options.reproducible && !kernel.keeps_order)
        choice.unfit = unfit_for_order();
    else if (problem.options.epilogue && !kernel.takes_epilogue)
        choice.unfit = unfit_for_epilogue();
    else if (problem.options.prologue && !kernel.takes_prologue)
        choice.unfit = unfit_for_prologue();
    else if (!variant(kernel.variants, problem.number))
        choice.unfit = unfit_for(problem.number);
    else
        choice.unfit = kernel.unfit(problem);
    return choice;
}

// The plan whose estimate is least, with what options.built makes of it, of the kernels that fit and can be cut to the device's
// limits, the first of equals; or that of the kernel which options.kernel names.
template <class Problem>
Result<Plan> choose(std::string_view op, std::type_identity_t<KernelList<Problem>> kernels, const Problem& problem)
{
    const std::string_view forced = problem.options.kernel;
    std::vector<const KernelOf<Problem>*> candidates;
    std::vector<KernelChoice> choices;
    for (const KernelOf<Problem>* kernel : kernels) {
        if (kernel->only_by_name && kernel->name != forced)
            continue;
        candidates.push_back(kernel);
        choices.push_back(choice_of(*kernel, problem));
    }
    VKONNX_RETURN_IF_ERROR(check_choices(op, choices, forced));
    Status refused;
    std::optional<Plan> best;
    size_t chosen = 0;
    for (size_t i = 0; i < choices.size(); ++i) {
        KernelChoice& choice = choices[i];
        if (!choice.unfit.empty() || (!forced.empty() && choice.name != forced) || (best && candidates[i]->last_resort))
            continue;
        Result<Plan> plan = plan_by(op, *candidates[i], problem);
        if (!plan) {
            if (!forced.empty() || plan.code() != Code::unsupported)
                return plan;
            choice.unfit = plan.message();
            refused = plan.status();
            continue;
        }
        choice.seconds = seconds_of(*plan);
        choice.penalty = penalty_of(*plan, problem.options);
        if (best && counted(choices[chosen]) <= counted(choice))
            continue;
        chosen = i;
        best = std::move(*plan);
    }
    if (!best)
        return refused;
    best->kernel = std::string(choices[chosen].name) + "_" + std::string(name(problem.number));
    best->why = why(choices, chosen, forced);
    return std::move(*best);
}

// All kernels of the list in its order, each planned where it fits; options.kernel is not looked at.
template <class Problem>
std::vector<KernelChoice> enumerate(std::string_view op, std::type_identity_t<KernelList<Problem>> kernels,
                                    const Problem& problem)
{
    std::vector<KernelChoice> choices;
    for (const KernelOf<Problem>* kernel : kernels) {
        KernelChoice& choice = choices.emplace_back(choice_of(*kernel, problem));
        if (!choice.unfit.empty())
            continue;
        const Result<Plan> plan = plan_by(op, *kernel, problem);
        if (plan)
            choice.seconds = seconds_of(*plan);
        else
            choice.unfit = plan.message();
    }
    return choices;
}

// A problem with what all have, or what refuses it whatever its kind. The rest is the operator's own, and of no account where
// there are no outputs. Of operators whose kernels take no epilogue.
template <class Problem, class Geometry>
Result<Problem> common_problem(std::string_view op, const Needs& needs, const Geometry& geometry, const Result<Number>& number,
                               const TensorDesc& output, const Capabilities& capabilities, const PrepareOptions& options)
{
    VKONNX_RETURN_IF_ERROR(check_common(op, capabilities, options, needs));
    if (!number)
        return number.status();
    const Result<int64_t> outputs = element_count(output);
    if (!outputs)
        return outputs.status();
    return Problem{
        .capabilities = capabilities, .options = options, .geometry = geometry, .number = *number, .outputs = *outputs};
}

// Why nothing runs; "" where something does. Operators of several outputs have one of their own, in their Problem's namespace.
template <class Problem>
std::string why_idle(const Problem& problem)
{
    return problem.outputs == 0 ? "the output is empty" : "";
}

// What an operator's plan_... returns for its problem, or for what refused that. The note is for the front of `why`.
template <class Problem>
Result<Plan> best_plan(std::string_view op, std::type_identity_t<KernelList<Problem>> kernels, const Result<Problem>& problem,
                       const std::string& note = "")
{
    if (!problem)
        return problem.status();
    Result<Plan> plan = Plan{.why = why_idle(*problem)};
    if (plan->why.empty()) {
        plan = choose(op, kernels, *problem);
        if (!plan)
            return plan;
        plan->why = note + plan->why + number_note(problem->number);
    }
    if constexpr (requires { problem->epilogue; })
        plan->epilogue = problem->epilogue.equation;
    return plan;
}

// The same of its kernels_for: none where nothing runs.
template <class Problem>
Result<std::vector<KernelChoice>> all_choices(std::string_view op, std::type_identity_t<KernelList<Problem>> kernels,
                                              const Result<Problem>& problem)
{
    if (!problem)
        return problem.status();
    if (!why_idle(*problem).empty())
        return std::vector<KernelChoice>();
    return enumerate(op, kernels, *problem);
}

}  // namespace vkonnx::plan
