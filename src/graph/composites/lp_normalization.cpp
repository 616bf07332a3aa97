// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t lp_normalization_versions[] = {1, 22};
constexpr Schema::Input lp_normalization_inputs[] = {{.name = "input"}};
constexpr Schema::Output lp_normalization_outputs[] = {{"output"}};
}  // namespace

constinit const Schema LpNormalization::schema = {.name = "LpNormalization",
                                                  .versions = lp_normalization_versions,
                                                  .inputs = lp_normalization_inputs,
                                                  .outputs = lp_normalization_outputs};

// Divides by the norm along the axis. Where the norm is 0 the result is 0, too.
void LpNormalization::compose(Composer& composer) const
{
    const DType dtype = composer.input(0).desc.dtype, wide = computed_in(dtype);
    const Operand x = composer.cast(composer.input(0), wide);
    const auto at = int64_t(composer.axis(axis.value_or(-1), composer.dims(0).size()));
    const int64_t power = p.value_or(2);
    if (!composer.check(power == 1 || power == 2, "p = " + std::to_string(power) + " must be 1 or 2"))
        return;
    const Operand norm = composer.add(power == 1 ? Operator(ReduceL1{.axes = {at}}) : Operator(ReduceL2{.axes = {at}}), {x});
    const Operand zero = composer.constant(wide, 0);
    const Operand y =
        composer.add(Where(), {composer.add(Equal(), {norm, zero}), zero, composer.add(ElementwiseKind::div, {x, norm})});
    composer.set_output(0, composer.cast(y, dtype));
}

}  // namespace vkonnx::graph
