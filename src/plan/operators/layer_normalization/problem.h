// SPDX-License-Identifier: Apache-2.0
// This file defines what the kernels of LayerNormalization are told.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ops/geometry.h"
#include "plan/core/choose.h"
#include "plan/engines/chain.h"

namespace vkonnx::plan::layer_normalization {

inline constexpr const char* op = "LayerNormalization";

// These are the numbers of the operands.
inline constexpr uint8_t tensor_x = 0;
inline constexpr uint8_t tensor_scale = 1;
inline constexpr uint8_t tensor_b = 2;

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const ops::LayerNormalizationGeometry& geometry;
    ComputeType compute_type = ComputeType::f32;
    int64_t outputs = 0;  // elements of Y; the rest does not count where why_idle() tells why nothing runs
    std::vector<Pass> passes = {};

    uint32_t width() const { return bits(geometry.output.dtype) / 8; }
};

std::string why_idle(const Problem& problem);

// Returns the bytes of each operand. Their order is X, Scale, B where it is given, Y, and Mean and InvStdDev as far as they are
// wanted.
std::vector<uint64_t> tensor_bytes(const Problem& problem);

extern const KernelOf<Problem> rows;

}  // namespace vkonnx::plan::layer_normalization
