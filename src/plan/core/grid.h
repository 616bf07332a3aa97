// SPDX-License-Identifier: Apache-2.0
// This file folds the workgroups of a dispatch into a grid of three dimensions, as shaders/library/common.glsl unfolds them.
// Workgroups themselves have one dimension.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <array>
#include <cstdint>

namespace vkonnx::plan {

// Returns the invocations of a workgroup that kernels use by default. It is at least 1, also where the capabilities allow none,
// because there operators are refused but probes are not.
uint32_t workgroup_size(const Capabilities& capabilities);

// Returns a grid of workgroups that cover so many invocations, and may overshoot them. The caller sees to it that they fit the
// device's counts.
std::array<uint32_t, 3> groups_of(int64_t invocations, const Capabilities& capabilities);
// Does the same for workgroups of this size.
std::array<uint32_t, 3> groups_of(int64_t invocations, int64_t workgroup, const Capabilities& capabilities);

}  // namespace vkonnx::plan
