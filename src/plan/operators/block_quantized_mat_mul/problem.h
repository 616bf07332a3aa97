// SPDX-License-Identifier: Apache-2.0
// This file defines what the kernels of BlockQuantizedMatMul are told.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "ops/geometry.h"
#include "plan/core/choose.h"

namespace vkonnx::plan::block_quantized_mat_mul {

inline constexpr const char* op = "BlockQuantizedMatMul";

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const ops::BlockQuantizedMatMulGeometry& geometry;
    ComputeType compute_type = ComputeType::f32;
    int64_t outputs = 0;  // elements of Y; the rest does not count where there are none

    uint32_t width() const { return bits(geometry.output.dtype) / 8; }
    uint32_t block_shift() const { return uint32_t(std::countr_zero(uint64_t(geometry.block_size))); }
};

// Returns the uniform block, for so many tiles in a row of tiles.
std::vector<std::byte> uniform_of(const Problem& problem, int64_t tiles_of_row);

extern const KernelOf<Problem> rows;

}  // namespace vkonnx::plan::block_quantized_mat_mul
