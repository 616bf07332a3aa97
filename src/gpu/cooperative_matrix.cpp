// SPDX-License-Identifier: Apache-2.0
#include "gpu/cooperative_matrix.h"

namespace vkonnx::gpu {

std::array<uint32_t, 3> cooperative_matrix_of(std::span<const VkCooperativeMatrixPropertiesKHR> offered)
{
    const auto is_side = [](uint32_t size) { return size == 8 || size == 16; };
    std::array<uint32_t, 3> best = {};
    for (const VkCooperativeMatrixPropertiesKHR& one : offered) {
        const bool fits = one.AType == VK_COMPONENT_TYPE_FLOAT16_KHR && one.BType == VK_COMPONENT_TYPE_FLOAT16_KHR &&
                          one.CType == VK_COMPONENT_TYPE_FLOAT32_KHR && one.ResultType == VK_COMPONENT_TYPE_FLOAT32_KHR &&
                          one.scope == VK_SCOPE_SUBGROUP_KHR && is_side(one.MSize) && is_side(one.NSize) &&
                          (is_side(one.KSize) || one.KSize == 32);
        if (fits && one.MSize * one.NSize * one.KSize > best[0] * best[1] * best[2])
            best = {one.MSize, one.NSize, one.KSize};
    }
    return best;
}

}  // namespace vkonnx::gpu
