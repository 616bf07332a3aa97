// SPDX-License-Identifier: Apache-2.0
// From a TensorProto to a tensor in host memory, for every type and encoding.
#pragma once

#include <vkonnx/onnx.hpp>

#include <span>

#include "parse.h"

namespace vkonnx::onnx {

// "float" for 1; nothing for a number that is no type of ONNX.
DType dtype_from(int64_t data_type);

// The tensor's description, once dimensions, type, encoding and amount of data agree. Allocates no elements.
Result<TensorDesc> check(const TensorProto& tensor);

// The elements too. Data in raw_data is copied; use `raw_bytes` to look at it in place.
Result<HostTensor> read(const TensorProto& tensor);

// The bytes of a checked tensor that has raw_data.
std::span<const std::byte> raw_bytes(const TensorProto& tensor);

}  // namespace vkonnx::onnx
