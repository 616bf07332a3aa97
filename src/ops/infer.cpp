// SPDX-License-Identifier: Apache-2.0
#include <vkonnx/vkonnx.hpp>

#include "guard.h"
#include "ops/geometry.h"
#include "return_if_error.h"

namespace vkonnx {

Result<std::vector<TensorDesc>> infer(const Operator& op, std::span<const TensorDesc> inputs)
{
    return guarded([&]() -> Result<std::vector<TensorDesc>> {
        VKONNX_RETURN_IF_ERROR(check_span("infer", "inputs", inputs));
        return std::visit(
            [&](const auto& one) -> Result<std::vector<TensorDesc>> {
                const auto geometry = ops::resolve(one, inputs);
                VKONNX_RETURN_IF_ERROR(geometry.status());
                return ops::outputs_of(*geometry);
            },
            op);
    });
}

}  // namespace vkonnx
