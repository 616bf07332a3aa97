// SPDX-License-Identifier: Apache-2.0
// This file defines what the kernels of Softmax and LogSoftmax are told.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/geometry.h"
#include "plan/core/choose.h"
#include "plan/engines/chain.h"

namespace vkonnx::plan::softmax {

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const ops::SoftmaxGeometry& geometry;
    ComputeType compute_type = ComputeType::f32;
    int64_t outputs = 0;  // elements of the output; the rest does not count where there are none
    std::vector<Pass> passes = {};

    uint32_t width() const { return bits(geometry.output.dtype) / 8; }
};

extern const KernelOf<Problem> rows;

}  // namespace vkonnx::plan::softmax
