// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t hardmax_versions[] = {1, 11, 13};
constexpr Schema::Input hardmax_inputs[] = {{.name = "input"}};
constexpr Schema::Output hardmax_outputs[] = {{"output"}};
}  // namespace

constinit const Schema Hardmax::schema = {
    .name = "Hardmax", .versions = hardmax_versions, .inputs = hardmax_inputs, .outputs = hardmax_outputs};

// Compares each place of the axis with that of the first of the greatest elements. Versions before 13 take the axes from `axis`
// on as one.
void Hardmax::compose(Composer& composer) const
{
    Operand x = composer.input(0);
    const std::vector<int64_t> dims = x.desc.dims;
    const bool is_matrix = composer.version() < 13;
    if (!composer.check(!dims.empty(), "input has no axis"))
        return;
    const int64_t given = axis.value_or(is_matrix ? 1 : -1), rank = int64_t(dims.size());
    size_t at = is_matrix && given == rank ? dims.size() : composer.axis(given, dims.size());
    if (extent_of(dims, 0, dims.size()) == 0)
        return composer.set_output(0, x);
    if (is_matrix) {
        x = Composer::view(x, {extent_of(dims, 0, at), extent_of(dims, at, dims.size())});
        at = 1;
    }
    std::vector<int64_t> along(x.desc.dims.size(), 1);
    along[at] = x.desc.dims[at];
    const Operand greatest = composer.add(ArgMax{.axis = int64_t(at)}, {x});
    const Operand places = composer.places(along);
    const Operand y = composer.cast(composer.add(Equal(), {greatest, places}), x.desc.dtype);
    composer.set_output(0, Composer::view(y, dims));
}

}  // namespace vkonnx::graph
