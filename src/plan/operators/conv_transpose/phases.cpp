// SPDX-License-Identifier: Apache-2.0
// This file plans ConvTranspose as one product of matrices that has all phases as rows. conv_transpose_phases multiplies in
// registers, conv_transpose_phases_shared through shared memory, and conv_transpose_matrices by cooperative matrices.
#include "plan/operators/conv_transpose/phases.h"

#include <algorithm>

#include "plan/core/arithmetic.h"
#include "plan/engines/implicit_gemm/implicit_gemm.h"

namespace vkonnx::plan::conv_transpose {
namespace {

using implicit_gemm::Form;
using implicit_gemm::max_classes;
using implicit_gemm::Phases;
using implicit_gemm::Product;

// Returns the phases of an axis that have outputs. It joins neighbouring phases that have the same taps.
// - `begin` is that of implicit_gemm::Axis: the phase of the first output.
// - `skipped` tells by how many outputs the blocks are shifted from those that begin where an input's taps begin.
// Phases::place counts in steps forward here, from where the block begins.
std::vector<Phases> phases_of(const push::ConvTransposeAxis& axis, int64_t begin, int64_t skipped)
{
    const int64_t stride = int64_t(axis.stride) * axis.gcd;
    std::vector<Phases> all;
    for (int64_t r = 0; r < stride && all.size() <= max_classes; ++r) {
        if ((r < begin ? stride : 0) + r - begin >= axis.out_extent)
            continue;
        Phases next = {.first = r, .taps = 0};
        const int64_t distance = r + skipped;  // of the output from the first tap
        if (distance % axis.gcd == 0) {
            next.step = axis.gcd;
            next.tap = distance / axis.gcd * axis.inverse % axis.stride;
            next.tap_step = axis.inverse;
            if (next.tap < axis.kernel)
                next.taps = divide_up(axis.kernel - next.tap, axis.stride);
        }
        if (next.taps > 0)
            next.place = -(next.tap * axis.dilation * axis.gcd - distance) / stride;
        else
            next.tap = next.tap_step = 0;
        const auto goes_on = [&](const Phases& before) {
            return before.step == next.step && before.first + before.count * before.step == r && before.taps == next.taps &&
                   before.place == next.place && before.tap + before.count * before.tap_step == next.tap;
        };
        const auto joined = std::find_if(all.begin(), all.end(), goes_on);
        if (joined != all.end())
            ++joined->count;
        else
            all.push_back(next);
    }
    return all;
}

implicit_gemm::Axis axis_of(const ops::Axis& axis, const push::ConvTransposeAxis& phased, Blocks blocks)
{
    const int64_t rest = axis.begin % axis.stride;
    const int64_t begin = blocks == Blocks::of_inputs ? rest : 0;
    std::vector<Phases> all = phases_of(phased, begin, rest - begin);
    int64_t nearest = INT64_MIN, farthest = INT64_MAX;
    for (const Phases& phases : all) {
        if (phases.taps == 0)
            continue;
        nearest = std::max(nearest, phases.place);
        farthest = std::min(farthest, phases.place - (phases.taps - 1) * phased.dilation);
    }
    if (nearest < farthest)  // no output has any taps
        nearest = farthest = 0;
    for (Phases& phases : all)
        phases.place = phases.taps > 0 ? phases.place - farthest : 0;
    const int64_t count = divide_up(axis.out + begin, axis.stride);
    return {.in = axis.in,
            .out = axis.out,
            .kernel = axis.kernel,
            .kernel_step = phased.stride,
            .phase_count = axis.stride,
            .begin = begin,
            .blocks = count,
            .block_step = 1,
            .tap_step = -int64_t(phased.dilation),
            .first = axis.begin / axis.stride + farthest,
            .extent = count + nearest - farthest,
            .phases = std::move(all)};
}

// Sets the stride to the kernel's size, so that no tap is multiplied by the zeros around the input. With one input the stride
// makes no difference.
void step_over_the_kernel(ops::Axis& axis, push::ConvTransposeAxis& phased)
{
    axis.stride = axis.kernel;
    phased.gcd = phased.dilation = 1;
    phased.stride = phased.kernel;
    phased.inverse = axis.kernel == 1 ? 0 : 1;
}

constexpr int64_t half_limit = 1 << 16;  // numbers that are packed into half a word lie below it

// Returns why the problem can't be a product of matrices at all; "" where it can.
std::string unfit_for(const Problem& problem)
{
    const ops::ConvTransposeGeometry& g = problem.geometry;
    if (g.axes.size() > GEMM_AXES)
        return "it takes at most 3 spatial axes, not " + std::to_string(g.axes.size());
    if (*element_count(tensor_x(g)) == 0 || *element_count(tensor_w(g)) == 0)
        return "there is nothing to multiply";
    for (const push::ConvTransposeAxis& axis : problem.axes)
        if (int64_t(axis.stride) * axis.gcd >= half_limit || axis.kernel >= half_limit ||
            int64_t(axis.kernel) * axis.dilation >= half_limit)
            return "a stride or window of 65536 or more does not fit half a word";
    return "";
}

implicit_gemm::Problem gemm_of(const Problem& problem)
{
    const ops::ConvTransposeGeometry& g = problem.geometry;
    const WeightSteps steps = weight_steps(g);
    return {.capabilities = problem.capabilities,
            .options = problem.options,
            .compute_type = problem.compute_type,
            .epilogue = problem.epilogue,
            .dtype = g.dtype,
            .layout = g.layout,
            .bias = g.bias,
            .constant_weights = implicit_gemm::is_constant(problem.options, 1),
            .x_elements = *element_count(tensor_x(g)),
            .w_elements = *element_count(tensor_w(g)),
            .outputs = problem.outputs,
            .w_group = g.channels_in / g.group * steps.channel,
            .w_channel = steps.channel,
            .w_column = steps.column,
            .w_tap = steps.tap,
            .products = products_of(problem)};
}

template <Form form>
std::string unfit(const Problem& problem)
{
    return problem.engine ? implicit_gemm::unfit_for(*problem.engine, form) : unfit_for(problem);
}

template <Form form>
Result<Plan> planned(const Problem& problem)
{
    return implicit_gemm::planned(*problem.engine, form);
}

}  // namespace

Product product_of(const ops::ConvTransposeGeometry& g, std::span<const push::ConvTransposeAxis> axes, Blocks blocks)
{
    Product product = {
        .images = g.batch, .groups = g.group, .channels_in = g.channels_in / g.group, .channels_out = g.channels_out / g.group};
    const size_t missing = GEMM_AXES - g.axes.size();
    for (size_t a = 0; a < g.axes.size(); ++a) {
        ops::Axis axis = g.axes[a];
        push::ConvTransposeAxis phased = axes[a];
        if (axis.in == 1 && axis.dilation == 1)
            step_over_the_kernel(axis, phased);
        product.axes[missing + a] = axis_of(axis, phased, blocks);
    }
    return completed(std::move(product));
}

std::vector<Product> products_of(const Problem& problem)
{
    std::vector<Product> products = {product_of(problem.geometry, problem.axes, Blocks::of_inputs)};
    const auto& axes = products.front().axes;
    if (std::any_of(axes.begin(), axes.end(), [](const implicit_gemm::Axis& axis) { return axis.begin != 0; }))
        products.push_back(product_of(problem.geometry, problem.axes, Blocks::of_outputs));
    return products;
}

void add_engine(Problem& problem)
{
    if (implicit_gemm::computes(problem.compute_type, problem.options) && unfit_for(problem).empty())
        problem.engine.emplace(implicit_gemm::engine_for(gemm_of(problem)));
}

constinit const KernelOf<Problem> phases = {.name = "conv_transpose_phases",
                                            .variants = modules::implicit_gemm_inputs,
                                            .keeps_order = false,
                                            .takes_epilogue = true,
                                            .takes_prologue = true,
                                            .unfit = unfit<Form::registers>,
                                            .plan = planned<Form::registers>};

constinit const KernelOf<Problem> phases_shared = {.name = "conv_transpose_phases_shared",
                                                   .variants = implicit_gemm::shared_memory_inputs,
                                                   .keeps_order = false,
                                                   .takes_epilogue = true,
                                                   .takes_prologue = true,
                                                   .unfit = unfit<Form::shared_memory>,
                                                   .plan = planned<Form::shared_memory>};

constinit const KernelOf<Problem> matrices = {.name = "conv_transpose_matrices",
                                              .variants = modules::implicit_gemm_inputs_half_texels1,
                                              .keeps_order = false,
                                              .takes_epilogue = true,
                                              .takes_prologue = true,
                                              .unfit = unfit<Form::cooperative_matrices>,
                                              .plan = planned<Form::cooperative_matrices>};

constinit const KernelOf<Problem> matrices_unpacked = {.name = "conv_transpose_matrices_unpacked",
                                                       .variants = modules::implicit_gemm_inputs_half_texels1,
                                                       .keeps_order = false,
                                                       .takes_epilogue = true,
                                                       .unfit = unfit<Form::unpacked_matrices>,
                                                       .plan = planned<Form::unpacked_matrices>};

}  // namespace vkonnx::plan::conv_transpose
