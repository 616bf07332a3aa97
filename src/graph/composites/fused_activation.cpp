// SPDX-License-Identifier: Apache-2.0
// This file has the operators of com.microsoft that apply an activation to what they compute: FusedConv and FusedGemm.
#include <algorithm>

#include "graph/composites/contrib.h"

namespace vkonnx::graph {
namespace {

using Option = Schema::Option;

constexpr Schema::Input fused_conv_inputs[] = {
    {.name = "X"}, {.name = "W"}, {.name = "B", .option = Option::optional}, {.name = "Z", .option = Option::optional}};
constexpr Schema::Input fused_gemm_inputs[] = {{.name = "A"}, {.name = "B"}, {.name = "C", .option = Option::optional}};

constexpr ElementwiseKind activations[] = {
    ElementwiseKind::relu,     ElementwiseKind::sigmoid,    ElementwiseKind::tanh,         ElementwiseKind::leaky_relu,
    ElementwiseKind::clip,     ElementwiseKind::hard_swish, ElementwiseKind::elu,          ElementwiseKind::selu,
    ElementwiseKind::softplus, ElementwiseKind::softsign,   ElementwiseKind::hard_sigmoid, ElementwiseKind::thresholded_relu};

// Returns the kind that an attribute names.
std::optional<ElementwiseKind> activation_of(Composer& composer, const std::string& word)
{
    std::string names;
    for (const ElementwiseKind kind : activations) {
        if (word == name(kind))
            return kind;
        names.append(names.empty() ? "" : ", ").append(name(kind));
    }
    composer.fail(Status(Code::unsupported, "activation = '" + word + "', supported are " + names));
    return {};
}

}  // namespace

constinit const Schema FusedConv::schema = contrib("FusedConv", fused_conv_inputs);
constinit const Schema FusedGemm::schema = contrib("FusedGemm", fused_gemm_inputs);

void FusedConv::compose(Composer& composer) const
{
    std::vector<Operand> inputs = {composer.input(0), composer.input(1)};
    if (composer.has(2))
        inputs.push_back(composer.input(2));
    Operand y = composer.add(conv, std::move(inputs));
    if (!composer.status())
        return;
    if (composer.has(3)) {
        const TensorDesc& z = composer.input(3).desc;
        if (!composer.check(z.dims == y.desc.dims, "Z is " + to_string(z) + ", expected the dimensions of " + to_string(y.desc)))
            return;
        y = composer.add(ElementwiseKind::add, {y, composer.input(3)});
    }
    if (activation.value_or("").empty())
        return composer.set_output(0, y);
    const std::optional<ElementwiseKind> kind = activation_of(composer, *activation);
    if (!kind)
        return;
    const bool is_clip = *kind == ElementwiseKind::clip, has_two = is_clip || *kind == ElementwiseKind::hard_sigmoid;
    const size_t numbers = has_two ? 2 : *kind == ElementwiseKind::leaky_relu ? 1 : 0;
    if (!composer.check(activation_params.size() == numbers, "activation_params has " + std::to_string(activation_params.size()) +
                                                                 " entries, expected " + std::to_string(numbers) + " for " +
                                                                 *activation))
        return;
    Elementwise op = {.kind = *kind};
    std::vector<Operand> operands = {y};
    if (is_clip)
        for (const float bound : activation_params)
            operands.push_back(composer.constant(y.desc.dtype, double(bound)));
    else if (numbers > 0)
        op.alpha = activation_params[0];
    if (numbers > 1 && !is_clip)
        op.beta = activation_params[1];
    composer.set_output(0, composer.add(std::move(op), std::move(operands)));
}

void FusedGemm::compose(Composer& composer) const
{
    std::vector<Operand> inputs = {composer.input(0), composer.input(1)};
    if (composer.has(2))
        inputs.push_back(composer.input(2));
    const Operand y = composer.add(gemm, std::move(inputs));
    if (activation.value_or("").empty())
        return composer.set_output(0, y);
    const std::optional<ElementwiseKind> kind = activation_of(composer, *activation);
    if (!kind)
        return;
    Elementwise op = {.kind = *kind};
    // An attribute of another activation is of no account.
    if (*kind == ElementwiseKind::leaky_relu || *kind == ElementwiseKind::elu || *kind == ElementwiseKind::selu ||
        *kind == ElementwiseKind::hard_sigmoid || *kind == ElementwiseKind::thresholded_relu)
        op.alpha = activation_alpha;
    if (*kind == ElementwiseKind::hard_sigmoid)
        op.beta = activation_beta;
    if (*kind == ElementwiseKind::selu)
        op.gamma = activation_gamma;
    composer.set_output(0, composer.add(std::move(op), {y}));
}

}  // namespace vkonnx::graph
