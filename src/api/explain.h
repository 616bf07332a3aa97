// What `explain` and `Device::prepare` share: attributes and descriptions -> geometry -> plan, and how to tell about it.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include "plan/plan.h"

namespace vkonnx::api {

struct Planned {
    plan::Plan plan;
    Explanation explanation;
    std::vector<int64_t> host_result;
};

Result<Planned> plan_of(const ConvTranspose& attributes, std::span<const TensorDesc> inputs, const Capabilities& capabilities,
                        const PrepareOptions& options);
Result<Planned> plan_of(const onednn::ConvTranspose& attributes, std::span<const TensorDesc> inputs,
                        const Capabilities& capabilities, const PrepareOptions& options);
Result<Planned> plan_of(const AveragePool& attributes, std::span<const TensorDesc> inputs, const Capabilities& capabilities,
                        const PrepareOptions& options);
Result<Planned> plan_of(const Shape& attributes, std::span<const TensorDesc> inputs, const Capabilities& capabilities,
                        const PrepareOptions& options);

}  // namespace vkonnx::api
