// SPDX-License-Identifier: Apache-2.0
// This file turns a TensorProto into a tensor in host memory, for every type and encoding.
#pragma once

#include <vkonnx/onnx.hpp>

#include <span>

#include "external.h"
#include "parse.h"

namespace vkonnx::onnx {

// Returns float32 for 1 and so on, and undefined for a number that is no type of ONNX.
DType dtype_from(int64_t data_type);

// Returns the tensor's description, if dimensions, type, encoding and amount of data agree. It allocates no elements.
Result<TensorDesc> check(const TensorProto& tensor);

// Tells whether its elements lie in another file. Only data_location decides, as for others that read ONNX: without it, entries
// of external_data mean nothing.
bool is_external(const TensorProto& tensor);

// Returns where the elements of a checked external tensor lie.
Result<ExternalData> external_data(const TensorProto& tensor, const TensorDesc& desc);

// Returns the elements, too, of a tensor that is not external. Data in raw_data is copied, while `raw_bytes` gives it in place.
Result<HostTensor> read(const TensorProto& tensor);

// Returns the bytes of a checked tensor that has raw_data.
std::span<const std::byte> raw_bytes(const TensorProto& tensor);

// Returns the status with "tensor 'T': " in front, or "tensor: " without a name. An out_of_memory status stays as it is.
Status in_tensor(const TensorProto& tensor, const Status& status);

}  // namespace vkonnx::onnx
