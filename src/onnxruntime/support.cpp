// SPDX-License-Identifier: Apache-2.0
#include "onnxruntime/support.h"

#include <algorithm>

namespace vkonnx::onnxruntime {

namespace {

// What stands for dimensions that are not known before a run: the first one, which mostly counts a batch, and the others. A part
// is taken where it can run with one of these. A run with others is prepared anew, and refused by a sentence where that fails.
struct Guess {
    int64_t first = 1;
    int64_t others = 1;
};
constexpr Guess guesses[] = {{1, 64}, {1, 1}, {1, 224}, {64, 64}};

TensorDesc guessed(const Value& value, const Guess& guess)
{
    TensorDesc desc = {value.dtype, value.dims};
    for (size_t i = 0; i < desc.dims.size(); ++i)
        if (desc.dims[i] < 0)
            desc.dims[i] = i == 0 ? guess.first : guess.others;
    return desc;
}

// A group's constants are copied into one model, which is a message of protobuf. Some room is left for what else is in it.
constexpr uint64_t most_constant_bytes = 0x7fffffff - (uint64_t(16) << 20);

std::string too_many_constants(const ModelBytes& model)
{
    uint64_t bytes = 0;
    for (const auto& [name, desc] : model.weights)
        bytes += value_of(byte_size(desc));
    if (bytes <= most_constant_bytes)
        return {};
    return "its constants have " + std::to_string(bytes) + " bytes, a group may have " + std::to_string(most_constant_bytes);
}

// Returns why a group with these nodes would not be given what it reads.
std::string not_given(const Runtime& runtime, const Part& part)
{
    if (runtime.gives_captured_values())
        return {};
    std::set<std::string> given;
    for (const Node* node : part.nodes)
        given.insert(node->inputs.begin(), node->inputs.end());
    for (const Node* node : part.nodes)
        for (const std::string& name : node->captured)
            if (!given.contains(name) && std::find(part.inputs.begin(), part.inputs.end(), name) != part.inputs.end())
                return "ONNX Runtime before 1.27 does not give '" + name + "', which only a graph within a node reads";
    return {};
}

// Returns why a value can't be one that vkonnx reads or writes.
std::string unfit(const std::string& name, const Value& value)
{
    if (value.dtype == DType::undefined)
        return "'" + name + "' is no tensor";
    if (value.dtype == DType::string)
        return "'" + name + "' holds strings";
    return {};
}

std::vector<onnx::NamedDesc> descriptions(const ModelBytes& bytes, const Graph& graph, const Part& part, const Guess& guess)
{
    std::vector<onnx::NamedDesc> inputs;
    for (const std::string& name : part.inputs)
        inputs.push_back({.name = name, .desc = guessed(graph.values.at(name), guess)});
    for (const auto& [name, desc] : bytes.weights)
        inputs.push_back({.name = name, .desc = desc});
    return inputs;
}

}  // namespace

const Verdict& Support::of(const Graph& graph, const Part& part)
{
    ModelBytes model;
    Verdict refused;
    try {
        for (const std::vector<std::string>* names : {&part.inputs, &part.outputs})
            for (const std::string& name : *names)
                if (refused.refusal.empty())
                    refused.refusal = unfit(name, graph.values.at(name));
        if (refused.refusal.empty())
            refused.refusal = not_given(runtime_, part);
        if (refused.refusal.empty())
            model = write_model(runtime_, graph, part, WeightsAs::inputs);
        if (refused.refusal.empty())
            refused.refusal = too_many_constants(model);
    } catch (const Failure& failure) {
        refused.refusal = failure.status.message();
    }
    std::string key = refused.refusal.empty() ? model.bytes : "refused: " + refused.refusal;
    for (const auto& [name, desc] : model.weights)
        key += name + to_string(desc);
    for (const std::string& name : part.inputs)
        key += to_string({graph.values.at(name).dtype, graph.values.at(name).dims});
    const auto [place, is_new] = verdicts_.try_emplace(std::move(key), refused);
    if (is_new && refused.refusal.empty())
        place->second = judge(model, graph, part);
    return place->second;
}

Verdict Support::judge(const ModelBytes& bytes, const Graph& graph, const Part& part) const
{
    Verdict verdict;
    const Result<onnx::Model> model = onnx::Model::parse(std::as_bytes(std::span(bytes.bytes)));
    if (!model)
        return {.refusal = std::string(model.message())};
    const bool all_known = std::all_of(part.inputs.begin(), part.inputs.end(),
                                       [&](const std::string& name) { return graph.values.at(name).has_known_dims(); });
    Status first;
    for (const Guess& guess : guesses) {
        const std::vector<onnx::NamedDesc> inputs = descriptions(bytes, graph, part, guess);
        const Result<onnx::GraphReport> report = onnx::explain(*model, inputs, capabilities_, options_);
        if (report) {
            for (const onnx::NodeReport& node : report->nodes) {
                const bool is_computed = node.runs() || node.explanation.kernel == "fused";
                if (is_computed && !node.outputs.empty())
                    verdict.computed.insert(node.outputs[0]);
                verdict.work += node.explanation.seconds * capabilities_.work_per_second;
            }
            return verdict;
        }
        if (first || report.code() == Code::unsupported)
            first = report.status();
        if (all_known)
            break;
    }
    for (const onnx::ValueInfo& input : model->inputs())
        if (input.decides_dimensions)
            verdict.decides.insert(input.name);
    if (!verdict.decides.empty())
        // What vkonnx lacks whatever the elements are, it lacks with zeros and with ones.
        verdict.refusal = lacking_with_elements(*model, bytes, graph, part);
    else if (all_known || first.code() == Code::unsupported)
        verdict.refusal = first.message();
    else
        verdict.doubt = first.message();
    return verdict;
}

std::string Support::lacking_with_elements(const onnx::Model& model, const ModelBytes& bytes, const Graph& graph,
                                           const Part& part) const
{
    // The sentences by which zeros and ones are refused, empty where they are not.
    std::string lacking[2];
    bool has_flag = false;
    for (const size_t element : {size_t(0), size_t(1)}) {
        std::vector<onnx::NamedDesc> inputs = descriptions(bytes, graph, part, guesses[0]);
        for (onnx::NamedDesc& input : inputs) {
            const auto info = std::find_if(model.inputs().begin(), model.inputs().end(),
                                           [&](const onnx::ValueInfo& one) { return one.name == input.name; });
            const Result<uint64_t> size = byte_size(input.desc);
            if (!info->decides_dimensions || !size)
                continue;
            has_flag |= input.desc.dtype == DType::boolean;
            input.value = onnx::HostTensor{.desc = input.desc, .data = std::vector<std::byte>(*size)};
            for (size_t at = 0; at < *size; at += bits(input.desc.dtype) / 8)
                input.value->data[at] = std::byte(element);
        }
        const Result<onnx::GraphReport> report = onnx::explain(model, inputs, capabilities_, options_);
        if (report.code() == Code::unsupported)
            lacking[element] = report.message();
    }
    // Numbers were tried with two values, which are not all. A flag that is set asks for what an operator can do besides, such as
    // training.
    return !lacking[0].empty() || has_flag ? lacking[1] : std::string();
}

}  // namespace vkonnx::onnxruntime
