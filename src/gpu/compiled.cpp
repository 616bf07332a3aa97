// SPDX-License-Identifier: Apache-2.0
#include "gpu/compiled.h"
#include "return_if_error.h"

namespace vkonnx::gpu {
namespace {

double number(const VkPipelineExecutableStatisticKHR& statistic)
{
    switch (statistic.format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
        return statistic.value.b32 ? 1 : 0;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
        return double(statistic.value.i64);
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
        return double(statistic.value.u64);
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR:
        return statistic.value.f64;
    default:
        return 0;
    }
}

// Does what `enumerate` does, for structures that must have their type before they are filled.
template <class T, class Call>
VkResult enumerate_structures(VkStructureType type, std::vector<T>& items, Call call)
{
    VkResult result;
    do {
        uint32_t count = 0;
        result = call(&count, static_cast<T*>(nullptr));
        if (result != VK_SUCCESS)
            return result;
        items.assign(count, structure<T>(type));
        result = call(&count, items.data());
        items.resize(count);
    } while (result == VK_INCOMPLETE);
    return result;
}

class ProgramReader {
public:
    ProgramReader(Device& device, VkPipeline pipeline) : device_(device) { pipeline_.pipeline = pipeline; }

    Result<std::vector<CompiledProgram>> programs() const
    {
        std::vector<VkPipelineExecutablePropertiesKHR> executables;
        const VkResult result =
            enumerate_structures(VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR, executables, [&](uint32_t* n, auto* p) {
                return device_.vk().vkGetPipelineExecutablePropertiesKHR(device_.handle(), &pipeline_, n, p);
            });
        if (result != VK_SUCCESS)
            return device_.check(result, "vkGetPipelineExecutablePropertiesKHR");
        std::vector<CompiledProgram> programs;
        for (uint32_t i = 0; i < executables.size(); ++i) {
            programs.push_back({.subgroup_size = executables[i].subgroupSize});
            auto which = structure<VkPipelineExecutableInfoKHR>(VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR);
            which.pipeline = pipeline_.pipeline;
            which.executableIndex = i;
            VKONNX_RETURN_IF_ERROR(read_statistics(which, programs.back()));
            VKONNX_RETURN_IF_ERROR(read_texts(which, programs.back()));
        }
        return programs;
    }

private:
    Status read_statistics(const VkPipelineExecutableInfoKHR& which, CompiledProgram& program) const
    {
        std::vector<VkPipelineExecutableStatisticKHR> statistics;
        const VkResult result =
            enumerate_structures(VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR, statistics, [&](uint32_t* n, auto* p) {
                return device_.vk().vkGetPipelineExecutableStatisticsKHR(device_.handle(), &which, n, p);
            });
        for (const VkPipelineExecutableStatisticKHR& statistic : statistics)
            program.statistics.emplace_back(statistic.name, number(statistic));
        return device_.check(result, "vkGetPipelineExecutableStatisticsKHR");
    }

    // Asks the driver once for the sizes and once for the texts.
    Status read_texts(const VkPipelineExecutableInfoKHR& which, CompiledProgram& program) const
    {
        const auto ask = [&](uint32_t* n, VkPipelineExecutableInternalRepresentationKHR* p) {
            return device_.vk().vkGetPipelineExecutableInternalRepresentationsKHR(device_.handle(), &which, n, p);
        };
        std::vector<VkPipelineExecutableInternalRepresentationKHR> forms;
        VkResult result = enumerate_structures(VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR, forms, ask);
        if (result == VK_SUCCESS && !forms.empty()) {
            std::vector<std::string> contents(forms.size());
            for (size_t i = 0; i < forms.size(); ++i) {
                contents[i].resize(forms[i].dataSize);
                forms[i].pData = contents[i].data();
            }
            uint32_t count = uint32_t(forms.size());
            result = ask(&count, forms.data());
            for (size_t i = 0; i < count && result == VK_SUCCESS; ++i)
                if (forms[i].isText)  // a text ends with a 0
                    program.texts.emplace_back(forms[i].name, contents[i].c_str());
        }
        return device_.check(result, "vkGetPipelineExecutableInternalRepresentationsKHR");
    }

    Device& device_;
    VkPipelineInfoKHR pipeline_ = structure<VkPipelineInfoKHR>(VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR);
};

}  // namespace

Result<std::vector<CompiledProgram>> compile(Device& device, const PipelineKey& key)
{
    const Result<std::shared_ptr<const Pipeline>> pipeline = Pipeline::create(
        device, key, VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR | VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR);
    return pipeline ? ProgramReader(device, (*pipeline)->handle()).programs() : pipeline.status();
}

}  // namespace vkonnx::gpu
