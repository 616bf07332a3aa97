// SPDX-License-Identifier: Apache-2.0
// This file looks at tensors that ONNX Runtime holds in host memory.
#pragma once

#include <vkonnx/onnx.hpp>

#include "onnxruntime/runtime.h"

namespace vkonnx::onnxruntime {

// The view is valid as long as the value is. Strings are refused.
onnx::HostView view_of(const Runtime& runtime, const OrtValue* value);

}  // namespace vkonnx::onnxruntime
