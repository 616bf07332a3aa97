#pragma once

#include "ops/geometry.h"
#include "plan/plan.h"

namespace vkonnx::plan {

// Operands: X, Y. Kernels: average_pool_direct (1 to 3 axes), average_pool_nd.
Result<Plan> plan_average_pool(const ops::AveragePoolGeometry& geometry, const Capabilities& capabilities,
                               const PrepareOptions& options);

}  // namespace vkonnx::plan
