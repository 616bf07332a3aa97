// This header has what an application writes once: its device is made as vkonnx wants it, and handed over.
#pragma once

#include <vkonnx/vulkan.hpp>

#include "app.hpp"

namespace app {

// Creates the engine's device on this physical device, with everything that vkonnx asks for beside what the engine itself wants.
inline void create_device_for_vkonnx(Engine& engine, VkPhysicalDevice physical_device)
{
    const auto needs =
        vkonnx::vulkan::requirements(engine.get_instance_proc_addr, engine.instance, physical_device, engine.api_version);
    check(needs.ok(), std::string(needs.message()));
    VkPhysicalDeviceShaderFloat16Int8Features halves = {};
    halves.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES;
    VkPhysicalDeviceFeatures2 features = {};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    if (!needs->optional_extended_features.empty())  // else the extension of this structure may be missing
        features.pNext = &halves;
    needs->add_to(features);
    std::vector<const char*> extensions = needs->extensions;
    extensions.insert(extensions.end(), needs->optional_extensions.begin(), needs->optional_extensions.end());
    engine.create_device(physical_device, needs->queue_families.front(), features, extensions);
}

inline vkonnx::vulkan::AdoptedDevice description_of(Engine& engine)
{
    return {
        .get_instance_proc_addr = engine.get_instance_proc_addr,
        .instance = engine.instance,
        .physical_device = engine.physical_device,
        .device = engine.device,
        .queue = engine.queue,
        .queue_family = engine.queue_family,
        .api_version = engine.api_version,
        .instance_extensions = engine.instance_extensions,
        .device_extensions = engine.device_extensions,
        .features = engine.enabled_features,
        .features_chain = &engine.enabled_halves,
        .lock_queue = [&engine] { engine.queue_mutex.lock(); },
        .unlock_queue = [&engine] { engine.queue_mutex.unlock(); },
    };
}

}  // namespace app
