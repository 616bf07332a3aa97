// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t compress_versions[] = {9, 11};
constexpr Schema::Input compress_inputs[] = {{.name = "input"}, {.name = "condition", .member = "condition"}};
constexpr Schema::Output compress_outputs[] = {{"output"}};
}  // namespace

constinit const Schema Compress::schema = {
    .name = "Compress", .versions = compress_versions, .inputs = compress_inputs, .outputs = compress_outputs};

// Gathers the elements along the axis, or of all in a row, whose condition is true. The condition may be shorter than the axis.
void Compress::compose(Composer& composer) const
{
    Operand x = composer.input(0);
    const std::vector<bool> condition = composer.flags(1, "condition");
    if (!axis)
        x = Composer::view(x, {extent_of(x.desc.dims, 0, x.desc.dims.size())});
    const size_t at = composer.axis(axis.value_or(0), x.desc.dims.size());
    if (!composer.status())
        return;
    if (!composer.check(int64_t(condition.size()) <= x.desc.dims[at], "condition has " + std::to_string(condition.size()) +
                                                                          " elements, expected at most " +
                                                                          std::to_string(x.desc.dims[at])))
        return;
    std::vector<int64_t> kept;
    for (size_t i = 0; i < condition.size(); ++i)
        if (condition[i])
            kept.push_back(int64_t(i));
    const TensorDesc indices = {.dtype = DType::int64, .dims = {int64_t(kept.size())}};
    const Operand places = composer.constant(indices, [&](int64_t i) { return double(kept[size_t(i)]); });
    composer.set_output(0, composer.add(Gather{.axis = int64_t(at)}, {x, places}));
}

}  // namespace vkonnx::graph
