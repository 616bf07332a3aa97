// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/attributes.h"

namespace vkonnx::ops {
namespace {

bool takes_prologue(const Operator& op)
{
    return std::holds_alternative<Conv>(op) || std::holds_alternative<ConvTranspose>(op) ||
           std::holds_alternative<onednn::ConvTranspose>(op) || std::holds_alternative<GlobalAveragePool>(op);
}

size_t axis_of_channels(const Operator& op, const TensorDesc& x)
{
    const auto* onednn = std::get_if<onednn::ConvTranspose>(&op);
    return places_of(onednn ? onednn->data_format : x.layout, x.dims.size()).channels;
}

// Returns an error that begins like "Conv: PrepareOptions::prologue = PRelu".
Status refuse(std::string_view op, const Prologue& prologue, std::initializer_list<Word> words)
{
    return Status(Code::invalid_argument, join({op, ": PrepareOptions::prologue = ", prologue.scaled ? "scaled " : "",
                                                vkonnx::name(prologue.kind), join(words)}));
}

}  // namespace

size_t place_of_numbers(const Operator& op)
{
    return std::holds_alternative<GlobalAveragePool>(op) ? 1 : 3;
}

int64_t numbers_of(const Prologue& prologue)
{
    return (prologue.scaled ? 2 : 0) + (prologue.kind == ElementwiseKind::prelu ? 1 : 0);
}

std::string equation_of(const Prologue& prologue)
{
    const std::string t = prologue.scaled ? "t = x * scale + offset" : "t = x";
    if (prologue.kind == ElementwiseKind::relu)
        return t + ", t < 0 ? 0 : t";
    if (prologue.kind == ElementwiseKind::prelu)
        return t + ", t < 0 ? slope * t : t";
    return t;
}

Result<std::span<const TensorDesc>> own_inputs(const Operator& op, const std::optional<Prologue>& prologue,
                                               std::span<const TensorDesc> inputs)
{
    if (!prologue)
        return inputs;
    const std::string_view op_name = vkonnx::name(op);
    if (!takes_prologue(op))
        return refuse(op_name, *prologue, {" must not be given: it goes in front of Conv, ConvTranspose or GlobalAveragePool"});
    if (std::find(std::begin(prologue_kinds), std::end(prologue_kinds), prologue->kind) == std::end(prologue_kinds))
        return refuse(op_name, *prologue, {" must be Identity, Relu or PRelu"});
    if (!prologue->scaled && prologue->kind == ElementwiseKind::identity)
        return refuse(op_name, *prologue, {" must be scaled: by itself it does nothing"});
    const int64_t numbers = numbers_of(*prologue);
    if (numbers == 0)
        return inputs;
    const size_t place = place_of_numbers(op);
    const bool is_pool = place == 1;
    if (inputs.size() != place + 1)
        return refuse(op_name, *prologue,
                      {" has its numbers as input ", int64_t(place), is_pool ? "" : ", behind the place of B", ", and ",
                       int64_t(inputs.size()), " inputs are given"});
    const TensorDesc& x = inputs[0];
    const TensorDesc& given = inputs[place];
    const size_t axis = axis_of_channels(op, x);
    if (axis < x.dims.size()) {  // else X itself is wrong, which `resolve` tells
        const TensorDesc expected = {.dtype = x.dtype, .dims = {x.dims[axis], numbers}};
        if (given.dtype != expected.dtype || given.dims != expected.dims)
            return refuse(op_name, *prologue,
                          {" has its numbers as input ", int64_t(place), ", which is ", vkonnx::to_string(given),
                           ", but must be ", vkonnx::to_string(expected), ": a row for each channel of X"});
    }
    const bool leaves_out_bias = !is_pool && inputs[place - 1].dtype == DType::undefined;
    return inputs.first(leaves_out_bias ? place - 1 : place);
}

}  // namespace vkonnx::ops
