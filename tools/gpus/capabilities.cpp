// SPDX-License-Identifier: Apache-2.0
// This program prints the Capabilities of the first device, as the library reads them from its driver. It prints a designated
// initializer for each field, behind comments that name the driver and its memory. chips.py makes files of it.
//
// It needs only the sources that list devices, so that it is soon built for another processor than the library (gpus.sh).
#include <cstdio>
#include <cstdlib>
#include <string>

#include "gpu/instance.h"

namespace {

using namespace vkonnx;

std::string text_of(bool value)
{
    return value ? "true" : "false";
}

std::string text_of(const std::array<uint32_t, 3>& value)
{
    return "{" + std::to_string(value[0]) + ", " + std::to_string(value[1]) + ", " + std::to_string(value[2]) + "}";
}

std::string text_of(uint32_t value)
{
    return std::to_string(value);
}

std::string text_of(uint64_t value)
{
    return std::to_string(value);
}

void print(const VkPhysicalDeviceMemoryProperties& memory)
{
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
        const VkMemoryType& type = memory.memoryTypes[i];
        std::string words;
        const auto add = [&](VkMemoryPropertyFlags bit, const char* word) {
            if (type.propertyFlags & bit)
                words += (words.empty() ? "" : ", ") + std::string(word);
        };
        add(VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, "device local");
        add(VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, "host visible");
        add(VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, "host coherent");
        add(VK_MEMORY_PROPERTY_HOST_CACHED_BIT, "host cached");
        add(VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT, "lazily allocated");
        add(VK_MEMORY_PROPERTY_PROTECTED_BIT, "protected");
        std::printf("// memory type %u: %s\n", i, words.empty() ? "no properties" : words.c_str());
    }
}

}  // namespace

int main()
{
    const auto instance = gpu::Instance::create({});
    const auto devices = instance ? (*instance)->devices() : Result<std::vector<gpu::PhysicalDevice>>(instance.status());
    if (!devices || devices->empty()) {
        std::fprintf(stderr, "capabilities: %s\n",
                     devices ? "there is no device" : std::string(devices.status().message()).c_str());
        return 1;
    }
    const gpu::PhysicalDevice& device = devices->front();
    const DeviceInfo& info = device.info;
    if (!info.rejected.empty()) {
        std::fprintf(stderr, "capabilities: %s is not used, because %s\n", info.name.c_str(), info.rejected.c_str());
        return 1;
    }
    const Capabilities& c = info.capabilities;
    std::printf("// %s, by %s, Vulkan %u.%u\n", info.name.c_str(), info.driver.c_str(), info.api_version[0], info.api_version[1]);
    print(device.memory);
#define PRINT(field) std::printf(".%s = %s,\n", #field, text_of(c.field).c_str())
    PRINT(max_storage_buffer_range);
    PRINT(storage_buffer_alignment);
    PRINT(max_texel_buffer_elements);
    PRINT(texel_buffer_alignment);
    PRINT(max_uniform_buffer_range);
    PRINT(max_storage_buffers);
    PRINT(max_push_constant_bytes);
    PRINT(max_invocations);
    PRINT(max_workgroup_size);
    PRINT(max_group_count);
    PRINT(max_shared_bytes);
    PRINT(invocation_registers);
    PRINT(subgroup_size);
    PRINT(subgroup_shuffles);
    PRINT(timestamps);
    PRINT(float16);
    PRINT(float64);
    PRINT(storage16);
    // Only the self-test tells this, which needs a device that computes. All GPUs that it has seen round to nearest.
    std::printf(".rounds_to_nearest = true,\n");
    PRINT(keeps_signed_zero_inf_nan);
    PRINT(cooperative_matrices);
    PRINT(cooperative_matrix);
    // The self-test measures this. The numbers are those of the presets for a device with memory of its own, and for one without.
    std::printf(".work_per_second = %s,\n", info.kind == DeviceKind::discrete_gpu ? "1e10" : "1e9");
#undef PRINT
}
