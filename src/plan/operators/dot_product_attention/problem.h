// SPDX-License-Identifier: Apache-2.0
// This file defines what the kernels of DotProductAttention are told.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/geometry.h"
#include "plan/core/choose.h"

namespace vkonnx::plan::dot_product_attention {

inline constexpr const char* op = "DotProductAttention";

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const ops::DotProductAttentionGeometry& geometry;
    ComputeType compute_type = ComputeType::f32;
    int64_t outputs = 0;  // elements of Y; the rest does not count where there are none

    uint32_t width() const { return bits(geometry.output.dtype) / 8; }
    int64_t elements(size_t input) const { return *element_count(geometry.inputs[input]); }
};

// Returns the uniform block, for tiles of so many queries.
std::vector<std::byte> uniform_of(const Problem& problem, int64_t tile);

extern const KernelOf<Problem> tiles;

}  // namespace vkonnx::plan::dot_product_attention
