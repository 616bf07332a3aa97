#include "plan/shape.h"

namespace vkonnx::plan {

Result<Plan> plan_shape(const ops::ShapeGeometry& geometry)
{
    Plan plan;
    // little-endian words, lower one first, whatever the host's byte order
    for (int64_t extent : geometry.result)
        for (int byte = 0; byte < 8; ++byte)
            plan.constant.push_back(std::byte(uint64_t(extent) >> (8 * byte) & 0xff));
    plan.why = "the dimensions are known without reading the tensor";
    return plan;
}

}  // namespace vkonnx::plan
