// SPDX-License-Identifier: Apache-2.0
#include "graph/signs.h"

#include <algorithm>

#include "return_if_error.h"

namespace vkonnx::graph {
namespace {

// Tells whether no element of an output is below 0, whatever the inputs hold.
Result<bool> is_non_negative(const Calls& calls, const Call& call)
{
    const auto* op = std::get_if<Elementwise>(&call.op);
    if (!op || op->kind != ElementwiseKind::clip)
        return schema(call.op)->non_negative && (!op || op->steps.empty());
    const Result<std::optional<Elementwise>> bounds = calls.with_bounds(call);
    VKONNX_RETURN_IF_ERROR(bounds.status());
    return *bounds && (*bounds)->steps.empty() && (*bounds)->min.value_or(-1) >= 0 && (*bounds)->max.value_or(0) >= 0;
}

// Tells whether each window has an element, because the result of one that lies in padding altogether is the lowest number. Pads
// that follow from auto_pad are shorter than a window, and with them the last window begins no later than without them.
bool has_elements_in_each_window(const MaxPool& pool, const TensorDesc& x, const TensorDesc& y)
{
    const auto or_else = [](const std::vector<int64_t>& list, size_t i, int64_t fallback) {
        return list.empty() ? fallback : list[i];
    };
    for (size_t i = 0; i < pool.kernel_shape.size(); ++i) {
        const int64_t begin = pool.auto_pad == AutoPad::notset ? or_else(pool.pads, i, 0) : 0;
        const int64_t last = (y.dims[2 + i] - 1) * or_else(pool.strides, i, 1) - begin;
        if (or_else(pool.dilations, i, 1) != 1 || begin >= pool.kernel_shape[i] || last >= x.dims[2 + i])
            return false;
    }
    return true;
}

// Tells whether no element of an output is below 0 where no element of an input is.
bool preserves_non_negative(const Calls& calls, const Call& call)
{
    const Operator& op = call.op;
    if (const auto* pool = std::get_if<MaxPool>(&op))
        return has_elements_in_each_window(*pool, calls.desc(call.inputs[0]), calls.desc(call.outputs[0]));
    return std::holds_alternative<AveragePool>(op) || std::holds_alternative<GlobalAveragePool>(op) ||
           std::holds_alternative<Concat>(op) || std::holds_alternative<Slice>(op) || std::holds_alternative<Split>(op) ||
           std::holds_alternative<Transpose>(op) || std::holds_alternative<DepthToSpace>(op) ||
           std::holds_alternative<SpaceToDepth>(op) || std::holds_alternative<Expand>(op) || std::holds_alternative<Tile>(op);
}

}  // namespace

Result<std::vector<bool>> nowhere_negative(const Calls& calls)
{
    std::vector<bool> none(calls.blocks());
    const Status status = calls.visit_each([&](size_t i) -> Status {
        const Call& call = calls[i];
        const Result<bool> made = is_non_negative(calls, call);
        VKONNX_RETURN_IF_ERROR(made.status());
        const bool kept = preserves_non_negative(calls, call) &&
                          std::all_of(call.inputs.begin(), call.inputs.end(),
                                      [&](int32_t input) { return input != no_value && none[calls.block(input)]; });
        if (*made || kept)
            for (const int32_t output : call.outputs)
                none[calls.block(output)] = true;
        return {};
    });
    return status ? Result(std::move(none)) : status;
}

}  // namespace vkonnx::graph
