#include <cmath>
#include <numeric>

#include "api/state.h"

namespace vkonnx {
namespace {

// Whether a newer submit of the same work took this job's place, which it could only once this one had ended.
bool is_past(const Job& job)
{
    return job.number != job.state->number();
}

}  // namespace

Status Job::wait(double timeout_seconds)
{
    return guarded([&]() -> Status {
        if (!state)
            return refuse_empty("Job::wait", "the Job");
        if (!(timeout_seconds >= 0))
            return Status(Code::invalid_argument,
                          "Job::wait: timeout_seconds = " + std::to_string(timeout_seconds) + " must be 0 or greater");
        if (is_past(*this))
            return {};
        return state->wait_at_most(timeout_seconds < 1e10 ? uint64_t(std::ceil(timeout_seconds * 1e9)) : UINT64_MAX);
    });
}

bool Job::done() noexcept
{
    if (!state || is_past(*this))
        return true;
    return guarded_or(false, [&] { return state->done(); });
}

std::optional<double> Job::gpu_seconds() const noexcept
{
    if (!state || is_past(*this) || state->seconds().empty())
        return {};
    const std::span<const double> seconds = state->seconds();
    return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

}  // namespace vkonnx
