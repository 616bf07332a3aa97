// SPDX-License-Identifier: Apache-2.0
#include "graph/fuse.h"
#include "graph/signs.h"
#include "return_if_error.h"

namespace vkonnx::graph {
namespace {

bool takes_epilogue(const Call& call)
{
    const Operator& op = call.op;
    return std::holds_alternative<Conv>(op) || std::holds_alternative<ConvTranspose>(op) || std::holds_alternative<Gemm>(op) ||
           std::holds_alternative<MatMul>(op) || std::holds_alternative<onednn::ConvTranspose>(op);
}

using OptionalElementwise = std::optional<Elementwise>;

Result<OptionalElementwise> activation_of(const Calls& calls, const Call& call)
{
    return may_be_epilogue(std::get<Elementwise>(call.op).kind) ? calls.with_bounds(call) : OptionalElementwise();
}

// Returns the epilogue with the call as one more step, if the call is a Mul or an Add by a number.
Result<OptionalElementwise> with_step(const Calls& calls, const Call& call, size_t number_place, Elementwise epilogue)
{
    const ElementwiseKind kind = std::get<Elementwise>(call.op).kind;
    const bool follows = kind == ElementwiseKind::mul   ? epilogue.steps.empty()
                         : kind == ElementwiseKind::add ? epilogue.steps.empty() || epilogue.steps.back().kind != kind
                                                        : false;
    const Result<std::optional<double>> number = follows ? calls.real(call.inputs[number_place]) : std::optional<double>();
    VKONNX_RETURN_IF_ERROR(number.status());
    if (!*number || calls.desc(call.inputs[1 - number_place]).dims != calls.desc(call.outputs[0]).dims)
        return OptionalElementwise();
    ElementwiseStep step;
    step.kind = kind;
    step.number = *number;
    epilogue.steps.push_back(step);
    return OptionalElementwise(std::move(epilogue));
}

class Fuser {
public:
    Fuser(Calls& calls, std::vector<bool> nowhere_negative) : calls_(calls), nowhere_negative_(std::move(nowhere_negative)) {}

    Status run()
    {
        return calls_.visit_each(
            [&](size_t i) { return std::holds_alternative<Elementwise>(calls_[i].op) ? visit(i) : Status(); });
    }

private:
    Status visit(size_t at)
    {
        const Call& call = calls_[at];
        const size_t data = call.inputs.size() == 2 && calls_.content(call.inputs[0]) ? 1 : 0;
        const std::optional<size_t> writer = calls_.writer(call.inputs[data]);
        if (!writer)
            return {};
        if (std::holds_alternative<Concat>(calls_[*writer].op))
            return into_parts(*writer, at);
        if (!takes_epilogue(calls_[*writer]))
            return {};
        const std::optional<Elementwise>& before = calls_[*writer].epilogue;
        Result<OptionalElementwise> epilogue = before ? with_step(calls_, call, 1 - data, *before) : activation_of(calls_, call);
        if (!epilogue || !*epilogue)
            return epilogue.status();
        calls_[*writer].epilogue = std::move(**epilogue);
        calls_.take_outputs(*writer, at, "it is the epilogue of");
        return {};
    }

    // Moves an activation behind a Concat into each part of the Concat, except parts that it would not change.
    Status into_parts(size_t concat, size_t activation)
    {
        const Result<OptionalElementwise> epilogue = activation_of(calls_, calls_[activation]);
        if (!epilogue || !*epilogue)
            return epilogue.status();
        std::vector<size_t> writers;
        for (const int32_t part : calls_[concat].inputs) {
            if ((*epilogue)->kind == ElementwiseKind::relu && nowhere_negative_[calls_.block(part)])
                continue;
            const std::optional<size_t> writer = calls_.writer(part);
            if (!writer || !takes_epilogue(calls_[*writer]) || calls_[*writer].epilogue)
                return {};
            writers.push_back(*writer);
        }
        for (const size_t writer : writers)
            calls_[writer].epilogue = **epilogue;
        calls_.take_outputs(concat, activation,
                            writers.empty() ? "it changes nothing of the output of" : "it is the epilogue of what is joined by");
        return {};
    }

    Calls& calls_;
    const std::vector<bool> nowhere_negative_;
};

}  // namespace

Status fuse_activation(Calls& calls)
{
    Result<std::vector<bool>> nowhere = nowhere_negative(calls);
    VKONNX_RETURN_IF_ERROR(nowhere.status());
    return Fuser(calls, std::move(*nowhere)).run();
}

}  // namespace vkonnx::graph
