// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"

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
    const DType made = dtype ? DType(*dtype) : input.dtype;
    if (!composer.check(input.dims.size() == 2, "input is " + to_string(input) + ", expected two dimensions") ||
        !composer.check(bits(made) >= 8 && bits(made) <= 64 && made != DType::complex64,
                        "dtype = " + std::to_string(int64_t(made)) + " is no number or boolean of 8 to 64 bits"))
        return;
    const int64_t columns = input.dims[1], diagonal = k.value_or(0);
    composer.set_output(0, composer.constant({.dtype = made, .dims = input.dims},
                                             [=](int64_t i) { return i % columns - i / columns == diagonal ? 1.0 : 0.0; }));
}

}  // namespace vkonnx::graph
