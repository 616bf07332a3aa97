#include "gpu/recorder.h"

#include <algorithm>
#include <cassert>

#include "bindings.h"

namespace vkonnx::gpu {
namespace {

constexpr size_t max_operands = 4;  // of a step, see plan.h

VkDescriptorBufferInfo descriptor_of(const Slice& slice)
{
    return {slice.buffer, slice.offset, slice.size};
}

}  // namespace

Result<std::shared_ptr<const Program>> Program::create(Device& device, plan::Plan plan, std::string label)
{
    if (Status status = device.alive(); !status)
        return status;
    std::shared_ptr<Program> program(new Program(device));
    program->plan_ = std::move(plan);
    program->label_ = std::move(label);
    for (const plan::Step& step : program->plan_.steps) {
        Result<std::shared_ptr<const Pipeline>> pipeline = device.pipelines().get(key_of(step));
        if (!pipeline)
            return pipeline.status();
        program->pipelines_.push_back(std::move(*pipeline));
    }
    if (!program->plan_.uniform.empty()) {
        const std::vector<std::byte>& bytes = program->plan_.uniform;
        Result<std::shared_ptr<Buffer>> uniform =
            Buffer::create(device, bytes.size(), BufferUse::uniform, program->label_ + " uniform");
        if (!uniform)
            return uniform.status();
        if (Status status = (*uniform)->write(bytes); !status)
            return status;
        program->uniform_ = std::move(*uniform);
    }
    return std::shared_ptr<const Program>(std::move(program));
}

Program::~Program()
{
    pipelines_.clear();
    if (device_.may_destroy())
        device_.pipelines().trim();
}

bool Hazards::conflicts(const Slice& slice, bool writes) const
{
    return std::any_of(accesses_.begin(), accesses_.begin() + ptrdiff_t(count_),
                       [&](const Access& access) { return (writes || access.writes) && access.slice.overlaps(slice); });
}

bool Hazards::need_barrier(std::span<const Slice> read, const Slice& written)
{
    const bool conflict = count_ + read.size() + 1 > accesses_.size() || conflicts(written, true) ||
                          std::any_of(read.begin(), read.end(), [&](const Slice& slice) { return conflicts(slice, false); });
    if (conflict)
        clear();
    for (const Slice& slice : read)
        accesses_[count_++] = {slice, false};
    accesses_[count_++] = {written, true};
    return conflict;
}

Result<std::unique_ptr<Binding>> Binding::create(std::shared_ptr<const Program> program,
                                                 std::vector<std::shared_ptr<Buffer>> operands, size_t first_output,
                                                 std::shared_ptr<Buffer> scratch)
{
    if (Status status = program->device().alive(); !status)
        return status;
    std::unique_ptr<Binding> binding(new Binding(std::move(program)));
    binding->operands_ = std::move(operands);
    binding->first_output_ = first_output;
    binding->scratch_ = std::move(scratch);
    if (Status status = binding->create_scratch(); !status)
        return status;
    if (Status status = binding->create_sets(); !status)
        return status;
    return binding;
}

Status Binding::create_scratch()
{
    const uint64_t bytes = program_->plan_.scratch_bytes;
    if (bytes == 0 || scratch_)
        return {};
    Result<std::shared_ptr<Buffer>> made =
        Buffer::create(program_->device(), bytes, BufferUse::storage, program_->label_ + " scratch");
    if (!made)
        return made.status();
    scratch_ = std::move(*made);
    return {};
}

Status Binding::create_sets()
{
    const std::vector<plan::Step>& steps = program_->plan_.steps;
    if (steps.empty())
        return {};
    uint32_t storage_buffers = 0;
    uint32_t uniforms = 0;
    std::vector<VkDescriptorSetLayout> layouts;
    for (size_t i = 0; i < steps.size(); ++i) {
        storage_buffers += uint32_t(steps[i].operands.size());
        uniforms += steps[i].uses_uniform;
        layouts.push_back(program_->pipelines_[i]->set_layout());
    }
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, storage_buffers},
                                          {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, uniforms}};
    auto info = structure<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
    info.maxSets = uint32_t(steps.size());
    info.poolSizeCount = uniforms ? 2 : 1;
    info.pPoolSizes = sizes;
    Device& device = program_->device();
    const DeviceFunctions& vk = device.vk();
    Status status =
        device.check(vk.vkCreateDescriptorPool(device.handle(), &info, device.allocator(), &pool_), "vkCreateDescriptorPool");
    if (!status) {
        pool_ = VK_NULL_HANDLE;
        return status;
    }
    auto allocate = structure<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
    allocate.descriptorPool = pool_;
    allocate.descriptorSetCount = uint32_t(layouts.size());
    allocate.pSetLayouts = layouts.data();
    sets_.resize(steps.size());
    status = device.check(vk.vkAllocateDescriptorSets(device.handle(), &allocate, sets_.data()), "vkAllocateDescriptorSets");
    if (!status)
        return status;
    for (size_t i = 0; i < steps.size(); ++i)
        write_set(steps[i], sets_[i]);
    return {};
}

Slice Binding::part_of(const plan::Operand& operand) const
{
    const bool is_scratch = operand.tensor == plan::scratch;
    Slice whole = (is_scratch ? scratch_ : operands_[operand.tensor])->slice();
    if (is_scratch)  // the application's may be longer
        whole.size = std::min(whole.size, (program_->plan_.scratch_bytes + 3) & ~uint64_t(3));
    assert(operand.offset < whole.size && operand.bytes <= whole.size - operand.offset);
    const Slice part = {whole.buffer, whole.offset + operand.offset,
                        operand.bytes != 0 ? operand.bytes : whole.size - operand.offset};
    assert(part.size <= program_->device().physical().info.capabilities.max_storage_buffer_range);
    return part;
}

void Binding::write_set(const plan::Step& step, VkDescriptorSet set) const
{
    std::vector<VkDescriptorBufferInfo> buffers;
    for (const plan::Operand& operand : step.operands)
        buffers.push_back(descriptor_of(part_of(operand)));
    if (step.uses_uniform)
        buffers.push_back(descriptor_of(program_->uniform_->slice()));

    std::vector<VkWriteDescriptorSet> writes;
    for (uint32_t i = 0; i < buffers.size(); ++i) {
        const bool uniform = i == step.operands.size();
        auto write = structure<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
        write.dstSet = set;
        write.dstBinding = uniform ? UNIFORM_BINDING : i;
        write.descriptorCount = 1;
        write.descriptorType = uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write.pBufferInfo = &buffers[i];
        writes.push_back(write);
    }
    const Device& device = program_->device();
    device.vk().vkUpdateDescriptorSets(device.handle(), uint32_t(writes.size()), writes.data(), 0, nullptr);
}

Binding::~Binding()
{
    Device& device = program_->device();
    if (pool_ && device.may_destroy())
        device.vk().vkDestroyDescriptorPool(device.handle(), pool_, device.allocator());
}

void Binding::record(VkCommandBuffer commands, Hazards& hazards, size_t first, size_t last) const
{
    const Instance& instance = program_->device().instance();
    if (instance.debug_utils()) {
        auto label = structure<VkDebugUtilsLabelEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT);
        label.pLabelName = program_->label_.c_str();
        instance.vk().vkCmdBeginDebugUtilsLabelEXT(commands, &label);
    }
    for (size_t i = first; i < last; ++i)
        record_step(i, commands, hazards);
    if (last == steps().size())
        record_constant(commands, hazards);
    if (instance.debug_utils())
        instance.vk().vkCmdEndDebugUtilsLabelEXT(commands);
}

void Binding::record_step(size_t index, VkCommandBuffer commands, Hazards& hazards) const
{
    const plan::Step& step = program_->plan_.steps[index];
    const Pipeline& pipeline = *program_->pipelines_[index];
    const Device& device = program_->device();
    std::array<Slice, max_operands> slices;
    const size_t count = step.operands.size();
    for (size_t i = 0; i < count; ++i)
        slices[i] = part_of(step.operands[i]);
    if (hazards.need_barrier(std::span(slices).first(count - 1), slices[count - 1]))
        barrier_between(device, commands);

    const DeviceFunctions& vk = device.vk();
    vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle());
    vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout(), 0, 1, &sets_[index], 0, nullptr);
    if (!step.push.empty())
        vk.vkCmdPushConstants(commands, pipeline.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0, uint32_t(step.push.size()),
                              step.push.data());
    vk.vkCmdDispatch(commands, step.groups[0], step.groups[1], step.groups[2]);
}

void Binding::record_constant(VkCommandBuffer commands, Hazards& hazards) const
{
    const std::vector<std::byte>& constant = program_->plan_.constant;
    if (constant.empty())
        return;
    const Device& device = program_->device();
    const Slice& output = operands_[first_output_]->slice();
    if (hazards.need_barrier({}, output))
        barrier_between(device, commands);
    constexpr size_t largest_update = 65536;  // of vkCmdUpdateBuffer
    for (size_t done = 0; done < constant.size(); done += largest_update)
        device.vk().vkCmdUpdateBuffer(commands, output.buffer, output.offset + done,
                                      std::min(largest_update, constant.size() - done), constant.data() + done);
}

}  // namespace vkonnx::gpu
