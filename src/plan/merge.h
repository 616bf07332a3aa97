// SPDX-License-Identifier: Apache-2.0
// The same problem with fewer axes: what a faster kernel of lower rank takes.
#pragma once

#include "ops/geometry.h"

namespace vkonnx::plan {

// X (outer, in.., inner), Y (outer, out.., inner): AveragePool, MaxPool in any layout, where extents that no window crosses may
// have become part of `outer` and `inner`.
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

// "" or "its 5 axes are merged to 2; "
std::string merge_note(size_t before, size_t after);

}  // namespace vkonnx::plan
