// SPDX-License-Identifier: Apache-2.0
#include "api/planned.h"
#include "api/state.h"
#include "plan/core/planned_pipeline.h"

namespace vkonnx {

std::vector<PlannedPipeline> api::pipelines_of(const plan::Plan& plan)
{
    std::vector<PlannedPipeline> pipelines;
    for (const plan::PipelineKey& key : plan.pipelines)
        pipelines.push_back(Access::handle<PlannedPipeline>(
            std::make_shared<const plan::PipelineState>(plan::PipelineState{key, plan::describe_specialization(key)})));
    return pipelines;
}

}  // namespace vkonnx
