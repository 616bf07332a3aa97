// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t swi_glu_versions[] = {28};
constexpr Schema::Input swi_glu_inputs[] = {{.name = "A"}, {.name = "B"}};
constexpr Schema::Output swi_glu_outputs[] = {{"Y"}};
}  // namespace

constinit const Schema SwiGLU::schema = {
    .name = "SwiGLU", .versions = swi_glu_versions, .inputs = swi_glu_inputs, .outputs = swi_glu_outputs};

void SwiGLU::compose(Composer& composer) const
{
    const TensorDesc &a = composer.input(0).desc, &b = composer.input(1).desc;
    if (!composer.check(a.dims == b.dims, "A is " + to_string(a) + " and B " + to_string(b) + ", expected equal dimensions"))
        return;
    const DType wide = computed_in(a.dtype);
    const Operand gate = composer.add(Elementwise{.kind = ElementwiseKind::swish, .alpha = alpha.value_or(1)},
                                      {composer.cast(composer.input(0), wide)});
    const Operand y = composer.add(ElementwiseKind::mul, {gate, composer.cast(composer.input(1), wide)});
    composer.set_output(0, composer.cast(y, a.dtype));
}

}  // namespace vkonnx::graph
