// One command buffer with its pool and fence: recorded by one thread at a time, submitted as often as wanted, in flight once at
// a time.
#pragma once

#include <vkonnx/vulkan.hpp>

#include "gpu/device.h"

namespace vkonnx::gpu {

// Barriers for all memory, around what this layer records and within. Before it: whatever was submitted to the queue or recorded,
// by the application and the host, too, is visible to it. After it: it is visible to whatever follows, to the host, too.
void barrier_before(const Device& device, VkCommandBuffer commands);
void barrier_between(const Device& device, VkCommandBuffer commands);
void barrier_after(const Device& device, VkCommandBuffer commands);

class Commands {
public:
    static Result<std::unique_ptr<Commands>> create(Device& device);
    // Waits for what is in flight, at most DeviceOptions::timeout_seconds; the device is given up when that runs out.
    ~Commands();
    Commands(const Commands&) = delete;
    Commands& operator=(const Commands&) = delete;

    VkCommandBuffer handle() const { return buffer_; }

    // Not while in flight. Everything submitted earlier, by the host too, is visible to what is recorded after begin;
    // everything recorded is visible to the host and to later submissions after end.
    Status begin();
    Status end();

    // Not while in flight. Creates nothing, and allocates nothing without options.
    Status submit(const vulkan::SubmitOptions* options = nullptr);
    // From a submit until a wait or `done` saw its end.
    bool in_flight() const { return in_flight_; }
    // At most DeviceOptions::timeout_seconds; the device is given up when that runs out.
    Status wait();
    // At most so long; Code::timeout changes nothing.
    Status wait_at_most(uint64_t nanoseconds);
    // Whether nothing is in flight any more; never waits. True on a lost device, too.
    bool done();
    Status submit_and_wait();

private:
    explicit Commands(Device& device) : device_(device) {}

    Device& device_;
    VkCommandPool pool_ = VK_NULL_HANDLE;
    VkCommandBuffer buffer_ = VK_NULL_HANDLE;
    VkFence fence_ = VK_NULL_HANDLE;
    bool in_flight_ = false;
};

}  // namespace vkonnx::gpu
