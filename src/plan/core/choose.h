// SPDX-License-Identifier: Apache-2.0
// This file describes kernels, and chooses which one of an operator's list runs a problem.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "plan/core/compute_type.h"
#include "plan/core/limits.h"
#include "plan/core/plan.h"
#include "return_if_error.h"

namespace vkonnx::plan {

// A KernelOf describes a kernel, which is defined in a file of its own. Problem is what all kernels of its operator are told; it
// has members `compute_type`, `options` and `outputs`, beside whatever else is computed once for them.
template <class Problem>
struct KernelOf {
    std::string_view name = {};
    std::span<const Variant> variants = {};
    // It adds the terms of an output one by one in the order of the operator's sum, and rounds each product and sum by itself.
    // PrepareOptions::reproducible allows no other kernel.
    bool keeps_order = true;
    // It computes PrepareOptions::epilogue before it stores.
    bool takes_epilogue = false;
    // It computes PrepareOptions::prologue where it reads X.
    bool takes_prologue = false;
    // It is never chosen by its estimate: it runs only where PrepareOptions::kernel names it.
    bool only_by_name = false;
    // It is never faster than the kernels before it, and so it is not even planned where one of them can run the problem.
    bool last_resort = false;
    // Tells why the kernel can't run the problem, in words for the middle of a sentence; returns "" where it can.
    std::string (*unfit)(const Problem&) = nullptr;
    // Makes the plan, except its `why`. Step::seconds are the kernel's own estimate. Returns Code::unsupported where limits of
    // the device, which `unfit` can't see, let no part of the problem through.
    Result<Plan> (*plan)(const Problem&) = nullptr;
};

// A KernelList is an operator's kernels. Of equal estimates the first one counts.
template <class Problem>
using KernelList = std::span<const KernelOf<Problem>* const>;

// A KernelChoice tells how a kernel of the list suits one problem.
struct KernelChoice {
    std::string_view name = {};
    std::string unfit = {};  // why it can't run the problem; "" where it can
    double seconds = 0;      // the estimate of its plan; 0 where it has no plan
    double penalty = 1;      // the factor on `seconds` because of PrepareOptions::built
    bool keeps_order = true;
    bool only_by_name = false;
    bool last_resort = false;
};

// Returns the estimate of a plan: the seconds of the steps that run each time.
double seconds_of(const Plan& plan);

// Returns the factor by which the estimate of a plan counts more where it needs pipelines that are not in PrepareOptions::built;
// else 1.
double penalty_of(const Plan& plan, const PrepareOptions& options);
// Does the same for a module alone, whatever it is specialized for.
double penalty_of(Kernel kernel, const PrepareOptions& options);

inline double counted(const KernelChoice& choice)
{
    return choice.seconds * choice.penalty;
}

// Returns Code::unsupported where no kernel fits, or not the forced one, and Code::invalid_argument where the forced one does not
// exist. The message names those that fit.
Status check_choices(std::string_view op, std::span<const KernelChoice> choices, std::string_view forced);

// Tells people why a kernel was chosen, and compares its estimate with the best of the others.
std::string why(std::span<const KernelChoice> choices, size_t chosen, std::string_view forced);

std::string unfit_for_order();
std::string unfit_for_epilogue();
std::string unfit_for_prologue();
std::string unfit_for(ComputeType compute_type);

// Returns Code::unsupported where a pipeline's module is not built in.
Status check_modules(std::string_view op, ComputeType compute_type, const Plan& plan);

// Returns the kernel's plan for a problem that fits it.
template <class Problem>
Result<Plan> plan_by(std::string_view op, const KernelOf<Problem>& kernel, const Problem& problem)
{
    Result<Plan> plan = kernel.plan(problem);
    if (plan)
        VKONNX_RETURN_IF_ERROR(check_modules(op, problem.compute_type, *plan));
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
    else if (!variant(kernel.variants, problem.compute_type))
        choice.unfit = unfit_for(problem.compute_type);
    else
        choice.unfit = kernel.unfit(problem);
    return choice;
}

// Returns the plan of the kernel that options.kernel names. Without a name, it returns the plan with the least estimate, times
// penalty_of, of the kernels that fit and can be cut to the device's limits, the first of equals.
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
    best->kernel = std::string(choices[chosen].name) + "_" + std::string(name(problem.compute_type));
    best->why = why(choices, chosen, forced);
    return std::move(*best);
}

// Returns all kernels of the list in its order, each planned where it fits. It does not look at options.kernel.
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

// Returns a Problem with the members that all problems have, or the error that refuses it. The caller sets the other members,
// which do not count where there are no outputs. It is for operators whose kernels take no epilogue.
template <class Problem, class Geometry>
Result<Problem> common_problem(std::string_view op, const Needs& needs, const Geometry& geometry,
                               const Result<ComputeType>& compute_type, const TensorDesc& output,
                               const Capabilities& capabilities, const PrepareOptions& options)
{
    VKONNX_RETURN_IF_ERROR(check_common(op, capabilities, options, needs));
    if (!compute_type)
        return compute_type.status();
    const Result<int64_t> outputs = element_count(output);
    if (!outputs)
        return outputs.status();
    return Problem{.capabilities = capabilities,
                   .options = options,
                   .geometry = geometry,
                   .compute_type = *compute_type,
                   .outputs = *outputs};
}

// Tells why nothing runs; returns "" where something does. Operators of several outputs have a why_idle of their own, in their
// Problem's namespace.
template <class Problem>
std::string why_idle(const Problem& problem)
{
    return problem.outputs == 0 ? "the output is empty" : "";
}

// Returns what an operator's plan_for returns for its problem, or for the error that refused it. The note is put in front of
// `why`.
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
        plan->why = note + plan->why + compute_type_note(problem->compute_type);
    }
    if constexpr (requires { problem->epilogue; })
        plan->epilogue = problem->epilogue.equation;
    return plan;
}

// Returns what an operator's kernels_for returns: an empty list where nothing runs.
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
