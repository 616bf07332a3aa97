// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"
#include "graph/reals.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t shrink_versions[] = {9};
constexpr Schema::Input shrink_inputs[] = {{.name = "input"}};
constexpr Schema::Output shrink_outputs[] = {{"output"}};
}  // namespace

constinit const Schema Shrink::schema = {
    .name = "Shrink", .versions = shrink_versions, .inputs = shrink_inputs, .outputs = shrink_outputs};

// Computes x + bias below -lambd, x - bias above lambd, and 0 between them. The attributes are no integers, so that integers are
// compared and moved as doubles, and lose what is behind the point.
void Shrink::compose(Composer& composer) const
{
    const DType dtype = composer.input(0).desc.dtype;
    const DType wide = is_real(dtype) ? computed_in(dtype) : DType::float64;
    const Operand x = composer.cast(composer.input(0), wide);
    const double edge = lambd.value_or(0.5f);
    const Operand moved = composer.constant(wide, bias.value_or(0));
    const Operand above = composer.add(Where(), {composer.add(Greater(), {x, composer.constant(wide, edge)}),
                                                 composer.add(ElementwiseKind::sub, {x, moved}), composer.constant(wide, 0)});
    const Operand y = composer.add(Where(), {composer.add(Less(), {x, composer.constant(wide, -edge)}),
                                             composer.add(ElementwiseKind::add, {x, moved}), above});
    composer.set_output(0, composer.cast(y, dtype));
}

}  // namespace vkonnx::graph
