// This header has what the tests of functions that a model defines share.
#pragma once

#include "helpers.h"

namespace vkonnx::onnx {

inline FunctionBuilder function(const std::string& name, const Names& inputs, const Names& outputs)
{
    return std::move(FunctionBuilder(name, inputs, outputs).opset(17).opset(1, "local"));
}

inline constexpr int64_t integer = 2, graph = 5, integers = 7;  // numbers of types of attributes

inline ModelBuilder with_functions(const std::vector<FunctionBuilder>& functions)
{
    ModelBuilder model;
    model.opset(17).opset(1, "local").input("X", DType::float32, {1, 1, 4});
    for (const FunctionBuilder& one : functions)
        model.function(one);
    return model;
}

// Returns a model that calls f, which makes Y of the inputs.
inline ModelBuilder calling(const std::vector<FunctionBuilder>& functions, const std::vector<std::string>& attributes = {},
                            const Names& inputs = {"X"})
{
    return with_functions(functions).node("f", inputs, {"Y"}, attributes, "call", "local").output("Y");
}

inline Names names_of(const Result<std::vector<NodeReport>>& nodes)
{
    Names names;
    for (size_t i = 0; nodes && i < nodes->size(); ++i)
        names.push_back(nodes->at(i).name + " " + nodes->at(i).op_type);
    return names;
}

// Returns the dimensions of what the last node makes.
inline Dims made(const Result<std::vector<NodeReport>>& nodes)
{
    return nodes ? nodes->back().explanation.outputs.front().dims : Dims{-1};
}

inline FunctionBuilder concatenating(const std::string& axis)
{
    return function("f", {"a"}, {"b"}).node("Concat", {"a", "a"}, {"b"}, {axis});
}

inline std::string subgraph(const std::string& op_type, const Names& inputs, const std::vector<std::string>& attributes = {},
                            const std::string& domain = "")
{
    return ModelBuilder().node(op_type, inputs, {"z"}, attributes, "in", domain).output("z").graph();
}

inline std::vector<std::string> subgraphs(const std::string& then_branch, const std::string& else_branch)
{
    return {graph_attribute("then_branch", then_branch), graph_attribute("else_branch", else_branch)};
}

}  // namespace vkonnx::onnx
