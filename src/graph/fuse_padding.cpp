// SPDX-License-Identifier: Apache-2.0
#include "graph/fuse.h"

#include "return_if_error.h"

namespace vkonnx::graph {
namespace {

// Returns the begin pads of all axes, then their end pads, where the Pad adds zeros only.
Result<std::optional<std::vector<int64_t>>> zeros_of(const Calls& calls, const Call& call)
{
    using Pads = std::optional<std::vector<int64_t>>;
    const Pad& pad = std::get<Pad>(call.op);
    if (pad.mode != PadMode::constant || pad.value.value_or(0) != 0)
        return Pads();
    if (call.inputs.size() > 1 && call.inputs[1] != no_value) {
        const Result<std::optional<double>> value = calls.real(call.inputs[1]);
        VKONNX_RETURN_IF_ERROR(value.status());
        if (!*value || **value != 0)
            return Pads();
    }
    const size_t rank = calls.desc(call.inputs[0]).dims.size();
    const size_t count = pad.pads.size() / 2;
    std::vector<int64_t> all(2 * rank);
    for (size_t i = 0; i < count; ++i) {
        const int64_t axis = pad.axes.empty() ? int64_t(i) : pad.axes[i];
        const size_t place = size_t(axis < 0 ? axis + int64_t(rank) : axis);
        all[place] = pad.pads[i];
        all[rank + place] = pad.pads[count + i];
        if (pad.pads[i] < 0 || pad.pads[count + i] < 0)
            return Pads();
    }
    return Pads(std::move(all));
}

// Adds the pads to the convolution's own. Returns false where it can't take them.
bool take_pads(Conv& conv, const std::vector<int64_t>& pads)
{
    const size_t rank = pads.size() / 2;
    if (conv.auto_pad != AutoPad::notset && conv.auto_pad != AutoPad::valid)
        return false;
    for (const size_t axis : {size_t(0), size_t(1)})
        if (pads[axis] != 0 || pads[rank + axis] != 0)
            return false;
    if (conv.auto_pad == AutoPad::valid || conv.pads.empty())
        conv.pads.assign(2 * (rank - 2), 0);
    conv.auto_pad = AutoPad::notset;
    for (size_t a = 0; a < rank - 2; ++a) {
        conv.pads[a] += pads[2 + a];
        conv.pads[rank - 2 + a] += pads[rank + 2 + a];
    }
    return true;
}

}  // namespace

Status fuse_padding(Calls& calls)
{
    for (size_t i = 0; i < calls.size(); ++i) {
        auto* conv = std::get_if<Conv>(&calls[i].op);
        const std::optional<size_t> writer = conv ? calls.writer_as_is(calls[i].inputs[0]) : std::nullopt;
        if (!writer || !std::holds_alternative<Pad>(calls[*writer].op))
            continue;
        const Result<std::optional<std::vector<int64_t>>> pads = zeros_of(calls, calls[*writer]);
        if (!pads)
            return calls.in(*writer, pads.status());
        if (!*pads || !take_pads(*conv, **pads))
            continue;
        std::vector<int32_t> inputs = calls[i].inputs;
        inputs[0] = calls[*writer].inputs[0];
        calls.set_inputs(i, std::move(inputs));
        calls.remove(*writer, i, "it is the padding of");
    }
    return {};
}

}  // namespace vkonnx::graph
