// SPDX-License-Identifier: Apache-2.0
#include "graph/composites/cache.h"

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
// are replaced: (prefix * places + first + t) by (prefix * times + t). A row beyond its own prefix is left out.
Operand written(Composer& composer, const Operand& cache, const Operand& update, size_t axis, const std::optional<Operand>& first,
                bool wraps)
{
    using enum ElementwiseKind;
    const std::vector<int64_t>& dims = cache.desc.dims;
    if (!composer.status() || extent_of(dims, 0, dims.size()) == 0 || update.desc.dims[axis] == 0)
        return cache;
    const int64_t batches = dims[0], places = dims[axis], times = update.desc.dims[axis];
    const int64_t of_batch = extent_of(dims, 1, axis), inner = extent_of(dims, axis + 1, dims.size());
    const auto integer = [&](int64_t value) { return composer.integer(DType::int64, value); };
    Operand place = composer.places({1, 1, times});
    if (first)
        place = composer.add(add, {Composer::view(*first, {batches, 1, 1}), place});
    if (wraps)
        place = composer.add(mod, {place, integer(places)});
    const Operand row = composer.add(add, {place, composer.constant({.dtype = DType::int64, .dims = {batches, of_batch, 1}},
                                                                    [&](int64_t prefix) { return double(prefix * places); })});
    const Operand is_there = composer.add(
        And(), {composer.add(GreaterOrEqual(), {place, integer(0)}), composer.add(Less(), {place, integer(places)})});
    const int64_t prefixes = batches * of_batch;
    const Operand index = composer.add(Where(), {is_there, row, integer(prefixes * places)});
    const Operand made = composer.add(ScatterND(), {Composer::view(cache, {prefixes * places, inner}),
                                                    Composer::view(index, {prefixes * times, 1}),
                                                    Composer::view(update, {prefixes * times, inner})});
    return Composer::view(made, dims);
}

void TensorScatter::compose(Composer& composer) const
{
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
    std::optional<Operand> first;
    if (composer.has(2)) {
        first = composer.input(2);
        if (!composer.check(first->desc.dtype == DType::int64 && first->desc.dims == std::vector<int64_t>{dims[0]},
                            "write_indices is " + to_string(first->desc) + ", expected int64[" + std::to_string(dims[0]) + "]"))
            return;
    }
    composer.set_output(0, written(composer, past, update, at, first, wanted == "circular"));
}

}  // namespace vkonnx::graph
