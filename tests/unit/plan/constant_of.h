#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "plan/plan.h"

namespace vkonnx::plan {

// The value of the step's specialization constant of that name.
inline uint32_t constant_of(const Step& step, std::string_view name)
{
    for (const SpecializationConstant& constant : specialization_of(step.kernel))
        if (constant.name == name)
            return step.specialization.at(constant.id);
    throw std::out_of_range(std::string(kernel_name(step.kernel)) + " has no constant " + std::string(name));
}

}  // namespace vkonnx::plan
