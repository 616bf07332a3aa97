// SPDX-License-Identifier: Apache-2.0
// This file lists the device features that the library makes use of, a row each: where Vulkan keeps the bit, and what must be
// enabled beside it. A device of our own, an adopted one and vulkan::Requirements all go by this list.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <vulkan/vulkan_core.h>

#include "gpu/cooperative_matrix.h"

namespace vkonnx::gpu {

// An Extension is part of Vulkan from a version on. Before that it is a device extension that must be enabled by name.
struct Extension {
    const char* name = nullptr;  // null: none was ever needed
    uint32_t core_since = VK_API_VERSION_1_0;
};

inline constexpr Extension creation_feedback_extension = {VK_EXT_PIPELINE_CREATION_FEEDBACK_EXTENSION_NAME, VK_API_VERSION_1_3};
inline constexpr Extension float_controls_extension = {VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME, VK_API_VERSION_1_2};

// Tells whether the extension is enabled, by its name or by the version that instance and device have in common.
bool is_enabled(const Extension& extension, std::span<const char* const> names, uint32_t version);

// A FeatureBit is the place of a VkBool32 in a structure of a pNext chain.
struct FeatureBit {
    VkStructureType structure = VK_STRUCTURE_TYPE_MAX_ENUM;
    size_t offset = 0;
};

struct Feature {
    const char* name = nullptr;                // Vulkan's name
    bool Capabilities::*capability = nullptr;  // null: no kernel asks, and every Vulkan driver has it; one may need several rows
    Extension extension = {};
    // These are the structures in which Vulkan lets the bit be given. The first is the extension's own, which FeatureChain holds.
    std::array<FeatureBit, 2> bits = {};

    // Tells whether a device with these capabilities can have it enabled.
    bool is_offered(const Capabilities& capabilities) const { return !capability || capabilities.*capability; }
    // Tells whether VkPhysicalDeviceFeatures has the bit.
    bool is_basic() const { return bits[0].structure == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2; }
};

std::span<const Feature> every_feature();

// Tells whether any structure of the chain, which may be null, has the bit set. Structures without the bit are passed over.
bool is_on(const Feature& feature, const void* chain);

// Sets the feature's bit in every structure of the chain that has it.
void switch_on(const Feature& feature, void* chain);

// A FeatureChain holds the structures of the features' first bits, each once and all zero, behind the basic one.
class FeatureChain {
public:
    // Links in the structures of those features whose extensions are enabled.
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
