// SPDX-License-Identifier: Apache-2.0
// This file goes the way from an operator to its plan: attributes and descriptions -> geometry -> plan, and tells about it.
// `explain` tells, `Device::prepare` compiles.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include "plan/core/plan.h"

namespace vkonnx::api {

struct Planned {
    plan::Plan plan;
    Explanation explanation;
    bool reads_inputs = true;
};

Result<Planned> plan_of(const Operator& op, std::span<const TensorDesc> inputs, const Capabilities& capabilities,
                        const PrepareOptions& options);

std::vector<PlannedPipeline> pipelines_of(const plan::Plan& plan);

// Returns all kernels that are in the operator's list.
Result<std::vector<KernelInfo>> kernels_of(const Operator& op, std::span<const TensorDesc> inputs,
                                           const Capabilities& capabilities, const PrepareOptions& options);

}  // namespace vkonnx::api
