// SPDX-License-Identifier: Apache-2.0
// This file has command buffers with their pool and fence. They are recorded by one thread at a time, submitted as often as
// wanted, and in flight once at a time. There is one, or as many as the work is cut into; each is submitted by a vkQueueSubmit of
// its own.
#pragma once

#include <vkonnx/vulkan.hpp>

#include "gpu/device.h"

namespace vkonnx::gpu {

// These barriers are for all memory, around what this layer records and within it. Before it: whatever was submitted to the queue
// or recorded, also by the application and the host, is visible to it. After it: it is visible to whatever follows, also to the
// host.
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

    // Returns the command buffer that is being recorded.
    VkCommandBuffer handle() const { return buffers_[used_ - 1]; }

    // These must not be called while work is in flight. Everything submitted earlier, also by the host, is visible to what is
    // recorded after begin; everything recorded is visible to the host and to later submissions after end.
    Status begin();
    // Goes on in another command buffer, to which everything recorded is visible.
    Status cut();
    Status end();

    // Must not be called while work is in flight. It creates nothing, and allocates nothing without options. An error that comes
    // after some of the command buffers were submitted leaves them in flight; one that comes before leaves nothing.
    Status submit(const vulkan::SubmitOptions* options = nullptr);
    // Tells whether work was submitted whose end was seen neither by a wait nor by `done`.
    bool in_flight() const { return submitted_ != 0; }
    // Waits for the work in flight, for at most DeviceOptions::timeout_seconds. When these run out the device is given up.
    Status wait();
    // Waits for at most this long. Code::timeout says that the work goes on.
    Status wait_at_most(uint64_t nanoseconds);
    // Tells whether nothing is in flight any more, without waiting. It is true on a lost device, too.
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
    size_t used_ = 0;                    // the buffers recorded since begin
    std::vector<VkSubmitInfo> submits_;  // one for each used buffer
    VkFence fence_ = VK_NULL_HANDLE;
    size_t submitted_ = 0;  // the buffers whose end was not seen yet
    bool fenced_ = false;   // whether the fence was submitted behind them
};

}  // namespace vkonnx::gpu
