// SPDX-License-Identifier: Apache-2.0
#include "plan/operators/operators.h"
#include "return_if_error.h"

namespace vkonnx::plan {

Result<Plan> plan_for(const ops::ShapeGeometry& geometry, const Capabilities&, const PrepareOptions& options)
{
    VKONNX_RETURN_IF_ERROR(check_no_epilogue("Shape", options));
    if (!options.kernel.empty())
        return Status(Code::invalid_argument,
                      "Shape: kernel '" + options.kernel + "' does not fit; it runs on the host, without a kernel");
    Plan plan;
    // The bytes are little-endian, whatever the host's byte order.
    plan.constant.resize(geometry.result.size() * 8);
    for (size_t i = 0; i < plan.constant.size(); ++i)
        plan.constant[i] = std::byte(uint64_t(geometry.result[i / 8]) >> (8 * (i % 8)) & 0xff);
    plan.tensor_bytes = {plan.constant.size()};
    plan.why = "the dimensions are known without reading the tensor";
    return plan;
}

Result<std::vector<KernelChoice>> kernels_for(const ops::ShapeGeometry&, const Capabilities&, const PrepareOptions& options)
{
    VKONNX_RETURN_IF_ERROR(check_no_epilogue("Shape", options));
    return std::vector<KernelChoice>();
}

}  // namespace vkonnx::plan
