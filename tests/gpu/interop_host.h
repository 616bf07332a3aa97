// This header has the engine of the examples with every Vulkan call counted by the shim, and copies between parts of one of its
// buffers.
#pragma once

#include <vkonnx/vulkan.hpp>

#include <gtest/gtest.h>

#include "examples/adopt_engine.hpp"
#include "small_problem.h"

namespace vkonnx::gpu_test {

constexpr VkBufferUsageFlags every_usage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

// This struct holds the engine on one device. All of its calls go through the shim.
struct Host {
    kit::VulkanShim shim;
    app::Engine engine;

    explicit Host(const PresentDevice& present, kit::ShimOptions options = {})
        : shim(std::move(options)), engine(reinterpret_cast<PFN_vkGetInstanceProcAddr>(shim.get_instance_proc_addr()))
    {
        app::create_device_for_vkonnx(engine, engine.physical_devices.at(present.index));
    }

    vulkan::AdoptedDevice description() { return app::description_of(engine); }
};

// This class holds one buffer of the engine, and copies (pools of one element) between slices of it.
class Copies {
public:
    explicit Copies(Host& host) : host_(host), gpu_(*vulkan::adopt(host.description(), {.self_test = false})) {}

    const Device& gpu() const { return gpu_; }
    const app::Buffer& buffer() const { return buffer_; }

    Tensor slice(VkDeviceSize offset, int64_t floats) const
    {
        const auto made = vulkan::wrap(
            gpu_,
            {.buffer = buffer_.handle, .offset = offset, .size = VkDeviceSize(floats) * sizeof(float), .usage = every_usage},
            {DType::float32, {1, 1, floats}});
        EXPECT_TRUE(made) << made.message();
        return *made;
    }

    void add(const Tensor& from, const Tensor& to)
    {
        const auto op = gpu_.prepare(AveragePool{.kernel_shape = {1}}, {from.desc()});
        ASSERT_TRUE(op) << op.message();
        const auto binding = gpu_.bind(*op, {&from, 1}, {&to, 1});
        ASSERT_TRUE(binding) << binding.message();
        bindings_.push_back(*binding);
    }

    // Records all copies that were added, and submits. Returns the number of barriers.
    uint64_t play(vulkan::RecordFlags flags = vulkan::RecordFlags::none)
    {
        const VkCommandBuffer commands = host_.engine.begin_commands();
        host_.shim.reset_calls();
        const Status recorded = vulkan::record(commands, bindings_, flags);
        EXPECT_TRUE(recorded) << recorded.message();
        const uint64_t barriers = host_.shim.calls("vkCmdPipelineBarrier");
        host_.engine.end_commands(commands);
        host_.engine.submit(commands);
        bindings_.clear();
        return barriers;
    }

private:
    Host& host_;
    app::Buffer buffer_ = host_.engine.create_buffer(1 << 16, every_usage, false);
    Device gpu_;
    std::vector<Binding> bindings_;
};

inline std::vector<float> filled(size_t count, float value)
{
    return std::vector<float>(count, value);
}

inline std::vector<float> contents(const Tensor& tensor, size_t count)
{
    std::vector<float> values(count, -1);
    const Status read = tensor.download(values);
    EXPECT_TRUE(read) << read.message();
    return values;
}

}  // namespace vkonnx::gpu_test
