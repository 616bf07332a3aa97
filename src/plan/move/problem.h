// SPDX-License-Identifier: Apache-2.0
// What moves elements as its kernels see it, and which there are.
#pragma once

#include <string>
#include <vector>

#include "ops/geometry.h"
#include "plan/choose.h"

namespace vkonnx::plan::move {

// Neighbouring axes of an output that all its sources go along as along one are one axis. Outermost first; none has an extent of
// 1 unless a source lies beyond it.
struct Axis {
    int64_t extent = 1;
    std::vector<ops::SourceAxis> along = {};  // a source each

    friend bool operator==(const Axis&, const Axis&) = default;
};
std::vector<Axis> merged(const ops::Move& move, ops::Beyond beyond);

// An output that has elements.
struct Output {
    size_t index = 0;  // among the outputs
    int64_t elements = 0;
    std::vector<ops::Source> sources = {};
    std::vector<Axis> axes = {};
};

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const ops::MoveGeometry& geometry;
    std::vector<Output> outputs = {};  // of elements as the kernel moves them
    Number number = Number::u32;       // that carries one
    int64_t together = 1;              // the tensors' elements in it
};

// Makes elements that all outputs take in runs one element, as wide as a device reads at once.
void widen(Problem& problem);

inline std::string why_idle(const Problem& problem)
{
    if (!problem.outputs.empty())
        return "";
    return problem.geometry.moves.size() == 1 ? "the output is empty" : "all outputs are empty";
}

// move: any rank, any number of sources.
extern const KernelOf<Problem> any_rank;

}  // namespace vkonnx::plan::move
