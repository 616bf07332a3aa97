// This header runs a shader of the tests' own on one device, for what no kernel shows by itself. The library runs no foreign
// shaders, so it runs on the engine of the examples.
#pragma once

#include <span>

#include "examples/adopt_engine.hpp"
#include "small_problem.h"

namespace vkonnx::gpu_test {

#define TEST_MODULE_FUNCTIONS(X)                                                                                                 \
    X(vkCreateShaderModule)                                                                                                      \
    X(vkDestroyShaderModule)                                                                                                     \
    X(vkCreateDescriptorSetLayout)                                                                                               \
    X(vkDestroyDescriptorSetLayout)                                                                                              \
    X(vkCreatePipelineLayout)                                                                                                    \
    X(vkDestroyPipelineLayout)                                                                                                   \
    X(vkCreateComputePipelines)                                                                                                  \
    X(vkDestroyPipeline)                                                                                                         \
    X(vkCreateDescriptorPool)                                                                                                    \
    X(vkDestroyDescriptorPool)                                                                                                   \
    X(vkAllocateDescriptorSets)                                                                                                  \
    X(vkUpdateDescriptorSets)                                                                                                    \
    X(vkCmdBindPipeline)                                                                                                         \
    X(vkCmdBindDescriptorSets)                                                                                                   \
    X(vkCmdDispatch)

// The shader reads the buffer at binding 0 and writes that at binding 1, on `groups` workgroups.
class TestModule {
public:
    TestModule(const PresentDevice& present, std::span<const uint32_t> code, size_t input_bytes, size_t output_bytes,
               uint32_t groups);
    ~TestModule();

    template <class Value>
    std::span<Value> input() const
    {
        return input_.as<Value>(0, input_bytes_ / sizeof(Value));
    }
    template <class Value>
    std::span<const Value> output() const
    {
        return output_.as<const Value>(0, output_bytes_ / sizeof(Value));
    }
    void run() { engine_.submit(commands_); }

private:
    void create_pipeline(std::span<const uint32_t> code);
    void create_descriptors();
    void record(uint32_t groups);

    app::Engine engine_;
    size_t input_bytes_ = 0;
    size_t output_bytes_ = 0;
    app::Buffer input_;
    app::Buffer output_;
    VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
    VkPipelineLayout layout_ = VK_NULL_HANDLE;
    VkPipeline pipeline_ = VK_NULL_HANDLE;
    VkDescriptorPool pool_ = VK_NULL_HANDLE;
    VkDescriptorSet set_ = VK_NULL_HANDLE;
    VkCommandBuffer commands_ = VK_NULL_HANDLE;
#define X(name) PFN_##name name = nullptr;
    TEST_MODULE_FUNCTIONS(X)
#undef X
};

}  // namespace vkonnx::gpu_test
