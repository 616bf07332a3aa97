// SPDX-License-Identifier: Apache-2.0
// This file writes a problem as text. Tuning remembers by it which kernel was fastest: two problems have the same text only if
// kernels compute the same for both, over tensors as large.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <span>
#include <string>

namespace vkonnx::ops {

// Returns a line without tabs, or "" for a problem that resolving refuses. It has those options that change what is computed:
// which inputs are constant, the prologue, the epilogue, and whether the operator's order of terms is kept.
std::string problem_text(const Operator& op, std::span<const TensorDesc> inputs, const PrepareOptions& options);

}  // namespace vkonnx::ops
