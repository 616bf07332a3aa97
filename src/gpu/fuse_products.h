// SPDX-License-Identifier: Apache-2.0
// Products that a module adds to something, as fused multiply-adds: a * b + c with one rounding. Vulkan leaves it to drivers
// whether they fuse, where nothing is declared `precise`. As far as its rates tell, NVIDIA's does not in floats of 32 bits when
// the module declares that it rounds to nearest or that it keeps signed zeros, infinities and NaNs: it takes two instructions for
// one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vkonnx::gpu {

// The module with GLSL's fma in place of each sum of floats whose one term is a product that nothing else reads. Neither may be
// NoContraction, as `precise` makes them. Anything but a module comes back as it is.
std::vector<uint32_t> with_fused_products(std::span<const uint32_t> code);

}  // namespace vkonnx::gpu
