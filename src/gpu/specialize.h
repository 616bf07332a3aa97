// SPDX-License-Identifier: Apache-2.0
// Specialization constants put into a module before a driver sees it. Drivers that treat them as constants only when they
// compile, as SwiftShader does, keep and compile all that they rule out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vkonnx::gpu {

// The module with constants in place of its specialization constants that `values` has by their SpecId. Others are left to the
// driver, as they are declared. What is computed of the values is computed here, where it is of unsigned integers of 32 bits and
// of truth values. Anything but a module comes back as it is.
std::vector<uint32_t> specialized(std::span<const uint32_t> code, std::span<const uint32_t> values);

}  // namespace vkonnx::gpu
