// SPDX-License-Identifier: Apache-2.0
// This file defines operators that move elements as their kernels see them, and declares these kernels.
#pragma once

#include <string>
#include <vector>

#include "ops/geometry.h"
#include "plan/core/choose.h"

namespace vkonnx::plan::move {

// An Axis is one or several neighbouring axes of an output that all its sources go along as if they were one. They are listed
// outermost first. None has an extent of 1 unless a source lies beyond it.
struct Axis {
    int64_t extent = 1;
    std::vector<ops::SourceAxis> along = {};  // for each source

    friend bool operator==(const Axis&, const Axis&) = default;
};
std::vector<Axis> merged(const ops::Move& move, ops::Beyond beyond);

// An Output is one of the operator's outputs, if it has elements.
struct Output {
    size_t index = 0;  // its place among the operator's outputs
    int64_t elements = 0;
    std::vector<ops::Source> sources = {};
    std::vector<Axis> axes = {};
};

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const ops::MoveGeometry& geometry;
    std::vector<Output> outputs = {};             // in elements as the kernel moves them
    ComputeType compute_type = ComputeType::u32;  // the type that carries such an element
    int64_t together = 1;                         // how many of the tensors' elements are in it
};

// Joins elements that all outputs take in runs to one element, as wide as a device reads at once.
void widen(Problem& problem);

inline std::string why_idle(const Problem& problem)
{
    if (!problem.outputs.empty())
        return "";
    return problem.geometry.moves.size() == 1 ? "the output is empty" : "all outputs are empty";
}

// move takes any rank and any number of sources.
extern const KernelOf<Problem> any_rank;

}  // namespace vkonnx::plan::move
