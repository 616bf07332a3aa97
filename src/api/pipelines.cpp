// SPDX-License-Identifier: Apache-2.0
#include "api/planned.h"
#include "api/state.h"

namespace vkonnx {

std::vector<PlannedPipeline> api::pipelines_of(const plan::Plan& plan)
{
    std::vector<PlannedPipeline> pipelines;
    for (const plan::PipelineKey& key : plan.pipelines)
        pipelines.push_back(Access::handle<PlannedPipeline>(
            std::make_shared<const PipelineState>(PipelineState{key, plan::describe_specialization(key)})));
    return pipelines;
}

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
