// SPDX-License-Identifier: Apache-2.0
// The device features that the library makes use of, a row each: where Vulkan keeps its bit, and what must be enabled beside it.
// A device of our own, one that is adopted and vulkan::Requirements all go by this list.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <vulkan/vulkan_core.h>

#include "gpu/cooperative_matrix.h"

namespace vkonnx::gpu {

// What a version of Vulkan took in: before it, a device extension that must be enabled by name.
struct Extension {
    const char* name = nullptr;  // null: none was ever needed
    uint32_t core_since = VK_API_VERSION_1_0;
};

inline constexpr Extension creation_feedback_extension = {VK_EXT_PIPELINE_CREATION_FEEDBACK_EXTENSION_NAME, VK_API_VERSION_1_3};
inline constexpr Extension float_controls_extension = {VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME, VK_API_VERSION_1_2};

// Whether the extension is enabled, by its name or by the version that instance and device have in common.
bool is_enabled(const Extension& extension, std::span<const char* const> names, uint32_t version);

// A VkBool32 in a structure of a pNext chain.
struct FeatureBit {
    VkStructureType structure = VK_STRUCTURE_TYPE_MAX_ENUM;
    size_t offset = 0;
};

struct Feature {
    const char* name = nullptr;                // Vulkan's
    bool Capabilities::*capability = nullptr;  // null: no kernel asks, and every Vulkan driver has it; one may need several rows
    Extension extension = {};
    // Wherever Vulkan lets it be given. The first is in the extension's own structure, which FeatureChain holds.
    std::array<FeatureBit, 2> bits = {};

    // Whether a device with these capabilities can have it enabled.
    bool is_offered(const Capabilities& capabilities) const { return !capability || capabilities.*capability; }
    // Whether VkPhysicalDeviceFeatures has it.
    bool is_basic() const { return bits[0].structure == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2; }
};

std::span<const Feature> every_feature();

// Whether any structure of the chain, which may be null, has the bit set. What the feature has no bit in is passed over.
bool is_on(const Feature& feature, const void* chain);

// Sets the feature's bit in every structure of the chain that has it.
void switch_on(const Feature& feature, void* chain);

// The structures that the features' first bits are in, each once and all zero, behind the basic one.
class FeatureChain {
public:
    // Linked in are those of the features whose extensions are enabled.
    FeatureChain(std::span<const char* const> names, uint32_t version);
    FeatureChain(const FeatureChain&) = delete;
    FeatureChain& operator=(const FeatureChain&) = delete;

    VkPhysicalDeviceFeatures2 basic = {};

private:
    VkPhysicalDeviceShaderFloat16Int8Features float16_int8_ = {};
    VkPhysicalDevice16BitStorageFeatures storage_16_bit_ = {};
    VkPhysicalDeviceVulkanMemoryModelFeatures memory_model_ = {};
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices_ = {};
    VkPhysicalDeviceSubgroupSizeControlFeatures subgroups_ = {};
};

}  // namespace vkonnx::gpu
