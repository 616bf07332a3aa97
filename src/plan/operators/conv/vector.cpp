// SPDX-License-Identifier: Apache-2.0
// This file plans conv_vector: a Conv whose only window is all of X, as it is where X has a single position. Then Y is the
// product of W and each image as a vector, which the kernel of matmul_vector computes.
#include <algorithm>

#include "modules.h"
#include "plan/operators/conv/problem.h"
#include "plan/operators/matmul/problem.h"
#include "return_if_error.h"

namespace vkonnx::plan::conv {
namespace {

// Returns the number of positions of X, which is that of taps of W where the only window is all of X.
int64_t volume_of(const ops::ConvGeometry& g)
{
    int64_t volume = 1;
    for (const ops::Axis& axis : g.axes)
        volume *= axis.in;
    return volume;
}

// Returns the product of images and W: Y (N, M) is A (N, C * taps) times the transpose of B (M, C * taps), plus the bias.
Result<ops::MatMulGeometry> product_of(const ops::ConvGeometry& g)
{
    const int64_t k = g.channels_in * volume_of(g);
    std::vector<TensorDesc> inputs = {{g.dtype, {g.batch, k}}, {g.dtype, {g.channels_out, k}}};
    if (g.bias)
        inputs.push_back({g.dtype, {g.channels_out}});
    return ops::resolve(Gemm{.transB = 1}, inputs);
}

matmul::Problem problem_of(const Problem& problem, const ops::MatMulGeometry& product)
{
    return {.capabilities = problem.capabilities,
            .options = problem.options,
            .geometry = product,
            .compute_type = problem.compute_type,
            .epilogue = problem.epilogue,
            .outputs = problem.outputs};
}

std::string unfit(const Problem& problem)
{
    const ops::ConvGeometry& g = problem.geometry;
    const auto is_whole = [](const ops::Axis& axis) {
        return axis.out == 1 && axis.kernel == axis.in && axis.begin == 0 && (axis.kernel == 1 || axis.dilation == 1);
    };
    if (g.group != 1 || !std::ranges::all_of(g.axes, is_whole))
        return "it takes one group, and one window that is all of X";
    if (g.layout == Layout::nxc && volume_of(g) > 1)
        return "the elements of X and W lie in another order";
    const Result<ops::MatMulGeometry> product = product_of(g);
    return product ? matmul::vector.unfit(problem_of(problem, *product)) : std::string(product.message());
}

Result<Plan> planned(const Problem& problem)
{
    Result<ops::MatMulGeometry> product = product_of(problem.geometry);
    VKONNX_RETURN_IF_ERROR(product.status());
    product->op = "Conv";
    return matmul::vector.plan(problem_of(problem, *product));
}

}  // namespace

constinit const KernelOf<Problem> vector = {.name = "conv_vector",
                                            .variants = modules::matmul_vector,
                                            .keeps_order = false,
                                            .takes_epilogue = true,
                                            .unfit = unfit,
                                            .plan = planned};

}  // namespace vkonnx::plan::conv
