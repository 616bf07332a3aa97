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

// Returns the operator of the kind that an attribute names.
std::optional<Elementwise> activation_of(Composer& composer, const std::string& word)
{
    std::string names;
    for (const ElementwiseKind kind : activations) {
        if (word == name(kind))
            return Elementwise{.kind = kind};
        names.append(names.empty() ? "" : ", ").append(name(kind));
    }
    composer.fail(Status(Code::unsupported, "activation = '" + word + "', supported are " + names));
    return {};
}

// Tells whether the operator has an attribute.
bool takes(const Elementwise& op, std::string_view attribute)
{
    return std::ranges::any_of(schema(op)->attributes, [&](const Schema::Attribute& one) { return one.name == attribute; });
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
    std::optional<Elementwise> op = activation_of(composer, *activation);
    if (!op)
        return;
    const bool is_clip = op->kind == ElementwiseKind::clip;
    std::vector<std::optional<float>*> numbers;
    for (const auto& [attribute, number] : {std::pair("alpha", &op->alpha), {"beta", &op->beta}, {"gamma", &op->gamma}})
        if (takes(*op, attribute))
            numbers.push_back(number);
    const size_t count = is_clip ? 2 : numbers.size();
    if (!composer.check(activation_params.size() == count, "activation_params has " + std::to_string(activation_params.size()) +
                                                               " entries, expected " + std::to_string(count) + " for " +
                                                               *activation))
        return;
    std::vector<Operand> operands = {y};
    for (size_t i = 0; i < count; ++i)
        if (is_clip)
            operands.push_back(composer.constant(y.desc.dtype, double(activation_params[i])));
        else
            *numbers[i] = activation_params[i];
    composer.set_output(0, composer.add(std::move(*op), std::move(operands)));
}

void FusedGemm::compose(Composer& composer) const
{
    std::vector<Operand> inputs = {composer.input(0), composer.input(1)};
    if (composer.has(2))
        inputs.push_back(composer.input(2));
    const Operand y = composer.add(gemm, std::move(inputs));
    if (activation.value_or("").empty())
        return composer.set_output(0, y);
    std::optional<Elementwise> op = activation_of(composer, *activation);
    if (!op)
        return;
    // An attribute that the activation does not have is of no account.
    if (takes(*op, "alpha"))
        op->alpha = activation_alpha;
    if (takes(*op, "beta"))
        op->beta = activation_beta;
    if (takes(*op, "gamma"))
        op->gamma = activation_gamma;
    composer.set_output(0, composer.add(std::move(*op), {y}));
}

}  // namespace vkonnx::graph
