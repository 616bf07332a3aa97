// SPDX-License-Identifier: Apache-2.0
#include "gpu/recorder.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "return_if_error.h"
#include "shaders/library/bindings.h"

namespace vkonnx::gpu {
namespace {

VkFormat format_of(plan::View view)
{
    switch (view) {
    case plan::View::storage:
        break;
    case plan::View::texel_r32f:
        return VK_FORMAT_R32_SFLOAT;
    case plan::View::texel_rgba32f:
        return VK_FORMAT_R32G32B32A32_SFLOAT;
    case plan::View::texel_rgba32ui:
        return VK_FORMAT_R32G32B32A32_UINT;
    }
    return VK_FORMAT_UNDEFINED;
}

VkDescriptorBufferInfo descriptor_of(const Slice& slice)
{
    return {slice.buffer, slice.offset, slice.size};
}

// Orders steps by what their descriptor sets hold. Whether they read or write it does not count.
struct BindsLess {
    const plan::Plan& plan;

    bool operator()(uint32_t a, uint32_t b) const
    {
        const plan::Step& first = plan.steps[a];
        const plan::Step& second = plan.steps[b];
        const auto layout = [](const PipelineKey& key) { return std::tie(key.uses_uniform, key.views); };
        const PipelineKey& key = plan::pipeline_of(plan, first);
        const PipelineKey& other = plan::pipeline_of(plan, second);
        if (layout(key) != layout(other))
            return layout(key) < layout(other);
        const auto tied = [](const plan::Operand& operand) {
            return std::tie(operand.place, operand.tensor, operand.offset, operand.bytes);
        };
        return std::lexicographical_compare(first.operands.begin(), first.operands.end(), second.operands.begin(),
                                            second.operands.end(),
                                            [&](const plan::Operand& x, const plan::Operand& y) { return tied(x) < tied(y); });
    }
};

// Returns a buffer with these bytes, or null where there are none.
Result<std::shared_ptr<Buffer>> uploaded(Device& device, const std::vector<std::byte>& bytes, BufferUse use,
                                         const std::string& name, const Upload& upload)
{
    if (bytes.empty())
        return std::shared_ptr<Buffer>();
    Result<std::shared_ptr<Buffer>> buffer = Buffer::create(device, bytes.size(), use, name);
    if (!buffer)
        return buffer;
    VKONNX_RETURN_IF_ERROR(upload(*buffer, bytes));
    return buffer;
}

}  // namespace

Result<std::shared_ptr<const Program>> Program::create(Device& device, plan::Plan plan, std::string label,
                                                       std::shared_ptr<Buffer> packed, const Upload& upload)
{
    VKONNX_RETURN_IF_ERROR(device.alive());
    VKONNX_RETURN_IF_ERROR(plan::check(plan, device.physical().info.capabilities));
    std::shared_ptr<Program> program(new Program(device));
    program->plan_ = std::move(plan);
    program->label_ = std::move(label);
    program->packed_ = std::move(packed);
    for (const PipelineKey& key : program->plan_.pipelines) {
        Result<std::shared_ptr<const Pipeline>> pipeline = device.pipelines().get(key);
        VKONNX_RETURN_IF_ERROR(pipeline.status());
        program->pipelines_.push_back(std::move(*pipeline));
    }
    program->number_sets();
    Result<std::shared_ptr<Buffer>> uniform =
        uploaded(device, program->plan_.uniform, BufferUse::uniform, program->label_ + " uniform", upload);
    VKONNX_RETURN_IF_ERROR(uniform.status());
    program->uniform_ = std::move(*uniform);
    Result<std::shared_ptr<Buffer>> table =
        uploaded(device, program->plan_.table, BufferUse::storage, program->label_ + " table", upload);
    VKONNX_RETURN_IF_ERROR(table.status());
    program->table_ = std::move(*table);
    return std::shared_ptr<const Program>(std::move(program));
}

void Program::number_sets()
{
    std::map<uint32_t, uint32_t, BindsLess> sets(BindsLess{plan_});
    for (uint32_t i = 0; i < plan_.steps.size(); ++i) {
        const auto [set, is_new] = sets.try_emplace(i, uint32_t(first_with_set_.size()));
        if (is_new)
            first_with_set_.push_back(i);
        set_of_step_.push_back(set->second);
    }
}

Program::~Program()
{
    pipelines_.clear();
    if (device_.may_destroy())
        device_.pipelines().trim();
}

bool Hazards::conflicts(const Access& access) const
{
    return std::any_of(accesses_.begin(), accesses_.begin() + ptrdiff_t(count_), [&](const Access& earlier) {
        return (access.writes || earlier.writes) && earlier.slice.overlaps(access.slice);
    });
}

bool Hazards::need_barrier(std::span<const Access> accesses)
{
    const bool conflict = count_ + accesses.size() > accesses_.size() ||
                          std::any_of(accesses.begin(), accesses.end(), [&](const Access& a) { return conflicts(a); });
    if (conflict)
        clear();
    for (const Access& access : accesses)
        accesses_[count_++] = access;
    return conflict;
}

Result<std::unique_ptr<Binding>> Binding::create(std::shared_ptr<const Program> program,
                                                 std::vector<std::shared_ptr<Buffer>> tensors, std::shared_ptr<Buffer> scratch)
{
    VKONNX_RETURN_IF_ERROR(program->device().alive());
    std::unique_ptr<Binding> binding(new Binding(std::move(program)));
    binding->tensors_ = std::move(tensors);
    binding->scratch_ = std::move(scratch);
    VKONNX_RETURN_IF_ERROR(binding->check_sizes());
    VKONNX_RETURN_IF_ERROR(binding->create_scratch());
    VKONNX_RETURN_IF_ERROR(binding->create_sets());
    return binding;
}

// Checks that nothing that the plan binds lies outside of its buffer.
Status Binding::check_sizes() const
{
    const plan::Plan& plan = program_->plan_;
    const std::vector<bool> named = plan::named_tensors(plan);
    bool fits = tensors_.size() >= plan.tensor_bytes.size();
    for (size_t i = 0; fits && i < plan.tensor_bytes.size(); ++i)
        fits = tensors_[i] ? tensors_[i]->size() >= plan::buffer_bytes(plan.tensor_bytes[i]) : !named[i];
    if (scratch_ && plan.scratch_bytes != 0)
        fits = fits && scratch_->size() >= plan::buffer_bytes(plan.scratch_bytes);
    if (plan.packed_bytes != 0)
        fits = fits && program_->packed_ && program_->packed_->size() >= plan::buffer_bytes(plan.packed_bytes);
    return fits ? Status() : Status::from_literal(Code::driver_error, "a plan is bound to less memory than it was made for");
}

Status Binding::create_scratch()
{
    const uint64_t bytes = program_->plan_.scratch_bytes;
    if (bytes == 0 || scratch_)
        return {};
    Result<std::shared_ptr<Buffer>> made =
        Buffer::create(program_->device(), bytes, BufferUse::storage, program_->label_ + " scratch");
    VKONNX_RETURN_IF_ERROR(made.status());
    scratch_ = std::move(*made);
    return {};
}

Status Binding::create_sets()
{
    const std::vector<plan::Step>& steps = program_->plan_.steps;
    if (steps.empty())
        return {};
    std::array<VkDescriptorPoolSize, 3> kinds = {{{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0},
                                                  {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 0},
                                                  {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 0}}};
    const auto count = [&](VkDescriptorType type) {
        for (VkDescriptorPoolSize& kind : kinds)
            kind.descriptorCount += kind.type == type;
    };
    std::vector<VkDescriptorSetLayout> layouts;
    for (const uint32_t first : program_->first_with_set_) {
        const PipelineKey& key = plan::pipeline_of(program_->plan_, steps[first]);
        for (const plan::View view : key.views)
            count(descriptor_type(view));
        if (key.uses_uniform)
            count(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
        layouts.push_back(program_->pipeline_of(steps[first]).set_layout());
    }
    std::vector<VkDescriptorPoolSize> sizes;
    std::copy_if(kinds.begin(), kinds.end(), std::back_inserter(sizes),
                 [](const VkDescriptorPoolSize& kind) { return kind.descriptorCount != 0; });
    auto info = structure<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
    info.maxSets = uint32_t(layouts.size());
    info.poolSizeCount = uint32_t(sizes.size());
    info.pPoolSizes = sizes.data();
    Device& device = program_->device();
    const VolkDeviceTable& vk = device.vk();
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
    sets_.resize(layouts.size());
    status = device.check(vk.vkAllocateDescriptorSets(device.handle(), &allocate, sets_.data()), "vkAllocateDescriptorSets");
    if (!status)
        return status;
    for (size_t i = 0; i < sets_.size(); ++i)
        if (status = write_set(steps[program_->first_with_set_[i]], sets_[i]); !status)
            return status;
    return {};
}

Slice Binding::part_of(const plan::Operand& operand) const
{
    const Buffer& memory = operand.place == plan::Place::tensor    ? *tensors_[operand.tensor]
                           : operand.place == plan::Place::scratch ? *scratch_
                           : operand.place == plan::Place::table   ? *program_->table_
                                                                   : *program_->packed_;
    return {memory.slice().buffer, memory.slice().offset + operand.offset, plan::bound_bytes(program_->plan_, operand)};
}

bool Binding::accesses(const Slice& slice, bool only_writes) const
{
    const plan::Plan& plan = program_->plan_;
    const auto is_accessed_by = [&](const plan::Step& step) {
        return std::any_of(step.operands.begin(), step.operands.end(), [&](const plan::Operand& operand) {
            return (operand.written() || !only_writes) && part_of(operand).overlaps(slice);
        });
    };
    return std::any_of(plan.steps.begin(), plan.steps.end(), is_accessed_by) ||
           (!plan.constant.empty() && tensors_[plan.inputs]->slice().overlaps(slice));
}

Status Binding::create_view(const Slice& part, plan::View view)
{
    views_.reserve(views_.size() + 1);  // what can throw comes first
    auto info = structure<VkBufferViewCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO);
    info.buffer = part.buffer;
    info.format = format_of(view);
    info.offset = part.offset;
    info.range = part.size;
    Device& device = program_->device();
    VkBufferView made = VK_NULL_HANDLE;
    const VkResult result = device.vk().vkCreateBufferView(device.handle(), &info, device.allocator(), &made);
    if (result != VK_SUCCESS)
        return device.check(result, "vkCreateBufferView");
    views_.push_back(made);
    return {};
}

Status Binding::write_set(const plan::Step& step, VkDescriptorSet set)
{
    const PipelineKey& key = plan::pipeline_of(program_->plan_, step);
    std::array<VkDescriptorBufferInfo, MAX_OPERANDS + 1> buffers = {};
    std::array<VkBufferView, MAX_OPERANDS> views = {};
    std::vector<VkWriteDescriptorSet> writes;
    const auto add = [&](uint32_t binding, VkDescriptorType type, uint32_t place) {
        auto write = structure<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
        write.dstSet = set;
        write.dstBinding = binding;
        write.descriptorCount = 1;
        write.descriptorType = type;
        write.pBufferInfo = &buffers[place];
        if (type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER)
            write.pTexelBufferView = &views[place];
        writes.push_back(write);
    };
    for (uint32_t i = 0; i < step.operands.size(); ++i) {
        const Slice part = part_of(step.operands[i]);
        buffers[i] = descriptor_of(part);
        if (key.views[i] != plan::View::storage) {
            VKONNX_RETURN_IF_ERROR(create_view(part, key.views[i]));
            views[i] = views_.back();
        }
        add(i, descriptor_type(key.views[i]), i);
    }
    if (key.uses_uniform) {
        buffers.back() = descriptor_of(program_->uniform_->slice());
        add(UNIFORM_BINDING, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, MAX_OPERANDS);
    }
    const Device& device = program_->device();
    device.vk().vkUpdateDescriptorSets(device.handle(), uint32_t(writes.size()), writes.data(), 0, nullptr);
    return {};
}

Binding::~Binding()
{
    Device& device = program_->device();
    if (!device.may_destroy())
        return;
    if (pool_)
        device.vk().vkDestroyDescriptorPool(device.handle(), pool_, device.allocator());
    for (const VkBufferView view : views_)
        device.vk().vkDestroyBufferView(device.handle(), view, device.allocator());
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
    const PipelineKey& key = plan::pipeline_of(program_->plan_, step);
    const Pipeline& pipeline = program_->pipeline_of(step);
    const Device& device = program_->device();
    std::array<Hazards::Access, MAX_OPERANDS> accesses;
    for (size_t i = 0; i < step.operands.size(); ++i)
        accesses[i] = {part_of(step.operands[i]), step.operands[i].written()};
    // A uniform buffer is written only by copies before all steps, so its reads need not be remembered.
    const bool waits_for_uniform = key.uses_uniform && hazards.conflicts({program_->uniform_->slice(), false});
    if (waits_for_uniform)
        hazards.clear();
    if (hazards.need_barrier(std::span(accesses).first(step.operands.size())) || waits_for_uniform)
        barrier_between(device, commands);

    const VolkDeviceTable& vk = device.vk();
    vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle());
    vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout(), 0, 1,
                               &sets_[program_->set_of_step_[index]], 0, nullptr);
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
    const Slice& output = tensors_[program_->plan_.inputs]->slice();
    const Hazards::Access access = {output, true};
    if (hazards.need_barrier({&access, 1}))
        barrier_between(device, commands);
    constexpr size_t largest_update = 65536;  // the limit of vkCmdUpdateBuffer
    for (size_t done = 0; done < constant.size(); done += largest_update)
        device.vk().vkCmdUpdateBuffer(commands, output.buffer, output.offset + done,
                                      std::min(largest_update, constant.size() - done), constant.data() + done);
}

}  // namespace vkonnx::gpu
