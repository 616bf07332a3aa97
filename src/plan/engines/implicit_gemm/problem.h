// SPDX-License-Identifier: Apache-2.0
// This file describes to the engine what it computes for an operator (implicit_gemm.h).
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <vector>

#include "ops/geometry.h"
#include "plan/core/compute_type.h"
#include "plan/engines/implicit_gemm/product.h"

namespace vkonnx::plan::implicit_gemm {

// The operands are X, W, B where there is a bias, P where a prologue has numbers, and Y.
struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    ComputeType compute_type = ComputeType::f32;
    ops::Epilogue epilogue = {};
    DType dtype = DType::float32;
    Layout layout = Layout::ncx;  // of X and Y
    bool bias = false;
    bool constant_weights = false;  // W does not change from run to run
    int64_t x_elements = 0;
    int64_t w_elements = 0;
    int64_t outputs = 0;
    // These are distances in W, in elements: from a group to the next, from a channel of X to the next, from a channel of Y in
    // the same group to the next, and from a tap to the next.
    int64_t w_group = 0;
    int64_t w_channel = 0;
    int64_t w_column = 0;
    int64_t w_tap = 0;
    std::vector<Product> products = {};  // ways to cut outputs into blocks; the one that costs least is taken
};

// Tells whether PrepareOptions::constants has the input.
inline bool is_constant(const PrepareOptions& options, size_t input)
{
    for (const ConstantInput& one : options.constants)
        if (one.input == input)
            return true;
    return false;
}

}  // namespace vkonnx::plan::implicit_gemm
