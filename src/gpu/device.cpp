// SPDX-License-Identifier: Apache-2.0
#include "gpu/device.h"
#include "return_if_error.h"

#include <chrono>
#include <cstdio>
#include <thread>

#ifndef _WIN32
#include <unistd.h>
#endif

namespace vkonnx::gpu {

int64_t process_number() noexcept
{
#ifdef _WIN32
    return 0;
#else
    return getpid();
#endif
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
    char text[512];  // no std::string, because destructors come here, too
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
    VKONNX_RETURN_IF_ERROR(alive());
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
    VKONNX_RETURN_IF_ERROR(alive());
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

// Waits for the fence. A wait that fails for want of memory says nothing about the work, so the fence is then asked, for as long.
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

// Waits until the work has ended. Work without a fence behind it gets one now. Where that fails, too, the queue is waited for
// without a limit, since Vulkan has no other wait left.
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
