// SPDX-License-Identifier: Apache-2.0
// This file describes Conv to the engine: as a product of matrices whose rows are output channels and whose columns are
// positions. conv_gemm multiplies in registers, conv_gemm_shared through shared memory, and conv_matrices by cooperative
// matrices. conv_matrices_unpacked and conv_points read X as it lies in memory.
#include "plan/core/arithmetic.h"
#include "plan/engines/implicit_gemm/implicit_gemm.h"
#include "plan/operators/conv/problem.h"

namespace vkonnx::plan::conv {
namespace {

using implicit_gemm::Form;
using implicit_gemm::Product;
using ops::ConvGeometry;

constexpr int64_t half_limit = 1 << 16;  // numbers that are packed into half a word lie below it

implicit_gemm::Axis axis_of(const ops::Axis& axis)
{
    return {.in = axis.in,
            .out = axis.out,
            .kernel = axis.kernel,
            .blocks = axis.out,
            .block_step = axis.stride,
            .tap_step = axis.dilation,
            .first = -axis.begin,
            .extent = (axis.out - 1) * axis.stride + axis.dilated_kernel(),
            .phases = {{.taps = axis.kernel}}};
}

Product product_of(const ConvGeometry& g)
{
    Product product = {
        .images = g.batch, .groups = g.group, .channels_in = g.channels_in / g.group, .channels_out = g.channels_out / g.group};
    const size_t missing = GEMM_AXES - g.axes.size();
    for (size_t a = 0; a < g.axes.size(); ++a)
        product.axes[missing + a] = axis_of(g.axes[a]);
    return completed(std::move(product));
}

// Returns the products that the problem may be: where a group has one channel, also one in which taps stand for channels.
std::vector<Product> products_of(const ConvGeometry& g)
{
    std::vector<Product> products = {product_of(g)};
    const ops::Axis& axis = g.axes.back();
    if (g.channels_in != g.group || axis.kernel == 1)
        return products;
    Product product = products.front();
    product.channels_in = axis.kernel;
    product.channel_places = axis.dilation;
    implicit_gemm::Axis& last = product.axes.back();
    last.kernel = 1;
    last.phases = {{.taps = 1}};
    last.extent = (axis.out - 1) * axis.stride + 4 * (divide_up(axis.kernel, 4) - 1) * axis.dilation + 1;
    product.classes.clear();
    products.push_back(completed(std::move(product)));
    return products;
}

// Returns why the problem can't be a product of matrices at all; "" where it can.
std::string unfit_for(const Problem& problem)
{
    const ConvGeometry& g = problem.geometry;
    if (g.axes.size() > GEMM_AXES)
        return "it takes at most 3 spatial axes, not " + std::to_string(g.axes.size());
    if (*element_count(tensor_x(g)) == 0 || *element_count(tensor_w(g)) == 0)
        return "there is nothing to multiply";
    for (const ops::Axis& axis : g.axes)
        if (axis.kernel >= half_limit)
            return "a window of 65536 or more does not fit half a word";
    return "";
}

implicit_gemm::Problem gemm_of(const Problem& problem)
{
    const ConvGeometry& g = problem.geometry;
    int64_t volume = 1;
    for (const ops::Axis& axis : g.axes)
        volume *= axis.kernel;
    const int64_t column = g.channels_in / g.group * volume;
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
            .w_group = g.channels_out / g.group * column,
            .w_channel = volume,
            .w_column = column,
            .w_tap = 1,
            .products = products_of(g)};
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

std::string unfit_for_points(const Problem& problem)
{
    return problem.engine ? implicit_gemm::unfit_for_points(*problem.engine) : unfit_for(problem);
}

Result<Plan> planned_for_points(const Problem& problem)
{
    return implicit_gemm::planned_for_points(*problem.engine);
}

}  // namespace

void add_engine(Problem& problem)
{
    if (!implicit_gemm::computes(problem.compute_type, problem.options) || !unfit_for(problem).empty())
        return;
    implicit_gemm::Engine& engine = problem.engine.emplace(implicit_gemm::engine_for(gemm_of(problem)));
    engine.points = implicit_gemm::cut_of_points(engine.problem);
}

constinit const KernelOf<Problem> points = {.name = "conv_points",
                                            .variants = modules::implicit_gemm_points_rows16_columns8_texels1,
                                            .keeps_order = false,
                                            .takes_epilogue = true,
                                            .takes_prologue = true,
                                            .unfit = unfit_for_points,
                                            .plan = planned_for_points};

constinit const KernelOf<Problem> gemm = {.name = "conv_gemm",
                                          .variants = modules::implicit_gemm_inputs,
                                          .keeps_order = false,
                                          .takes_epilogue = true,
                                          .takes_prologue = true,
                                          .unfit = unfit<Form::registers>,
                                          .plan = planned<Form::registers>};

constinit const KernelOf<Problem> gemm_shared = {.name = "conv_gemm_shared",
                                                 .variants = implicit_gemm::shared_memory_inputs,
                                                 .keeps_order = false,
                                                 .takes_epilogue = true,
                                                 .takes_prologue = true,
                                                 .unfit = unfit<Form::shared_memory>,
                                                 .plan = planned<Form::shared_memory>};

constinit const KernelOf<Problem> matrices = {.name = "conv_matrices",
                                              .variants = modules::implicit_gemm_inputs_half_texels1,
                                              .keeps_order = false,
                                              .takes_epilogue = true,
                                              .takes_prologue = true,
                                              .unfit = unfit<Form::cooperative_matrices>,
                                              .plan = planned<Form::cooperative_matrices>};

constinit const KernelOf<Problem> matrices_unpacked = {.name = "conv_matrices_unpacked",
                                                       .variants = modules::implicit_gemm_inputs_half_texels1,
                                                       .keeps_order = false,
                                                       .takes_epilogue = true,
                                                       .unfit = unfit<Form::unpacked_matrices>,
                                                       .plan = planned<Form::unpacked_matrices>};

}  // namespace vkonnx::plan::conv
