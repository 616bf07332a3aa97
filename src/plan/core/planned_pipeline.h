// SPDX-License-Identifier: Apache-2.0
// This file defines what a PlannedPipeline holds.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include "plan/core/plan.h"

namespace vkonnx::plan {

struct PipelineState {
    PipelineKey key;
    std::vector<std::pair<std::string, uint32_t>> specialization;  // as describe_specialization returns it
};

}  // namespace vkonnx::plan
