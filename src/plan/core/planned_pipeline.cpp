// SPDX-License-Identifier: Apache-2.0
#include "plan/core/planned_pipeline.h"

namespace vkonnx {

std::string_view PlannedPipeline::kernel() const noexcept
{
    return state_ ? kernel_name(state_->key.kernel) : std::string_view();
}

std::span<const std::pair<std::string, uint32_t>> PlannedPipeline::specialization() const noexcept
{
    return state_ ? std::span(state_->specialization) : std::span<const std::pair<std::string, uint32_t>>();
}

bool PlannedPipeline::operator==(const PlannedPipeline& other) const noexcept
{
    return state_ == other.state_ || (state_ && other.state_ && state_->key == other.state_->key);
}

}  // namespace vkonnx
