// An open device: its functions, its one compute queue, and whether it still answers.
//
// Every object of this layer keeps a reference to its Device and must be gone before it; src/api holds them in that order.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <atomic>
#include <mutex>

#include "gpu/functions.h"
#include "gpu/instance.h"

namespace vkonnx::gpu {

class PipelineCache;
class Pool;
class Transfer;

class Device {
public:
    static Result<std::shared_ptr<Device>> open(const DeviceOptions& options);
    // On the application's device, which stays its own.
    static Result<std::shared_ptr<Device>> adopt(const vulkan::AdoptedDevice& adopted, const DeviceOptions& options);
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    VkDevice handle() const { return handle_; }
    const DeviceFunctions& vk() const { return vk_; }
    const Instance& instance() const { return *instance_; }
    const PhysicalDevice& physical() const { return physical_; }
    // As lowered by DeviceOptions::capabilities, with the findings of the self-test.
    const Capabilities& capabilities() const { return capabilities_; }
    // DeviceOptions::allocation_callbacks or null, for every call that creates, allocates, destroys or frees.
    const VkAllocationCallbacks* allocator() const { return instance_->allocator(); }
    Pool& pool() const { return *pool_; }
    PipelineCache& pipelines() const { return *pipelines_; }
    Transfer& transfer() const { return *transfer_; }

    // Error once the device is lost or was given up after a timeout; a literal, so that it costs nothing.
    Status alive() const;
    // The result of a call; remembers a lost device.
    Status check(VkResult result, const char* call);
    // Any thread. Each by a vkQueueSubmit of its own, with nothing of other threads in between, and none behind one that fails.
    // The fence, which must be unsignalled, belongs to the last; nothing to submit: it is signalled after all that came before.
    Status submit(std::span<const VkSubmitInfo> submits, VkFence fence);
    // At most DeviceOptions::timeout_seconds; the device is given up when that runs out.
    Status wait(VkFence fence);
    // The same without consequences: Code::timeout says no more than that the fence is not signalled yet.
    Status wait_at_most(VkFence fence, uint64_t nanoseconds);
    // The wait of a destructor: on a device that was given up it is left to `may_destroy`.
    void finish(VkFence fence);
    // Asked by every destructor. After a timeout it waits once more for what was given up; when that still runs, nothing of
    // this device is ever destroyed.
    bool may_destroy();

    // Names an object for captures and validation messages; nothing without VK_EXT_debug_utils.
    template <class Handle>
    void set_name(VkObjectType type, Handle handle, const std::string& name) const
    {
        if (instance_->debug_utils())
            set_name_of(type, (uint64_t)handle, name);  // a pointer or an integer, as the platform has it
    }

private:
    Device() = default;
    Status create();
    // With its handles there: what else belongs to an open device, and the self-test.
    Status equip(const DeviceOptions& options);
    // The caller holds the queue's mutex.
    Status submit_one(const VkSubmitInfo* info, VkFence fence);
    void set_name_of(VkObjectType type, uint64_t handle, const std::string& name) const;

    std::shared_ptr<Instance> instance_;
    PhysicalDevice physical_ = {};
    Capabilities capabilities_ = {};
    uint64_t timeout_ns_ = 0;
    VkDevice handle_ = VK_NULL_HANDLE;
    bool owned_ = true;
    DeviceFunctions vk_ = {};
    VkQueue queue_ = VK_NULL_HANDLE;
    std::mutex queue_mutex_;
    std::function<void()> lock_queue_;  // the application's; null when there are none
    std::function<void()> unlock_queue_;
    enum class Health : uint8_t { good, lost, timed_out };
    std::atomic<Health> health_ = Health::good;
    std::mutex unfinished_mutex_;
    std::vector<VkFence> unfinished_;  // of waits that timed out
    bool abandoned_ = false;           // some of them never ended
    std::unique_ptr<Pool> pool_;
    std::unique_ptr<PipelineCache> pipelines_;
    std::unique_ptr<Transfer> transfer_;
};

}  // namespace vkonnx::gpu
