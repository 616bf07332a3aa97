#include "plan/plan.h"

namespace vkonnx::plan {

std::vector<std::pair<std::string, uint32_t>> describe_specialization(const Step& step)
{
    std::vector<std::pair<std::string, uint32_t>> described;
    for (const SpecializationConstant& constant : specialization_of(step.kernel))
        if (constant.id < step.specialization.size())
            described.emplace_back(constant.name, step.specialization[constant.id]);
    return described;
}

}  // namespace vkonnx::plan
