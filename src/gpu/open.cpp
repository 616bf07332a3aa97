// SPDX-License-Identifier: Apache-2.0
// This file makes and ends devices. Memory, pipelines and copies each refer to their device, and are made here above it.
#include <cmath>

#include "gpu/device.h"
#include "gpu/persistent_cache.h"
#include "gpu/pipeline.h"
#include "gpu/pool.h"
#include "gpu/transfer.h"
#include "return_if_error.h"

namespace vkonnx::gpu {
namespace {

Result<PhysicalDevice> choose(const Instance& instance, const DeviceOptions& options)
{
    Result<std::vector<PhysicalDevice>> devices = instance.devices();
    VKONNX_RETURN_IF_ERROR(devices.status());
    std::vector<DeviceInfo> infos;
    for (const PhysicalDevice& device : *devices)
        infos.push_back(device.info);
    const Result<size_t> chosen = select_device(infos, options.select);
    VKONNX_RETURN_IF_ERROR(chosen.status());
    return (*devices)[*chosen];
}

// Takes away the capabilities that the application did not declare as enabled.
void lower_to_declared(const vulkan::AdoptedDevice& adopted, PhysicalDevice& physical)
{
    const auto enabled = [&](const Extension& extension) {
        return is_enabled(extension, adopted.device_extensions, physical.version);
    };
    auto declared = structure<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    declared.features = adopted.features;
    declared.pNext = const_cast<void*>(adopted.features_chain);  // only read
    Capabilities& capabilities = physical.info.capabilities;
    for (const Feature& feature : every_feature())
        if (feature.capability && !(is_on(feature, &declared) && enabled(feature.extension)))
            capabilities.*feature.capability = false;
    if (!enabled(float_controls_extension)) {
        physical.float_controls = {};
        capabilities.keeps_signed_zero_inf_nan = false;
    }
}

Status check_options(const DeviceOptions& options)
{
    if (!(options.timeout_seconds > 0))
        return Status(Code::invalid_argument,
                      "DeviceOptions::timeout_seconds = " + std::to_string(options.timeout_seconds) + " must be greater than 0");
    if (!(options.work_per_second >= 0) || std::isinf(options.work_per_second))
        return Status(Code::invalid_argument, "DeviceOptions::work_per_second = " + std::to_string(options.work_per_second) +
                                                  " must be 0, or greater than 0 and finite");
    if (!options.load_cache != !options.store_cache)
        return Status(Code::invalid_argument,
                      std::string("DeviceOptions::") +
                          (options.load_cache ? "store_cache is empty, but load_cache" : "load_cache is empty, but store_cache") +
                          " is not");
    if (options.load_cache && !options.cache_folder.empty())
        return Status(Code::invalid_argument,
                      "DeviceOptions::cache_folder and load_cache are both given, but only one can be used");
    return {};
}

}  // namespace

Result<std::shared_ptr<Device>> Device::open(const DeviceOptions& options)
{
    VKONNX_RETURN_IF_ERROR(check_options(options));
    Result<std::shared_ptr<Instance>> instance = Instance::create(options);
    VKONNX_RETURN_IF_ERROR(instance.status());
    Result<PhysicalDevice> physical = choose(**instance, options);
    VKONNX_RETURN_IF_ERROR(physical.status());

    if (options.compiler_statistics && !physical->tells_executables)
        return Status(Code::unsupported, "the driver of '" + physical->info.name +
                                             "' does not tell what its compiler makes of kernels: it has no "
                                             "VK_KHR_pipeline_executable_properties");

    std::shared_ptr<Device> device(new Device);
    device->instance_ = std::move(*instance);
    device->physical_ = std::move(*physical);
    device->tells_executables_ = options.compiler_statistics;
    device->tells_feedback_ = device->physical_.tells_feedback && (!options.cache_folder.empty() || options.load_cache);
    VKONNX_RETURN_IF_ERROR(device->create());
    device->equip(options);
    return device;
}

Result<std::shared_ptr<Device>> Device::adopt(const vulkan::AdoptedDevice& adopted, const DeviceOptions& options)
{
    VKONNX_RETURN_IF_ERROR(check_options(options));
    Result<std::shared_ptr<Instance>> instance = Instance::adopt(adopted.get_instance_proc_addr, adopted.instance,
                                                                 adopted.api_version, adopted.instance_extensions, options);
    VKONNX_RETURN_IF_ERROR(instance.status());
    Result<PhysicalDevice> described = (*instance)->describe(adopted.physical_device, 0, adopted.queue_family);
    VKONNX_RETURN_IF_ERROR(described.status());
    PhysicalDevice& physical = *described;
    lower_to_declared(adopted, physical);
    if (!physical.info.rejected.empty())
        return Status(Code::unsupported, "the device '" + physical.info.name + "' can't be adopted: " + physical.info.rejected);

    std::shared_ptr<Device> device(new Device);
    device->instance_ = std::move(*instance);
    device->physical_ = std::move(physical);
    device->owned_ = false;
    device->tells_feedback_ = is_enabled(creation_feedback_extension, adopted.device_extensions, device->physical_.version);
    device->handle_ = adopted.device;
    device->queue_ = adopted.queue;
    device->lock_queue_ = adopted.lock_queue;
    device->unlock_queue_ = adopted.unlock_queue;
    VKONNX_RETURN_IF_ERROR(load(device->instance_->vk(), adopted.device, device->vk_));
    device->equip(options);
    return device;
}

void Device::equip(const DeviceOptions& options)
{
    capabilities_ = physical_.info.capabilities;
    timeout_ns_ = options.timeout_seconds < 1e10 ? uint64_t(std::ceil(options.timeout_seconds * 1e9)) : UINT64_MAX;
    pool_ = std::make_unique<Pool>(*this, options.max_memory);
    cache_ = std::make_unique<PersistentCache>(physical_.cache_identity, options);
    pipelines_ = std::make_unique<PipelineCache>(*this, options.max_cached_pipelines);
    transfer_ = std::make_unique<Transfer>(*this);
}

Status Device::create()
{
    const InstanceFunctions& vk = instance_->vk();
    const float priority = 1;
    auto queue = structure<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
    queue.queueFamilyIndex = physical_.queue_family;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;

    std::vector<const char*> extensions = physical_.optional_extensions();
    if (physical_.portability_subset)
        extensions.push_back("VK_KHR_portability_subset");
    FeatureChain enabled(extensions, physical_.version);
    for (const Feature& feature : every_feature())
        if (feature.is_offered(physical_.info.capabilities))
            switch_on(feature, &enabled.basic);
    auto executables = structure<VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR);
    if (tells_feedback_)
        extensions.push_back(creation_feedback_extension.name);
    if (tells_executables_) {
        extensions.push_back(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
        executables.pipelineExecutableInfo = VK_TRUE;
        executables.pNext = enabled.basic.pNext;
        enabled.basic.pNext = &executables;
    }
    auto info = structure<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.pNext = enabled.basic.pNext;
    info.enabledExtensionCount = uint32_t(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    info.pEnabledFeatures = &enabled.basic.features;
    const VkResult result = vk.vkCreateDevice(physical_.handle, &info, allocator(), &handle_);
    if (result != VK_SUCCESS) {
        handle_ = VK_NULL_HANDLE;
        return failure(result, "vkCreateDevice");
    }
    VKONNX_RETURN_IF_ERROR(load(vk, handle_, vk_));
    vk_.vkGetDeviceQueue(handle_, physical_.queue_family, 0, &queue_);
    return {};
}

Device::~Device()
{
    if (cache_ && !is_forked())
        cache_->save();
    transfer_.reset();
    pipelines_.reset();
    pool_.reset();
    if (!may_destroy())
        instance_->stay(instance_);
    else if (handle_ && owned_ && vk_.vkDestroyDevice)
        vk_.vkDestroyDevice(handle_, allocator());
}

}  // namespace vkonnx::gpu
