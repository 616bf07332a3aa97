// SPDX-License-Identifier: Apache-2.0
#include "graph/calls.h"

#include <algorithm>
#include <cmath>

#include "graph/reals.h"
#include "return_if_error.h"

namespace vkonnx::graph {

Calls::Calls(const Graph& graph, Rewritten& rewritten, Memo& memo, const Capabilities& capabilities,
             const PrepareOptions& options)
    : graph_(graph), rewritten_(rewritten), memo_(memo), capabilities_(capabilities), options_(options),
      gone_(rewritten.calls.size()), uses_(rewritten.blocks.size()), writers_(rewritten.blocks.size(), SIZE_MAX)
{
    for (const int32_t output : graph.outputs)
        ++uses_[block(output)];
    for (size_t i = 0; i < size(); ++i) {
        for (const int32_t input : (*this)[i].inputs)
            if (input != no_value)
                ++uses_[block(input)];
        for (const int32_t output : (*this)[i].outputs)
            writers_[block(output)] = i;
    }
}

const std::shared_ptr<const Content>& Calls::content(int32_t value) const
{
    static const std::shared_ptr<const Content> none;
    return value == no_value ? none : rewritten_.blocks[block(value)].content;
}

Result<std::optional<std::vector<double>>> Calls::reals(int32_t value) const
{
    using Reals = std::optional<std::vector<double>>;
    const std::shared_ptr<const Content>& known = content(value);
    if (!known || !known->is_on_host() || !is_real(known->desc.dtype))
        return Reals();
    const Result<HostTensor> tensor = known->read();
    return tensor ? Result(Reals(reals_of(*tensor))) : tensor.status();
}

Result<std::optional<double>> Calls::real(int32_t value) const
{
    if (value == no_value)
        return std::optional<double>();
    const Result<int64_t> count = element_count(desc(value));
    if (!count || *count != 1)
        return std::optional<double>();
    const Result<std::optional<std::vector<double>>> one = reals(value);
    VKONNX_RETURN_IF_ERROR(one.status());
    return *one ? std::optional((**one)[0]) : std::nullopt;
}

Result<std::optional<Elementwise>> Calls::with_bounds(const Call& call) const
{
    Elementwise op = std::get<Elementwise>(call.op);
    for (size_t i = 1; i < call.inputs.size(); ++i) {
        if (call.inputs[i] == no_value)
            continue;
        const Result<std::optional<double>> bound = real(call.inputs[i]);
        VKONNX_RETURN_IF_ERROR(bound.status());
        if (!*bound || !(double(float(**bound)) == **bound || std::isnan(**bound)))
            return std::optional<Elementwise>();
        (i == 1 ? op.min : op.max) = float(**bound);
    }
    return std::optional(std::move(op));
}

std::optional<double> Calls::seconds_of(const Operator& op, std::span<const TensorDesc> inputs) const
{
    const Result<Explanation> explained = explain(op, inputs, capabilities_, options_);
    return explained ? std::optional(explained->seconds) : std::nullopt;
}

std::optional<size_t> Calls::writer(int32_t value, size_t uses) const
{
    if (value == no_value || uses_[block(value)] != uses || writers_[block(value)] == SIZE_MAX)
        return {};
    const size_t call = writers_[block(value)];
    const std::vector<int32_t>& outputs = (*this)[call].outputs;
    const bool is_typed_so = std::any_of(outputs.begin(), outputs.end(), [&](int32_t output) {
        return output != no_value && block(output) == block(value) && desc(output).dtype == desc(value).dtype;
    });
    return is_typed_so ? std::optional(call) : std::nullopt;  // behind a BitCast the type is another
}

std::optional<size_t> Calls::writer_as_is(int32_t value, size_t uses) const
{
    const std::optional<size_t> call = writer(value, uses);
    return call && desc((*this)[*call].outputs[0]).dims == desc(value).dims ? call : std::nullopt;
}

int32_t Calls::add_constant(HostTensor tensor)
{
    Memo::Key key = {.how = "constant" + bytes_of(tensor.desc) + bytes_of(std::span(tensor.data))};
    const Memo::Contents* known = memo_.find(key);
    return add_constant(known ? known->front() : memo_.keep(std::move(key), {content_of(std::move(tensor))}).front());
}

int32_t Calls::add_constant(std::shared_ptr<const Content> content)
{
    rewritten_.values.push_back({.block = int32_t(rewritten_.blocks.size()), .desc = content->desc});
    rewritten_.blocks.push_back({.desc = content->desc, .content = std::move(content)});
    uses_.push_back(0);
    writers_.push_back(SIZE_MAX);
    return int32_t(rewritten_.values.size() - 1);
}

int32_t Calls::add_view(int32_t value, std::vector<int64_t> dims)
{
    PlacedValue view = rewritten_.values[size_t(value)];
    view.desc.dims = std::move(dims);
    rewritten_.values.push_back(std::move(view));
    return int32_t(rewritten_.values.size() - 1);
}

void Calls::set_inputs(size_t call, std::vector<int32_t> inputs)
{
    for (const int32_t input : inputs)
        if (input != no_value)
            ++uses_[block(input)];
    for (const int32_t input : (*this)[call].inputs)
        if (input != no_value)
            --uses_[block(input)];
    (*this)[call].inputs = std::move(inputs);
}

void Calls::take_outputs(size_t into, size_t reader, std::string_view why)
{
    (*this)[into].outputs = (*this)[reader].outputs;
    for (const int32_t output : (*this)[into].outputs)
        writers_[block(output)] = into;
    remove(reader, into, why);
}

void Calls::remove(size_t call, size_t into, std::string_view why)
{
    set_inputs(call, {});
    gone_[call] = true;
    const size_t node = (*this)[call].node;
    // Where another call of the node is left, it has no other fate. They are side by side, and those of a Loop are many.
    for (size_t i = call; i > 0 && (*this)[i - 1].node == node; --i)
        if (!gone_[i - 1])
            return;
    for (size_t i = call + 1; i < size() && (*this)[i].node == node; ++i)
        if (!gone_[i])
            return;
    rewritten_.fates[node] = {.kind = Fate::Kind::fused, .into = (*this)[into].node, .why = why};
}

void Calls::finish()
{
    std::vector<Call> kept;
    for (size_t i = 0; i < size(); ++i)
        if (!gone_[i])
            kept.push_back(std::move((*this)[i]));
    rewritten_.calls = std::move(kept);
}

}  // namespace vkonnx::graph
