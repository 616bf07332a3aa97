#include "test_module.h"

namespace vkonnx::gpu_test {

TestModule::TestModule(const PresentDevice& present, std::span<const uint32_t> code, size_t input_bytes, size_t output_bytes,
                       uint32_t groups)
    : input_bytes_(input_bytes), output_bytes_(output_bytes)
{
    app::create_device_for_vkonnx(engine_, engine_.physical_devices.at(present.index));
#define X(name)                                                                                                                  \
    name = reinterpret_cast<PFN_##name>(engine_.vkGetDeviceProcAddr(engine_.device, #name));                                     \
    app::check(name != nullptr, "no " #name);
    TEST_MODULE_FUNCTIONS(X)
#undef X
    input_ = engine_.create_buffer(input_bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true);
    output_ = engine_.create_buffer(output_bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true);
    create_pipeline(code);
    create_descriptors();
    record(groups);
}

TestModule::~TestModule()
{
    vkDestroyDescriptorPool(engine_.device, pool_, nullptr);
    vkDestroyPipeline(engine_.device, pipeline_, nullptr);
    vkDestroyPipelineLayout(engine_.device, layout_, nullptr);
    vkDestroyDescriptorSetLayout(engine_.device, set_layout_, nullptr);
}

void TestModule::create_pipeline(std::span<const uint32_t> words)
{
    VkDescriptorSetLayoutBinding bindings[2] = {};
    for (uint32_t i = 0; i < 2; ++i)
        bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo set = {};
    set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    set.bindingCount = 2;
    set.pBindings = bindings;
    app::check(vkCreateDescriptorSetLayout(engine_.device, &set, nullptr, &set_layout_), "vkCreateDescriptorSetLayout");
    VkPipelineLayoutCreateInfo layout = {};
    layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &set_layout_;
    app::check(vkCreatePipelineLayout(engine_.device, &layout, nullptr, &layout_), "vkCreatePipelineLayout");

    VkShaderModuleCreateInfo code = {};
    code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    code.codeSize = words.size_bytes();
    code.pCode = words.data();
    VkShaderModule shader = VK_NULL_HANDLE;
    app::check(vkCreateShaderModule(engine_.device, &code, nullptr, &shader), "vkCreateShaderModule");
    VkComputePipelineCreateInfo pipeline = {};
    pipeline.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    pipeline.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    pipeline.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    pipeline.stage.module = shader;
    pipeline.stage.pName = "main";
    pipeline.layout = layout_;
    app::check(vkCreateComputePipelines(engine_.device, VK_NULL_HANDLE, 1, &pipeline, nullptr, &pipeline_),
               "vkCreateComputePipelines");
    vkDestroyShaderModule(engine_.device, shader, nullptr);
}

void TestModule::create_descriptors()
{
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
    const VkDescriptorPoolCreateInfo pool = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, 1, 1, &size};
    app::check(vkCreateDescriptorPool(engine_.device, &pool, nullptr, &pool_), "vkCreateDescriptorPool");
    const VkDescriptorSetAllocateInfo allocate = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool_, 1,
                                                  &set_layout_};
    app::check(vkAllocateDescriptorSets(engine_.device, &allocate, &set_), "vkAllocateDescriptorSets");
    for (uint32_t i = 0; i < 2; ++i) {
        const VkDescriptorBufferInfo buffer = {i ? output_.handle : input_.handle, 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write = {};
        write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
        write.dstSet = set_;
        write.dstBinding = i;
        write.descriptorCount = 1;
        write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write.pBufferInfo = &buffer;
        vkUpdateDescriptorSets(engine_.device, 1, &write, 0, nullptr);
    }
}

void TestModule::record(uint32_t groups)
{
    commands_ = engine_.begin_commands();
    vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
    vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set_, 0, nullptr);
    vkCmdDispatch(commands_, groups, 1, 1);
    engine_.barrier(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                    VK_ACCESS_HOST_READ_BIT);
    engine_.end_commands(commands_);
}

}  // namespace vkonnx::gpu_test
