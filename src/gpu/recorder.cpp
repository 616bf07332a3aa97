#include "gpu/recorder.h"

#include <algorithm>

#include "spec_ids.h"

namespace vkonnx::gpu {

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
    device_.pipelines().trim();
}

bool Hazards::need_barrier(std::span<const VkBuffer> read, VkBuffer written)
{
    const bool conflict = written_.contains(written) || read_.contains(written) ||
                          std::any_of(read.begin(), read.end(), [&](VkBuffer buffer) { return written_.contains(buffer); });
    if (conflict) {
        read_.clear();
        written_.clear();
    }
    read_.insert(read.begin(), read.end());
    written_.insert(written);
    return conflict;
}

Result<std::unique_ptr<Binding>> Binding::create(std::shared_ptr<const Program> program,
                                                 std::vector<std::shared_ptr<Buffer>> operands, size_t first_output)
{
    if (Status status = program->device().alive(); !status)
        return status;
    std::unique_ptr<Binding> binding(new Binding(std::move(program)));
    binding->operands_ = std::move(operands);
    binding->first_output_ = first_output;
    if (Status status = binding->create_sets(); !status)
        return status;
    return binding;
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
    Status status = device.check(vk.vkCreateDescriptorPool(device.handle(), &info, nullptr, &pool_), "vkCreateDescriptorPool");
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

void Binding::write_set(const plan::Step& step, VkDescriptorSet set) const
{
    std::vector<VkDescriptorBufferInfo> buffers;
    for (const uint8_t operand : step.operands)
        buffers.push_back({operands_[operand]->handle(), 0, operands_[operand]->size()});
    if (step.uses_uniform)
        buffers.push_back({program_->uniform_->handle(), 0, program_->uniform_->size()});

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
        device.vk().vkDestroyDescriptorPool(device.handle(), pool_, nullptr);
}

void Binding::record(Commands& commands, Hazards& hazards) const
{
    const Instance& instance = program_->device().instance();
    if (instance.debug_utils()) {
        auto label = structure<VkDebugUtilsLabelEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT);
        label.pLabelName = program_->label_.c_str();
        instance.vk().vkCmdBeginDebugUtilsLabelEXT(commands.handle(), &label);
    }
    for (size_t i = 0; i < program_->plan_.steps.size(); ++i)
        record_step(i, commands, hazards);
    record_constant(commands, hazards);
    if (instance.debug_utils())
        instance.vk().vkCmdEndDebugUtilsLabelEXT(commands.handle());
}

void Binding::record_step(size_t index, Commands& commands, Hazards& hazards) const
{
    const plan::Step& step = program_->plan_.steps[index];
    const Pipeline& pipeline = *program_->pipelines_[index];
    std::vector<VkBuffer> buffers;
    for (const uint8_t operand : step.operands)
        buffers.push_back(operands_[operand]->handle());
    if (hazards.need_barrier(std::span(buffers).first(buffers.size() - 1), buffers.back()))
        commands.barrier();

    const DeviceFunctions& vk = program_->device().vk();
    vk.vkCmdBindPipeline(commands.handle(), VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle());
    vk.vkCmdBindDescriptorSets(commands.handle(), VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout(), 0, 1, &sets_[index], 0,
                               nullptr);
    if (!step.push.empty())
        vk.vkCmdPushConstants(commands.handle(), pipeline.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0, uint32_t(step.push.size()),
                              step.push.data());
    vk.vkCmdDispatch(commands.handle(), step.groups[0], step.groups[1], step.groups[2]);
}

void Binding::record_constant(Commands& commands, Hazards& hazards) const
{
    const std::vector<std::byte>& constant = program_->plan_.constant;
    if (constant.empty())
        return;
    const VkBuffer output = operands_[first_output_]->handle();
    if (hazards.need_barrier({}, output))
        commands.barrier();
    constexpr size_t largest_update = 65536;  // of vkCmdUpdateBuffer
    for (size_t done = 0; done < constant.size(); done += largest_update)
        program_->device().vk().vkCmdUpdateBuffer(commands.handle(), output, done,
                                                  std::min(largest_update, constant.size() - done), constant.data() + done);
}

Result<std::unique_ptr<Execution>> Execution::create(Device& device)
{
    Result<std::unique_ptr<Commands>> commands = Commands::create(device);
    if (!commands)
        return commands.status();
    std::unique_ptr<Execution> execution(new Execution(device));
    execution->commands_ = std::move(*commands);
    return execution;
}

Status Execution::record(std::span<const Binding* const> bindings, bool timed)
{
    timestamps_.reset();
    if (timed) {
        Result<std::unique_ptr<Timestamps>> made = Timestamps::create(device_, uint32_t(bindings.size()));
        if (!made)
            return made.status();
        timestamps_ = std::move(*made);
    }
    if (Status status = commands_->begin(); !status)
        return status;
    if (timestamps_)
        timestamps_->begin(*commands_);
    Hazards hazards;
    for (const Binding* binding : bindings) {
        binding->record(*commands_, hazards);
        if (timestamps_)
            timestamps_->piece_done(*commands_);
    }
    return commands_->end();
}

Status Execution::run()
{
    return commands_->submit_and_wait();
}

}  // namespace vkonnx::gpu
