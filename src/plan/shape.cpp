// SPDX-License-Identifier: Apache-2.0
#include "plan/shape.h"

namespace vkonnx::plan {

Result<Plan> plan_shape(const ops::ShapeGeometry& geometry)
{
    Plan plan;
    // little-endian words, lower one first, whatever the host's byte order
    plan.constant.resize(geometry.result.size() * 8);
    for (size_t i = 0; i < plan.constant.size(); ++i)
        plan.constant[i] = std::byte(uint64_t(geometry.result[i / 8]) >> (8 * (i % 8)) & 0xff);
    plan.tensor_bytes = {plan.constant.size()};
    plan.why = "the dimensions are known without reading the tensor";
    return plan;
}

}  // namespace vkonnx::plan
