// SPDX-License-Identifier: Apache-2.0
// An elementwise operator as its kernels see it, and which there are.
#pragma once

#include <vector>

#include "ops/geometry.h"
#include "plan/broadcast.h"
#include "plan/choose.h"
#include "plan/gather.h"
#include "shared/tiles.h"

namespace vkonnx::plan::elementwise {

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const ops::ElementwiseGeometry& geometry;
    Number number = Number::f32;
    int64_t outputs = 0;  // the rest is of no account where there are none
    std::vector<BroadcastAxis> axes = {};
};

// Whether the kind or a step's is more than a few additions, multiplications and comparisons.
bool has_functions(const Problem& problem);

// How a kernel goes about it.
struct Form {
    Kernel kernel = {};
    uint32_t quads = QUADS_NEVER;  // as the constant has it (shared/tiles.h)
    int64_t outputs_at_once = 0;   // of Gather
};

// Why no kernel can run it whose invocations have so many outputs; "" where one can.
std::string unfit_for_gather(const Problem& problem, int64_t outputs_at_once);

// The plan, with the uniform block.
Result<Plan> plan_gathered(const Problem& problem, const Form& form);

// elementwise_quads: four outputs of a row at a time, where nothing is a function.
extern const KernelOf<Problem> quads;
// elementwise: any kind, any rank, any number of inputs.
extern const KernelOf<Problem> any_rank;

}  // namespace vkonnx::plan::elementwise
