// SPDX-License-Identifier: Apache-2.0
// This file turns a problem into the same problem with fewer axes, so that a faster kernel of lower rank can take it.
#pragma once

#include "ops/geometry.h"

namespace vkonnx::plan {

// A PoolProblem is an AveragePool or a MaxPool of any layout, from X (outer, in.., inner) to Y (outer, out.., inner). Extents
// that no window crosses may have become part of `outer` and `inner`.
struct PoolProblem {
    int64_t outer = 1;
    std::vector<ops::Axis> axes = {};  // at least 1
    int64_t inner = 1;
};

PoolProblem unmerged(const ops::PoolGeometry& geometry);
PoolProblem merged(const ops::PoolGeometry& geometry);

// Merges axes that no window crosses. With channels last, leading axes may become part of the batch.
ops::ConvTransposeGeometry merged(const ops::ConvTransposeGeometry& geometry);

ops::ConvGeometry merged(const ops::ConvGeometry& geometry);

// Returns a note such as "its 5 spatial axes are merged to 2; ", or "" where none were merged.
std::string merge_note(size_t before, size_t after);

}  // namespace vkonnx::plan
