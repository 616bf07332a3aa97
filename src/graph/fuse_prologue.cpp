// SPDX-License-Identifier: Apache-2.0
#include "graph/affine.h"
#include "graph/fuse.h"
#include "graph/reals.h"
#include "return_if_error.h"

namespace vkonnx::graph {
namespace {

// This struct holds the operators in front of a reader, and what they make of each channel of `data`.
struct Front {
    int32_t data = no_value;
    Prologue prologue = {};
    std::vector<size_t> calls = {};  // the calls that it replaces, the last one first
    Affine affine = {};
    std::vector<double> slopes = {};
};

// Returns the front of an activation alone, or nothing. LeakyRelu of halves is left alone: its slope would be rounded to a half.
Result<std::optional<Front>> activation(const Calls& calls, size_t at)
{
    using Found = std::optional<Front>;
    const Call& call = calls[at];
    const auto* op = std::get_if<Elementwise>(&call.op);
    if (!op || !op->steps.empty())
        return Found();
    const TensorDesc& x = calls.desc(call.outputs[0]);
    Front front = {.data = call.inputs[0], .prologue = {.kind = ElementwiseKind::prelu}, .calls = {at}};
    if (op->kind == ElementwiseKind::relu) {
        front.prologue.kind = op->kind;
    } else if (op->kind == ElementwiseKind::leaky_relu && !is_half(x.dtype)) {
        front.slopes.assign(size_t(x.dims[1]), double(op->alpha.value_or(0.01f)));
    } else if (op->kind == ElementwiseKind::prelu) {
        Result<std::optional<std::vector<double>>> slopes = by_channels(calls, call.inputs[1], x, 1);
        VKONNX_RETURN_IF_ERROR(slopes.status());
        if (!*slopes)
            return Found();
        front.slopes = std::move(**slopes);
    } else {
        return Found();
    }
    return calls.desc(front.data).dims == x.dims ? Found(std::move(front)) : Found();
}

// Adds the BatchNormalization at `at`, which is before the activation in `front` or stands alone.
Status add_normalization(const Calls& calls, const std::optional<size_t>& at, std::optional<Front>& front)
{
    if (!at || !std::holds_alternative<BatchNormalization>(calls[*at].op))
        return {};
    Result<std::optional<Affine>> affine = normalization_as_numbers(calls, calls[*at]);
    if (!affine || !*affine)
        return affine.status();
    if (!front)
        front.emplace();
    front->data = calls[*at].inputs[0];
    front->prologue.scaled = true;
    front->calls.push_back(*at);
    front->affine = std::move(**affine);
    return {};
}

// Returns the numbers of Prologue, a row for each channel: scale, shift, slope.
std::vector<double> numbers_of(const Front& front, size_t channels)
{
    std::vector<double> numbers;
    for (size_t c = 0; c < channels; ++c) {
        if (front.prologue.scaled)
            numbers.insert(numbers.end(), {front.affine.scale[c], front.affine.shift[c]});
        if (!front.slopes.empty())
            numbers.push_back(front.slopes[c]);
    }
    return numbers;
}

bool is_pool(const Call& call)
{
    return std::holds_alternative<GlobalAveragePool>(call.op);
}

bool takes_prologue(const Calls& calls, const Call& call)
{
    if (is_pool(call))
        return true;
    const auto* conv = std::get_if<Conv>(&call.op);
    const auto* transpose = std::get_if<ConvTranspose>(&call.op);
    // The kernels of depthwise convolutions take no prologue.
    return (conv || transpose) && calls.desc(call.inputs[0]).dims[1] > (conv ? conv->group : transpose->group);
}

class PrologueFolder {
public:
    explicit PrologueFolder(Calls& calls) : calls_(calls) {}

    Status run()
    {
        return calls_.visit_each([&](size_t i) { return takes_prologue(calls_, calls_[i]) ? visit(i) : Status(); });
    }

private:
    Status visit(size_t reader)
    {
        const int32_t x = calls_[reader].inputs[0];
        const std::optional<size_t> writer = calls_.writer_as_is(x);
        if (!writer)
            return {};
        Result<std::optional<Front>> front = activation(calls_, *writer);
        VKONNX_RETURN_IF_ERROR(front.status());
        const std::optional<size_t> before = *front ? calls_.writer_as_is((*front)->data) : writer;
        VKONNX_RETURN_IF_ERROR(add_normalization(calls_, before, *front));
        // An activation that can be a step of what is before it stays there: it takes no dispatch, and is computed once, not for
        // each tap.
        const bool chains =
            *front && !(*front)->prologue.scaled && before && std::holds_alternative<Elementwise>(calls_[*before].op);
        if (*front && !chains)
            give(reader, **front);
        return {};
    }

    void give(size_t reader, const Front& front)
    {
        std::vector<int32_t> inputs = calls_[reader].inputs;
        inputs[0] = front.data;
        const auto channels = size_t(calls_.desc(front.data).dims[1]);
        if (const std::vector<double> numbers = numbers_of(front, channels); !numbers.empty()) {
            const TensorDesc desc = {.dtype = calls_.desc(front.data).dtype,
                                     .dims = {int64_t(channels), int64_t(numbers.size() / channels)}};
            inputs.resize(is_pool(calls_[reader]) ? 1 : 3, no_value);
            inputs.push_back(calls_.add_constant(rounded(desc, numbers)));
        }
        calls_[reader].prologue = front.prologue;
        calls_.set_inputs(reader, std::move(inputs));
        for (const size_t call : front.calls)
            calls_.remove(call, reader, "it is the prologue of");
    }

    Calls& calls_;
};

}  // namespace

Status fuse_prologue(Calls& calls)
{
    return PrologueFolder(calls).run();
}

}  // namespace vkonnx::graph
