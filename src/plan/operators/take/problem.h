// SPDX-License-Identifier: Apache-2.0
// This file defines Gather, GatherElements and GatherND as their kernels see them. The kernels are called take, because the
// gather protocol has the other name.
#pragma once

#include <algorithm>

#include "ops/geometry.h"
#include "plan/core/bytes.h"
#include "plan/core/choose.h"

namespace vkonnx::plan::take {

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const ops::GatherGeometry& geometry;
    ComputeType compute_type = ComputeType::u32;  // the type that carries what is moved at once
    int64_t outputs = 0;                          // elements of the output tensor
    int64_t together = 1;                         // how many of the tensor's elements are moved at once

    uint32_t bytes() const { return bits(geometry.data.dtype) / 8 * uint32_t(together); }
    // Returns the number of data's elements as they are moved: `together` of the tensor's are one.
    int64_t elements() const { return *element_count(geometry.data) / together; }
    uint32_t index_bytes() const { return bits(geometry.indices.dtype) / 8; }
};

// Returns how many of `all` units of data are bound at once, each of so many bytes: all of them, or as many as one binding has
// room for wherever it begins.
inline int64_t piece_of(const Problem& problem, int64_t all, int64_t bytes)
{
    const Capabilities& capabilities = problem.capabilities;
    all = std::max<int64_t>(all, 1);
    if (buffer_bytes(*byte_size(problem.geometry.data)) <= capabilities.max_storage_buffer_range)
        return all;
    const int64_t room = int64_t(capabilities.max_storage_buffer_range) - capabilities.storage_buffer_alignment - 4;
    return std::clamp<int64_t>(room / bytes, 1, all);
}

// take handles indices along one axis, each for a whole row, and the same for all positions in front of the axis.
extern const KernelOf<Problem> rows;
// take_nd handles any indices.
extern const KernelOf<Problem> nd;

}  // namespace vkonnx::plan::take
