// SPDX-License-Identifier: Apache-2.0
// This file puts specialization constants into a module before a driver sees it. Drivers that treat them as constants only when
// they compile, as SwiftShader does, keep and compile all code that the constants rule out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vkonnx::gpu {

// Returns the module with constants in place of those specialization constants for which `values` has a value by SpecId. Others
// are left to the driver, as they are declared. What follows from the values is computed here, if it is of unsigned integers of
// 32 bits and of truth values. Anything but a module comes back as it is.
std::vector<uint32_t> specialized(std::span<const uint32_t> code, std::span<const uint32_t> values);

}  // namespace vkonnx::gpu
