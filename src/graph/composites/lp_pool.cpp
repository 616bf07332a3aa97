// SPDX-License-Identifier: Apache-2.0
// This file says what LpPool and GlobalLpPool are computed by: (sum of |x|^p)^(1/p) over a window, or over all spatial axes.
#include "graph/composer.h"

namespace vkonnx::graph {
namespace {

constexpr int64_t lp_pool_versions[] = {2, 11, 18, 22};
constexpr Schema::Input lp_pool_inputs[] = {{.name = "X"}};
constexpr Schema::Output lp_pool_outputs[] = {{"Y"}};
constexpr int64_t global_lp_pool_versions[] = {2, 22};

// Returns |x|^p.
Operand power_of(Composer& composer, const Operand& x, int64_t p)
{
    if (p == 2)
        return composer.add(ElementwiseKind::mul, {x, x});
    const Operand magnitude = composer.add(ElementwiseKind::abs, {x});
    return p == 1 ? magnitude : composer.add(ElementwiseKind::pow, {magnitude, composer.constant(x.desc.dtype, double(p))});
}

// Returns the number of which x is |number|^p.
Operand root_of(Composer& composer, const Operand& x, int64_t p)
{
    if (p == 1)
        return x;
    return p == 2 ? composer.add(ElementwiseKind::sqrt, {x})
                  : composer.add(ElementwiseKind::pow, {x, composer.constant(x.desc.dtype, 1 / double(p))});
}

// Checks X and p.
bool check(Composer& composer, int64_t p)
{
    const TensorDesc& x = composer.input(0).desc;
    return composer.check_floats(0, "X") &&
           composer.check(x.dims.size() > 2, "X is " + to_string(x) + ", expected a batch, channels and spatial axes") &&
           composer.check(p >= 1, "p = " + std::to_string(p) + " must be at least 1");
}

}  // namespace

constinit const Schema LpPool::schema = {.name = "LpPool",
                                         .versions = lp_pool_versions,
                                         .older = "older versions are not supported",
                                         .inputs = lp_pool_inputs,
                                         .outputs = lp_pool_outputs};
constinit const Schema GlobalLpPool::schema = {.name = "GlobalLpPool",
                                               .versions = global_lp_pool_versions,
                                               .older = "older versions are not supported",
                                               .inputs = lp_pool_inputs,
                                               .outputs = lp_pool_outputs};

// The sum of a window is a Conv of each channel with ones. What ceil_mode adds at the end becomes pads.
void LpPool::compose(Composer& composer) const
{
    const DType dtype = composer.input(0).desc.dtype, wide = computed_in(dtype);
    const int64_t power = p.value_or(2);
    const bool rounds_up = composer.flag(ceil_mode, "ceil_mode");
    if (!check(composer, power))
        return;
    const std::vector<int64_t>& dims = composer.dims(0);
    const size_t axes = dims.size() - 2;
    const std::vector<int64_t> kernel = kernel_shape.value_or(std::vector<int64_t>());
    Conv conv = {.auto_pad = auto_pad,
                 .kernel_shape = kernel,
                 .strides = strides.value_or(std::vector<int64_t>(axes, 1)),
                 .dilations = dilations.value_or(std::vector<int64_t>(axes, 1)),
                 .pads = pads.value_or(std::vector<int64_t>(2 * axes, 0)),
                 .group = dims[1]};
    if (!composer.check_list("spatial extents of X", {dims.begin() + 2, dims.end()}, axes, 0) ||
        !composer.check_list("kernel_shape", kernel, axes, 1) || !composer.check_list("strides", conv.strides, axes, 1) ||
        !composer.check_list("dilations", conv.dilations, axes, 1) || !composer.check_list("pads", conv.pads, 2 * axes, 0))
        return;
    for (size_t i = 0; rounds_up && auto_pad == AutoPad::notset && i < axes; ++i) {
        const int64_t room = dims[2 + i] + conv.pads[i] + conv.pads[axes + i] - conv.dilations[i] * (kernel[i] - 1) - 1;
        const int64_t more = room < 0 ? 0 : (conv.strides[i] - room % conv.strides[i]) % conv.strides[i];
        // A window that would begin behind the input and the pads in front of it is left out.
        if (more > 0 && room + more < dims[2 + i] + conv.pads[i])
            conv.pads[axes + i] += more;
    }
    if (auto_pad != AutoPad::notset)
        conv.pads.clear();

    std::vector<int64_t> window = {dims[1], 1};
    window.insert(window.end(), kernel.begin(), kernel.end());
    const TensorDesc ones = {.dtype = wide, .dims = std::move(window)};
    const Operand x = power_of(composer, composer.cast(composer.input(0), wide), power);
    const Operand sum = composer.add(std::move(conv), {x, composer.constant(ones, [](int64_t) { return 1.0; })});
    composer.set_output(0, composer.cast(root_of(composer, sum, power), dtype));
}

void GlobalLpPool::compose(Composer& composer) const
{
    const DType dtype = composer.input(0).desc.dtype, wide = computed_in(dtype);
    const int64_t power = p.value_or(2);
    if (!check(composer, power))
        return;
    std::vector<int64_t> axes;
    for (size_t i = 2; i < composer.dims(0).size(); ++i)
        axes.push_back(int64_t(i));
    const Operand x = power_of(composer, composer.cast(composer.input(0), wide), power);
    const Operand sum = composer.add(ReduceSum{.axes = std::move(axes)}, {x});
    composer.set_output(0, composer.cast(root_of(composer, sum, power), dtype));
}

}  // namespace vkonnx::graph
