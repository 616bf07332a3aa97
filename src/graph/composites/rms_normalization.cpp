// SPDX-License-Identifier: Apache-2.0
#include "graph/composites/rms_normalization.h"

#include <algorithm>

namespace vkonnx::graph {
namespace {
constexpr int64_t rms_normalization_versions[] = {23};
constexpr Schema::Input rms_normalization_inputs[] = {{.name = "X"}, {.name = "scale"}};
constexpr Schema::Output rms_normalization_outputs[] = {{"Y"}};
constexpr int64_t simplified_layer_normalization_versions[] = {1};
constexpr Schema::Output simplified_layer_normalization_outputs[] = {{"Y"}, {"inv_std_var", Schema::Option::optional}};
}  // namespace

constinit const Schema RMSNormalization::schema = {.name = "RMSNormalization",
                                                   .versions = rms_normalization_versions,
                                                   .inputs = rms_normalization_inputs,
                                                   .outputs = rms_normalization_outputs};

constinit const Schema SimplifiedLayerNormalization::schema = {.name = "SimplifiedLayerNormalization",
                                                               .versions = simplified_layer_normalization_versions,
                                                               .inputs = rms_normalization_inputs,
                                                               .outputs = simplified_layer_normalization_outputs};

RootMeanSquare root_mean_square(Composer& composer, const Operand& x, size_t axis, float epsilon)
{
    const DType dtype = x.desc.dtype;
    const std::vector<int64_t>& dims = x.desc.dims;
    ReduceSumSquare sum;
    for (size_t i = axis; i < dims.size(); ++i)
        sum.axes.push_back(int64_t(i));
    const double share = 1 / double(std::max(extent_of(dims, axis, dims.size()), int64_t(1)));
    const Operand mean = composer.add(ElementwiseKind::mul, {composer.add(sum, {x}), composer.constant(dtype, share)});
    const Operand root =
        composer.add(ElementwiseKind::sqrt, {composer.add(ElementwiseKind::add, {mean, composer.constant(dtype, epsilon)})});
    return {composer.add(ElementwiseKind::div, {x, root}), root};
}

namespace {
void compose_rms_normalization(Composer& composer, const RMSAttributes& op)
{
    const Operand input = composer.input(0);
    if (!composer.check(!op.stash_type || *op.stash_type == 1,
                        "stash_type = " + std::to_string(op.stash_type.value_or(1)) + ", expected 1, which is float") ||
        !composer.check_floats(0, "X") || !composer.check_broadcast(1, "scale", input.desc))
        return;
    const DType wide = computed_in(input.desc.dtype), made = composer.input(1).desc.dtype;
    const size_t axis = composer.axis(op.axis.value_or(-1), input.desc.dims.size());
    const RootMeanSquare x = root_mean_square(composer, composer.cast(input, wide), axis, op.epsilon.value_or(1e-5f));
    const Operand scale = composer.cast(composer.input(1), wide);
    composer.set_output(0, composer.cast(composer.add(ElementwiseKind::mul, {x.normalized, scale}), made));
    if (composer.wants(1))
        composer.set_output(1, composer.cast(composer.add(ElementwiseKind::reciprocal, {x.root}), DType::float32));
}
}  // namespace

void RMSNormalization::compose(Composer& composer) const
{
    compose_rms_normalization(composer, *this);
}

void SimplifiedLayerNormalization::compose(Composer& composer) const
{
    compose_rms_normalization(composer, *this);
}

}  // namespace vkonnx::graph
