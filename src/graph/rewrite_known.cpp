// SPDX-License-Identifier: Apache-2.0
// This file reads values that must be known while preparing.
#include <cstring>

#include "graph/rewriter.h"
#include "return_if_error.h"

namespace vkonnx::graph {

// Returns the elements of a value that must be known while preparing.
Result<HostTensor> Rewriter::known(int32_t value, const std::string& label) const
{
    if (const std::shared_ptr<const Content>& there = content(value)) {
        Result<HostTensor> tensor = there->read();
        if (tensor)
            tensor->desc = at(value).desc;  // as its views see it
        return tensor;
    }
    unknown_.push_back(value);
    return Status(Code::unsupported, label + std::string(known_only_when_running));
}

// Returns the only element of a bool tensor that must be known while preparing.
Result<bool> Rewriter::known_bool(int32_t value, const std::string& what) const
{
    const TensorDesc& desc = at(value).desc;
    const std::string label = what + " (" + quote(name_of(value)) + ")";
    const Result<int64_t> count = element_count(desc);
    if (desc.dtype != DType::boolean || !count || *count != 1)
        return invalid_argument(label + " is " + vkonnx::to_string(desc) + ", expected one bool");
    const Result<HostTensor> tensor = known(value, label);
    VKONNX_RETURN_IF_ERROR(tensor.status());
    return tensor->data[0] != std::byte(0);
}

// Returns an integer list that must be known while preparing, because it decides dimensions. With `narrow` it may be int32.
Result<std::vector<int64_t>> Rewriter::known_values(int32_t value, const std::string& what, bool narrow) const
{
    const TensorDesc& desc = at(value).desc;
    const std::string label = what + " (" + quote(name_of(value)) + ")";
    if ((desc.dtype != DType::int64 && !(narrow && desc.dtype == DType::int32)) || desc.dims.size() > 1)
        return invalid_argument(label + " is " + vkonnx::to_string(desc) + ", expected int64 with one dimension");
    const Result<HostTensor> tensor = known(value, label);
    VKONNX_RETURN_IF_ERROR(tensor.status());
    return integers_of(*tensor);
}

// Returns a number that must be known while preparing.
Result<int64_t> Rewriter::known_number(int32_t value, const std::string& what) const
{
    const Result<std::vector<int64_t>> values = known_values(value, what, true);
    VKONNX_RETURN_IF_ERROR(values.status());
    if (values->size() != 1)
        return invalid_argument(what + " (" + quote(name_of(value)) + ") has " + std::to_string(values->size()) +
                                " elements, expected one");
    return values->front();
}

// Returns a list such as Resize's scales, which are floats in every version of ONNX.
Result<std::vector<float>> Rewriter::known_floats(int32_t value, const std::string& what) const
{
    const TensorDesc& desc = at(value).desc;
    const std::string label = what + " (" + quote(name_of(value)) + ")";
    if (desc.dtype != DType::float32 || desc.dims.size() > 1)
        return invalid_argument(label + " is " + vkonnx::to_string(desc) + ", expected float with one dimension");
    const Result<HostTensor> tensor = known(value, label);
    VKONNX_RETURN_IF_ERROR(tensor.status());
    std::vector<float> values(tensor->data.size() / sizeof(float));
    if (!values.empty())
        std::memcpy(values.data(), tensor->data.data(), tensor->data.size());
    return values;
}

}  // namespace vkonnx::graph
