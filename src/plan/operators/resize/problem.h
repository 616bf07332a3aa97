// SPDX-License-Identifier: Apache-2.0
// This file defines Resize as its kernels see it, and declares these kernels.
#pragma once

#include <vector>

#include "ops/geometry.h"
#include "plan/core/choose.h"
#include "plan/engines/gather.h"

namespace vkonnx::plan::resize {

// An Axis is an axis of X and Y. Neighbouring axes that stay as they are are merged into one, and those of one element are left
// out, so that each has two elements or more in X or Y.
struct Axis {
    int64_t in = 1;
    int64_t out = 1;
    int64_t stride = 1;  // of X, in elements
    int64_t factor = 1;  // coordinates are divided by it; 0 where they are looked up
    uint32_t row = 0;    // where its rows of the table begin, in words, or with taps in pairs of words
    int64_t taps = 0;    // of a coordinate, at the most; 0 for nearest, or where the axis stays as it is
    // These are the first and the last position that a coordinate reads, where coordinates are looked up. Both grow with it, or
    // both shrink.
    std::vector<uint32_t> low = {};
    std::vector<uint32_t> high = {};  // empty where it is the same as `low`
};

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const ops::ResizeGeometry& geometry;
    bool copies = false;  // copies elements: the nearest ones, or all where nothing changes
    ComputeType compute_type = ComputeType::f32;
    int64_t outputs = 0;  // elements of Y; the rest does not count where there are none
    int64_t inputs = 0;
    std::vector<Axis> axes = {};       // outermost first
    std::vector<TapAxis> taps = {};    // of the axes with taps
    std::vector<uint32_t> table = {};  // as shaders/operators/resize/resize.h lays it out
};

// Returns the number of axes with taps.
inline size_t tapped(const Problem& problem)
{
    return problem.taps.size();
}

// Returns the part of a gather that the problem decides, with the kernel's module. The caller adds how the kernel works. The
// gather refers to the problem.
Gather gather_of(const Problem& problem, Kernel kernel);

// Returns the plan of a gather, with the uniform block and the table.
Result<Plan> plan_gathered(const Problem& problem, const Gather& gather);

// resize_nearest copies elements.
extern const KernelOf<Problem> nearest;
// resize_direct takes up to 3 axes with several taps, all of them in nested loops.
extern const KernelOf<Problem> direct;
// resize_nd takes up to 6 such axes, with any number of taps.
extern const KernelOf<Problem> nd;

}  // namespace vkonnx::plan::resize
