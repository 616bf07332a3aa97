#include "plan/plan.h"

namespace vkonnx::plan {
namespace {

std::vector<std::string_view> specialization_names(Kernel kernel)
{
    const std::string_view name = kernel_name(kernel);
    if (name.starts_with("average_pool"))
        return {"workgroup_size", "rank", "count_include_pad", "exact_division"};
    if (name.starts_with("conv_transpose"))
        return {"workgroup_size", "rank", "bias", "layout", "filter"};
    return {"workgroup_size"};
}

}  // namespace

std::vector<std::pair<std::string, uint32_t>> describe_specialization(const Step& step)
{
    std::vector<std::string_view> names = specialization_names(step.kernel);
    std::vector<std::pair<std::string, uint32_t>> described;
    for (size_t id = 0; id < step.specialization.size(); ++id)
        described.emplace_back(names.at(id), step.specialization[id]);
    return described;
}

}  // namespace vkonnx::plan
