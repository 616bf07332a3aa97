// SPDX-License-Identifier: Apache-2.0
#include "plan/choose.h"

namespace vkonnx::plan {

Result<size_t> choose_kernel(std::string_view op, std::span<const KernelChoice> choices, std::string_view forced)
{
    std::string fitting;
    for (const KernelChoice& choice : choices)
        if (choice.unfit.empty())
            fitting.append(fitting.empty() ? "" : ", ").append(choice.name);

    for (size_t i = 0; i < choices.size(); ++i) {
        if (!forced.empty() && choices[i].name != forced)
            continue;
        if (choices[i].unfit.empty())
            return i;
        if (!forced.empty())
            return Status(Code::unsupported, std::string(op) + ": kernel \"" + std::string(forced) + "\" does not fit, because " +
                                                 choices[i].unfit + "; those that fit: " + (fitting.empty() ? "none" : fitting));
    }
    if (!forced.empty())
        return Status(Code::invalid_argument, std::string(op) + ": there is no kernel \"" + std::string(forced) +
                                                  "\"; those that fit: " + (fitting.empty() ? "none" : fitting));
    return Status(Code::unsupported, std::string(op) + ": no kernel fits, because " + choices.back().unfit);
}

std::string why(std::span<const KernelChoice> choices, size_t chosen, std::string_view forced)
{
    if (!forced.empty())
        return "forced by PrepareOptions::kernel";
    return chosen == 0 ? "the first choice for this problem"
                       : std::string(choices[chosen - 1].name) + " does not fit: " + choices[chosen - 1].unfit;
}

std::string unfit_for_order()
{
    return "it adds in an order of its own, and PrepareOptions::reproducible asks for the operator's";
}

std::string unfit_for(Number number)
{
    return "it is not compiled for " + std::string(name(number));
}

double seconds_of(const Plan& plan)
{
    double seconds = 0;
    for (const Step& step : plan.steps)
        seconds += step.seconds;
    return seconds;
}

}  // namespace vkonnx::plan
