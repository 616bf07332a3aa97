// SPDX-License-Identifier: Apache-2.0
#include "gpu/commands.h"
#include "return_if_error.h"

namespace vkonnx::gpu {
namespace {

constexpr VkPipelineStageFlags device_stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkAccessFlags device_writes = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
constexpr VkAccessFlags device_accesses =
    device_writes | VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_UNIFORM_READ_BIT;

constexpr VkPipelineStageFlags all_stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT;
constexpr VkAccessFlags all_writes = VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_WRITE_BIT;
constexpr VkAccessFlags all_accesses = all_writes | VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_HOST_READ_BIT;

void barrier(const Device& device, VkCommandBuffer commands, VkPipelineStageFlags source, VkAccessFlags written,
             VkPipelineStageFlags destination, VkAccessFlags touched)
{
    auto memory = structure<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
    memory.srcAccessMask = written;
    memory.dstAccessMask = touched;
    device.vk().vkCmdPipelineBarrier(commands, source, destination, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

// This class holds the arrays that VkSubmitInfo points to. The first submit waits; the last one, which may be the same, signals.
class Semaphores {
public:
    Semaphores(const vulkan::SubmitOptions& options, VkSubmitInfo& first, VkSubmitInfo& last)
    {
        list(options.wait, waits_, wait_values_);
        list(options.signal, signals_, signal_values_);
        wait_stages_.assign(waits_.size(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);  // timestamps wait as well
        first.waitSemaphoreCount = uint32_t(waits_.size());
        first.pWaitSemaphores = waits_.data();
        first.pWaitDstStageMask = wait_stages_.data();
        last.signalSemaphoreCount = uint32_t(signals_.size());
        last.pSignalSemaphores = signals_.data();
        VkTimelineSemaphoreSubmitInfo& to_signal = &first == &last ? first_values_ : last_values_;
        first_values_.waitSemaphoreValueCount = uint32_t(wait_values_.size());
        first_values_.pWaitSemaphoreValues = wait_values_.data();
        to_signal.signalSemaphoreValueCount = uint32_t(signal_values_.size());
        to_signal.pSignalSemaphoreValues = signal_values_.data();
        if (has_timeline_) {  // without timeline semaphores the device may not know the structure
            last.pNext = &to_signal;
            first.pNext = &first_values_;
        }
    }
    Semaphores(const Semaphores&) = delete;
    Semaphores& operator=(const Semaphores&) = delete;

private:
    void list(std::span<const vulkan::SemaphorePoint> points, std::vector<VkSemaphore>& semaphores, std::vector<uint64_t>& values)
    {
        for (const vulkan::SemaphorePoint& point : points) {
            semaphores.push_back(point.semaphore);
            values.push_back(point.value);
            has_timeline_ = has_timeline_ || point.value != 0;
        }
    }

    std::vector<VkSemaphore> waits_, signals_;
    std::vector<uint64_t> wait_values_, signal_values_;
    std::vector<VkPipelineStageFlags> wait_stages_;
    VkTimelineSemaphoreSubmitInfo first_values_ =
        structure<VkTimelineSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    VkTimelineSemaphoreSubmitInfo last_values_ = first_values_;
    bool has_timeline_ = false;
};

}  // namespace

void barrier_before(const Device& device, VkCommandBuffer commands)
{
    barrier(device, commands, all_stages, all_writes, device_stages, device_accesses);
}

void barrier_between(const Device& device, VkCommandBuffer commands)
{
    barrier(device, commands, device_stages, device_writes, device_stages, device_accesses);
}

void barrier_after(const Device& device, VkCommandBuffer commands)
{
    barrier(device, commands, device_stages, device_writes, all_stages, all_accesses);
}

Result<std::unique_ptr<Commands>> Commands::create(Device& device)
{
    VKONNX_RETURN_IF_ERROR(device.alive());
    std::unique_ptr<Commands> commands(new Commands(device));
    auto pool = structure<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
    pool.queueFamilyIndex = device.physical().queue_family;
    const VolkDeviceTable& vk = device.vk();
    Status status =
        device.check(vk.vkCreateCommandPool(device.handle(), &pool, device.allocator(), &commands->pool_), "vkCreateCommandPool");
    if (!status) {
        commands->pool_ = VK_NULL_HANDLE;
        return status;
    }
    const auto fence = structure<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
    status = device.check(vk.vkCreateFence(device.handle(), &fence, device.allocator(), &commands->fence_), "vkCreateFence");
    if (!status) {
        commands->fence_ = VK_NULL_HANDLE;
        return status;
    }
    return commands;
}

Commands::~Commands()
{
    if (in_flight())
        device_.finish(fence_, fenced_);
    if (!device_.may_destroy())
        return;
    const VolkDeviceTable& vk = device_.vk();
    if (fence_)
        vk.vkDestroyFence(device_.handle(), fence_, device_.allocator());
    if (pool_)
        vk.vkDestroyCommandPool(device_.handle(), pool_, device_.allocator());
}

Status Commands::begin()
{
    VKONNX_RETURN_IF_ERROR(device_.alive());
    const VolkDeviceTable& vk = device_.vk();
    VKONNX_RETURN_IF_ERROR(device_.check(vk.vkResetCommandPool(device_.handle(), pool_, 0), "vkResetCommandPool"));
    used_ = 0;
    VKONNX_RETURN_IF_ERROR(begin_next());
    barrier_before(device_, handle());
    return {};
}

Status Commands::begin_next()
{
    const VolkDeviceTable& vk = device_.vk();
    if (used_ == buffers_.size()) {
        auto info = structure<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
        info.commandPool = pool_;
        info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
        info.commandBufferCount = 1;
        buffers_.reserve(used_ + 1);
        VkCommandBuffer buffer = VK_NULL_HANDLE;
        VKONNX_RETURN_IF_ERROR(
            device_.check(vk.vkAllocateCommandBuffers(device_.handle(), &info, &buffer), "vkAllocateCommandBuffers"));
        buffers_.push_back(buffer);
    }
    ++used_;
    const auto info = structure<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    return device_.check(vk.vkBeginCommandBuffer(handle(), &info), "vkBeginCommandBuffer");
}

Status Commands::cut()
{
    VKONNX_RETURN_IF_ERROR(device_.check(device_.vk().vkEndCommandBuffer(handle()), "vkEndCommandBuffer"));
    VKONNX_RETURN_IF_ERROR(begin_next());
    barrier_between(device_, handle());  // its first half also covers what was submitted to the queue before
    return {};
}

Status Commands::end()
{
    submits_.reserve(used_);  // so that a submit need not allocate
    barrier_after(device_, handle());
    return device_.check(device_.vk().vkEndCommandBuffer(handle()), "vkEndCommandBuffer");
}

Status Commands::submit(const vulkan::SubmitOptions* options)
{
    VKONNX_RETURN_IF_ERROR(device_.alive());
    submits_.assign(used_, structure<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO));
    for (size_t i = 0; i < used_; ++i) {
        submits_[i].commandBufferCount = 1;
        submits_[i].pCommandBuffers = &buffers_[i];
    }
    std::optional<Semaphores> semaphores;
    if (options)
        semaphores.emplace(*options, submits_.front(), submits_.back());
    VKONNX_RETURN_IF_ERROR(device_.check(device_.vk().vkResetFences(device_.handle(), 1, &fence_), "vkResetFences"));
    fenced_ = false;
    Status status = device_.submit(submits_, fence_, submitted_);
    fenced_ = status.ok();
    if (status && options && options->fence)
        return device_.submit_fence(options->fence);
    return status;
}

// Submits the fence behind all work if it is not there yet. Without it, nothing tells when the work of a failed submit ends.
Status Commands::fence_behind_all()
{
    if (fenced_)
        return {};
    Status status = device_.submit_fence(fence_);
    fenced_ = status.ok();
    return status;
}

// Takes note of a wait. The work's end was seen, or will never be, as nothing runs on a lost device. Other failures tell nothing.
Status Commands::noted(Status waited)
{
    if (waited || device_.is_lost())
        submitted_ = 0;
    return waited;
}

Status Commands::wait()
{
    if (!in_flight())
        return {};
    VKONNX_RETURN_IF_ERROR(device_.alive());
    if (Status status = fence_behind_all(); !status)
        return noted(std::move(status));
    return noted(device_.wait(fence_));
}

Status Commands::wait_at_most(uint64_t nanoseconds)
{
    VKONNX_RETURN_IF_ERROR(device_.alive());
    if (Status status = fence_behind_all(); !status)
        return noted(std::move(status));
    return noted(device_.wait_at_most(fence_, nanoseconds));
}

bool Commands::done()
{
    if (!in_flight() || device_.is_forked())
        return true;
    if (Status status = fence_behind_all(); !status) {
        (void)noted(std::move(status));
        return !in_flight();
    }
    const VkResult result = device_.vk().vkGetFenceStatus(device_.handle(), fence_);
    if (result != VK_NOT_READY)
        (void)noted(device_.check(result, "vkGetFenceStatus"));
    return !in_flight();
}

Status Commands::submit_and_wait()
{
    VKONNX_RETURN_IF_ERROR(submit());
    return wait();
}

}  // namespace vkonnx::gpu
