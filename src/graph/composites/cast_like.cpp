// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

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
    const DType to = composer.input(1).desc.dtype;
    const auto mode = std::ranges::find(round_mode_words, round_mode.value_or("up"), &Spelling<RoundMode>::word);
    composer.flag(saturate, "saturate");
    if (!composer.check(mode != std::end(round_mode_words),
                        "round_mode = " + quote(round_mode.value_or("")) + " must be up, down or nearest"))
        return;
    if (composer.input(0).desc.dtype == to) {
        composer.set_output(0, composer.input(0));
        return;
    }
    const Cast cast = {.to = int64_t(to), .saturate = saturate, .round_mode = mode->value};
    composer.set_output(0, composer.add(cast, {composer.input(0)}));
}

}  // namespace vkonnx::graph
