// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t bit_cast_versions[] = {26};
constexpr Schema::Input bit_cast_inputs[] = {{.name = "input"}};
constexpr Schema::Output bit_cast_outputs[] = {{"output"}};
}  // namespace

constinit const Schema BitCast::schema = {
    .name = "BitCast", .versions = bit_cast_versions, .inputs = bit_cast_inputs, .outputs = bit_cast_outputs};

// The output is the input's memory, whose elements have another type.
void BitCast::compose(Composer& composer) const
{
    Operand x = composer.input(0);
    const int64_t number = to.value_or(0);
    const DType made = type_of(number);
    if (!composer.check(to.has_value(), "attribute to is required") ||
        !composer.check(bits(made) > 0 && bits(made) == bits(x.desc.dtype),
                        "to = " + std::to_string(number) + ", expected the number of a type of " +
                            std::to_string(bits(x.desc.dtype)) + " bits, as input " + to_string(x.desc) + " has them"))
        return;
    if (composer.is_known(0))
        return composer.set_output(0, composer.retyped(0, made));
    x.desc.dtype = made;
    composer.set_output(0, std::move(x));
}

}  // namespace vkonnx::graph
