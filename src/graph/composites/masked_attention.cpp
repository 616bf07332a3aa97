// SPDX-License-Identifier: Apache-2.0
#include "graph/composites/masked_attention.h"

#include <cmath>

namespace vkonnx::graph {
namespace {

using Dims = std::vector<int64_t>;

// Tells which keys are seen: booleans that are broadcast to (batch, head, query, key). A mask of another form is an error.
Operand seen_by_mask(Composer& composer, const MaskedAttention& attention, int64_t queries, int64_t keys)
{
    const Operand mask = composer.input(attention.mask);
    const Dims& dims = mask.desc.dims;
    const int64_t batches = attention.q.desc.dims[0];
    const bool has_ends = dims == Dims{batches}, is_of_keys = dims == Dims{batches, keys};
    const bool has_starts = attention.takes_starts && dims == Dims{2 * batches};
    const bool is_of_pairs = dims == Dims{batches, queries, keys};
    const std::string count = std::to_string(batches);
    if (!composer.check(mask.desc.dtype == DType::int32 && (has_ends || has_starts || is_of_keys || is_of_pairs),
                        std::string(attention.mask_name) + " is " + to_string(mask.desc) + ", expected int32[" + count +
                            (attention.takes_starts ? "], two such lists, or int32[" + count : "") + "], with " +
                            std::to_string(keys) + " keys behind it or with " + std::to_string(queries) + " queries and those"))
        return mask;
    if (is_of_keys || is_of_pairs)
        return composer.add(Not(), {composer.add(Equal(), {Composer::view(mask, {batches, 1, is_of_pairs ? queries : 1, keys}),
                                                           composer.constant(DType::int32, 0)})});
    const auto list = [&](int64_t first) {
        const Operand one =
            has_ends ? mask : composer.add(Slice{.starts = {first}, .ends = {first + batches}, .axes = {0}}, {mask});
        return composer.cast(Composer::view(one, {batches, 1, 1, 1}), DType::int64);
    };
    const Operand places = composer.places({1, keys});
    const Operand before_end = composer.add(Less(), {places, list(0)});
    return has_ends ? before_end : composer.add(And(), {before_end, composer.add(GreaterOrEqual(), {places, list(batches)})});
}

// Returns 0 for each key up to a query's place, and -Inf for those behind it. The queries are the last of the keys' places. The
// last query sees every key, as in ONNX Runtime. That matters only where there are more new keys than queries.
Operand causal(Composer& composer, int64_t queries, int64_t keys, int64_t past, DType dtype)
{
    const Operand last = composer.constant({.dtype = DType::int64, .dims = {queries, 1}},
                                           [=](int64_t i) { return double(i + 1 < queries ? past + i : keys); });
    return minus_infinity_unless(composer, composer.add(LessOrEqual(), {composer.places({1, keys}), last}), dtype);
}

}  // namespace

void compose_masked_attention(Composer& composer, const MaskedAttention& attention)
{
    if (!composer.status())
        return;
    const DType dtype = attention.q.desc.dtype;
    const int64_t batches = attention.q.desc.dims[0], heads = attention.q.desc.dims[1], queries = attention.q.desc.dims[2];
    const int64_t size = attention.q.desc.dims[3], keys = attention.k.desc.dims[2], value_size = attention.v.desc.dims[3];
    const auto masked = [&](const Operand& given) {
        Operand scores = given;
        const auto add = [&](const Operand& more) { scores = composer.add(ElementwiseKind::add, {scores, more}); };
        if (composer.has(attention.bias)) {
            if (!composer.check_broadcast(attention.bias, "attention_bias", given.desc))
                return scores;
            add(composer.cast(composer.input(attention.bias), dtype));
        }
        if (composer.has(attention.mask))
            add(composer.add(Where(), {seen_by_mask(composer, attention, queries, keys), composer.constant(dtype, 0),
                                       composer.constant(dtype, attention.filter)}));
        if (attention.is_causal)
            add(causal(composer, queries, keys, attention.past, dtype));
        return scores;
    };
    const double scale = attention.scale != 0 ? attention.scale : 1 / std::sqrt(double(size));
    const Operand y = attend(composer, attention.q, attention.k, attention.v, {.scale = scale}, masked).y;
    composer.set_output(
        0, composer.cast(Composer::view(with_heads_and_places_swapped(composer, y), {batches, queries, heads * value_size}),
                         attention.dtype));
}

}  // namespace vkonnx::graph
