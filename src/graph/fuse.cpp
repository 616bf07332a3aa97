// SPDX-License-Identifier: Apache-2.0
#include "graph/fuse.h"

#include <cmath>
#include <cstring>

namespace vkonnx::graph {
namespace {

template <class Number>
Number first_of(const HostTensor& tensor)
{
    Number number = {};
    std::memcpy(&number, tensor.data.data(), sizeof number);
    return number;
}

float half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 0x1f;
    const int fraction = bits & 0x3ff;
    float magnitude = std::ldexp(float(fraction), -24);
    if (exponent == 0x1f)
        magnitude = fraction == 0 ? INFINITY : NAN;
    else if (exponent > 0)
        magnitude = std::ldexp(float(fraction | 0x400), exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

// The tensor's one element; nothing where a float does not hold it.
std::optional<float> number_in(const HostTensor& tensor)
{
    if (tensor.data.size() * 8 != bits(tensor.desc.dtype))
        return {};
    switch (tensor.desc.dtype) {
    case DType::float32:
        return first_of<float>(tensor);
    case DType::float16:
        return half_value(first_of<uint16_t>(tensor));
    case DType::bfloat16: {
        const uint32_t word = uint32_t(first_of<uint16_t>(tensor)) << 16;
        float number = 0;
        std::memcpy(&number, &word, sizeof number);
        return number;
    }
    case DType::float64: {
        const double number = first_of<double>(tensor);
        const auto narrow = float(number);
        return double(narrow) == number || std::isnan(number) ? std::optional(narrow) : std::nullopt;
    }
    default:
        return {};
    }
}

class Fuser {
public:
    Fuser(const Graph& graph, Rewritten& rewritten) : graph_(graph), rewritten_(rewritten) {}

    Status run()
    {
        count_uses();
        std::vector<Call> kept;
        std::vector<size_t> writers(rewritten_.blocks.size(), SIZE_MAX);  // of `kept`, which may take an epilogue
        for (Call& call : rewritten_.calls) {
            const Elementwise* activation = activation_of(call);
            const size_t between = activation ? block_of(call.inputs[0]) : 0;
            const size_t writer = activation && uses_[between] == 1 ? writers[between] : SIZE_MAX;
            if (writer != SIZE_MAX) {
                Elementwise epilogue = *activation;
                const Result<bool> known = take_bounds(call, epilogue);
                if (!known)
                    return in_node(graph_.nodes[call.node], known.status());
                if (*known) {
                    kept[writer].epilogue = epilogue;
                    kept[writer].outputs = call.outputs;
                    onnx::NodeReport& report = rewritten_.reports[call.node];
                    report.fused_into = kept[writer].node;
                    report.explanation.kernel = "fused";
                    report.explanation.why = "it is the epilogue of " + label(graph_.nodes[kept[writer].node]);
                    continue;
                }
            }
            if (takes_epilogue(call.op))
                writers[block_of(call.outputs[0])] = kept.size();
            kept.push_back(std::move(call));
        }
        rewritten_.calls = std::move(kept);
        return {};
    }

private:
    static bool takes_epilogue(const Operator& op)
    {
        return std::holds_alternative<ConvTranspose>(op) || std::holds_alternative<onednn::ConvTranspose>(op);
    }

    static const Elementwise* activation_of(const Call& call)
    {
        const auto* elementwise = std::get_if<Elementwise>(&call.op);
        return elementwise && may_be_epilogue(elementwise->kind) ? elementwise : nullptr;
    }

    size_t block_of(int32_t value) const { return size_t(rewritten_.values[size_t(value)].block); }

    // By calls, and as outputs of the graph.
    void count_uses()
    {
        uses_.resize(rewritten_.blocks.size());
        for (const int32_t output : graph_.outputs)
            ++uses_[block_of(output)];
        for (const Call& call : rewritten_.calls)
            for (const int32_t input : call.inputs)
                if (input != no_value)
                    ++uses_[block_of(input)];
    }

    // Clip's inputs become attributes; false where they can't.
    Result<bool> take_bounds(const Call& call, Elementwise& epilogue) const
    {
        for (size_t i = 1; i < call.inputs.size(); ++i) {
            if (call.inputs[i] == no_value)
                continue;
            const std::shared_ptr<const Content>& content = rewritten_.blocks[block_of(call.inputs[i])].content;
            if (!content)
                return false;
            const Result<HostTensor> tensor = content->read();
            if (!tensor)
                return tensor.status();
            const std::optional<float> number = number_in(*tensor);
            if (!number)
                return false;
            (i == 1 ? epilogue.min : epilogue.max) = number;
        }
        return true;
    }

    const Graph& graph_;
    Rewritten& rewritten_;
    std::vector<size_t> uses_;  // of each block
};

}  // namespace

Status fuse(const Graph& graph, Rewritten& rewritten)
{
    return Fuser(graph, rewritten).run();
}

}  // namespace vkonnx::graph
