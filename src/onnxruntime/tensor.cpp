// SPDX-License-Identifier: Apache-2.0
#include "onnxruntime/tensor.h"

#include <memory>

namespace vkonnx::onnxruntime {

namespace {

struct ReleaseInfo {
    const OrtApi* api;
    void operator()(OrtTensorTypeAndShapeInfo* info) const { api->ReleaseTensorTypeAndShapeInfo(info); }
};

}  // namespace

TensorDesc desc_of(const Runtime& runtime, const OrtTensorTypeAndShapeInfo* info)
{
    const OrtApi& api = runtime.api();
    ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    runtime.check(api.GetTensorElementType(info, &element));
    TensorDesc desc = {.dtype = DType(element)};  // both number types as ONNX does
    size_t rank = 0;
    runtime.check(api.GetDimensionsCount(info, &rank));
    desc.dims.resize(rank);
    runtime.check(api.GetDimensions(info, desc.dims.data(), rank));
    return desc;
}

onnx::HostView view_of(const Runtime& runtime, const OrtValue* value)
{
    const OrtApi& api = runtime.api();
    OrtTensorTypeAndShapeInfo* made = nullptr;
    runtime.check(api.GetTensorTypeAndShape(value, &made));
    const std::unique_ptr<OrtTensorTypeAndShapeInfo, ReleaseInfo> info(made, {&api});
    onnx::HostView view = {.desc = desc_of(runtime, info.get())};
    if (view.desc.dtype == DType::string)
        throw Failure{Status(Code::unsupported, "tensors of strings are not supported")};
    size_t size = 0;
    runtime.check(api.GetTensorSizeInBytes(value, &size));
    const void* data = nullptr;
    runtime.check(api.GetTensorData(value, &data));
    view.data = {static_cast<const std::byte*>(data), size};
    return view;
}

}  // namespace vkonnx::onnxruntime
