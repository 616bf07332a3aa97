// This header has what the tests of quantized operators share.
#pragma once

#include <random>

#include "onnx_session.h"

namespace vkonnx::gpu_test {

using Integers = std::vector<int64_t>;

// Calls `visit` with a number of the C++ type for an integer type.
template <class Visit>
auto with_type(DType dtype, Visit visit)
{
    switch (dtype) {
    case DType::uint8:
        return visit(uint8_t());
    case DType::int8:
        return visit(int8_t());
    case DType::uint16:
        return visit(uint16_t());
    case DType::int16:
        return visit(int16_t());
    default:
        return visit(int32_t());
    }
}

inline onnx::HostTensor integers(DType dtype, const Dims& dims, const Integers& values)
{
    return with_type(dtype, [&]<class T>(T) { return host(dtype, dims, std::vector<T>(values.begin(), values.end())); });
}

inline Integers integers_in(const onnx::HostTensor& tensor)
{
    return with_type(tensor.desc.dtype, [&]<class T>(T) {
        const std::vector<T> values = values_of<T>(tensor);
        return Integers(values.begin(), values.end());
    });
}

struct NodeInput {
    std::string name = {};
    onnx::HostTensor tensor = {};
    bool is_constant = false;
};

// Runs one node with one output. An input without a name is left out.
inline onnx::HostTensor run_node(const CaseDevice& device, const std::string& op, const std::vector<NodeInput>& inputs,
                                 const std::vector<std::string>& attributes = {}, int64_t opset = 21,
                                 const std::string& domain = "")
{
    kit::ModelBuilder model;
    model.opset(opset);
    if (!domain.empty())
        model.opset(1, domain);
    std::vector<std::string> names;
    std::vector<onnx::HostTensor> given;
    for (const NodeInput& input : inputs) {
        names.push_back(input.name);
        const TensorDesc& desc = input.tensor.desc;
        if (input.name.empty())
            continue;
        if (input.is_constant) {
            model.initializer(kit::raw_tensor(input.name, desc, input.tensor.data));
            continue;
        }
        model.input(input.name, desc.dtype, {desc.dims.begin(), desc.dims.end()});
        given.push_back(input.tensor);
    }
    const std::vector<onnx::HostTensor> got =
        run(device, model.node(op, names, {"Y"}, attributes, "", domain).output("Y").build(), given);
    return got.size() == 1 ? got[0] : onnx::HostTensor();
}

// Returns integers of 8 bits.
inline Integers drawn_bytes(DType dtype, int64_t count, std::mt19937& random)
{
    Integers values;
    for (int64_t i = 0; i < count; ++i)
        values.push_back(int64_t(random() % 256) - (dtype == DType::int8 ? 128 : 0));
    return values;
}

}  // namespace vkonnx::gpu_test
