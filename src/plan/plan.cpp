#include "plan/plan.h"

namespace vkonnx::plan {
namespace {

std::vector<std::string_view> specialization_names(Kernel kernel)
{
    switch (kernel) {
    case Kernel::average_pool_direct_f32:
    case Kernel::average_pool_nd_f32:
        return {"workgroup_size", "rank", "count_include_pad"};
    case Kernel::conv_transpose_direct_f32:
    case Kernel::conv_transpose_nd_f32:
        return {"workgroup_size", "rank", "bias"};
    case Kernel::probe_copy_f32:
    case Kernel::probe_flops_f16:
    case Kernel::probe_flops_f32:
    case Kernel::self_test_f32:
        return {"workgroup_size"};
    }
    return {};
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
