// One command buffer with its pool and fence: recorded by one thread at a time, submitted as often as wanted.
#pragma once

#include "gpu/device.h"

namespace vkonnx::gpu {

class Commands {
public:
    static Result<std::unique_ptr<Commands>> create(Device& device);
    ~Commands();
    Commands(const Commands&) = delete;
    Commands& operator=(const Commands&) = delete;

    VkCommandBuffer handle() const { return buffer_; }

    // Everything submitted earlier, by the host too, is visible to what is recorded after begin; everything recorded is
    // visible to the host and to later submissions after end.
    Status begin();
    Status end();
    // Orders all dispatches and copies before it against those after it.
    void barrier();
    // Allocates and creates nothing.
    Status submit_and_wait();

private:
    explicit Commands(Device& device) : device_(device) {}
    void barrier(VkPipelineStageFlags source, VkAccessFlags written, VkPipelineStageFlags destination, VkAccessFlags touched);

    Device& device_;
    VkCommandPool pool_ = VK_NULL_HANDLE;
    VkCommandBuffer buffer_ = VK_NULL_HANDLE;
    VkFence fence_ = VK_NULL_HANDLE;
};

}  // namespace vkonnx::gpu
