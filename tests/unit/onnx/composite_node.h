// This header has what the tests of composites share: models with one node, and what the library says of them.
#pragma once

#include <algorithm>

#include "helpers.h"

namespace vkonnx::onnx {

struct CompositeInput {
    Dims dims = {};
    DType dtype = DType::float32;
    std::string tensor = {};  // of the file, under the name "x0", "x1" and so on, instead
};

// This struct is a model with one node.
struct CompositeNode {
    std::string op_type = {};
    std::vector<CompositeInput> inputs = {};
    std::vector<std::string> attributes = {};
    int64_t opset = 23;
    Names outputs = {"y0"};
    Names without = {};         // inputs that have no name
    bool is_microsoft = false;  // of com.microsoft, where ONNX has an operator of the name as well
};

inline std::string model_with(const CompositeNode& node)
{
    constexpr std::string_view contributed[] = {"MultiHeadAttention",
                                                "GroupQueryAttention",
                                                "EmbedLayerNormalization",
                                                "GatherBlockQuantized",
                                                "BiasGelu",
                                                "FastGelu",
                                                "Gelu",
                                                "SkipLayerNormalization",
                                                "SkipSimplifiedLayerNormalization",
                                                "FusedMatMul",
                                                "QuickGelu",
                                                "MatMulNBits",
                                                "QLinearAdd",
                                                "QLinearSigmoid",
                                                "QLinearMul",
                                                "QLinearConcat",
                                                "QLinearSoftmax",
                                                "QLinearGlobalAveragePool",
                                                "QGemm",
                                                "QLinearWhere",
                                                "FusedConv",
                                                "FusedGemm",
                                                "QAttention",
                                                "MatMulIntegerToFloat",
                                                "DynamicQuantizeMatMul"};
    const bool is_microsoft = node.is_microsoft || std::ranges::find(contributed, node.op_type) != std::end(contributed);
    ModelBuilder model;
    model.opset(node.opset);
    if (is_microsoft)
        model.opset(1, "com.microsoft");
    Names names;
    for (const CompositeInput& input : node.inputs) {
        const std::string name = "x" + std::to_string(names.size());
        names.push_back(std::ranges::find(node.without, name) != node.without.end() ? "" : name);
        if (!input.tensor.empty())
            model.initializer(input.tensor);
        else if (!names.back().empty())
            model.input(name, input.dtype, {input.dims.begin(), input.dims.end()});
    }
    model.node(node.op_type, names, node.outputs, node.attributes, "node", is_microsoft ? "com.microsoft" : "");
    for (const std::string& output : node.outputs)
        if (!output.empty())
            model.output(output);
    return model.build();
}

inline Result<NodeReport> explain_composite(const CompositeNode& node, const SessionOptions& options = {})
{
    const auto nodes = explain_file(model_with(node), {}, options);
    return nodes ? Result(nodes->back()) : nodes.status();
}

// Returns the operators that compute the node, such as "Add Gelu".
inline std::string parts_of(const CompositeNode& node)
{
    SessionOptions options;
    for (const auto& fusion : fusion_words)
        options.without_fusions |= uint32_t(fusion.value);
    const Result<NodeReport> report = explain_composite(node, options);
    if (!report)
        return std::string(report.message());
    if (!report->runs())
        return report->explanation.kernel;
    std::string parts;
    const std::string& lines = report->explanation.equation;
    for (size_t at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + 1)) {
        const std::string line = lines.substr(at + 1, lines.find('\n', at + 1) - at - 1);
        const size_t name = line.starts_with("ONNX ") ? 5 : line.starts_with("vkonnx ") ? 7 : 0;
        if (name > 0)
            parts += (parts.empty() ? "" : " ") + line.substr(name, line.find('-') - name);
    }
    return parts;
}

}  // namespace vkonnx::onnx
