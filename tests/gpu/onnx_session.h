// This header has what the tests of model files on devices share.
#pragma once

#include <vkonnx/onnx.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "kit/onnx_builder.h"
#include "small_problem.h"

namespace vkonnx::gpu_test {

using Dims = std::vector<int64_t>;

template <class T>
onnx::HostTensor host(DType dtype, const Dims& dims, const std::vector<T>& values)
{
    std::span<const std::byte> bytes = std::as_bytes(std::span(values));
    onnx::HostTensor tensor;  // member by member: GCC 12 sees a use after free in nested braces
    tensor.desc = {.dtype = dtype, .dims = dims};
    tensor.data.assign(bytes.begin(), bytes.end());
    return tensor;
}

inline onnx::HostTensor floats(const Dims& dims, const std::vector<float>& values)
{
    return host(DType::float32, dims, values);
}

inline onnx::HostTensor number(int64_t value)
{
    return host<int64_t>(DType::int64, {}, {value});
}

// Returns an input whose elements a session knows.
inline onnx::NamedDesc known(const std::string& name, const onnx::HostTensor& value)
{
    onnx::NamedDesc input;
    input.name = name;
    input.desc = value.desc;
    input.value = value;
    return input;
}

inline onnx::HostTensor strings(const Dims& dims, const std::vector<std::string>& values)
{
    onnx::HostTensor tensor;
    tensor.desc = {DType::string, dims};
    tensor.strings = values;
    return tensor;
}

template <class T>
std::vector<T> values_of(const onnx::HostTensor& tensor)
{
    std::vector<T> values(tensor.data.size() / sizeof(T));
    if (!values.empty())
        std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
    return values;
}

inline void expect_floats(const onnx::HostTensor& tensor, const Dims& dims, const std::vector<float>& values)
{
    EXPECT_EQ(tensor.desc, (TensorDesc{.dtype = DType::float32, .dims = dims})) << to_string(tensor.desc);
    EXPECT_EQ(values_of<float>(tensor), values);
}

// Opens every device with validation, poison and guard bands, runs the body, and expects that all of them report nothing.
template <class Body>
void on_every_device(Body body, const std::optional<Capabilities>& lowered_to = {})
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        auto device = CaseDevice::open(present.index, CaseDevice::default_options(), lowered_to);
        ASSERT_TRUE(device) << device.message();
        body(**device);
        EXPECT_EQ((*device)->shim().guard_report(), "");
        EXPECT_EQ((*device)->take_messages(), "");
    }
}

inline Result<onnx::Session> prepare(const CaseDevice& device, const std::string& file,
                                     const std::vector<onnx::NamedDesc>& inputs = {}, const onnx::SessionOptions& options = {})
{
    Result<onnx::Model> model = onnx::Model::parse(kit::as_bytes(file));
    if (!model)
        return model.status();
    return onnx::Session::prepare(device.device(), *model, inputs, options);  // the session does not need the model
}

// Prepares and runs twice. The second run, which looks at the inputs where they lie, must give the same bytes.
inline std::vector<onnx::HostTensor> run(const CaseDevice& device, const std::string& file,
                                         const std::vector<onnx::HostTensor>& inputs,
                                         const std::vector<onnx::NamedDesc>& descs = {}, const onnx::SessionOptions& options = {})
{
    Result<onnx::Session> session = prepare(device, file, descs, options);
    EXPECT_TRUE(session) << session.message();
    if (!session)
        return {};
    Result<std::vector<onnx::HostTensor>> first = session->run(inputs);
    EXPECT_TRUE(first) << first.message();
    std::vector<onnx::HostView> views;
    for (const onnx::HostTensor& input : inputs)
        views.push_back({.desc = input.desc, .data = input.data, .strings = input.strings});
    Result<std::vector<onnx::HostTensor>> second = session->run_views(views);
    EXPECT_TRUE(second) << second.message();
    if (!first || !second)
        return {};
    EXPECT_EQ(first->size(), second->size());
    for (size_t i = 0; i < first->size() && i < second->size(); ++i)
        EXPECT_EQ((*first)[i].data, (*second)[i].data) << "output " << i << " of the second run differs";
    for (size_t i = 0; i < first->size() && i < second->size(); ++i)
        EXPECT_EQ((*first)[i].strings, (*second)[i].strings) << "output " << i << " of the second run differs";
    return *first;
}

}  // namespace vkonnx::gpu_test
