// This header has short ways to say what the tests of model files say often.
#pragma once

#include <vkonnx/onnx.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kit/onnx_builder.h"

namespace vkonnx::onnx {

using kit::as_bytes;
using kit::bool_tensor;
using kit::external_tensor;
using kit::float_attribute;
using kit::float_tensor;
using kit::floats_attribute;
using kit::FunctionBuilder;
using kit::graph_attribute;
using kit::int64_tensor;
using kit::int_attribute;
using kit::ints_attribute;
using kit::ModelBuilder;
using kit::Proto;
using kit::raw_tensor;
using kit::referring_attribute;
using kit::sparse_attribute;
using kit::sparse_tensor;
using kit::string_attribute;
using kit::strings_attribute;
using kit::tensor_attribute;

using Dims = std::vector<int64_t>;
using Names = std::vector<std::string>;

inline Result<Model> parse(const std::string& file)
{
    return Model::parse(as_bytes(file));
}

inline Result<std::vector<NodeReport>> explain_file(const std::string& file, const std::vector<NamedDesc>& inputs = {},
                                                    const SessionOptions& options = {})
{
    Result<Model> model = parse(file);
    if (!model)
        return model.status();
    Result<GraphReport> report = explain(*model, inputs, *Capabilities::preset("minimum"), options);
    if (!report)
        return report.status();
    return std::move(report->nodes);
}

// Succeeds for a failed Result with this code whose sentence contains this text.
template <class T>
testing::AssertionResult refused(const Result<T>& result, Code code, const std::string& text)
{
    if (result)
        return testing::AssertionFailure() << "accepted, expected to be refused with: " << text;
    if (result.code() != code)
        return testing::AssertionFailure() << "code " << int(result.code()) << ", expected " << int(code) << ": "
                                           << result.message();
    if (result.message().find(text) == std::string_view::npos)
        return testing::AssertionFailure() << "\"" << result.message() << "\" does not contain \"" << text << "\"";
    return testing::AssertionSuccess();
}

template <class T>
testing::AssertionResult invalid(const Result<T>& result, const std::string& text)
{
    return refused(result, Code::invalid_argument, text);
}

template <class T>
testing::AssertionResult unsupported(const Result<T>& result, const std::string& text)
{
    return refused(result, Code::unsupported, text);
}

template <class T>
testing::AssertionResult accepted(const Result<T>& result)
{
    return result ? testing::AssertionSuccess() : testing::AssertionFailure() << result.message();
}

}  // namespace vkonnx::onnx
