// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/geometry.h"
#include "plan/choose.h"

namespace vkonnx::plan {

// Shape runs on the host, without a kernel: the plan holds the bytes of its result.
Result<Plan> plan_for(const ops::ShapeGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);
Result<std::vector<KernelChoice>> kernels_for(const ops::ShapeGeometry& geometry, const Capabilities& capabilities,
                                              const PrepareOptions& options);

}  // namespace vkonnx::plan
