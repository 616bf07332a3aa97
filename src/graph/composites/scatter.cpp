// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t scatter_versions[] = {9};
constexpr Schema::Input scatter_inputs[] = {{.name = "data"}, {.name = "indices"}, {.name = "updates"}};
constexpr Schema::Output scatter_outputs[] = {{"output"}};
}  // namespace

constinit const Schema Scatter::schema = {
    .name = "Scatter", .versions = scatter_versions, .inputs = scatter_inputs, .outputs = scatter_outputs};

void Scatter::compose(Composer& composer) const
{
    composer.set_output(0,
                        composer.add(ScatterElements{.axis = axis}, {composer.input(0), composer.input(1), composer.input(2)}));
}

}  // namespace vkonnx::graph
