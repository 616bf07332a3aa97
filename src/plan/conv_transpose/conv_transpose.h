#pragma once

#include "ops/geometry.h"
#include "plan/plan.h"

namespace vkonnx::plan {

// Operands: X, W, B where the geometry has a bias, Y. Kernels: conv_transpose_direct (1 to 3 axes), conv_transpose_nd.
Result<Plan> plan_conv_transpose(const ops::ConvTransposeGeometry& geometry, const Capabilities& capabilities,
                                 const PrepareOptions& options);

}  // namespace vkonnx::plan
