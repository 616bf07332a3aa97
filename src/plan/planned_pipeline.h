// SPDX-License-Identifier: Apache-2.0
// What a PlannedPipeline knows.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include "plan/plan.h"

namespace vkonnx::plan {

struct PipelineState {
    PipelineKey key;
    std::vector<std::pair<std::string, uint32_t>> specialization;  // described
};

}  // namespace vkonnx::plan
