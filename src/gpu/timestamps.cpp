// SPDX-License-Identifier: Apache-2.0
#include "gpu/timestamps.h"
#include "return_if_error.h"

namespace vkonnx::gpu {

double seconds_between(uint64_t begin, uint64_t end, uint32_t valid_bits, double seconds_per_tick)
{
    const uint64_t mask = valid_bits >= 64 ? UINT64_MAX : (uint64_t(1) << valid_bits) - 1;
    return double((end - begin) & mask) * seconds_per_tick;
}

Result<std::unique_ptr<Timestamps>> Timestamps::create(Device& device, uint32_t pieces)
{
    std::unique_ptr<Timestamps> timestamps;
    if (!device.capabilities().timestamps)
        return timestamps;
    timestamps.reset(new Timestamps(device));
    timestamps->ticks_.resize(size_t(pieces) + 1);
    auto info = structure<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = pieces + 1;
    Status status = device.check(device.vk().vkCreateQueryPool(device.handle(), &info, device.allocator(), &timestamps->pool_),
                                 "vkCreateQueryPool");
    if (!status) {
        timestamps->pool_ = VK_NULL_HANDLE;
        return status;
    }
    return timestamps;
}

Timestamps::~Timestamps()
{
    if (pool_ && device_.may_destroy())
        device_.vk().vkDestroyQueryPool(device_.handle(), pool_, device_.allocator());
}

void Timestamps::begin(const Commands& commands)
{
    device_.vk().vkCmdResetQueryPool(commands.handle(), pool_, 0, uint32_t(ticks_.size()));
    next_ = 0;
    write(commands);
}

void Timestamps::piece_done(const Commands& commands)
{
    write(commands);
}

void Timestamps::write(const Commands& commands)
{
    // The bottom of the pipe is when everything recorded before is done, so pieces never count each other's work.
    device_.vk().vkCmdWriteTimestamp(commands.handle(), VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool_, next_++);
}

Status Timestamps::read(std::span<double> seconds)
{
    const VkResult result =
        device_.vk().vkGetQueryPoolResults(device_.handle(), pool_, 0, uint32_t(ticks_.size()), ticks_.size() * sizeof(uint64_t),
                                           ticks_.data(), sizeof(uint64_t), VK_QUERY_RESULT_64_BIT);
    VKONNX_RETURN_IF_ERROR(device_.check(result, "vkGetQueryPoolResults"));
    const PhysicalDevice& physical = device_.physical();
    for (size_t i = 0; i < seconds.size() && i + 1 < ticks_.size(); ++i)
        seconds[i] = seconds_between(ticks_[i], ticks_[i + 1], physical.timestamp_bits, physical.seconds_per_tick);
    return {};
}

}  // namespace vkonnx::gpu
