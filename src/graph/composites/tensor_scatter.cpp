// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t tensor_scatter_versions[] = {24};
constexpr Schema::Input tensor_scatter_inputs[] = {
    {.name = "past_cache"}, {.name = "update"}, {.name = "write_indices", .option = Schema::Option::optional}};
constexpr Schema::Output tensor_scatter_outputs[] = {{"present_cache"}};
}  // namespace

constinit const Schema TensorScatter::schema = {.name = "TensorScatter",
                                                .versions = tensor_scatter_versions,
                                                .inputs = tensor_scatter_inputs,
                                                .outputs = tensor_scatter_outputs};

// The cache is (prefixes, places, inner), where a prefix has a place on each axis before the sequence's. Rows of `inner` elements
// are replaced: (prefix * places + write_index + t) by (prefix * times + t). A row beyond its own prefix is left out.
void TensorScatter::compose(Composer& composer) const
{
    using enum ElementwiseKind;
    const Operand past = composer.input(0), update = composer.input(1);
    const std::vector<int64_t>& dims = past.desc.dims;
    const std::string wanted = mode.value_or("linear");
    const size_t at = composer.axis(axis.value_or(-2), dims.size());
    if (!composer.check(wanted == "linear" || wanted == "circular", "mode = " + quote(wanted) + " must be linear or circular") ||
        !composer.check(at != 0, "axis = " + std::to_string(axis.value_or(-2)) + " must not be the batch, axis 0"))
        return;
    std::vector<int64_t> expected = dims;
    const bool has_rank = update.desc.dims.size() == dims.size();
    expected[at] = has_rank ? update.desc.dims[at] : 0;
    if (!composer.check(has_rank && update.desc.dims == expected && expected[at] <= dims[at],
                        "update is " + to_string(update.desc) + ", expected the dimensions of past_cache, " +
                            to_string(past.desc) + ", with at most " + std::to_string(dims[at]) + " along axis " +
                            std::to_string(at)))
        return;
    const int64_t batches = dims[0], places = dims[at], times = expected[at];
    const int64_t of_batch = extent_of(dims, 1, at), inner = extent_of(dims, at + 1, dims.size());
    if (composer.has(2)) {
        const TensorDesc& first = composer.input(2).desc;
        if (!composer.check(first.dtype == DType::int64 && first.dims == std::vector<int64_t>{batches},
                            "write_indices is " + to_string(first) + ", expected int64[" + std::to_string(batches) + "]"))
            return;
    }
    if (times == 0 || extent_of(dims, 0, dims.size()) == 0) {
        composer.set_output(0, past);
        return;
    }

    const auto integer = [&](int64_t value) { return composer.integer(DType::int64, value); };
    Operand place = composer.places({1, 1, times});
    if (composer.has(2))
        place = composer.add(add, {Composer::view(composer.input(2), {batches, 1, 1}), place});
    if (wanted == "circular")
        place = composer.add(mod, {place, integer(places)});
    const Operand row = composer.add(add, {place, composer.constant({.dtype = DType::int64, .dims = {batches, of_batch, 1}},
                                                                    [&](int64_t prefix) { return double(prefix * places); })});
    const Operand is_there = composer.add(
        And(), {composer.add(GreaterOrEqual(), {place, integer(0)}), composer.add(Less(), {place, integer(places)})});
    const int64_t prefixes = batches * of_batch;
    const Operand index = composer.add(Where(), {is_there, row, integer(prefixes * places)});
    const Operand present =
        composer.add(ScatterND(), {Composer::view(past, {prefixes * places, inner}), Composer::view(index, {prefixes * times, 1}),
                                   Composer::view(update, {prefixes * times, inner})});
    composer.set_output(0, Composer::view(present, dims));
}

}  // namespace vkonnx::graph
