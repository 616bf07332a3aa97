// SPDX-License-Identifier: Apache-2.0
// From a TensorProto to a tensor in host memory, for every type and encoding.
#pragma once

#include <vkonnx/onnx.hpp>

#include <span>

#include "external.h"
#include "parse.h"

namespace vkonnx::onnx {

// "float" for 1; nothing for a number that is no type of ONNX.
DType dtype_from(int64_t data_type);

// The tensor's description, once dimensions, type, encoding and amount of data agree. Allocates no elements.
Result<TensorDesc> check(const TensorProto& tensor);

// Whether its elements lie in another file. What data_location says decides, as for others that read ONNX: without it, entries of
// external_data mean nothing.
bool is_external(const TensorProto& tensor);

// Where those of a checked tensor lie that is external.
Result<ExternalData> external_data(const TensorProto& tensor, const TensorDesc& desc);

// The elements too, of a tensor that is not external. Data in raw_data is copied; use `raw_bytes` to look at it in place.
Result<HostTensor> read(const TensorProto& tensor);

// The bytes of a checked tensor that has raw_data.
std::span<const std::byte> raw_bytes(const TensorProto& tensor);

// The status with "tensor 'T': " in front, or "tensor: " where it has no name. One without room for more words stays as it is.
Status in_tensor(const TensorProto& tensor, const Status& status);

}  // namespace vkonnx::onnx
