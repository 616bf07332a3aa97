// SPDX-License-Identifier: Apache-2.0
#include "graph/fuse.h"

namespace vkonnx::graph {
namespace {

bool takes_epilogue(const Call& call)
{
    const Operator& op = call.op;
    return std::holds_alternative<Conv>(op) || std::holds_alternative<ConvTranspose>(op) || std::holds_alternative<Gemm>(op) ||
           std::holds_alternative<MatMul>(op) || std::holds_alternative<onednn::ConvTranspose>(op);
}

using Found = std::optional<Elementwise>;

Result<Found> activation_of(const Calls& calls, const Call& call)
{
    return may_be_epilogue(std::get<Elementwise>(call.op).kind) ? calls.with_bounds(call) : Found();
}

// The epilogue and, behind it, the Mul or Add by a number that the call is.
Result<Found> with_step(const Calls& calls, const Call& call, size_t number_place, Elementwise epilogue)
{
    const ElementwiseKind kind = std::get<Elementwise>(call.op).kind;
    const bool follows = kind == ElementwiseKind::mul   ? epilogue.then.empty()
                         : kind == ElementwiseKind::add ? epilogue.then.empty() || epilogue.then.back().kind != kind
                                                        : false;
    const Result<std::optional<double>> number = follows ? calls.real(call.inputs[number_place]) : std::optional<double>();
    if (!number)
        return number.status();
    if (!*number || calls.desc(call.inputs[1 - number_place]).dims != calls.desc(call.outputs[0]).dims)
        return Found();
    ElementwiseStep step;
    step.kind = kind;
    step.number = *number;
    epilogue.then.push_back(step);
    return Found(std::move(epilogue));
}

}  // namespace

Status fuse_activation(Calls& calls)
{
    for (size_t i = 0; i < calls.size(); ++i) {
        const Call& call = calls[i];
        if (calls.is_gone(i) || !std::holds_alternative<Elementwise>(call.op))
            continue;
        const size_t data = call.inputs.size() == 2 && calls.content(call.inputs[0]) ? 1 : 0;
        const std::optional<size_t> writer = calls.writer(call.inputs[data]);
        if (!writer || !takes_epilogue(calls[*writer]))
            continue;
        const std::optional<Elementwise>& before = calls[*writer].epilogue;
        const Result<Found> epilogue = before ? with_step(calls, call, 1 - data, *before) : activation_of(calls, call);
        if (!epilogue)
            return calls.in(i, epilogue.status());
        if (!*epilogue)
            continue;
        calls[*writer].epilogue = **epilogue;
        calls.take_outputs(*writer, i, "it is the epilogue of");
    }
    return {};
}

}  // namespace vkonnx::graph
