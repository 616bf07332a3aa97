// SPDX-License-Identifier: Apache-2.0
// This file defines ScatterElements and ScatterND as their kernels see them.
#pragma once

#include <vector>

#include "ops/geometry.h"
#include "plan/core/choose.h"
#include "plan/engines/broadcast.h"
#include "plan/engines/chain.h"

namespace vkonnx::plan::scatter {

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const ops::ScatterGeometry& geometry;
    ComputeType compute_type = ComputeType::u32;  // what carries or computes the elements that are moved at once
    int64_t outputs = 0;                          // elements of the output tensor
    int64_t together = 1;                         // how many of the tensor's elements are moved at once
    int64_t updates = 0;                          // slices of updates
    std::vector<BroadcastAxis> update_axes = {};  // strides are slices of data
    std::vector<ops::ScatterAxis> axes = {};      // merged

    uint32_t bytes() const { return bits(geometry.data.dtype) / 8 * uint32_t(together); }
    // These return numbers of elements as they are moved: `together` of the tensor's are one.
    int64_t elements() const { return outputs / together; }
    int64_t slice() const { return geometry.slice / together; }
    int64_t slices() const { return outputs / geometry.slice; }
};

// Returns a chain with the tensors of the problem, and makes a plan of it.
Chain chain_of(const Problem& problem);
Plan plan_of(const Problem& problem, Chain& chain);

// Tells why no first pass finds the slices that updates are for; returns "" where one can.
std::string unfit_for_targets(const Problem& problem);

// Adds the first pass, which writes for each update the number of the slice that it is for.
Status add_targets(Chain& chain, const Problem& problem, const Memory& targets);
// Adds the passes that write for each slice of data the number of its last update plus 1, or 0 where it has none.
Status add_last(Chain& chain, const Problem& problem, const Memory& last);

// scatter_last handles what has no reduction, where everything that tells the last update of each slice can be bound at once.
extern const KernelOf<Problem> last;
// scatter handles any problem. Each element looks at all updates that may be for it.
extern const KernelOf<Problem> lines;

}  // namespace vkonnx::plan::scatter
