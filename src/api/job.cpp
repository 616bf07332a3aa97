// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numeric>

#include "api/state.h"

namespace vkonnx {
namespace {

// Tells whether a newer submit of the same work took this job's place, which is possible only once this one has ended.
bool is_past(const api::JobState& state, uint64_t number)
{
    return number != state.execution->number();
}

}  // namespace

Status Job::wait(double timeout_seconds)
{
    return guarded([&]() -> Status {
        if (!state_)
            return refuse_empty("Job::wait", "the Job");
        if (!(timeout_seconds >= 0))
            return Status(Code::invalid_argument,
                          "Job::wait: timeout_seconds = " + std::to_string(timeout_seconds) + " must be 0 or greater");
        if (is_past(*state_, number_))
            return {};
        return state_->execution->wait_at_most(timeout_seconds < 1e10 ? uint64_t(std::ceil(timeout_seconds * 1e9)) : UINT64_MAX);
    });
}

bool Job::done() noexcept
{
    if (!state_ || is_past(*state_, number_))
        return true;
    return guarded_or(false, [&] { return state_->execution->done(); });
}

std::optional<double> Job::gpu_seconds() const noexcept
{
    if (!state_ || is_past(*state_, number_) || state_->execution->seconds_of_pieces().empty())
        return {};
    const std::span<const double> seconds = state_->execution->seconds_of_pieces();
    return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

}  // namespace vkonnx
