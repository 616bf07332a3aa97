// SPDX-License-Identifier: Apache-2.0
// This file has the composites of the domain com.microsoft.
#include <algorithm>
#include <numeric>

#include "graph/composites/contrib.h"
#include "graph/composites/rms_normalization.h"

namespace vkonnx::graph {
namespace {

using Option = Schema::Option;

constexpr Schema::Input bias_gelu_inputs[] = {{.name = "A"}, {.name = "B"}};
constexpr Schema::Input fast_gelu_inputs[] = {{.name = "X"}, {.name = "bias", .option = Option::optional}};
constexpr Schema::Input gelu_inputs[] = {{.name = "X"}};
constexpr Schema::Input skip_inputs[] = {{.name = "input"},
                                         {.name = "skip"},
                                         {.name = "gamma"},
                                         {.name = "beta", .option = Option::optional},
                                         {.name = "bias", .option = Option::optional}};
constexpr Schema::Input skip_simplified_inputs[] = {
    {.name = "input"}, {.name = "skip"}, {.name = "gamma"}, {.name = "bias", .option = Option::optional}};
constexpr Schema::Output skip_outputs[] = {
    {"output"}, {"mean", Option::optional}, {"inv_std_var", Option::optional}, {"input_skip_bias_sum", Option::optional}};

// Computes Gelu(X + bias). The bias is input 1, where it is given.
void compose_gelu(Composer& composer, GeluApproximation approximate)
{
    Operand x = composer.input(0);
    const DType dtype = x.desc.dtype, wide = computed_in(dtype);
    if (composer.has(1)) {
        if (!composer.check_broadcast(1, "bias", x.desc))
            return;
        x = composer.add(ElementwiseKind::add, {composer.cast(x, wide), composer.cast(composer.input(1), wide)});
    }
    const Operand y = composer.add(Elementwise{.kind = ElementwiseKind::gelu, .approximate = approximate}, {x});
    composer.set_output(0, composer.cast(y, dtype));
}

// Returns input + skip + bias, in the type that is computed in. The bias is the input `bias`, where it is given. Output 3 is the
// sum. Input 2 is gamma, by which the normalized sum is multiplied.
Operand sum_of_skip(Composer& composer, size_t bias)
{
    const TensorDesc& input = composer.input(0).desc;
    if (!composer.check_floats(0, "input") || !composer.check_broadcast(1, "skip", input) ||
        !composer.check_broadcast(2, "gamma", input) || (composer.has(bias) && !composer.check_broadcast(bias, "bias", input)))
        return {};
    const DType dtype = input.dtype, wide = computed_in(dtype);
    Operand sum =
        composer.add(ElementwiseKind::add, {composer.cast(composer.input(0), wide), composer.cast(composer.input(1), wide)});
    if (composer.has(bias))
        sum = composer.add(ElementwiseKind::add, {sum, composer.cast(composer.input(bias), wide)});
    if (composer.wants(3))
        composer.set_output(3, composer.cast(sum, dtype));
    return sum;
}

// Returns the factor with its matrices transposed, if the attributes ask for it. First the axes of the batches come in front of
// axis 0, then the two last axes change places.
Operand factor_of(Composer& composer, size_t index, bool batches_first, bool transposed)
{
    const Operand x = composer.input(index);
    const size_t rank = x.desc.dims.size();
    if (rank < 2 || (!batches_first && !transposed))
        return x;
    Transpose transpose;
    transpose.perm.resize(rank);
    std::iota(transpose.perm.begin(), transpose.perm.end(), 0);
    if (batches_first)
        std::rotate(transpose.perm.begin(), transpose.perm.begin() + 1, transpose.perm.end() - 1);
    if (transposed)
        std::swap(transpose.perm[rank - 2], transpose.perm[rank - 1]);
    return composer.add(std::move(transpose), {x});
}

}  // namespace

constinit const Schema BiasGelu::schema = contrib("BiasGelu", bias_gelu_inputs);
constinit const Schema FastGelu::schema = contrib("FastGelu", fast_gelu_inputs);
constinit const Schema MicrosoftGelu::schema = contrib("Gelu", gelu_inputs);
constinit const Schema QuickGelu::schema = contrib("QuickGelu", gelu_inputs);
constinit const Schema FusedMatMul::schema = contrib("FusedMatMul", bias_gelu_inputs);
constinit const Schema SkipLayerNormalization::schema = contrib("SkipLayerNormalization", skip_inputs, skip_outputs);
constinit const Schema SkipSimplifiedLayerNormalization::schema =
    contrib("SkipSimplifiedLayerNormalization", skip_simplified_inputs, skip_outputs);

void BiasGelu::compose(Composer& composer) const
{
    compose_gelu(composer, GeluApproximation::none);
}

void FastGelu::compose(Composer& composer) const
{
    compose_gelu(composer, GeluApproximation::tanh);
}

void MicrosoftGelu::compose(Composer& composer) const
{
    compose_gelu(composer, GeluApproximation::none);
}

// Computes X * sigmoid(alpha * X), which ONNX calls Swish.
void QuickGelu::compose(Composer& composer) const
{
    composer.set_output(
        0, composer.add(Elementwise{.kind = ElementwiseKind::swish, .alpha = alpha.value_or(1.702f)}, {composer.input(0)}));
}

// Computes alpha * A' * B', where A' and B' are transposed as the attributes say.
void FusedMatMul::compose(Composer& composer) const
{
    const Operand a = factor_of(composer, 0, composer.flag(transBatchA, "transBatchA"), composer.flag(transA, "transA"));
    const Operand b = factor_of(composer, 1, composer.flag(transBatchB, "transBatchB"), composer.flag(transB, "transB"));
    const DType dtype = composer.input(0).desc.dtype;
    if (!composer.check_floats(0, "A"))
        return;
    if (alpha.value_or(1) == 1)
        return composer.set_output(0, composer.add(MatMul(), {a, b}));
    const DType wide = computed_in(dtype);
    const Operand product = composer.add(MatMul(), {composer.cast(a, wide), composer.cast(b, wide)});
    composer.set_output(0, composer.cast(composer.add(ElementwiseKind::mul, {product, composer.constant(wide, *alpha)}), dtype));
}

// Computes LayerNormalization of input + skip + bias, along the last axis.
void SkipLayerNormalization::compose(Composer& composer) const
{
    const DType dtype = composer.input(0).desc.dtype, wide = computed_in(dtype);
    std::vector<Operand> inputs = {sum_of_skip(composer, 4), composer.cast(composer.input(2), wide)};
    if (composer.has(3))
        inputs.push_back(composer.cast(composer.input(3), wide));
    const bool has_more = composer.wants(1) || composer.wants(2);
    const std::vector<Operand> made = composer.add_all(
        LayerNormalization{.axis = -1, .epsilon = epsilon.value_or(1e-12f), .outputs = has_more ? 3 : 1}, inputs);
    composer.set_output(0, composer.cast(made[0], dtype));
    for (size_t i = 1; i < made.size(); ++i)
        composer.set_output(i, made[i]);
}

// Computes (input + skip + bias) / root of the mean of its squares * gamma, along the last axis.
void SkipSimplifiedLayerNormalization::compose(Composer& composer) const
{
    const DType dtype = composer.input(0).desc.dtype, wide = computed_in(dtype);
    const std::vector<int64_t>& dims = composer.dims(0);
    if (!composer.check(!dims.empty(), "input has no axis"))
        return;
    const RootMeanSquare x = root_mean_square(composer, sum_of_skip(composer, 3), dims.size() - 1, epsilon.value_or(1e-12f));
    composer.set_output(
        0, composer.cast(composer.add(ElementwiseKind::mul, {x.normalized, composer.cast(composer.input(2), wide)}), dtype));
    if (composer.wants(2))
        composer.set_output(2, composer.cast(composer.add(ElementwiseKind::reciprocal, {x.root}), DType::float32));
}

}  // namespace vkonnx::graph
