// SPDX-License-Identifier: Apache-2.0
// This file turns products that a module adds to something into fused multiply-adds: a * b + c with one rounding. Vulkan leaves
// it to drivers whether they fuse where nothing is declared `precise`. As far as its rates tell, NVIDIA's driver does not fuse
// floats of 32 bits when the module declares that it rounds to nearest or keeps signed zeros, infinities and NaNs: it takes two
// instructions for one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vkonnx::gpu {

// Returns the module with GLSL's fma in place of each sum of floats that has a product, which nothing else reads, as one term.
// Sum and product must not be NoContraction, as `precise` makes them. Anything but a module comes back as it is.
std::vector<uint32_t> with_fused_products(std::span<const uint32_t> code);

}  // namespace vkonnx::gpu
