#include "gpu/device.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <thread>

#ifndef _WIN32
#include <unistd.h>
#endif

#include "gpu/pipeline.h"
#include "gpu/pool.h"
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

// Whether modules may declare float controls: by the extension, or by Vulkan 1.2 on both sides, which took it in.
bool declares_float_controls(const vulkan::AdoptedDevice& adopted, const PhysicalDevice& physical)
{
    const auto is_named = [](const char* name) { return std::strcmp(name, VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME) == 0; };
    const std::array<uint32_t, 3>& version = physical.info.api_version;
    const bool core = adopted.api_version >= VK_API_VERSION_1_2 && (version[0] > 1 || version[1] >= 2);
    return core || std::any_of(adopted.device_extensions.begin(), adopted.device_extensions.end(), is_named);
}

Status check_options(const DeviceOptions& options)
{
    if (!(options.timeout_seconds > 0))
        return Status(Code::invalid_argument,
                      "DeviceOptions::timeout_seconds = " + std::to_string(options.timeout_seconds) + " must be greater than 0");
    return {};
}

}  // namespace

int64_t process_number() noexcept
{
#ifdef _WIN32
    return 0;
#else
    return getpid();
#endif
}

Result<std::shared_ptr<Device>> Device::open(const DeviceOptions& options)
{
    if (Status status = check_options(options); !status)
        return status;
    Result<std::shared_ptr<Instance>> instance = Instance::create(options);
    if (!instance)
        return instance.status();
    Result<PhysicalDevice> physical = choose(**instance, options);
    if (!physical)
        return physical.status();

    std::shared_ptr<Device> device(new Device);
    device->instance_ = std::move(*instance);
    device->physical_ = std::move(*physical);
    if (Status created = device->create(); !created)
        return created;
    if (Status equipped = device->equip(options); !equipped)
        return equipped;
    return device;
}

Result<std::shared_ptr<Device>> Device::adopt(const vulkan::AdoptedDevice& adopted, const DeviceOptions& options)
{
    if (Status status = check_options(options); !status)
        return status;
    Result<std::shared_ptr<Instance>> instance =
        Instance::adopt(adopted.get_instance_proc_addr, adopted.instance, adopted.instance_extensions, options);
    if (!instance)
        return instance.status();
    Result<PhysicalDevice> described = (*instance)->describe(adopted.physical_device, 0, adopted.queue_family);
    if (!described)
        return described.status();
    PhysicalDevice& physical = *described;
    Capabilities& capabilities = physical.info.capabilities;
    capabilities.float16 = false;  // not among the features that an app can declare
    capabilities.float64 = capabilities.float64 && adopted.features.shaderFloat64;
    if (!declares_float_controls(adopted, physical)) {
        physical.float_controls = {};
        capabilities.keeps_signed_zero_inf_nan = false;
    }
    if (!physical.info.rejected.empty())
        return Status(Code::unsupported, "the device '" + physical.info.name + "' can't be adopted: " + physical.info.rejected);

    std::shared_ptr<Device> device(new Device);
    device->instance_ = std::move(*instance);
    device->physical_ = std::move(physical);
    device->owned_ = false;
    device->handle_ = adopted.device;
    device->queue_ = adopted.queue;
    device->lock_queue_ = adopted.lock_queue;
    device->unlock_queue_ = adopted.unlock_queue;
    if (Status loaded = load(device->instance_->vk(), adopted.device, device->vk_); !loaded)
        return loaded;
    if (Status equipped = device->equip(options); !equipped)
        return equipped;
    return device;
}

Status Device::equip(const DeviceOptions& options)
{
    capabilities_ = physical_.info.capabilities;
    timeout_ns_ = options.timeout_seconds < 1e10 ? uint64_t(std::ceil(options.timeout_seconds * 1e9)) : UINT64_MAX;
    pool_ = std::make_unique<Pool>(*this, options.max_memory);
    pipelines_ = std::make_unique<PipelineCache>(*this, options.max_cached_pipelines);
    transfer_ = std::make_unique<Transfer>(*this);
    if (options.self_test) {
        const Result<Findings> findings = self_test(*this);
        if (!findings)
            return findings.status();
        capabilities_.rounds_to_nearest = findings->rounds_to_nearest;
        if (!findings->wrong_doubles.empty()) {
            capabilities_.float64 = false;
            instance_->log(LogLevel::warning, "vkonnx: doubles of the device '" + physical_.info.name +
                                                  "' are not used, because its self-test fails: " + findings->wrong_doubles);
        }
        capabilities_.work_per_second = findings->work_per_second;
    }
    if (options.capabilities)
        capabilities_ = capabilities_.lowered_to(*options.capabilities);
    return {};
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
    features.shaderFloat64 = physical_.info.capabilities.float64;
    std::vector<const char*> extensions;
    if (physical_.portability_subset)
        extensions.push_back("VK_KHR_portability_subset");
    if (physical_.float_controls != FloatControls())
        extensions.push_back(VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME);
    auto halves =
        structure<VkPhysicalDeviceShaderFloat16Int8Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES);
    halves.shaderFloat16 = VK_TRUE;
    if (physical_.info.capabilities.float16)
        extensions.push_back(VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME);
    auto info = structure<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.pNext = physical_.info.capabilities.float16 ? &halves : nullptr;
    info.enabledExtensionCount = uint32_t(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    info.pEnabledFeatures = &features;
    const VkResult result = vk.vkCreateDevice(physical_.handle, &info, allocator(), &handle_);
    if (result != VK_SUCCESS) {
        handle_ = VK_NULL_HANDLE;
        return failure(result, "vkCreateDevice");
    }
    if (Status status = load(vk, handle_, vk_); !status)
        return status;
    vk_.vkGetDeviceQueue(handle_, physical_.queue_family, 0, &queue_);
    return {};
}

Device::~Device()
{
    transfer_.reset();
    pipelines_.reset();
    pool_.reset();
    if (!may_destroy())
        instance_->stay(instance_);
    else if (handle_ && owned_ && vk_.vkDestroyDevice)
        vk_.vkDestroyDevice(handle_, allocator());
}

bool Device::is_forked() const noexcept
{
    return process_ != process_number();
}

Status Device::alive() const
{
    if (is_forked())
        return Status::from_literal(Code::device_lost,
                                    "the device belongs to the process that opened it, and this is a fork of it");
    switch (health_.load(std::memory_order_relaxed)) {
    case Health::good:
        return {};
    case Health::lost:
        return Status::from_literal(Code::device_lost, "the device is lost");
    case Health::timed_out:
        return Status::from_literal(Code::device_lost, "the device was given up after it did not answer in time");
    case Health::unseen:
        return Status::from_literal(Code::device_lost, "the device was given up, because the end of its work can't be seen");
    }
    return {};
}

bool Device::become(Health health) noexcept
{
    Health good = Health::good;
    return health_.compare_exchange_strong(good, health);
}

void Device::note_loss(VkResult result, const char* call) noexcept
{
    if (result != VK_ERROR_DEVICE_LOST || health_.exchange(Health::lost) != Health::good)
        return;
    char text[512];  // no string: destructors come here, too
    std::snprintf(text, sizeof text, "vkonnx: %s says that the device '%s' is lost", call, physical_.info.name.c_str());
    instance_->log(LogLevel::error, text);
}

Status Device::check(VkResult result, const char* call)
{
    if (result == VK_SUCCESS)
        return {};
    note_loss(result, call);
    return failure(result, call);
}

Status Device::submit(std::span<const VkSubmitInfo> submits, VkFence fence, size_t& submitted)
{
    submitted = 0;
    if (Status status = alive(); !status)
        return status;
    std::lock_guard lock(queue_mutex_);
    for (const VkSubmitInfo& info : submits) {
        const VkResult result = submit_one(&info, &info == &submits.back() ? fence : VK_NULL_HANDLE);
        if (result != VK_SUCCESS)
            return failure(result, "vkQueueSubmit");
        ++submitted;
    }
    return {};
}

Status Device::submit_fence(VkFence fence)
{
    if (Status status = alive(); !status)
        return status;
    std::lock_guard lock(queue_mutex_);
    const VkResult result = submit_one(nullptr, fence);
    return result == VK_SUCCESS ? Status() : failure(result, "vkQueueSubmit");
}

VkResult Device::submit_one(const VkSubmitInfo* info, VkFence fence) noexcept
{
    if (lock_queue_)
        lock_queue_();
    const VkResult result = vk_.vkQueueSubmit(queue_, info ? 1 : 0, info, fence);
    if (unlock_queue_)
        unlock_queue_();
    note_loss(result, "vkQueueSubmit");
    return result;
}

// A wait that fails for want of memory says nothing about the work: its fence is asked instead, for as long.
VkResult Device::see_end(VkFence fence, uint64_t nanoseconds) const noexcept
{
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    const VkResult waited = vk_.vkWaitForFences(handle_, 1, &fence, VK_TRUE, nanoseconds);
    if (waited == VK_SUCCESS || waited == VK_TIMEOUT || waited == VK_ERROR_DEVICE_LOST)
        return waited;
    for (;;) {
        const VkResult status = vk_.vkGetFenceStatus(handle_, fence);
        if (status != VK_NOT_READY)
            return status;
        if (uint64_t(std::chrono::nanoseconds(Clock::now() - begin).count()) >= nanoseconds)
            return VK_TIMEOUT;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

Status Device::wait(VkFence fence)
{
    const VkResult result = see_end(fence, timeout_ns_);
    if (result != VK_TIMEOUT)
        return check(result, "vkWaitForFences");
    if (become(Health::timed_out)) {
        char text[512];
        std::snprintf(text, sizeof text, "vkonnx: the device '%s' did not answer in time", physical_.info.name.c_str());
        instance_->log(LogLevel::error, text);
    }
    return Status(Code::timeout, "the device did not answer within " + std::to_string(double(timeout_ns_) * 1e-9) +
                                     " s (DeviceOptions::timeout_seconds)");
}

Status Device::wait_at_most(VkFence fence, uint64_t nanoseconds)
{
    const VkResult result = see_end(fence, nanoseconds);
    if (result == VK_TIMEOUT)
        return Status::from_literal(Code::timeout, "the work is not done yet");
    return check(result, "vkWaitForFences");
}

// Until the work has ended. Without a fence behind it, it gets one now; where that fails, too, the queue is waited for: the one
// wait without a limit, since Vulkan has no other left.
VkResult Device::drain(VkFence fence, bool fenced) noexcept
{
    std::unique_lock lock(queue_mutex_, std::defer_lock);
    if (!fenced) {
        lock.lock();
        fenced = submit_one(nullptr, fence) == VK_SUCCESS;
    }
    if (fenced) {
        if (lock)
            lock.unlock();
        return see_end(fence, timeout_ns_);
    }
    if (lock_queue_)
        lock_queue_();
    const VkResult result = vk_.vkQueueWaitIdle(queue_);
    if (unlock_queue_)
        unlock_queue_();
    return result;
}

void Device::finish(VkFence fence, bool fenced) noexcept
{
    if (!may_destroy())
        return;
    const VkResult result = drain(fence, fenced);
    note_loss(result, "a wait");
    if (result == VK_SUCCESS || (result != VK_TIMEOUT && health_ == Health::lost))
        return;
    abandoned_ = true;
    const bool late = result == VK_TIMEOUT;
    if (become(late ? Health::timed_out : Health::unseen))
        instance_->log(LogLevel::error, late ? "vkonnx: a device did not answer in time and is given up"
                                             : "vkonnx: the end of a device's work can't be seen, and it is given up");
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
