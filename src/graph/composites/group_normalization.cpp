// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t group_normalization_versions[] = {18, 21};
constexpr Schema::Input group_normalization_inputs[] = {{.name = "X"}, {.name = "scale"}, {.name = "bias"}};
constexpr Schema::Output group_normalization_outputs[] = {{"Y"}};
}  // namespace

constinit const Schema GroupNormalization::schema = {.name = "GroupNormalization",
                                                     .versions = group_normalization_versions,
                                                     .inputs = group_normalization_inputs,
                                                     .outputs = group_normalization_outputs};

// A group of channels is normalized as one channel of InstanceNormalization. Version 18 has a scale and a bias for each group,
// version 21 for each channel.
//
//   X (N, C, D1..Dn)  ->  (N, groups, C / groups * D1 * .. * Dn)
void GroupNormalization::compose(Composer& composer) const
{
    const Operand input = composer.input(0);
    const std::vector<int64_t>& dims = input.desc.dims;
    const int64_t groups = num_groups.value_or(0);
    if (!composer.check(dims.size() >= 2, "X is " + to_string(input.desc) + ", expected two dimensions or more") ||
        !composer.check(num_groups.has_value(), "attribute num_groups is required") ||
        !composer.check(groups > 0 && dims[1] % groups == 0,
                        "num_groups = " + std::to_string(groups) + " must divide X's " + std::to_string(dims[1]) + " channels") ||
        !composer.check(!stash_type || *stash_type == 1,
                        "stash_type = " + std::to_string(stash_type.value_or(1)) + ", expected 1, which is float"))
        return;
    const bool is_by_group = composer.version() < 21;
    const std::vector<int64_t> factors = {is_by_group ? groups : dims[1]};
    for (const size_t i : {1u, 2u})
        if (!composer.check(composer.dims(i) == factors, std::string(i == 1 ? "scale" : "bias") + " is " +
                                                             to_string(composer.input(i).desc) + ", expected " +
                                                             std::to_string(factors[0]) + " elements"))
            return;
    const DType wide = computed_in(input.desc.dtype);
    const Operand x = Composer::view(composer.cast(input, wide), {dims[0], groups, extent_of(dims, 1, dims.size()) / groups});
    const Operand scale = composer.cast(composer.input(1), wide), bias = composer.cast(composer.input(2), wide);
    const InstanceNormalization normalize = {.epsilon = epsilon};
    Operand y;
    if (is_by_group) {
        y = Composer::view(composer.add(normalize, {x, scale, bias}), dims);
    } else {
        const auto all = [&](double value) {
            return composer.constant({.dtype = wide, .dims = {groups}}, [=](int64_t) { return value; });
        };
        std::vector<int64_t> by_channel(dims.size() - 1, 1);
        by_channel[0] = dims[1];
        y = Composer::view(composer.add(normalize, {x, all(1), all(0)}), dims);
        y = composer.add(ElementwiseKind::mul, {y, Composer::view(scale, by_channel)});
        y = composer.add(ElementwiseKind::add, {y, Composer::view(bias, by_channel)});
    }
    composer.set_output(0, composer.cast(y, input.desc.dtype));
}

}  // namespace vkonnx::graph
