// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"
#include "graph/reals.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t eye_like_versions[] = {9, 22};
constexpr Schema::Input eye_like_inputs[] = {{.name = "input"}};
constexpr Schema::Output eye_like_outputs[] = {{"output"}};
}  // namespace

constinit const Schema EyeLike::schema = {
    .name = "EyeLike", .versions = eye_like_versions, .inputs = eye_like_inputs, .outputs = eye_like_outputs};

// The result depends on the input's dimensions alone. It has ones where column - row = k.
void EyeLike::compose(Composer& composer) const
{
    const TensorDesc& input = composer.input(0).desc;
    const int64_t number = dtype.value_or(int64_t(input.dtype));
    const DType made = type_of(number);
    if (!composer.check(input.dims.size() == 2, "input is " + to_string(input) + ", expected two dimensions") ||
        !composer.check(is_real(made) || is_integer(made) || made == DType::boolean,
                        "dtype = " + std::to_string(number) +
                            ", expected the number of a type of floats, booleans or integers of 8 to 64 bits"))
        return;
    const int64_t columns = input.dims[1], diagonal = k.value_or(0);
    composer.set_output(0, composer.constant({.dtype = made, .dims = input.dims},
                                             [=](int64_t i) { return i % columns - i / columns == diagonal ? 1.0 : 0.0; }));
}

}  // namespace vkonnx::graph
