// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t cast_like_versions[] = {15, 19, 21, 23, 24, 25};
constexpr Schema::Input cast_like_inputs[] = {{.name = "input"}, {.name = "target_type"}};
constexpr Schema::Output cast_like_outputs[] = {{"output"}};
}  // namespace

constinit const Schema CastLike::schema = {
    .name = "CastLike", .versions = cast_like_versions, .inputs = cast_like_inputs, .outputs = cast_like_outputs};

void CastLike::compose(Composer& composer) const
{
    composer.set_output(0, composer.cast(composer.input(0), composer.input(1).desc.dtype));
}

}  // namespace vkonnx::graph
