// SPDX-License-Identifier: Apache-2.0
// This file checks what a Binding binds: each tensor as the Op was prepared for it, and no output in the way of another tensor.
#pragma once

#include "api/state.h"

namespace vkonnx::api {

// Checks that the tensor can stand where `expected` is asked for. `place` names it in errors: "ConvTranspose: input[0]".
Status check_tensor(const std::string& place, const gpu::Device& device, const Tensor& tensor, const TensorDesc& expected);
// Checks the same for a tensor on device `of` with description `desc`.
Status check_described(const std::string& place, const gpu::Device& device, const gpu::Device& of, const TensorDesc& desc,
                       const TensorDesc& expected);

// Checks that wrapped buffers allow the views that the plan's steps have of them. Each tensor has a name and a buffer, which is
// null where no step names it.
struct NamedBuffer {
    std::string place = {};
    std::shared_ptr<gpu::Buffer> buffer = {};
};
Status check_views(const plan::Plan& plan, std::span<const NamedBuffer> tensors, const gpu::Device& device);

// Returns the buffers of the plan's tensors, as it numbers them, or null for those that no step names. `scratch` may be empty.
Result<std::vector<std::shared_ptr<gpu::Buffer>>> tensors_of(const OpState& op, std::span<const Tensor> inputs,
                                                             std::span<const Tensor> outputs, const Tensor& scratch);

}  // namespace vkonnx::api
