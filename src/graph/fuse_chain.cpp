// SPDX-License-Identifier: Apache-2.0
#include "graph/affine.h"
#include "graph/fuse.h"
#include "graph/reals.h"
#include "return_if_error.h"

namespace vkonnx::graph {
namespace {

// A chain with more inputs would need more storage buffers than every device has.
constexpr size_t most_inputs = 3;

// This struct holds a value and what becomes of it: Elementwise::steps, with the steps' own inputs. Without steps the value is
// passed on as it is.
struct Chain {
    int32_t data = no_value;
    std::vector<ElementwiseStep> steps = {};
    std::vector<int32_t> operands = {};
    std::vector<HostTensor> constants = {};  // operands that are no values yet; behind the others
};

using OptionalChain = std::optional<Chain>;

Result<OptionalChain> clip(const Calls& calls, const Call& call)
{
    const Result<std::optional<Elementwise>> op = calls.with_bounds(call);
    VKONNX_RETURN_IF_ERROR(op.status());
    if (!*op)
        return OptionalChain();
    ElementwiseStep step = {.kind = (*op)->kind, .min = (*op)->min, .max = (*op)->max};
    return OptionalChain({.data = call.inputs[0], .steps = {step}});
}

// Tells whether the operator takes any number of inputs. It passes a single one on, but as a step it would take another operand.
bool takes_any_number(ElementwiseKind kind)
{
    return kind == ElementwiseKind::sum || kind == ElementwiseKind::mean || kind == ElementwiseKind::min ||
           kind == ElementwiseKind::max;
}

// Returns what an elementwise call makes of the input at `place`.
Result<OptionalChain> elementwise(const Calls& calls, const Call& call, size_t place)
{
    const Elementwise& op = std::get<Elementwise>(call.op);
    if (op.kind == ElementwiseKind::clip)
        return place == 0 ? clip(calls, call) : Result(OptionalChain());
    const size_t count = call.inputs.size();
    if (count > 2 || !op.steps.empty() || op.kind == ElementwiseKind::identity)
        return OptionalChain();
    if (count == 1 && takes_any_number(op.kind))
        return OptionalChain({.data = call.inputs[place]});
    if (op.kind == ElementwiseKind::mean || op.kind == ElementwiseKind::mod)
        return OptionalChain();  // they are no steps
    ElementwiseStep step = {
        .kind = op.kind, .alpha = op.alpha, .beta = op.beta, .gamma = op.gamma, .approximate = op.approximate};
    if (op.kind == ElementwiseKind::sum)
        step.kind = ElementwiseKind::add;
    Chain chain = {.data = call.inputs[place]};
    if (count == 2) {
        const int32_t other = call.inputs[1 - place];
        const Result<std::optional<double>> number = calls.real(other);
        VKONNX_RETURN_IF_ERROR(number.status());
        step.number = *number;
        step.swapped = place == 1;
        if (!*number)
            chain.operands = {other};
    }
    chain.steps = {step};
    return OptionalChain(std::move(chain));
}

// Returns a BatchNormalization as two steps: it multiplies, then adds.
Result<OptionalChain> normalized(const Calls& calls, const Call& call)
{
    const Result<std::optional<Affine>> affine = normalization_as_numbers(calls, call);
    VKONNX_RETURN_IF_ERROR(affine.status());
    const TensorDesc data = calls.desc(call.inputs[0]);
    if (!*affine || data.dims.size() < 2)
        return OptionalChain();
    std::vector<int64_t> channels(data.dims.size() - 1, 1);
    channels[0] = data.dims[1];
    Chain chain = {.data = call.inputs[0]};
    for (const auto& [kind, numbers] :
         {std::pair(ElementwiseKind::mul, &(*affine)->scale), std::pair(ElementwiseKind::add, &(*affine)->shift)}) {
        chain.steps.push_back({.kind = kind});
        chain.constants.push_back(rounded({data.dtype, channels}, *numbers));
    }
    return OptionalChain(std::move(chain));
}

class Chainer {
public:
    explicit Chainer(Calls& calls) : calls_(calls) {}

    Status run()
    {
        return calls_.visit_each([&](size_t i) { return visit(i); });
    }

private:
    static bool is_elementwise(const Call& call) { return std::holds_alternative<Elementwise>(call.op); }
    static bool is_normalization(const Call& call) { return std::holds_alternative<BatchNormalization>(call.op); }

    Result<OptionalChain> links(const Call& call, size_t place) const
    {
        return is_normalization(call) ? normalized(calls_, call) : elementwise(calls_, call, place);
    }

    // Joins the call with one of the calls whose outputs it reads.
    Status visit(size_t reader)
    {
        const Call& call = calls_[reader];
        if (!is_elementwise(call) && !is_normalization(call))
            return {};
        const size_t places = is_normalization(call) ? 1 : call.inputs.size();
        for (size_t place = 0; place < places; ++place) {
            const std::optional<size_t> writer = calls_.writer_as_is(call.inputs[place]);
            if (!writer || !(is_elementwise(calls_[*writer]) || is_normalization(calls_[*writer])) ||
                calls_.desc(call.inputs[place]).dims != calls_.desc(call.outputs[0]).dims)
                continue;
            const Result<bool> linked = link(*writer, reader, place);
            if (!linked || *linked)
                return linked.status();
        }
        return {};
    }

    // Makes one operator of both calls. Returns false where one operator can't compute both.
    Result<bool> link(size_t writer, size_t reader, size_t place)
    {
        const Result<OptionalChain> behind = links(calls_[reader], place);
        if (!behind || !*behind)
            return behind ? Result(false) : behind.status();
        Elementwise op;
        std::vector<int32_t> inputs = calls_[writer].inputs;
        std::vector<HostTensor> constants = (*behind)->constants;
        const Result<OptionalChain> before = links(calls_[writer], 0);
        VKONNX_RETURN_IF_ERROR(before.status());
        if (*before) {
            op.steps = (*before)->steps;
            inputs = (*before)->operands;
            inputs.insert(inputs.begin(), (*before)->data);
            constants.insert(constants.begin(), (*before)->constants.begin(), (*before)->constants.end());
        } else if (is_elementwise(calls_[writer])) {
            op = std::get<Elementwise>(calls_[writer].op);  // a chain by now, or no possible step, such as one of three inputs
        } else {
            return false;
        }
        op.steps.insert(op.steps.end(), (*behind)->steps.begin(), (*behind)->steps.end());
        inputs.insert(inputs.end(), (*behind)->operands.begin(), (*behind)->operands.end());
        if (inputs.size() + constants.size() > most_inputs || op.steps.size() > max_elementwise_steps ||
            !fits(op, inputs, constants, calls_[reader]))
            return false;
        for (HostTensor& constant : constants)
            inputs.push_back(calls_.add_constant(std::move(constant)));
        calls_[reader].op = std::move(op);
        calls_.set_inputs(reader, std::move(inputs));
        calls_.remove(writer, reader, "it is a step of");
        return true;
    }

    // Tells whether there is such an operator, because not every kind has every type.
    bool fits(const Elementwise& op, std::span<const int32_t> inputs, std::span<const HostTensor> constants,
              const Call& reader) const
    {
        std::vector<TensorDesc> descs;
        for (const int32_t input : inputs)
            descs.push_back(input == no_value ? TensorDesc{.dtype = DType::undefined} : calls_.desc(input));
        for (const HostTensor& constant : constants)
            descs.push_back(constant.desc);
        const Result<std::vector<TensorDesc>> outputs = infer(op, descs);
        return outputs && outputs->front() == calls_.desc(reader.outputs[0]);
    }

    Calls& calls_;
};

}  // namespace

Status fuse_chain(Calls& calls)
{
    return Chainer(calls).run();
}

}  // namespace vkonnx::graph
