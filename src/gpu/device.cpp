#include "gpu/device.h"

#include <cmath>
#include <new>

#include "gpu/pipeline.h"
#include "gpu/self_test.h"
#include "gpu/transfer.h"

namespace vkonnx::gpu {
namespace {

Result<PhysicalDevice> choose(const Instance& instance, const DeviceOptions& options)
{
    Result<std::vector<PhysicalDevice>> devices = instance.devices();
    if (!devices)
        return devices.status();
    std::vector<DeviceInfo> infos;
    for (const PhysicalDevice& device : *devices)
        infos.push_back(device.info);
    const Result<size_t> chosen = select_device(infos, options.select);
    if (!chosen)
        return chosen.status();
    return (*devices)[*chosen];
}

}  // namespace

Result<std::shared_ptr<Device>> Device::open(const DeviceOptions& options)
{
    if (!(options.timeout_seconds > 0))
        return Status(Code::invalid_argument,
                      "DeviceOptions::timeout_seconds = " + std::to_string(options.timeout_seconds) + " must be greater than 0");
    Result<std::shared_ptr<Instance>> instance = Instance::create(options);
    if (!instance)
        return instance.status();
    Result<PhysicalDevice> physical = choose(**instance, options);
    if (!physical)
        return physical.status();

    std::shared_ptr<Device> device(new Device);
    device->instance_ = std::move(*instance);
    device->physical_ = std::move(*physical);
    device->capabilities_ = device->physical_.info.capabilities;
    device->timeout_ns_ = options.timeout_seconds < 1e10 ? uint64_t(std::ceil(options.timeout_seconds * 1e9)) : UINT64_MAX;
    if (Status created = device->create(); !created)
        return created;
    device->pipelines_ = std::make_unique<PipelineCache>(*device, options.max_cached_pipelines);
    device->transfer_ = std::make_unique<Transfer>(*device);
    if (options.self_test) {
        const Result<Findings> findings = self_test(*device);
        if (!findings)
            return findings.status();
        device->capabilities_.rounds_to_nearest = findings->rounds_to_nearest;
    }
    if (options.capabilities)
        device->capabilities_ = device->capabilities_.lowered_to(*options.capabilities);
    return device;
}

Status Device::create()
{
    const InstanceFunctions& vk = instance_->vk();
    const float priority = 1;
    auto queue = structure<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
    queue.queueFamilyIndex = physical_.queue_family;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;

    VkPhysicalDeviceFeatures features = {};
    features.robustBufferAccess = VK_TRUE;  // every Vulkan driver has it
    const char* portability = "VK_KHR_portability_subset";
    auto info = structure<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = physical_.portability_subset ? 1 : 0;
    info.ppEnabledExtensionNames = &portability;
    info.pEnabledFeatures = &features;
    const VkResult result = vk.vkCreateDevice(physical_.handle, &info, nullptr, &handle_);
    if (result != VK_SUCCESS) {
        handle_ = VK_NULL_HANDLE;
        return failure(result, "vkCreateDevice");
    }
    vk_ = device_functions(vk, handle_);
    vk_.vkGetDeviceQueue(handle_, physical_.queue_family, 0, &queue_);
    return {};
}

Device::~Device()
{
    transfer_.reset();
    pipelines_.reset();
    if (!may_destroy())
        new (std::nothrow) std::shared_ptr<Instance>(instance_);  // still at work: it stays, too
    else if (handle_)
        vk_.vkDestroyDevice(handle_, nullptr);
}

Status Device::alive() const
{
    switch (health_.load(std::memory_order_relaxed)) {
    case Health::good:
        return {};
    case Health::lost:
        return Status::from_literal(Code::device_lost, "the device is lost");
    case Health::timed_out:
        return Status::from_literal(Code::device_lost, "the device was given up after it did not answer in time");
    }
    return {};
}

Status Device::check(VkResult result, const char* call)
{
    if (result == VK_SUCCESS)
        return {};
    if (result == VK_ERROR_DEVICE_LOST && health_.exchange(Health::lost) == Health::good)
        instance_->log(LogLevel::error,
                       std::string("vkonnx: ") + call + " says that the device '" + physical_.info.name + "' is lost");
    return failure(result, call);
}

Status Device::submit(VkCommandBuffer commands, VkFence fence)
{
    if (Status status = alive(); !status)
        return status;
    auto info = structure<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    std::lock_guard lock(queue_mutex_);
    return check(vk_.vkQueueSubmit(queue_, 1, &info, fence), "vkQueueSubmit");
}

Status Device::wait(VkFence fence)
{
    const VkResult result = vk_.vkWaitForFences(handle_, 1, &fence, VK_TRUE, timeout_ns_);
    if (result != VK_TIMEOUT)
        return check(result, "vkWaitForFences");
    {
        std::lock_guard lock(unfinished_mutex_);
        unfinished_.push_back(fence);
    }
    Health good = Health::good;
    if (health_.compare_exchange_strong(good, Health::timed_out))
        instance_->log(LogLevel::error, "vkonnx: the device '" + physical_.info.name + "' did not answer in time");
    return Status(Code::timeout, "the device did not answer within " + std::to_string(double(timeout_ns_) * 1e-9) +
                                     " s (DeviceOptions::timeout_seconds)");
}

bool Device::may_destroy()
{
    if (health_ != Health::timed_out)
        return true;
    std::lock_guard lock(unfinished_mutex_);
    for (; !abandoned_ && !unfinished_.empty(); unfinished_.pop_back())
        if (vk_.vkWaitForFences(handle_, 1, &unfinished_.back(), VK_TRUE, timeout_ns_) == VK_TIMEOUT)
            abandoned_ = true;
    return !abandoned_;
}

void Device::set_name_of(VkObjectType type, uint64_t handle, const std::string& name) const
{
    auto info = structure<VkDebugUtilsObjectNameInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT);
    info.objectType = type;
    info.objectHandle = handle;
    info.pObjectName = name.c_str();
    (void)instance_->vk().vkSetDebugUtilsObjectNameEXT(handle_, &info);
}

}  // namespace vkonnx::gpu
