// SPDX-License-Identifier: Apache-2.0
#include "graph/value_info.h"

namespace vkonnx::graph {

std::string to_string(const ValueInfo& info)
{
    std::string text(info.dtype == DType::undefined ? "any type" : vkonnx::name(info.dtype));
    if (!info.has_shape)
        return text;
    text += "[";
    for (size_t i = 0; i < info.dims.size(); ++i)
        text += (i > 0 ? "," : "") + (info.dims[i] < 0 ? "?" : std::to_string(info.dims[i]));
    return text + "]";
}

bool is_complete(const ValueInfo& info)
{
    bool complete = info.has_shape && info.dtype != DType::undefined;
    for (int64_t extent : info.dims)
        complete &= extent >= 0;
    return complete;
}

std::string contradiction(const ValueInfo& info, const TensorDesc& desc)
{
    std::string declared = ", but the model declares " + to_string(info);
    if (info.dtype != DType::undefined && desc.dtype != info.dtype)
        return "it has type " + std::string(name(desc.dtype)) + declared;
    if (!info.has_shape)
        return {};
    if (desc.dims.size() != info.dims.size())
        return "it has rank " + std::to_string(desc.dims.size()) + declared;
    for (size_t i = 0; i < desc.dims.size(); ++i)
        if (info.dims[i] >= 0 && desc.dims[i] != info.dims[i])
            return "dims[" + std::to_string(i) + "] = " + std::to_string(desc.dims[i]) + declared;
    return {};
}

}  // namespace vkonnx::graph
