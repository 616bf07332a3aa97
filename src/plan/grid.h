// SPDX-License-Identifier: Apache-2.0
// Grids folded into three dimensions, of workgroups of one, as shaders/common.glsl unfolds them.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <array>
#include <cstdint>

namespace vkonnx::plan {

// The invocations of a workgroup that kernels use by default. They are at least 1, also where the capabilities allow none,
// because there operators are refused but probes are not.
uint32_t workgroup_size(const Capabilities& capabilities);

// Groups that cover so many invocations, and may overshoot them, folded into three dimensions. They must fit the device's counts.
std::array<uint32_t, 3> groups_of(int64_t invocations, const Capabilities& capabilities);
// The same of workgroups of this size.
std::array<uint32_t, 3> groups_of(int64_t invocations, int64_t workgroup, const Capabilities& capabilities);

}  // namespace vkonnx::plan
