// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t mean_variance_normalization_versions[] = {9, 13};
constexpr Schema::Input mean_variance_normalization_inputs[] = {{.name = "X"}};
constexpr Schema::Output mean_variance_normalization_outputs[] = {{"Y"}};
}  // namespace

constinit const Schema MeanVarianceNormalization::schema = {.name = "MeanVarianceNormalization",
                                                            .versions = mean_variance_normalization_versions,
                                                            .inputs = mean_variance_normalization_inputs,
                                                            .outputs = mean_variance_normalization_outputs};

// Computes (X - mean) / (deviation + 1e-9). The document's function takes the variance as E(X^2) - E(X)^2, in which large means
// cancel. Here the mean is subtracted first.
void MeanVarianceNormalization::compose(Composer& composer) const
{
    const DType dtype = composer.input(0).desc.dtype, wide = computed_in(dtype);
    const Operand x = composer.cast(composer.input(0), wide);
    const ReduceMean mean = {.axes = axes.value_or(std::vector<int64_t>{0, 2, 3})};
    const Operand centred = composer.add(ElementwiseKind::sub, {x, composer.add(mean, {x})});
    const Operand variance = composer.add(mean, {composer.add(ElementwiseKind::mul, {centred, centred})});
    const Operand deviation =
        composer.add(ElementwiseKind::add, {composer.add(ElementwiseKind::sqrt, {variance}), composer.constant(wide, 1e-9)});
    composer.set_output(0, composer.cast(composer.add(ElementwiseKind::div, {centred, deviation}), dtype));
}

}  // namespace vkonnx::graph
