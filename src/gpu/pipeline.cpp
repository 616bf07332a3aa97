// SPDX-License-Identifier: Apache-2.0
#include "gpu/pipeline.h"

#include <algorithm>

#include "gpu/fuse_products.h"
#include "gpu/persistent_cache.h"
#include "gpu/specialize.h"
#include "return_if_error.h"
#include "shaders/library/bindings.h"

namespace vkonnx::gpu {
namespace {

// A SingleCache is a VkPipelineCache for one pipeline, of the data that was kept for it. Its handle may be null.
class SingleCache {
public:
    SingleCache(Device& device, std::span<const std::byte> data) : device_(device)
    {
        auto info = structure<VkPipelineCacheCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO);
        info.initialDataSize = data.size();
        info.pInitialData = data.empty() ? nullptr : data.data();  // a pointer to nothing crashes some drivers of Android
        if (device_.vk().vkCreatePipelineCache(device_.handle(), &info, device_.allocator(), &cache_) != VK_SUCCESS)
            cache_ = VK_NULL_HANDLE;
    }
    ~SingleCache()
    {
        if (cache_)
            device_.vk().vkDestroyPipelineCache(device_.handle(), cache_, device_.allocator());
    }
    SingleCache(const SingleCache&) = delete;
    SingleCache& operator=(const SingleCache&) = delete;

    VkPipelineCache handle() const { return cache_; }

    // Returns nothing where the driver gives no data.
    std::vector<std::byte> data() const
    {
        const auto get = [&](size_t& bytes, void* to) {
            return device_.vk().vkGetPipelineCacheData(device_.handle(), cache_, &bytes, to);
        };
        size_t bytes = 0;
        if (!cache_ || get(bytes, nullptr) != VK_SUCCESS || bytes > max_cache_bytes)
            return {};
        std::vector<std::byte> data(bytes);
        VkResult result = get(bytes, data.data());
        if (result == VK_INCOMPLETE) {  // the data grew, or the driver says so although it did not
            data.resize(2 * data.size());
            bytes = data.size();
            result = get(bytes, data.data());
        }
        if (result != VK_SUCCESS && result != VK_INCOMPLETE)
            return {};
        data.resize(std::min(bytes, data.size()));
        return data;
    }

private:
    Device& device_;
    VkPipelineCache cache_ = VK_NULL_HANDLE;
};

// Returns a key that covers all that a driver compiles, so that equal keys stand for the same pipeline.
uint64_t key_of(std::span<const uint32_t> code, const PipelineKey& key, VkPipelineShaderStageCreateFlags stage_flags)
{
    Hash hash;
    hash.add(std::as_bytes(code));
    for (const plan::View view : key.views)
        hash.add(std::as_bytes(std::span(&view, 1)));
    const uint32_t rest[] = {uint32_t(key.uses_uniform), key.push_bytes, stage_flags};
    hash.add(std::as_bytes(std::span(rest)));
    return hash.value();
}

}  // namespace

VkDescriptorType descriptor_type(plan::View view)
{
    return view == plan::View::storage ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
}

Result<std::shared_ptr<const Pipeline>> Pipeline::create(Device& device, const PipelineKey& key, VkPipelineCreateFlags flags)
{
    VKONNX_RETURN_IF_ERROR(device.alive());
    std::shared_ptr<Pipeline> pipeline(new Pipeline(device));
    VKONNX_RETURN_IF_ERROR(pipeline->create_layouts(key));
    VKONNX_RETURN_IF_ERROR(pipeline->create_pipeline(key, flags));
    device.set_name(VK_OBJECT_TYPE_PIPELINE, pipeline->pipeline_, std::string(kernel_name(key.kernel)));
    return std::shared_ptr<const Pipeline>(std::move(pipeline));
}

Status Pipeline::create_layouts(const PipelineKey& key)
{
    const VolkDeviceTable& vk = device_.vk();
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (uint32_t i = 0; i < key.views.size(); ++i)
        bindings.push_back({i, descriptor_type(key.views[i]), 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    if (key.uses_uniform)
        bindings.push_back({UNIFORM_BINDING, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    auto set = structure<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
    set.bindingCount = uint32_t(bindings.size());
    set.pBindings = bindings.data();
    VkResult result = vk.vkCreateDescriptorSetLayout(device_.handle(), &set, device_.allocator(), &set_layout_);
    if (result != VK_SUCCESS) {
        set_layout_ = VK_NULL_HANDLE;
        return device_.check(result, "vkCreateDescriptorSetLayout");
    }
    const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, key.push_bytes};
    auto layout = structure<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &set_layout_;
    layout.pushConstantRangeCount = key.push_bytes ? 1 : 0;
    layout.pPushConstantRanges = &push;
    result = vk.vkCreatePipelineLayout(device_.handle(), &layout, device_.allocator(), &layout_);
    if (result != VK_SUCCESS)
        layout_ = VK_NULL_HANDLE;
    return device_.check(result, "vkCreatePipelineLayout");
}

Status Pipeline::create_pipeline(const PipelineKey& key, VkPipelineCreateFlags flags)
{
    // All that can throw comes before the module is made.
    const VolkDeviceTable& vk = device_.vk();
    std::vector<uint32_t> code = specialized(spirv(key.kernel), key.specialization);
    if (device_.physical().leaves_products_apart)
        code = with_fused_products(code);
    code = with_float_controls(code, device_.physical().float_controls);
    auto module_info = structure<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    module_info.codeSize = code.size() * sizeof(uint32_t);
    module_info.pCode = code.data();

    VkShaderModule module = VK_NULL_HANDLE;
    VkResult result = vk.vkCreateShaderModule(device_.handle(), &module_info, device_.allocator(), &module);
    if (result != VK_SUCCESS)
        return device_.check(result, "vkCreateShaderModule");
    auto info = structure<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
    info.flags = flags;
    info.stage = structure<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    if (spirv_words::places_in(code).cooperative_matrices)  // Vulkan demands this of cooperative matrices before SPIR-V 1.6
        info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.layout = layout_;
    result = compile(info, flags == 0 ? key_of(code, key, info.stage.flags) : 0);
    vk.vkDestroyShaderModule(device_.handle(), module, device_.allocator());
    return device_.check(result, "vkCreateComputePipelines");
}

// Compiles the pipeline. A driver that fails with the kept data gets an empty cache, and then none. Key 0: nothing is kept.
VkResult Pipeline::compile(VkComputePipelineCreateInfo& info, uint64_t key) noexcept
{
    const auto create = [&](VkPipelineCache cache) {
        const VkResult result =
            device_.vk().vkCreateComputePipelines(device_.handle(), cache, 1, &info, device_.allocator(), &pipeline_);
        if (result != VK_SUCCESS)
            pipeline_ = VK_NULL_HANDLE;
        return result;
    };
    PersistentCache& kept = device_.cache();
    if (key == 0 || !kept.keeps_pipelines())
        return create(VK_NULL_HANDLE);
    VkPipelineCreationFeedback feedback = {};
    VkPipelineCreationFeedback of_stage = {};
    auto ask = structure<VkPipelineCreationFeedbackCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO);
    ask.pPipelineCreationFeedback = &feedback;
    ask.pipelineStageCreationFeedbackCount = 1;
    ask.pPipelineStageCreationFeedbacks = &of_stage;
    if (device_.tells_feedback())
        info.pNext = &ask;
    try {
        std::vector<std::byte> data = kept.pipeline(key);
        for (bool again = true; again; data.clear()) {
            const SingleCache cache(device_, data);
            again = !data.empty();
            feedback = {};
            if (!cache.handle() || create(cache.handle()) != VK_SUCCESS)
                continue;
            const bool is_told = feedback.flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT;
            const bool is_hit = feedback.flags & VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT;
            const bool found = !data.empty() && (is_hit || !is_told);
            kept.note_pipeline(key, found, is_told && is_hit, found ? std::move(data) : cache.data());
            return VK_SUCCESS;
        }
    } catch (...) {  // there is no memory for what would be kept
        if (pipeline_)
            return VK_SUCCESS;
    }
    return create(VK_NULL_HANDLE);
}

Pipeline::~Pipeline()
{
    if (!device_.may_destroy())
        return;
    const VolkDeviceTable& vk = device_.vk();
    if (pipeline_)
        vk.vkDestroyPipeline(device_.handle(), pipeline_, device_.allocator());
    if (layout_)
        vk.vkDestroyPipelineLayout(device_.handle(), layout_, device_.allocator());
    if (set_layout_)
        vk.vkDestroyDescriptorSetLayout(device_.handle(), set_layout_, device_.allocator());
}

Result<std::shared_ptr<const Pipeline>> PipelineCache::get(const PipelineKey& key)
{
    const Use use(*this, key);
    Entry& entry = use.entry();
    std::lock_guard lock(entry.mutex);
    if (!entry.pipeline) {
        Result<std::shared_ptr<const Pipeline>> made = Pipeline::create(device_, key);
        if (!made)
            return made;
        entry.pipeline = std::move(*made);
    }
    return entry.pipeline;  // the caller holds it, so `trim` does not drop it
}

PipelineCache::Entry& PipelineCache::enter(const PipelineKey& key)
{
    std::lock_guard lock(mutex_);
    auto found = entries_.find(key);
    if (found == entries_.end()) {
        std::list<const PipelineKey*> place(1);  // what can throw comes first, and leaves list and map as they are
        found = entries_.try_emplace(key).first;
        place.front() = &found->first;
        found->second.place = place.begin();
        order_.splice(order_.begin(), place);
    }
    Entry& entry = found->second;
    order_.splice(order_.begin(), order_, entry.place);
    ++entry.users;
    return entry;
}

void PipelineCache::leave(Entry& entry) noexcept
{
    std::lock_guard lock(mutex_);
    if (--entry.users > 0 || entry.pipeline)
        return;
    const auto failed = entries_.find(**entry.place);
    order_.erase(entry.place);
    entries_.erase(failed);
}

void PipelineCache::trim()
{
    std::lock_guard lock(mutex_);
    if (order_.size() <= capacity_)
        return;
    size_t idle = 0;
    for (auto place = order_.begin(); place != order_.end();) {
        const auto found = entries_.find(**place);
        const Entry& entry = found->second;
        // Nobody outside can start to hold it meanwhile: only the cache hands it out, to users that are counted under this lock.
        const bool held = entry.users > 0 || entry.pipeline.use_count() > 1;
        if (held || ++idle <= capacity_) {
            ++place;
            continue;
        }
        place = order_.erase(place);
        entries_.erase(found);
    }
}

}  // namespace vkonnx::gpu
