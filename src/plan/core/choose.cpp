// SPDX-License-Identifier: Apache-2.0
#include "plan/core/choose.h"

#include <algorithm>
#include <cstdio>

namespace vkonnx::plan {

namespace {

std::string milliseconds(double seconds)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3g ms", seconds * 1e3);
    return text;
}

constexpr double penalty_of_building = 2;  // PrepareOptions::built says so

bool is_built(const PipelineKey& key, const PrepareOptions& options)
{
    return std::any_of(options.built.begin(), options.built.end(), [&](const PlannedPipeline& one) {
        const auto constants = one.specialization();
        return one.kernel() == kernel_name(key.kernel) &&
               std::equal(constants.begin(), constants.end(), key.specialization.begin(), key.specialization.end(),
                          [](const auto& constant, uint32_t value) { return constant.second == value; });
    });
}

}  // namespace

Status check_choices(std::string_view op, std::span<const KernelChoice> choices, std::string_view forced)
{
    std::string fitting;
    for (const KernelChoice& choice : choices)
        if (choice.unfit.empty())
            fitting.append(fitting.empty() ? "" : ", ").append(choice.name);
    if (forced.empty())
        return fitting.empty() ? Status(Code::unsupported, std::string(op) + ": no kernel fits, because " + choices.back().unfit)
                               : Status();
    for (const KernelChoice& choice : choices) {
        if (choice.name != forced)
            continue;
        return choice.unfit.empty() ? Status()
                                    : Status(Code::unsupported, std::string(op) + ": kernel \"" + std::string(forced) +
                                                                    "\" does not fit, because " + choice.unfit +
                                                                    "; those that fit: " + (fitting.empty() ? "none" : fitting));
    }
    return Status(Code::invalid_argument, std::string(op) + ": there is no kernel \"" + std::string(forced) +
                                              "\"; those that fit: " + (fitting.empty() ? "none" : fitting));
}

std::string why(std::span<const KernelChoice> choices, size_t chosen, std::string_view forced)
{
    if (!forced.empty())
        return "forced by PrepareOptions::kernel";
    std::string reasons;
    for (size_t i = 0; i < chosen; ++i)
        if (!choices[i].unfit.empty())
            reasons += (reasons.empty() ? "" : "; ") + std::string(choices[i].name) + " does not fit: " + choices[i].unfit;
    const KernelChoice* next = nullptr;
    for (size_t i = 0; i < choices.size(); ++i)
        if (i != chosen && choices[i].seconds > 0 && (!next || choices[i].seconds < next->seconds))
            next = &choices[i];
    if (next)
        reasons += (reasons.empty() ? "" : "; ") + ("estimated at " + milliseconds(choices[chosen].seconds)) + ", " +
                   std::string(next->name) + " at " + milliseconds(next->seconds) +
                   (next->seconds < choices[chosen].seconds ? ", but with pipelines that are not built" : "");
    return reasons.empty() ? "the first choice for this problem" : reasons;
}

std::string unfit_for_order()
{
    return "it adds in an order of its own, and PrepareOptions::reproducible asks for the operator's";
}

std::string unfit_for_epilogue()
{
    return "it stores its results as they are, without PrepareOptions::epilogue";
}

std::string unfit_for_prologue()
{
    return "it reads X as it is, without PrepareOptions::prologue";
}

std::string unfit_for(ComputeType compute_type)
{
    return "it is not compiled for " + std::string(name(compute_type));
}

Status check_modules(std::string_view op, ComputeType compute_type, const Plan& plan)
{
    for (const PipelineKey& pipeline : plan.pipelines)
        if (spirv(pipeline.kernel).empty())
            return Status(Code::unsupported, std::string(op) + ": " + std::string(name(compute_type)) +
                                                 " is left out of this build of vkonnx, whose VKONNX_TYPES is \"" +
                                                 std::string(built_in_types()) + "\"");
    return {};
}

double seconds_of(const Plan& plan)
{
    double seconds = 0;
    for (const Step& step : plan.steps)
        seconds += step.seconds;
    return seconds;
}

double penalty_of(const Plan& plan, const PrepareOptions& options)
{
    const bool builds = !options.built.empty() && !std::all_of(plan.pipelines.begin(), plan.pipelines.end(),
                                                               [&](const auto& key) { return is_built(key, options); });
    return builds ? penalty_of_building : 1;
}

double penalty_of(Kernel kernel, const PrepareOptions& options)
{
    const bool builds = !options.built.empty() && std::none_of(options.built.begin(), options.built.end(), [&](const auto& one) {
        return one.kernel() == kernel_name(kernel);
    });
    return builds ? penalty_of_building : 1;
}

}  // namespace vkonnx::plan
