// Which of an operator's kernels runs a problem.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"
#include "plan/taps.h"

namespace vkonnx::plan {

// A kernel that might run a problem, best first. `unfit` says why it can't; empty when it can.
struct Candidate {
    std::string_view name;
    std::string unfit = {};
};

// The first that fits, or the forced one; an error names those that fit.
Result<size_t> choose_kernel(std::string_view op, std::span<const Candidate> candidates, std::string_view forced);

// A general kernel fits wherever split_taps found boxes.
Candidate nd_candidate(std::string_view kernel, std::span<const TapBox> boxes, const Capabilities& capabilities);

// Why the chosen candidate, for people.
std::string why(std::span<const Candidate> candidates, size_t chosen, std::string_view forced);

// The plan of the first candidate that fits and can be cut to the device's limits, which `plan_with` finds out by its number.
template <class PlanWith>
Result<Plan> first_that_plans(std::string_view op, std::vector<Candidate> candidates, std::string_view forced, PlanWith plan_with)
{
    while (true) {
        const Result<size_t> chosen = choose_kernel(op, candidates, forced);
        if (!chosen)
            return chosen.status();
        Result<Plan> plan = plan_with(*chosen);
        if (plan) {
            plan->why = why(candidates, *chosen, forced);
            return plan;
        }
        if (!forced.empty() || plan.code() != Code::unsupported || *chosen + 1 == candidates.size())
            return plan;
        candidates[*chosen].unfit = plan.message();
    }
}

}  // namespace vkonnx::plan
