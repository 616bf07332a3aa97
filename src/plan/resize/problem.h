// SPDX-License-Identifier: Apache-2.0
// Resize as its kernels see it, and which there are.
#pragma once

#include <vector>

#include "ops/geometry.h"
#include "plan/choose.h"
#include "plan/gather.h"

namespace vkonnx::plan::resize {

// Neighbouring axes that stay as they are are one axis, and those of one element none: each has two or more in X or Y.
struct Axis {
    int64_t in = 1;
    int64_t out = 1;
    int64_t stride = 1;  // of X, in elements
    int64_t factor = 1;  // coordinates are divided by it; 0: they are looked up
    uint32_t row = 0;    // where their rows begin: words of the table, or pairs of words
    int64_t taps = 0;    // of a coordinate, at the most; 0: of nearest, or it stays as it is
    // The first and the last position that a coordinate reads, where they are looked up: both grow with it, or both shrink.
    std::vector<uint32_t> low = {};
    std::vector<uint32_t> high = {};  // empty where they are the same
};

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const ops::ResizeGeometry& geometry;
    bool copies = false;  // elements as they are: nearest ones, or all where nothing changes
    Number number = Number::f32;
    int64_t outputs = 0;  // the rest is of no account where there are none
    int64_t inputs = 0;
    std::vector<Axis> axes = {};       // outermost first
    std::vector<TapAxis> taps = {};    // those with taps
    std::vector<uint32_t> table = {};  // as shared/resize.h lays it out
};

// Axes of several taps.
inline size_t tapped(const Problem& problem)
{
    return problem.taps.size();
}

// The problem's half, and the kernel's module; how the kernel goes about it is left to say. Refers to the problem.
Gather gather_of(const Problem& problem, Kernel kernel);

// Its plan, with the uniform block and the table.
Result<Plan> plan_gathered(const Problem& problem, const Gather& gather);

// resize_nearest: copies.
extern const KernelOf<Problem> nearest;
// resize_direct: up to 3 axes with several taps, all of them in nested loops.
extern const KernelOf<Problem> direct;
// resize_nd: up to 6 such axes, any number of taps.
extern const KernelOf<Problem> nd;

}  // namespace vkonnx::plan::resize
