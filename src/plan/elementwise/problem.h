// SPDX-License-Identifier: Apache-2.0
// An elementwise operator as its kernels see it, and which there are.
#pragma once

#include <vector>

#include "ops/geometry.h"
#include "plan/choose.h"
#include "plan/gather.h"
#include "shared/tiles.h"

namespace vkonnx::plan::elementwise {

// Neighbouring axes of the output that all inputs see alike are one axis, so that at most 30 are left of any rank: each has an
// extent of 2 or more, and their product is below 2^31.
struct Axis {
    int64_t extent = 1;
    std::vector<int64_t> strides = {};  // an input each, in elements: 0 where it is broadcast, or not given

    friend bool operator==(const Axis&, const Axis&) = default;
};

// Outermost first. None where every input lies as the output does, element by element.
std::vector<Axis> merged(const ops::ElementwiseGeometry& geometry);

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const ops::ElementwiseGeometry& geometry;
    Number number = Number::f32;
    int64_t outputs = 0;  // the rest is of no account where there are none
    std::vector<Axis> axes = {};
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
