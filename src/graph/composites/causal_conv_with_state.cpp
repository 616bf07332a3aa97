// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t causal_conv_with_state_versions[] = {27};
constexpr Schema::Input causal_conv_with_state_inputs[] = {{.name = "input"},
                                                           {.name = "weight"},
                                                           {.name = "bias", .option = Schema::Option::optional},
                                                           {.name = "past_state", .option = Schema::Option::optional}};
constexpr Schema::Output causal_conv_with_state_outputs[] = {{"output"}, {"present_state"}};
}  // namespace

constinit const Schema CausalConvWithState::schema = {.name = "CausalConvWithState",
                                                      .versions = causal_conv_with_state_versions,
                                                      .inputs = causal_conv_with_state_inputs,
                                                      .outputs = causal_conv_with_state_outputs};

// The k - 1 elements before the input are those of past_state, or zeros. The last k - 1 of all are present_state.
void CausalConvWithState::compose(Composer& composer) const
{
    const Operand x = composer.input(0), weight = composer.input(1);
    const std::vector<int64_t>& dims = x.desc.dims;
    const std::string wanted = activation.value_or("none");
    if (!composer.check(wanted == "none" || wanted == "silu" || wanted == "swish",
                        "activation = " + quote(wanted) + " must be none, silu or swish") ||
        !composer.check_floats(0, "input") ||
        !composer.check(dims.size() == 3, "input is " + to_string(x.desc) + ", expected three dimensions"))
        return;
    const std::vector<int64_t>& of_weight = weight.desc.dims;
    if (!composer.check(of_weight.size() == 3 && of_weight[0] == dims[1] && of_weight[1] == 1 && of_weight[2] > 0,
                        "weight is " + to_string(weight.desc) + ", expected the dimensions " + std::to_string(dims[1]) +
                            ", 1 and at least 1"))
        return;
    const int64_t batch = dims[0], channels = dims[1], length = dims[2], before = of_weight[2] - 1;
    if (!composer.check_dims(2, "bias", {channels}) || !composer.check_dims(3, "past_state", {batch, channels, before}))
        return;

    Operand all = x;
    if (composer.has(3))
        all = composer.add(Concat{.axis = 2}, {composer.input(3), x});
    else if (before > 0)
        all = composer.add(Pad{.pads = {0, 0, before, 0, 0, 0}}, {x});
    if (composer.wants(1))
        composer.set_output(1, composer.add(Slice{.starts = {length}, .ends = {INT64_MAX}, .axes = {2}}, {all}));
    const DType wide = computed_in(x.desc.dtype);
    std::vector<Operand> inputs = {composer.cast(all, wide), composer.cast(weight, wide)};
    if (composer.has(2))
        inputs.push_back(composer.cast(composer.input(2), wide));
    Operand y = composer.add(Conv{.group = channels}, inputs);
    if (wanted != "none")
        y = composer.add(Elementwise{.kind = ElementwiseKind::swish, .alpha = 1}, {y});
    composer.set_output(0, composer.cast(y, x.desc.dtype));
}

}  // namespace vkonnx::graph
