// SPDX-License-Identifier: Apache-2.0
// This file tells what tensors of ONNX Runtime are, and looks at those that lie in host memory.
#pragma once

#include <vkonnx/onnx.hpp>

#include "onnxruntime/runtime.h"

namespace vkonnx::onnxruntime {

// Returns the type and the dimensions, -1 for those that are not known.
TensorDesc desc_of(const Runtime& runtime, const OrtTensorTypeAndShapeInfo* info);

// The view is valid as long as the value is. Strings are refused.
onnx::HostView view_of(const Runtime& runtime, const OrtValue* value);

}  // namespace vkonnx::onnxruntime
