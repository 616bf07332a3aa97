// SPDX-License-Identifier: Apache-2.0
// conv_transpose_depthwise: groups of one channel of X, common kernels along the last of 1 to 3 axes: several outputs of a row at
// once.
#include <algorithm>

#include "plan/arithmetic.h"
#include "plan/bytes.h"
#include "plan/conv_transpose/problem.h"
#include "plan/epilogue.h"
#include "plan/tiles.h"
#include "shared/conv_transpose_depthwise.h"
#include "specialization/conv_transpose_depthwise.h"

namespace vkonnx::plan::conv_transpose {
namespace {

using ops::Axis;
using ops::ConvTransposeGeometry;

constexpr int64_t outputs = 16;  // of a tile

// A kernel of the last axis that there are modules for. Not of f16: its conversions, for every element that a tile holds, take
// SwiftShader minutes to compile.
struct Form {
    int64_t kernel;
    int64_t stride;
    std::span<const Variant> variants;
};

constexpr Variant smoothing[] = {
    {Number::f32, Kernel::conv_transpose_depthwise_kernel3_stride1_outputs16_f32},
    {Number::bf16, Kernel::conv_transpose_depthwise_kernel3_stride1_outputs16_bf16},
    {Number::f64, Kernel::conv_transpose_depthwise_kernel3_stride1_outputs16_f64},
};
constexpr Variant repeating[] = {
    {Number::f32, Kernel::conv_transpose_depthwise_kernel2_stride2_outputs16_f32},
    {Number::bf16, Kernel::conv_transpose_depthwise_kernel2_stride2_outputs16_bf16},
    {Number::f64, Kernel::conv_transpose_depthwise_kernel2_stride2_outputs16_f64},
};
constexpr Variant overlapping[] = {
    {Number::f32, Kernel::conv_transpose_depthwise_kernel3_stride2_outputs16_f32},
    {Number::bf16, Kernel::conv_transpose_depthwise_kernel3_stride2_outputs16_bf16},
    {Number::f64, Kernel::conv_transpose_depthwise_kernel3_stride2_outputs16_f64},
};
constexpr Variant bilinear2[] = {
    {Number::f32, Kernel::conv_transpose_depthwise_kernel4_stride2_outputs16_f32},
    {Number::bf16, Kernel::conv_transpose_depthwise_kernel4_stride2_outputs16_bf16},
    {Number::f64, Kernel::conv_transpose_depthwise_kernel4_stride2_outputs16_f64},
};
constexpr Variant bilinear4[] = {
    {Number::f32, Kernel::conv_transpose_depthwise_kernel8_stride4_outputs16_f32},
    {Number::bf16, Kernel::conv_transpose_depthwise_kernel8_stride4_outputs16_bf16},
    {Number::f64, Kernel::conv_transpose_depthwise_kernel8_stride4_outputs16_f64},
};
constexpr Variant bilinear8[] = {
    {Number::f32, Kernel::conv_transpose_depthwise_kernel16_stride8_outputs16_f32},
    {Number::bf16, Kernel::conv_transpose_depthwise_kernel16_stride8_outputs16_bf16},
    {Number::f64, Kernel::conv_transpose_depthwise_kernel16_stride8_outputs16_f64},
};
constexpr Form forms[] = {{3, 1, smoothing},  {2, 2, repeating},  {3, 2, overlapping},
                          {4, 2, bilinear2}, {8, 4, bilinear4}, {16, 8, bilinear8}};

const Form* form_of(const Axis& axis)
{
    for (const Form& form : forms)
        if (form.kernel == axis.kernel && form.stride == axis.stride)
            return &form;
    return nullptr;
}

// The axes with those that the rank lacks in front.
std::array<Axis, DEPTHWISE_AXES> all_axes(const ConvTransposeGeometry& g)
{
    std::array<Axis, DEPTHWISE_AXES> all = {};
    std::copy(g.axes.begin(), g.axes.end(), all.end() - std::ptrdiff_t(g.axes.size()));
    return all;
}

std::string unfit(const Problem& problem)
{
    const ConvTransposeGeometry& g = problem.geometry;
    if (g.group != g.channels_in)
        return "it takes groups of one channel of X, not of " + std::to_string(g.channels_in / g.group);
    if (g.axes.size() > DEPTHWISE_AXES)
        return "it takes at most 3 spatial axes, not " + std::to_string(g.axes.size());
    if (g.layout != Layout::ncx)
        return "it takes nothing behind the axes, and layout NXC has channels there";
    for (const Axis& axis : g.axes)
        if (axis.dilation != 1)
            return "it takes no dilations, not " + std::to_string(axis.dilation);
    const Axis& last = g.axes.back();
    if (!form_of(last))
        return "it has no module for kernel " + std::to_string(last.kernel) + " and stride " + std::to_string(last.stride) +
               " of the last axis";
    if (last.kernel % quad == 0 && weight_steps(g).tap != 1)
        return "it reads rows of W, and the taps of a filter_format that ends with channels are no rows";
    const int64_t x_elements = *element_count(tensor_x(g));
    const int64_t w_elements = *element_count(tensor_w(g));
    if (x_elements == 0 || w_elements == 0)
        return "there is nothing to multiply";
    if (x_elements % quad != 0)
        return "it reads 4 elements at a time, and X has " + std::to_string(x_elements);
    if (is_half(problem.number) && last.out % 2 != 0)
        return "rows of " + std::to_string(last.out) + " halves end amid a word";
    if (saturated_product(w_elements, bits(g.dtype) / 8) > int64_t(problem.capabilities.max_storage_buffer_range))
        return "it binds W whole, and the device's max_storage_buffer_range is " +
               std::to_string(problem.capabilities.max_storage_buffer_range);
    const auto [outer, inner, innermost] = all_axes(g);
    const int64_t iterations =
        saturated_product(divide_up(outer.kernel, outer.stride) + 1, divide_up(inner.kernel, inner.stride) + 1);
    if (saturated_sum(iterations, outputs) > problem.capabilities.max_loop_iterations)
        return "its loops would exceed the device's " + std::to_string(problem.capabilities.max_loop_iterations) + " iterations";
    return "";
}

push::DepthwiseProblem uniform_of(const Problem& problem)
{
    const ConvTransposeGeometry& g = problem.geometry;
    const std::array<Axis, DEPTHWISE_AXES> axes = all_axes(g);
    const WeightSteps steps = weight_steps(g);
    push::DepthwiseProblem push = {};
    push.epilogue = numbers_of(problem.epilogue, problem.number);
    push.tiles_of_row = push::divisor_of(uint32_t(divide_up(axes.back().out, outputs)));
    push.channels = push::divisor_of(uint32_t(g.channels_out));
    push.multiplier = push::divisor_of(uint32_t(g.channels_out / g.group));
    push.w_channel = uint32_t(steps.channel);
    push.w_column = uint32_t(steps.column);
    push.w_tap = uint32_t(steps.tap);
    for (size_t a = 0; a < axes.size(); ++a)
        push.axes[a] = {.in_extent = uint32_t(axes[a].in),
                        .out_extent = uint32_t(axes[a].out),
                        .kernel = uint32_t(axes[a].kernel),
                        .begin = uint32_t(axes[a].begin),
                        .stride = push::divisor_of(uint32_t(axes[a].stride))};
    for (size_t a = 0; a + 1 < axes.size(); ++a)
        push.outs[a] = push::divisor_of(uint32_t(axes[a].out));
    return push;
}

Result<Plan> planned(const Problem& problem)
{
    const ConvTransposeGeometry& g = problem.geometry;
    const std::array<Axis, DEPTHWISE_AXES> axes = all_axes(g);
    const Axis& last = axes.back();
    const Form& form = *form_of(last);
    const uint32_t width = bits(g.dtype) / 8;
    const uint32_t group = tile_workgroup_size(problem.capabilities);
    const int64_t tiles_of_row = divide_up(last.out, outputs);
    const int64_t x_elements = *element_count(tensor_x(g));
    const int64_t x_image = x_elements / (g.batch * g.channels_in);
    const int64_t y_image = problem.outputs / (g.batch * g.channels_out);
    const int64_t rows = problem.outputs / last.out;
    const int64_t multiplier = g.channels_out / g.group;
    const int64_t taps0 = divide_up(axes[0].kernel, axes[0].stride);
    const int64_t taps1 = divide_up(axes[1].kernel, axes[1].stride);
    const bool stores_quads = last.out % quad == 0;

    Plan plan;
    plan.inputs = g.bias ? 3 : 2;
    for (const int64_t elements : {x_elements, *element_count(tensor_w(g)), g.channels_out, problem.outputs})
        plan.tensor_bytes.push_back(buffer_bytes(uint64_t(elements) * width));
    if (!g.bias)
        plan.tensor_bytes.erase(plan.tensor_bytes.begin() + 2);
    plan.max_submit_seconds = problem.options.max_dispatch_seconds;
    plan.uniform = bytes_of(uniform_of(problem));
    plan.pipelines = {{.kernel = *variant(form.variants, problem.number),
                       .specialization = specialization::ConvTransposeDepthwise{.workgroup_size = group,
                                                                                .bias = g.bias,
                                                                                .taps0 = uint32_t(taps0),
                                                                                .taps1 = uint32_t(taps1),
                                                                                .stores_quads = stores_quads,
                                                                                .epilogue = uint32_t(problem.epilogue.kind)}
                                             .values(),
                       .views = std::vector<View>(4, View::storage),
                       .uses_uniform = true,
                       .push_bytes = sizeof(push::TileRange)}};

    const auto outputs_of = [&](const Range& tiles) {
        const auto end_of = [&](int64_t tile) {  // of the tiles up to this one
            return tile / tiles_of_row * last.out + std::min((tile % tiles_of_row + 1) * outputs, last.out);
        };
        const int64_t first = tiles.first / tiles_of_row * last.out + tiles.first % tiles_of_row * outputs;
        return Range{first, end_of(tiles.end() - 1) - first};
    };
    const auto inputs_of = [&](const Range& tiles) {  // whole images
        const Range some = outputs_of(tiles);
        const int64_t first = some.first / y_image / multiplier;
        return Range{first * x_image, ((some.end() - 1) / y_image / multiplier + 1 - first) * x_image};
    };
    const double taps = double(divide_up(form.kernel, form.stride));
    const double loads =
        double(outputs) / double(form.stride * quad) + 2 + double(form.kernel % quad == 0 ? form.kernel / quad : form.kernel);
    const uint8_t y = uint8_t(plan.inputs);
    const Operand bias = {.tensor = uint8_t(g.bias ? 2 : 1)};
    Tiles tiles;
    tiles.op = "ConvTranspose";
    tiles.number = problem.number;
    tiles.workgroup_size = group;
    tiles.tiles = {0, rows * tiles_of_row};
    tiles.work = 8 + (stores_quads ? 0.5 : 1) * double(outputs) +
                 double(taps0 * taps1) * (0.5 * loads + 0.1 * taps * double(outputs));
    tiles.from = {.operand = {.tensor = 0}, .elements = x_elements, .element_bytes = width, .unit = quad, .used = inputs_of};
    tiles.whole = {{.tensor = 1}, bias};
    tiles.to = {.operand = {.tensor = y, .access = Access::write},
                .elements = problem.outputs,
                .element_bytes = width,
                .unit = stores_quads ? quad : elements_per_word(problem.number),
                .used = outputs_of};
    if (Status status = add_steps(tiles, problem.capabilities, problem.options, plan); !status)
        return status;
    return plan;
}

}  // namespace

constinit const KernelOf<Problem> depthwise = {.name = "conv_transpose_depthwise",
                                               .variants = smoothing,
                                               .keeps_order = true,
                                               .takes_epilogue = true,
                                               .unfit = unfit,
                                               .plan = planned};

}  // namespace vkonnx::plan::conv_transpose
