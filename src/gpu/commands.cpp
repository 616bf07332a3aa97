#include "gpu/commands.h"

namespace vkonnx::gpu {
namespace {

constexpr VkPipelineStageFlags device_stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkAccessFlags device_writes = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
constexpr VkAccessFlags device_accesses =
    device_writes | VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_UNIFORM_READ_BIT;

}  // namespace

Result<std::unique_ptr<Commands>> Commands::create(Device& device)
{
    if (Status status = device.alive(); !status)
        return status;
    std::unique_ptr<Commands> commands(new Commands(device));
    auto pool = structure<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
    pool.queueFamilyIndex = device.physical().queue_family;
    const DeviceFunctions& vk = device.vk();
    Status status =
        device.check(vk.vkCreateCommandPool(device.handle(), &pool, nullptr, &commands->pool_), "vkCreateCommandPool");
    if (!status) {
        commands->pool_ = VK_NULL_HANDLE;
        return status;
    }
    auto buffer = structure<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
    buffer.commandPool = commands->pool_;
    buffer.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    buffer.commandBufferCount = 1;
    status = device.check(vk.vkAllocateCommandBuffers(device.handle(), &buffer, &commands->buffer_), "vkAllocateCommandBuffers");
    if (!status)
        return status;
    const auto fence = structure<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
    status = device.check(vk.vkCreateFence(device.handle(), &fence, nullptr, &commands->fence_), "vkCreateFence");
    if (!status) {
        commands->fence_ = VK_NULL_HANDLE;
        return status;
    }
    return commands;
}

Commands::~Commands()
{
    if (!device_.may_destroy())
        return;
    const DeviceFunctions& vk = device_.vk();
    if (fence_)
        vk.vkDestroyFence(device_.handle(), fence_, nullptr);
    if (pool_)
        vk.vkDestroyCommandPool(device_.handle(), pool_, nullptr);
}

Status Commands::begin()
{
    if (Status status = device_.alive(); !status)
        return status;
    const DeviceFunctions& vk = device_.vk();
    if (Status status = device_.check(vk.vkResetCommandPool(device_.handle(), pool_, 0), "vkResetCommandPool"); !status)
        return status;
    const auto info = structure<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    if (Status status = device_.check(vk.vkBeginCommandBuffer(buffer_, &info), "vkBeginCommandBuffer"); !status)
        return status;
    barrier(device_stages | VK_PIPELINE_STAGE_HOST_BIT, device_writes | VK_ACCESS_HOST_WRITE_BIT, device_stages, device_accesses);
    return {};
}

Status Commands::end()
{
    barrier(device_stages, device_writes, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT);
    return device_.check(device_.vk().vkEndCommandBuffer(buffer_), "vkEndCommandBuffer");
}

void Commands::barrier()
{
    barrier(device_stages, device_writes, device_stages, device_accesses);
}

void Commands::barrier(VkPipelineStageFlags source, VkAccessFlags written, VkPipelineStageFlags destination,
                       VkAccessFlags touched)
{
    auto memory = structure<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
    memory.srcAccessMask = written;
    memory.dstAccessMask = touched;
    device_.vk().vkCmdPipelineBarrier(buffer_, source, destination, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

Status Commands::submit_and_wait()
{
    if (Status status = device_.alive(); !status)
        return status;
    if (Status status = device_.check(device_.vk().vkResetFences(device_.handle(), 1, &fence_), "vkResetFences"); !status)
        return status;
    if (Status status = device_.submit(buffer_, fence_); !status)
        return status;
    return device_.wait(fence_);
}

}  // namespace vkonnx::gpu
