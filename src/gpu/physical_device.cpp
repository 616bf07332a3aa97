// SPDX-License-Identifier: Apache-2.0
// This file implements Instance::devices: what each device is and can do.
#include "gpu/instance.h"

#include <algorithm>
#include <cstring>

#include "return_if_error.h"

namespace vkonnx::gpu {
namespace {

DeviceKind kind_of(VkPhysicalDeviceType type)
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return DeviceKind::integrated_gpu;
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return DeviceKind::discrete_gpu;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        return DeviceKind::virtual_gpu;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return DeviceKind::cpu;
    default:
        return DeviceKind::other;
    }
}

std::string hexadecimal(std::span<const uint8_t> bytes)
{
    std::string text;
    for (const uint8_t byte : bytes) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

// A Family has the 32-bit registers of an invocation before Mesa's compilers for the vendor's chips spill (docs/gpus.md).
struct Family {
    uint32_t vendor;
    uint32_t registers;
};
constexpr uint32_t nvidia = 0x10de;
constexpr Family families[] = {
    {.vendor = 0x1002, .registers = 256},   // AMD
    {.vendor = nvidia, .registers = 255},   // all but Kepler
    {.vendor = 0x8086, .registers = 128},   // Intel
    {.vendor = 0x106b, .registers = 128},   // Apple
    {.vendor = 0x10005, .registers = 128},  // Apple, by Mesa
    {.vendor = 0x5143, .registers = 96},    // Qualcomm: twice as many let half as many waves run
};

// Tells whether it is one of NVIDIA's oldest GPUs with Vulkan, which have 63 registers. Their drivers end at Vulkan 1.2, and
// their device numbers come before Maxwell's.
bool is_kepler(const VkPhysicalDeviceProperties& properties)
{
    return properties.vendorID == nvidia && properties.deviceID < 0x1340 && properties.apiVersion < VK_API_VERSION_1_3;
}

// Returns the registers of an invocation. The default is what the smallest GPUs have (Arm, Imagination, Broadcom). Software
// drivers keep all in memory.
uint32_t registers_of(const VkPhysicalDeviceProperties& properties)
{
    if (properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU)
        return 256;
    for (const Family& family : families)
        if (properties.vendorID == family.vendor && !is_kepler(properties))
            return family.registers;
    return Capabilities().invocation_registers;
}

Capabilities capabilities_of(const VkPhysicalDeviceProperties& properties)
{
    const VkPhysicalDeviceLimits& limits = properties.limits;
    Capabilities c;
    c.name = properties.deviceName;
    c.is_cpu = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    c.max_storage_buffer_range = limits.maxStorageBufferRange;
    c.storage_buffer_alignment = uint32_t(limits.minStorageBufferOffsetAlignment);
    c.max_texel_buffer_elements = limits.maxTexelBufferElements;
    c.texel_buffer_alignment = uint32_t(limits.minTexelBufferOffsetAlignment);
    c.max_uniform_buffer_range = limits.maxUniformBufferRange;
    c.max_storage_buffers = limits.maxPerStageDescriptorStorageBuffers;
    c.max_push_constant_bytes = limits.maxPushConstantsSize;
    c.max_invocations = limits.maxComputeWorkGroupInvocations;
    std::copy_n(limits.maxComputeWorkGroupSize, 3, c.max_workgroup_size.begin());
    std::copy_n(limits.maxComputeWorkGroupCount, 3, c.max_group_count.begin());
    c.max_shared_bytes = limits.maxComputeSharedMemorySize;
    c.invocation_registers = registers_of(properties);
    return c;
}

std::vector<VkQueueFamilyProperties> families_of(const InstanceFunctions& vk, VkPhysicalDevice device)
{
    uint32_t count = 0;
    vk.vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vk.vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
    return families;
}

bool computes(const VkQueueFamilyProperties& family)
{
    return family.queueCount != 0 && (family.queueFlags & VK_QUEUE_COMPUTE_BIT);
}

// Finds the wanted queue family, or else one with timestamps if there is one. Returns false if none can compute.
bool find_queue(const InstanceFunctions& vk, std::optional<uint32_t> wanted, PhysicalDevice& device)
{
    const std::vector<VkQueueFamilyProperties> families = families_of(vk, device.handle);
    bool found = false;
    for (uint32_t i = 0; i < families.size(); ++i) {
        if (!computes(families[i]) || i != wanted.value_or(i))
            continue;
        if (!found || (device.timestamp_bits == 0 && families[i].timestampValidBits != 0)) {
            device.queue_family = i;
            device.timestamp_bits = families[i].timestampValidBits;
        }
        found = true;
    }
    return found;
}

FloatControls float_controls_of(const VkPhysicalDeviceFloatControlsProperties& offered)
{
    const VkShaderFloatControlsIndependence rounding = offered.roundingModeIndependence;
    return {.preserves32 = offered.shaderSignedZeroInfNanPreserveFloat32 == VK_TRUE,
            .preserves64 = offered.shaderSignedZeroInfNanPreserveFloat64 == VK_TRUE,
            .to_nearest32 = offered.shaderRoundingModeRTEFloat32 == VK_TRUE,
            .to_nearest64 = offered.shaderRoundingModeRTEFloat64 == VK_TRUE,
            .rounds32_apart = rounding == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY,
            .rounds_all_apart = rounding == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL};
}

// Reads the matrices of a device with the feature. If it has none of a kind that kernels use, the feature counts as missing.
void read_matrices(const InstanceFunctions& vk, PhysicalDevice& device)
{
    Capabilities& capabilities = device.info.capabilities;
    auto matrices = structure<VkPhysicalDeviceCooperativeMatrixPropertiesKHR>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR);
    auto all = structure<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
    all.pNext = &matrices;
    vk.vkGetPhysicalDeviceProperties2(device.handle, &all);
    std::vector<VkCooperativeMatrixPropertiesKHR> offered;
    if (vk.vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR &&
        (matrices.cooperativeMatrixSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0) {
        const VkResult listed = enumerate(offered, [&](uint32_t* n, VkCooperativeMatrixPropertiesKHR* p) {
            for (uint32_t i = 0; p && i < *n; ++i)
                p[i] = structure<VkCooperativeMatrixPropertiesKHR>(VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR);
            return vk.vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(device.handle, n, p);
        });
        if (listed != VK_SUCCESS)
            offered.clear();
    }
    capabilities.cooperative_matrix = cooperative_matrix_of(offered);
    capabilities.cooperative_matrices = capabilities.float16 && capabilities.cooperative_matrix[0] != 0;
}

// Reads what Vulkan 1.1 and a few extensions tell beyond the limits.
void read_extended(const InstanceFunctions& vk, std::span<const char* const> extensions, PhysicalDevice& device)
{
    const auto has = [&](const char* wanted) {
        return std::any_of(extensions.begin(), extensions.end(),
                           [&](const char* name) { return std::strcmp(name, wanted) == 0; });
    };
    device.portability_subset = has("VK_KHR_portability_subset");
    device.tells_feedback = is_enabled(creation_feedback_extension, extensions, device.version);

    auto id = structure<VkPhysicalDeviceIDProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES);
    auto maintenance =
        structure<VkPhysicalDeviceMaintenance3Properties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES);
    maintenance.pNext = &id;
    auto subgroup = structure<VkPhysicalDeviceSubgroupProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
    subgroup.pNext = &maintenance;
    auto all = structure<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
    all.pNext = &subgroup;
    auto driver = structure<VkPhysicalDeviceDriverProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
    auto floats = structure<VkPhysicalDeviceFloatControlsProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES);
    const bool has_driver = has(VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME);
    if (has_driver) {
        driver.pNext = all.pNext;
        all.pNext = &driver;
    }
    if (is_enabled(float_controls_extension, extensions, device.version)) {
        floats.pNext = all.pNext;
        all.pNext = &floats;
    }
    vk.vkGetPhysicalDeviceProperties2(device.handle, &all);
    FeatureChain offered(extensions, device.version);
    auto executables = structure<VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR);
    if (has(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME)) {
        executables.pNext = offered.basic.pNext;
        offered.basic.pNext = &executables;
    }
    vk.vkGetPhysicalDeviceFeatures2(device.handle, &offered.basic);
    device.tells_executables = executables.pipelineExecutableInfo == VK_TRUE;
    for (const Feature& feature : every_feature())
        if (feature.capability)
            device.info.capabilities.*feature.capability = true;
    for (const Feature& feature : every_feature())
        if (feature.capability && !is_on(feature, &offered.basic))
            device.info.capabilities.*feature.capability = false;
    if (device.info.capabilities.cooperative_matrices)
        read_matrices(vk, device);

    device.info.uuid = hexadecimal(id.deviceUUID);
    device.max_allocation_bytes = maintenance.maxMemoryAllocationSize;
    Capabilities& capabilities = device.info.capabilities;
    capabilities.subgroup_size = subgroup.subgroupSize;
    capabilities.subgroup_shuffles = (subgroup.supportedOperations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) != 0 &&
                                     (subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
    device.float_controls = float_controls_of(floats);
    capabilities.keeps_signed_zero_inf_nan = device.float_controls.preserves32;
    if (has_driver) {
        device.info.driver = std::string(driver.driverName) + (driver.driverInfo[0] ? " " : "") + driver.driverInfo;
        // lavapipe's compiler gives every invocation 65,535 loop iterations and then leaves the loop without a word.
        if (driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE)
            capabilities.max_loop_iterations = 65535;
        // This driver does not fuse products by itself; docs/nvidia_h100.md has the rates that tell so.
        device.leaves_products_apart = driver.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY;
        device.cache_identity.driver = uint32_t(driver.driverID);
    }
}

}  // namespace

std::vector<const char*> PhysicalDevice::optional_extensions() const
{
    std::vector<const char*> names;
    const auto name = [&](const Extension& extension) {
        if (!is_enabled(extension, names, version))
            names.push_back(extension.name);
    };
    if (float_controls != FloatControls())
        name(float_controls_extension);
    for (const Feature& feature : every_feature())
        if (feature.is_offered(info.capabilities))
            name(feature.extension);
    return names;
}

Result<PhysicalDevice> Instance::describe(VkPhysicalDevice handle, uint32_t index, std::optional<uint32_t> queue_family) const
{
    PhysicalDevice device;
    device.handle = handle;
    VkPhysicalDeviceProperties properties = {};
    vk_.vkGetPhysicalDeviceProperties(handle, &properties);
    DeviceInfo& info = device.info;
    info.index = index;
    info.name = properties.deviceName;
    info.kind = kind_of(properties.deviceType);
    info.driver = "driver version " + std::to_string(properties.driverVersion);
    info.api_version = {VK_API_VERSION_MAJOR(properties.apiVersion), VK_API_VERSION_MINOR(properties.apiVersion),
                        VK_API_VERSION_PATCH(properties.apiVersion)};
    info.vendor_id = properties.vendorID;
    info.device_id = properties.deviceID;
    info.capabilities = capabilities_of(properties);
    device.cache_identity.vendor = properties.vendorID;
    device.cache_identity.device = properties.deviceID;
    device.cache_identity.driver_version = properties.driverVersion;
    std::copy_n(properties.pipelineCacheUUID, VK_UUID_SIZE, device.cache_identity.uuid.begin());
    device.non_coherent_atom = std::max<uint64_t>(1, properties.limits.nonCoherentAtomSize);
    device.seconds_per_tick = double(properties.limits.timestampPeriod) * 1e-9;
    if (properties.apiVersion < VK_API_VERSION_1_1) {
        info.rejected = "it offers Vulkan " + std::to_string(info.api_version[0]) + "." + std::to_string(info.api_version[1]) +
                        ", but 1.1 is needed";
        return device;
    }
    std::vector<VkExtensionProperties> extensions;
    const VkResult listed = enumerate(extensions, [&](uint32_t* n, VkExtensionProperties* p) {
        return vk_.vkEnumerateDeviceExtensionProperties(handle, nullptr, n, p);
    });
    if (listed != VK_SUCCESS) {
        const Status status = failure(listed, "vkEnumerateDeviceExtensionProperties");
        if (status.code() == Code::out_of_memory)
            return status;
        info.rejected = status.message();  // a broken driver must not hide a good one
        return device;
    }
    vk_.vkGetPhysicalDeviceMemoryProperties(handle, &device.memory);
    device.version = std::min(version_, properties.apiVersion);
    std::vector<const char*> names;
    for (const VkExtensionProperties& extension : extensions)
        names.push_back(extension.extensionName);
    read_extended(vk_, names, device);
    if (!find_queue(vk_, queue_family, device))
        info.rejected =
            queue_family ? "its queue family " + std::to_string(*queue_family) + " can't compute" : "it has no compute queue";
    info.capabilities.timestamps = device.timestamp_bits != 0;
    return device;
}

std::vector<uint32_t> Instance::queue_families(VkPhysicalDevice handle) const
{
    const std::vector<VkQueueFamilyProperties> families = families_of(vk_, handle);
    std::vector<uint32_t> which;
    for (uint32_t i = 0; i < families.size(); ++i)
        if (computes(families[i]))
            which.push_back(i);
    return which;
}

Result<std::vector<PhysicalDevice>> Instance::devices() const
{
    std::vector<VkPhysicalDevice> handles;
    const VkResult result =
        enumerate(handles, [&](uint32_t* n, VkPhysicalDevice* p) { return vk_.vkEnumeratePhysicalDevices(handle_, n, p); });
    if (result == VK_ERROR_INITIALIZATION_FAILED)
        return Status(Code::no_driver, "the Vulkan loader found no driver that works (vkEnumeratePhysicalDevices failed)");
    if (result != VK_SUCCESS)
        return failure(result, "vkEnumeratePhysicalDevices");
    std::vector<PhysicalDevice> devices;
    for (size_t i = 0; i < handles.size(); ++i) {
        Result<PhysicalDevice> device = describe(handles[i], uint32_t(i));
        VKONNX_RETURN_IF_ERROR(device.status());
        devices.push_back(std::move(*device));
    }
    return devices;
}

}  // namespace vkonnx::gpu
