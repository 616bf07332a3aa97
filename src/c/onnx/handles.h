// SPDX-License-Identifier: Apache-2.0
// This file has what stands behind the handles of onnx.h.
#pragma once

#include <vkonnx/onnx.h>
#include <vkonnx/onnx.hpp>

#include "c/handles.h"

namespace vkonnx::c {

Result<std::vector<onnx::NamedDesc>> named_descs_of(const char* function, const vkonnx_named_desc* const* inputs, size_t count);
Result<onnx::SessionOptions> options_of(const vkonnx_session_options* given);

void fill(vkonnx_value_infos& place, std::span<const onnx::ValueInfo> infos, Memory& memory);
Status hand_out_tensors(Result<std::vector<onnx::HostTensor>> tensors, const vkonnx_host_tensors** result);
Status hand_out_report(onnx::GraphReport report, const vkonnx_graph_report** result);

}  // namespace vkonnx::c

struct vkonnx_model {
    explicit vkonnx_model(vkonnx::onnx::Model given);
    vkonnx::onnx::Model model;
    vkonnx_value_infos inputs = {};
    vkonnx_value_infos outputs = {};
    vkonnx_metadata metadata = {};
    vkonnx::c::Memory memory = {};
};

struct vkonnx_session {
    explicit vkonnx_session(vkonnx::onnx::Session given);
    vkonnx::onnx::Session session;
    vkonnx_tensor_descs inputs = {};
    vkonnx_tensor_descs outputs = {};
    vkonnx::c::Memory memory = {};
};
