// SPDX-License-Identifier: Apache-2.0
#include "gpu/features.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace vkonnx::gpu {
namespace {

constexpr VkStructureType features2 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
constexpr VkStructureType float16_int8 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES;
constexpr VkStructureType storage_16_bit = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES;
constexpr VkStructureType memory_model = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES;
constexpr VkStructureType matrices = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR;
constexpr VkStructureType subgroups = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES;
constexpr VkStructureType vulkan_1_1 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
constexpr VkStructureType vulkan_1_2 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
constexpr VkStructureType vulkan_1_3 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;

// vulkan.hpp names each row beyond VkPhysicalDeviceFeatures. FeatureChain holds the structure of each row's first bit.
constexpr Feature features[] = {
    {.name = "robustBufferAccess", .bits = {{{features2, offsetof(VkPhysicalDeviceFeatures2, features.robustBufferAccess)}}}},
    {.name = "shaderFloat64",
     .capability = &Capabilities::float64,
     .bits = {{{features2, offsetof(VkPhysicalDeviceFeatures2, features.shaderFloat64)}}}},
    {.name = "shaderFloat16",
     .capability = &Capabilities::float16,
     .extension = {VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME, VK_API_VERSION_1_2},
     .bits = {{{float16_int8, offsetof(VkPhysicalDeviceShaderFloat16Int8Features, shaderFloat16)},
               {vulkan_1_2, offsetof(VkPhysicalDeviceVulkan12Features, shaderFloat16)}}}},
    {.name = "storageBuffer16BitAccess",
     .capability = &Capabilities::storage16,
     .extension = {VK_KHR_16BIT_STORAGE_EXTENSION_NAME, VK_API_VERSION_1_1},
     .bits = {{{storage_16_bit, offsetof(VkPhysicalDevice16BitStorageFeatures, storageBuffer16BitAccess)},
               {vulkan_1_1, offsetof(VkPhysicalDeviceVulkan11Features, storageBuffer16BitAccess)}}}},
    {.name = "cooperativeMatrix",
     .capability = &Capabilities::cooperative_matrices,
     .extension = {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME, UINT32_MAX},
     .bits = {{{matrices, offsetof(VkPhysicalDeviceCooperativeMatrixFeaturesKHR, cooperativeMatrix)}}}},
    {.name = "vulkanMemoryModel",
     .capability = &Capabilities::cooperative_matrices,
     .extension = {VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME, VK_API_VERSION_1_2},
     .bits = {{{memory_model, offsetof(VkPhysicalDeviceVulkanMemoryModelFeatures, vulkanMemoryModel)},
               {vulkan_1_2, offsetof(VkPhysicalDeviceVulkan12Features, vulkanMemoryModel)}}}},
    // Atomic operations have the scope of the device, which this memory model allows by a feature of its own.
    {.name = "vulkanMemoryModelDeviceScope",
     .capability = &Capabilities::cooperative_matrices,
     .extension = {VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME, VK_API_VERSION_1_2},
     .bits = {{{memory_model, offsetof(VkPhysicalDeviceVulkanMemoryModelFeatures, vulkanMemoryModelDeviceScope)},
               {vulkan_1_2, offsetof(VkPhysicalDeviceVulkan12Features, vulkanMemoryModelDeviceScope)}}}},
    {.name = "computeFullSubgroups",
     .capability = &Capabilities::cooperative_matrices,
     .extension = {VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME, VK_API_VERSION_1_3},
     .bits = {{{subgroups, offsetof(VkPhysicalDeviceSubgroupSizeControlFeatures, computeFullSubgroups)},
               {vulkan_1_3, offsetof(VkPhysicalDeviceVulkan13Features, computeFullSubgroups)}}}},
};

// Returns where the feature's bit is in a structure of this type, or null where it has none there.
const FeatureBit* bit_in(const Feature& feature, VkStructureType structure)
{
    const auto found =
        std::find_if(feature.bits.begin(), feature.bits.end(), [&](const FeatureBit& bit) { return bit.structure == structure; });
    return found == feature.bits.end() ? nullptr : &*found;
}

}  // namespace

bool is_enabled(const Extension& extension, std::span<const char* const> names, uint32_t version)
{
    return version >= extension.core_since ||
           std::any_of(names.begin(), names.end(), [&](const char* name) { return std::strcmp(name, extension.name) == 0; });
}

std::span<const Feature> every_feature()
{
    return features;
}

bool is_on(const Feature& feature, const void* chain)
{
    for (auto* s = static_cast<const VkBaseInStructure*>(chain); s; s = s->pNext)
        if (const FeatureBit* bit = bit_in(feature, s->sType))
            if (*reinterpret_cast<const VkBool32*>(reinterpret_cast<const std::byte*>(s) + bit->offset))
                return true;
    return false;
}

void switch_on(const Feature& feature, void* chain)
{
    for (auto* s = static_cast<VkBaseOutStructure*>(chain); s; s = s->pNext)
        if (const FeatureBit* bit = bit_in(feature, s->sType))
            *reinterpret_cast<VkBool32*>(reinterpret_cast<std::byte*>(s) + bit->offset) = VK_TRUE;
}

FeatureChain::FeatureChain(std::span<const char* const> names, uint32_t version)
{
    basic.sType = features2;
    float16_int8_.sType = float16_int8;
    storage_16_bit_.sType = storage_16_bit;
    memory_model_.sType = memory_model;
    matrices_.sType = matrices;
    subgroups_.sType = subgroups;
    for (void* const held :
         {static_cast<void*>(&float16_int8_), static_cast<void*>(&storage_16_bit_), static_cast<void*>(&memory_model_),
          static_cast<void*>(&matrices_), static_cast<void*>(&subgroups_)}) {
        auto* s = static_cast<VkBaseOutStructure*>(held);
        const bool known = std::any_of(std::begin(features), std::end(features), [&](const Feature& feature) {
            return feature.bits[0].structure == s->sType && is_enabled(feature.extension, names, version);
        });
        if (known) {
            s->pNext = static_cast<VkBaseOutStructure*>(basic.pNext);
            basic.pNext = s;
        }
    }
}

}  // namespace vkonnx::gpu
