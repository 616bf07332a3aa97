// SPDX-License-Identifier: Apache-2.0
// This file has an open device: its functions, its one compute queue, and whether it still answers.
//
// Every object of this layer keeps a reference to its Device and must be gone before it; src/api holds them in that order.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <atomic>
#include <mutex>

#include "gpu/functions.h"
#include "gpu/instance.h"

namespace vkonnx::gpu {

class PersistentCache;
class PipelineCache;
class Pool;
class Transfer;

// Returns the operating system's number of this process, or 0 where a process can't fork.
int64_t process_number() noexcept;

class Device {
public:
    static Result<std::shared_ptr<Device>> open(const DeviceOptions& options);
    // Makes a Device on the application's VkDevice, which still belongs to the application.
    static Result<std::shared_ptr<Device>> adopt(const vulkan::AdoptedDevice& adopted, const DeviceOptions& options);
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    VkDevice handle() const { return handle_; }
    const VolkDeviceTable& vk() const { return vk_; }
    const Instance& instance() const { return *instance_; }
    const PhysicalDevice& physical() const { return physical_; }
    // These are what the device says, until whoever opened it sets what plans may use, which happens before anybody else has it.
    const Capabilities& capabilities() const { return capabilities_; }
    void set_capabilities(const Capabilities& capabilities) { capabilities_ = capabilities; }
    // See DeviceOptions::compiler_statistics.
    bool tells_executables() const { return tells_executables_; }
    // Returns DeviceOptions::allocation_callbacks or null, for every call that creates, allocates, destroys or frees.
    const VkAllocationCallbacks* allocator() const { return instance_->allocator(); }
    Pool& pool() const { return *pool_; }
    PipelineCache& pipelines() const { return *pipelines_; }
    PersistentCache& cache() const { return *cache_; }
    // Tells whether VkPipelineCreationFeedback may be asked for.
    bool tells_feedback() const { return tells_feedback_; }
    Transfer& transfer() const { return *transfer_; }

    // Returns an error once the device is lost or given up, and in a fork of its process. It is a literal and costs nothing.
    Status alive() const;
    // Tells whether a call said that the device is lost. Nothing runs on it any more.
    bool is_lost() const noexcept { return health_ == Health::lost; }
    // Returns the result of a call as a Status, and remembers a lost device.
    Status check(VkResult result, const char* call);
    // Any thread may call this. Each of `submits` gets a vkQueueSubmit of its own, with nothing of other threads in between, and
    // none follows one that fails. `submitted` counts those that succeeded, also when this throws. The fence, which must be
    // unsignalled, belongs to the last.
    Status submit(std::span<const VkSubmitInfo> submits, VkFence fence, size_t& submitted);
    // Submits the fence, to be signalled after all that was submitted to the queue before.
    Status submit_fence(VkFence fence);
    // Waits for at most DeviceOptions::timeout_seconds. When these run out the device is given up. After any other error the work
    // may still go on.
    Status wait(VkFence fence);
    // Waits without consequences: Code::timeout says no more than that the fence is not signalled yet.
    Status wait_at_most(VkFence fence, uint64_t nanoseconds);
    // This is the wait of a destructor, and it allocates nothing. `fenced` tells whether the fence was submitted behind the work.
    // Where the end of the work can't be seen, in DeviceOptions::timeout_seconds or at all, nothing of this device is ever
    // destroyed.
    void finish(VkFence fence, bool fenced) noexcept;
    // Every destructor asks this. It must not destroy what may still run, nor, in a fork, what belongs to the parent process.
    bool may_destroy() const noexcept { return !abandoned_ && !is_forked(); }
    // Tells whether another process opened the device. Its locks may be held for ever here, and its threads are not there.
    bool is_forked() const noexcept;

    // Names an object for captures and validation messages. Without VK_EXT_debug_utils it does nothing.
    template <class Handle>
    void set_name(VkObjectType type, Handle handle, const std::string& name) const
    {
        if (instance_->debug_utils())
            set_name_of(type, (uint64_t)handle, name);  // the handle is a pointer or an integer, as the platform has it
    }

private:
    Device() = default;
    Status create();
    // Makes all parts of an open device that need its handles.
    void equip(const DeviceOptions& options);
    // The caller must hold the queue's mutex.
    VkResult submit_one(const VkSubmitInfo* info, VkFence fence) noexcept;
    VkResult see_end(VkFence fence, uint64_t nanoseconds) const noexcept;
    VkResult drain(VkFence fence, bool fenced) noexcept;
    void note_loss(VkResult result, const char* call) noexcept;
    void set_name_of(VkObjectType type, uint64_t handle, const std::string& name) const;

    std::shared_ptr<Instance> instance_;
    PhysicalDevice physical_ = {};
    Capabilities capabilities_ = {};
    uint64_t timeout_ns_ = 0;
    VkDevice handle_ = VK_NULL_HANDLE;
    bool owned_ = true;
    bool tells_executables_ = false;
    bool tells_feedback_ = false;
    VolkDeviceTable vk_ = {};
    VkQueue queue_ = VK_NULL_HANDLE;
    std::mutex queue_mutex_;
    std::function<void()> lock_queue_;  // the application's locks; null where it gave none
    std::function<void()> unlock_queue_;
    enum class Health : uint8_t { good, lost, timed_out, unseen };
    // Makes the health worse, which happens once. Returns whether this call did it.
    bool become(Health health) noexcept;
    std::atomic<Health> health_ = Health::good;
    std::atomic<bool> abandoned_ = false;  // whether some of its work may run for ever
    const int64_t process_ = process_number();
    std::unique_ptr<Pool> pool_;
    std::unique_ptr<PersistentCache> cache_;
    std::unique_ptr<PipelineCache> pipelines_;
    std::unique_ptr<Transfer> transfer_;
};

}  // namespace vkonnx::gpu
