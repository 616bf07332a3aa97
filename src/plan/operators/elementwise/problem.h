// SPDX-License-Identifier: Apache-2.0
// This file describes an elementwise operator to its kernels, and lists the kernels.
#pragma once

#include <vector>

#include "ops/geometry.h"
#include "plan/core/choose.h"
#include "plan/engines/broadcast.h"
#include "plan/engines/gather.h"
#include "shaders/engines/tiles/tiles.h"

namespace vkonnx::plan::elementwise {

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const ops::ElementwiseGeometry& geometry;
    ComputeType compute_type = ComputeType::f32;
    int64_t outputs = 0;  // where it is 0, the members below are not used
    std::vector<BroadcastAxis> axes = {};
};

// Tells whether the kind, or that of a step, is more than a few additions, multiplications and comparisons.
bool has_functions(const Problem& problem);

// This struct tells what an invocation of a kernel computes.
struct Invocation {
    Kernel kernel = {};
    uint32_t quads = QUADS_NEVER;  // the value of the constant `quads` (shaders/engines/tiles/tiles.h)
    int64_t outputs_at_once = 0;   // see Gather::outputs_at_once
};

// Returns why no kernel whose invocations compute so many outputs can run the problem; "" where one can.
std::string unfit_for_gather(const Problem& problem, int64_t outputs_at_once);

// Returns the plan with its uniform block.
Result<Plan> plan_gathered(const Problem& problem, const Invocation& invocation);

// elementwise_quads computes four outputs of a row at a time. It takes no functions.
extern const KernelOf<Problem> quads;
// elementwise takes any kind, any rank and any number of inputs.
extern const KernelOf<Problem> any_rank;

}  // namespace vkonnx::plan::elementwise
