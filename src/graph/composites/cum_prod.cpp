// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"
#include "graph/reals.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t cum_prod_versions[] = {26};
constexpr Schema::Input cum_prod_inputs[] = {{.name = "x"}, {.name = "axis", .member = "axis"}};
constexpr Schema::Output cum_prod_outputs[] = {{"y"}};

bool is_computed(DType dtype)
{
    return is_real(dtype) || dtype == DType::int32 || dtype == DType::int64 || dtype == DType::uint32 || dtype == DType::uint64;
}
}  // namespace

constinit const Schema CumProd::schema = {
    .name = "CumProd", .versions = cum_prod_versions, .inputs = cum_prod_inputs, .outputs = cum_prod_outputs};

// Each element is multiplied by the one before it, then by the one 2 before it, 4, 8 and so on: after n steps it is the product
// of the last 2^n elements up to its place. Ones stand in front of the first element.
void CumProd::compose(Composer& composer) const
{
    const TensorDesc x = composer.input(0).desc;
    const bool is_exclusive = composer.flag(exclusive, "exclusive"), is_reverse = composer.flag(reverse, "reverse");
    if (!composer.check(is_computed(x.dtype), "x is " + to_string(x) + ", expected floats, int32, int64, uint32 or uint64"))
        return;
    const size_t at = composer.axis(composer.known_integer(1, "axis"), x.dims.size());
    if (!composer.status())
        return;
    Operand y = composer.cast(composer.input(0), computed_in(x.dtype));
    const Operand one = composer.constant(y.desc.dtype, 1);
    const auto moved = [&](const Operand& operand, int64_t places) {  // to the back of the axis
        Pad pad = {.pads = std::vector<int64_t>(2 * x.dims.size())};
        pad.pads[at] = is_reverse ? -places : places;
        pad.pads[x.dims.size() + at] = -pad.pads[at];
        return composer.add(std::move(pad), {operand, one});
    };
    const int64_t extent = x.dims[at];
    if (is_exclusive && extent > 0)
        y = moved(y, 1);
    for (int64_t places = 1; places < extent && composer.status(); places *= 2)
        y = composer.add(ElementwiseKind::mul, {y, moved(y, places)});
    composer.set_output(0, composer.cast(y, x.dtype));
}

}  // namespace vkonnx::graph
