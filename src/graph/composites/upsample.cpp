// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t upsample_versions[] = {7, 9};
constexpr Schema::Input upsample_inputs[] = {{.name = "X"}, {.name = "scales", .member = "scales", .since = 9}};
constexpr Schema::Output upsample_outputs[] = {{"Y"}};
}  // namespace

constinit const Schema Upsample::schema = {
    .name = "Upsample", .versions = upsample_versions, .inputs = upsample_inputs, .outputs = upsample_outputs};

// Version 10 of Resize has Upsample's rule for coordinates: place of the output / scale.
void Upsample::compose(Composer& composer) const
{
    const std::string word = mode.value_or("nearest");
    if (!composer.check(word == "nearest" || word == "linear" || word == "bilinear",
                        "mode is " + quote(word) + ", expected nearest or linear"))
        return;
    Resize resize = {.opset = 10, .mode = word == "nearest" ? ResizeMode::nearest : ResizeMode::linear, .scales = scales};
    if (composer.version() >= 9) {
        const std::vector<double> given = composer.numbers(1, "scales");
        resize.scales.assign(given.begin(), given.end());
    }
    if (!composer.check(resize.scales.size() == composer.dims(0).size(),
                        "scales has " + std::to_string(resize.scales.size()) + " elements, expected " +
                            std::to_string(composer.dims(0).size()) + ", one for each axis of X"))
        return;
    composer.set_output(0, composer.add(std::move(resize), {composer.input(0)}));
}

}  // namespace vkonnx::graph
