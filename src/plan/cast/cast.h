// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ops/geometry.h"
#include "plan/choose.h"
#include "plan/plan.h"

namespace vkonnx::plan {

// Operands: the input and the output. Kernels: cast.
Result<Plan> plan_for(const ops::CastGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);

// All of them, whatever options.kernel says. None where the output is empty: nothing runs then.
Result<std::vector<KernelChoice>> kernels_for(const ops::CastGeometry& geometry, const Capabilities& capabilities,
                                              const PrepareOptions& options);

}  // namespace vkonnx::plan
