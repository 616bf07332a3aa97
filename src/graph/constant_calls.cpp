// SPDX-License-Identifier: Apache-2.0
#include "graph/constant_calls.h"

#include <algorithm>

#include "graph/schedule.h"

namespace vkonnx::graph {
namespace {

// A content takes at most so many calls to compute, each counted as often as it runs. What needs more begins with a call of every
// run. So neither a chain of any length nor one that reads each result twice takes long.
constexpr size_t most_calls = 32;

// Returns the elements of the largest of these tensors, or nothing where one of them has too many or none.
std::optional<int64_t> most_elements(std::span<const TensorDesc> descs)
{
    int64_t most = 0;
    for (const TensorDesc& desc : descs) {
        if (desc.dtype == DType::undefined)
            continue;
        const Result<int64_t> count = element_count(desc);
        if (!count || *count == 0 || !byte_size(desc))
            return {};
        most = std::max(most, *count);
    }
    return most > 0 ? std::optional(most) : std::nullopt;
}

class Taker {
public:
    Taker(const Graph& graph, Rewritten& rewritten, const PrepareOptions& options, const Capabilities& capabilities, Memo& memo)
        : rewritten_(rewritten), options_(options), capabilities_(capabilities), memo_(memo), stays_(rewritten.blocks.size())
    {
        for (const int32_t output : graph.outputs)
            stays_[block(output)] = true;
        for (const PlacedValue& value : rewritten.values)
            if (value.block >= 0 && value.desc.dtype != rewritten.blocks[size_t(value.block)].desc.dtype)  // see BitCast
                stays_[size_t(value.block)] = true;
    }

    void run()
    {
        std::vector<size_t> left(rewritten_.fates.size());  // of each node, the calls of every run
        std::vector<size_t> taken;                          // the nodes of the others
        std::vector<Call> kept;
        for (Call& call : rewritten_.calls) {
            if (const Memo::Contents* made = contents_of(call)) {
                taken.push_back(call.node);
                for (size_t i = 0; i < call.outputs.size(); ++i)
                    rewritten_.blocks[block(call.outputs[i])].content = made->at(i);
            } else {
                ++left[call.node];
                kept.push_back(std::move(call));
            }
        }
        rewritten_.calls = std::move(kept);
        for (const size_t node : taken)
            if (left[node] == 0)
                rewritten_.fates[node].kind = Fate::Kind::once;
    }

private:
    size_t block(int32_t value) const { return size_t(rewritten_.values[size_t(value)].block); }

    // Tells whether the call reads nothing but constants, and may be taken out of the graph.
    bool is_of_constants(const Call& call) const
    {
        return std::all_of(call.inputs.begin(), call.inputs.end(),
                           [&](int32_t input) { return input == no_value || rewritten_.blocks[block(input)].content; }) &&
               std::none_of(call.outputs.begin(), call.outputs.end(), [&](int32_t output) { return stays_[block(output)]; });
    }

    // Returns what the call makes, or null where it runs each time. Results that have more elements than anything that the call
    // reads are left to it, because they would keep their memory.
    const Memo::Contents* contents_of(const Call& call)
    {
        if (!is_of_constants(call))
            return nullptr;
        Computation computation = {.op = call.op, .descs = descs_of(rewritten_, call), .options = options_of(call, options_)};
        computation.options.tune = false;  // it runs once
        for (const int32_t input : call.inputs) {
            computation.inputs.push_back(input == no_value ? nullptr : rewritten_.blocks[block(input)].content);
            if (const std::shared_ptr<const Content>& content = computation.inputs.back(); content && content->computed)
                computation.calls += content->computed->calls;
        }
        std::vector<TensorDesc> outputs;
        for (const int32_t output : call.outputs)
            outputs.push_back(rewritten_.values[size_t(output)].desc);
        const std::optional<int64_t> read = most_elements(computation.descs), made = most_elements(outputs);
        if (computation.calls > most_calls || !read || !made || *made > *read)
            return nullptr;
        // A call that the device refuses is refused as one of every run.
        if (!vkonnx::explain(computation.op, computation.descs, capabilities_, computation.options))
            return nullptr;
        Memo::Key key = {.from = computation.inputs, .how = "computed" + bytes_of(computation.op)};
        for (const TensorDesc& desc : computation.descs)
            key.how += bytes_of(desc);
        if (const Memo::Contents* known = memo_.find(key))
            return known;
        const auto shared = std::make_shared<const Computation>(std::move(computation));
        Memo::Contents contents;
        for (size_t i = 0; i < outputs.size(); ++i)
            contents.push_back(
                std::make_shared<const Content>(Content{.desc = outputs[i], .computed = shared, .computed_output = i}));
        return &memo_.keep(std::move(key), std::move(contents));
    }

    Rewritten& rewritten_;
    const PrepareOptions& options_;
    const Capabilities& capabilities_;
    Memo& memo_;
    std::vector<bool> stays_;  // of each block, whether a call has to write it: an output of the graph, or one of two types
};

}  // namespace

void take_constant_calls(const Graph& graph, Rewritten& rewritten, const PrepareOptions& options,
                         const Capabilities& capabilities, Memo& memo)
{
    Taker(graph, rewritten, options, capabilities, memo).run();
}

}  // namespace vkonnx::graph
