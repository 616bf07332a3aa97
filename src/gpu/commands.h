// SPDX-License-Identifier: Apache-2.0
// Command buffers with their pool and fence: recorded by one thread at a time, submitted as often as wanted, in flight once at a
// time. There is one, or as many as the work is cut into: each of them is submitted by a vkQueueSubmit of its own.
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
    // Waits for what is in flight: see Device::finish.
    ~Commands();
    Commands(const Commands&) = delete;
    Commands& operator=(const Commands&) = delete;

    // The one that is recorded.
    VkCommandBuffer handle() const { return buffers_[used_ - 1]; }

    // Not while in flight. Everything submitted earlier, by the host too, is visible to what is recorded after begin;
    // everything recorded is visible to the host and to later submissions after end.
    Status begin();
    // Goes on in another command buffer, to which everything recorded is visible.
    Status cut();
    Status end();

    // Not while in flight. Creates nothing, and allocates nothing without options. An error that comes after some of the command
    // buffers were submitted leaves them in flight; one that comes before leaves nothing.
    Status submit(const vulkan::SubmitOptions* options = nullptr);
    // Whether work was submitted of which neither a wait nor `done` has seen the end.
    bool in_flight() const { return submitted_ != 0; }
    // Waits for the work in flight, for at most DeviceOptions::timeout_seconds. When these run out the device is given up.
    Status wait();
    // Waits for at most so long. Code::timeout says that the work goes on.
    Status wait_at_most(uint64_t nanoseconds);
    // Whether nothing is in flight any more; never waits. True on a lost device, too.
    bool done();
    Status submit_and_wait();

private:
    explicit Commands(Device& device) : device_(device) {}
    Status begin_next();
    Status fence_behind_all();
    Status noted(Status waited);

    Device& device_;
    VkCommandPool pool_ = VK_NULL_HANDLE;
    std::vector<VkCommandBuffer> buffers_;
    size_t used_ = 0;                    // buffers since begin
    std::vector<VkSubmitInfo> submits_;  // a used buffer each
    VkFence fence_ = VK_NULL_HANDLE;
    size_t submitted_ = 0;  // buffers whose end was not seen yet
    bool fenced_ = false;   // the fence was submitted behind them
};

}  // namespace vkonnx::gpu
