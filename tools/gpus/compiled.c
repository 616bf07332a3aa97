// SPDX-License-Identifier: Apache-2.0
// compiled FILE.spv [ID=VALUE...]: prints what the first device's compiler makes of a compute shader with these values of its
// specialization constants, a statistic a line. Without arguments it prints the device's name.
//
// It stands alone, so that it can be built for another processor than the library (gpus.sh).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { max_constants = 32, max_statistics = 64, max_programs = 4, bindings = 9, uniform_binding = 8 };

static void give_up(const char* what, int result)
{
    fprintf(stderr, "compiled: %s: %d\n", what, result);
    exit(1);
}

static void check(const char* what, VkResult result)
{
    if (result != VK_SUCCESS)
        give_up(what, result);
}

static VkPhysicalDevice first_device(void)
{
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance;
    check("vkCreateInstance", vkCreateInstance(&info, NULL, &instance));
    VkPhysicalDevice device = VK_NULL_HANDLE;
    uint32_t count = 1;
    vkEnumeratePhysicalDevices(instance, &count, &device);
    if (count == 0)
        give_up("there is no device", 0);
    return device;
}

// With the features that modules may need and no others: robust access to buffers would change what is compiled.
static VkDevice open_device(VkPhysicalDevice physical)
{
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR statistics = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};
    VkPhysicalDeviceVulkan12Features offered12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                  .pNext = &statistics};
    VkPhysicalDeviceFeatures2 offered = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &offered12};
    vkGetPhysicalDeviceFeatures2(physical, &offered);
    if (!statistics.pipelineExecutableInfo)
        give_up("the device has no VK_KHR_pipeline_executable_properties", 0);
    VkPhysicalDeviceVulkan12Features wanted12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                 .pNext = &statistics,
                                                 .shaderFloat16 = offered12.shaderFloat16};
    const VkPhysicalDeviceFeatures2 wanted = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
        .pNext = &wanted12,
        .features = {.shaderFloat64 = offered.features.shaderFloat64, .shaderInt64 = offered.features.shaderInt64}};
    const char* extension = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &wanted,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = 1,
                                     .ppEnabledExtensionNames = &extension};
    VkDevice device;
    check("vkCreateDevice", vkCreateDevice(physical, &info, NULL, &device));
    return device;
}

static VkShaderModule read_module(VkDevice device, const char* path)
{
    FILE* file = fopen(path, "rb");
    if (!file)
        give_up(path, 0);
    fseek(file, 0, SEEK_END);
    const size_t size = (size_t)ftell(file);
    rewind(file);
    uint32_t* words = malloc(size);
    if (!words || fread(words, 1, size, file) != size)
        give_up(path, 0);
    fclose(file);
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = words};
    VkShaderModule module;
    check("vkCreateShaderModule", vkCreateShaderModule(device, &info, NULL, &module));
    free(words);
    return module;
}

// A storage buffer at each binding but that of the uniform block (UNIFORM_BINDING of shaders/library/bindings.h), and push
// constants.
static VkPipelineLayout make_layout(VkDevice device)
{
    VkDescriptorSetLayoutBinding list[bindings];
    for (uint32_t i = 0; i < bindings; ++i)
        list[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                 .descriptorType = i == uniform_binding ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                                                                                        : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                 .descriptorCount = 1,
                                                 .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    const VkDescriptorSetLayoutCreateInfo set_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = bindings, .pBindings = list};
    VkDescriptorSetLayout set;
    check("vkCreateDescriptorSetLayout", vkCreateDescriptorSetLayout(device, &set_info, NULL, &set));
    const VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = 128};
    const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .setLayoutCount = 1,
                                             .pSetLayouts = &set,
                                             .pushConstantRangeCount = 1,
                                             .pPushConstantRanges = &range};
    VkPipelineLayout layout;
    check("vkCreatePipelineLayout", vkCreatePipelineLayout(device, &info, NULL, &layout));
    return layout;
}

static void print_statistics(VkDevice device, VkPipeline pipeline)
{
    const PFN_vkGetPipelineExecutablePropertiesKHR get_programs =
        (PFN_vkGetPipelineExecutablePropertiesKHR)vkGetDeviceProcAddr(device, "vkGetPipelineExecutablePropertiesKHR");
    const PFN_vkGetPipelineExecutableStatisticsKHR get_statistics =
        (PFN_vkGetPipelineExecutableStatisticsKHR)vkGetDeviceProcAddr(device, "vkGetPipelineExecutableStatisticsKHR");
    const VkPipelineInfoKHR of_pipeline = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pipeline = pipeline};
    VkPipelineExecutablePropertiesKHR programs[max_programs];
    for (uint32_t i = 0; i < max_programs; ++i)
        programs[i] = (VkPipelineExecutablePropertiesKHR){.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR};
    uint32_t program_count = max_programs;
    get_programs(device, &of_pipeline, &program_count, programs);
    for (uint32_t p = 0; p < program_count; ++p) {
        const VkPipelineExecutableInfoKHR of_program = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, .pipeline = pipeline, .executableIndex = p};
        VkPipelineExecutableStatisticKHR list[max_statistics];
        for (uint32_t i = 0; i < max_statistics; ++i)
            list[i] = (VkPipelineExecutableStatisticKHR){.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR};
        uint32_t count = max_statistics;
        get_statistics(device, &of_program, &count, list);
        for (uint32_t i = 0; i < count; ++i)
            if (list[i].format == VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR)
                printf("%s: %g\n", list[i].name, list[i].value.f64);
            else
                printf("%s: %llu\n", list[i].name, (unsigned long long)list[i].value.u64);
    }
}

int main(int argument_count, char** arguments)
{
    const VkPhysicalDevice physical = first_device();
    if (argument_count < 2) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(physical, &properties);
        printf("%s\n", properties.deviceName);
        return 0;
    }
    VkSpecializationMapEntry entries[max_constants];
    uint32_t values[max_constants];
    uint32_t constants = 0;
    for (int i = 2; i < argument_count; ++i) {
        if (constants == max_constants || sscanf(arguments[i], "%u=%u", &entries[constants].constantID, &values[constants]) != 2)
            give_up("what follows the file must be ID=VALUE, at most 32 times", 0);
        entries[constants].offset = constants * (uint32_t)sizeof *values;
        entries[constants].size = sizeof *values;
        ++constants;
    }
    const VkDevice device = open_device(physical);
    const VkSpecializationInfo specialization = {
        .mapEntryCount = constants, .pMapEntries = entries, .dataSize = constants * sizeof *values, .pData = values};
    const VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                              .flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR,
                                              .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                        .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                        .module = read_module(device, arguments[1]),
                                                        .pName = "main",
                                                        .pSpecializationInfo = &specialization},
                                              .layout = make_layout(device)};
    VkPipeline pipeline;
    check("vkCreateComputePipelines", vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    print_statistics(device, pipeline);
    return 0;
}
