// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/geometry.h"
#include "plan/plan.h"

namespace vkonnx::plan {

// A host operation: the plan only holds the result's bytes.
Result<Plan> plan_shape(const ops::ShapeGeometry& geometry);

}  // namespace vkonnx::plan
