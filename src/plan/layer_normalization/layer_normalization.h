// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ops/geometry.h"
#include "plan/choose.h"
#include "plan/plan.h"

namespace vkonnx::plan {

// Operands: X, Scale, B where it is given, Y, and Mean and InvStdDev as far as they are wanted.
Result<Plan> plan_for(const ops::LayerNormalizationGeometry& geometry, const Capabilities& capabilities,
                      const PrepareOptions& options);

// Lists every kernel, whatever options.kernel says. The list is empty where the outputs are: nothing runs then.
Result<std::vector<KernelChoice>> kernels_for(const ops::LayerNormalizationGeometry& geometry, const Capabilities& capabilities,
                                              const PrepareOptions& options);

}  // namespace vkonnx::plan
