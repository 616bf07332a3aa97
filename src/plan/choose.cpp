#include "plan/choose.h"

namespace vkonnx::plan {

Result<size_t> choose_kernel(std::string_view op, std::span<const Candidate> candidates, std::string_view forced)
{
    std::string fitting;
    for (const Candidate& candidate : candidates)
        if (candidate.unfit.empty())
            fitting.append(fitting.empty() ? "" : ", ").append(candidate.name);

    for (size_t i = 0; i < candidates.size(); ++i) {
        if (!forced.empty() && candidates[i].name != forced)
            continue;
        if (candidates[i].unfit.empty())
            return i;
        if (!forced.empty())
            return Status(Code::unsupported, std::string(op) + ": kernel \"" + std::string(forced) + "\" does not fit, because " +
                                                 candidates[i].unfit +
                                                 "; those that fit: " + (fitting.empty() ? "none" : fitting));
    }
    if (!forced.empty())
        return Status(Code::invalid_argument, std::string(op) + ": there is no kernel \"" + std::string(forced) +
                                                  "\"; those that fit: " + (fitting.empty() ? "none" : fitting));
    return Status(Code::unsupported, std::string(op) + ": no kernel fits, because " + candidates.back().unfit);
}

Candidate nd_candidate(std::string_view kernel, std::span<const TapBox> boxes, const Capabilities& capabilities)
{
    Candidate nd{kernel};
    if (boxes.empty())
        nd.unfit =
            "the device's " + std::to_string(capabilities.max_loop_iterations) + " loop iterations are too few for its window";
    return nd;
}

std::string why(std::span<const Candidate> candidates, size_t chosen, std::string_view forced)
{
    if (!forced.empty())
        return "forced by PrepareOptions::kernel";
    return chosen == 0 ? "the first choice for this problem"
                       : std::string(candidates[chosen - 1].name) + " does not fit: " + candidates[chosen - 1].unfit;
}

}  // namespace vkonnx::plan
