// SPDX-License-Identifier: Apache-2.0
#include "graph/composites/microsoft_attention.h"

#include <numeric>

#include "graph/composites/contrib.h"
#include "graph/composites/integer_products.h"
#include "graph/composites/masked_attention.h"
#include "graph/composites/rotation.h"

namespace vkonnx::graph {
namespace {

using Option = Schema::Option;
using Dims = std::vector<int64_t>;

constexpr Schema::Input microsoft_attention_inputs[] = {{.name = "input"},
                                                        {.name = "weights"},
                                                        {.name = "bias", .option = Option::optional},
                                                        {.name = "mask_index", .option = Option::optional},
                                                        {.name = "past", .option = Option::optional},
                                                        {.name = "attention_bias", .option = Option::optional},
                                                        {.name = "past_sequence_length", .option = Option::optional}};
constexpr Schema::Output microsoft_attention_outputs[] = {{"output"}, {"present", Option::optional}};
constexpr Schema::Input quantized_attention_inputs[] = {{.name = "input"},
                                                        {.name = "weight"},
                                                        {.name = "bias"},
                                                        {.name = "input_scale"},
                                                        {.name = "weight_scale"},
                                                        {.name = "mask_index", .option = Option::optional},
                                                        {.name = "input_zero_point", .option = Option::optional},
                                                        {.name = "weight_zero_point", .option = Option::optional},
                                                        {.name = "past", .option = Option::optional}};
constexpr Schema::Input microsoft_rotary_inputs[] = {
    {.name = "input"}, {.name = "position_ids"}, {.name = "cos_cache"}, {.name = "sin_cache"}};
constexpr Schema::Input embed_inputs[] = {{.name = "input_ids"},
                                          {.name = "segment_ids", .option = Option::optional},
                                          {.name = "word_embedding"},
                                          {.name = "position_embedding"},
                                          {.name = "segment_embedding", .option = Option::optional},
                                          {.name = "gamma"},
                                          {.name = "beta"},
                                          {.name = "mask", .option = Option::optional},
                                          {.name = "position_ids", .option = Option::optional}};
constexpr Schema::Output embed_outputs[] = {{"output"}, {"mask_index", Option::optional}, {"embedding_sum", Option::optional}};

bool is_matrix(const Operand& operand)
{
    return operand.desc.dims.size() == 2;
}

// Checks the attributes, what is projected, and what it is multiplied by.
bool check_projection(Composer& composer, const ProjectingAttention& op, const std::string& weights)
{
    if (composer.flag(op.do_rotary, "do_rotary"))
        composer.fail(Status(Code::unsupported, "do_rotary = 1 is not supported"));
    if (composer.flag(op.past_present_share_buffer, "past_present_share_buffer"))
        composer.fail(Status(Code::unsupported, "past_present_share_buffer = 1, by which pasts share memory, is not supported"));
    const Operand input = composer.input(0), w = composer.input(1);
    const int64_t heads = op.num_heads.value_or(0);
    return composer.check(heads > 0, "num_heads = " + std::to_string(heads) + " must be above 0") &&
           composer.check(input.desc.dims.size() == 3, "input is " + to_string(input.desc) + ", expected three dimensions") &&
           composer.check(is_matrix(w), weights + " is " + to_string(w.desc) + ", expected two dimensions");
}

// This struct holds a projection, which has queries, keys and values behind one another,
//
//   (batch, place, heads * (size + size + value size)),
//
// and the numbers of the inputs that the attention has besides.
struct Projection {
    Operand all = {};
    Dims sizes = {};   // the columns of queries, keys and values
    DType dtype = {};  // of the outputs
    size_t past = 0, mask_index = 0, attention_bias = Composer::nothing;
};

// Makes both outputs.
void compose_projected(Composer& composer, const ProjectingAttention& op, const Projection& projection)
{
    const bool is_causal = composer.flag(op.unidirectional, "unidirectional");
    if (!composer.status())
        return;
    const Operand& all = projection.all;
    const Dims& sizes = projection.sizes;
    const int64_t heads = *op.num_heads;
    const size_t past = projection.past;
    const int64_t batches = all.desc.dims[0], places = all.desc.dims[1], size = sizes[0] / heads, value_size = sizes[2] / heads;
    const auto part = [&](int64_t first, int64_t of_head) {
        const Operand taken = composer.add(Slice{.starts = {first}, .ends = {first + heads * of_head}, .axes = {2}}, {all});
        return with_heads_and_places_swapped(composer, Composer::view(taken, {batches, places, heads, of_head}));
    };
    const Operand q = part(0, size);
    Operand k = part(sizes[0], size), v = part(2 * sizes[0], value_size);
    int64_t before = 0;
    if (composer.has(past)) {
        before = composer.dims(past).size() == 5 ? composer.dims(past)[3] : 0;
        if (!check_floats_of(composer, past, "past", {2, batches, heads, before, size}) ||
            !composer.check(size == value_size, "qkv_hidden_sizes must be equal where past has keys and values"))
            return;
        const auto joined = [&](int64_t number, const Operand& added) {
            const Operand one =
                composer.add(Slice{.starts = {number}, .ends = {number + 1}, .axes = {0}}, {composer.input(past)});
            const Operand first = composer.cast(Composer::view(one, {batches, heads, before, size}), all.desc.dtype);
            return composer.add(Concat{.axis = 2}, {first, added});
        };
        k = joined(0, k);
        v = joined(1, v);
    }
    if (composer.wants(1)) {
        if (!composer.check(size == value_size, "qkv_hidden_sizes must be equal where present has keys and values"))
            return;
        const Dims one = {1, batches, heads, before + places, size};
        composer.set_output(1, composer.cast(composer.add(Concat{.axis = 0}, {Composer::view(k, one), Composer::view(v, one)}),
                                             projection.dtype));
    }
    compose_masked_attention(composer, {.q = q,
                                        .k = k,
                                        .v = v,
                                        .dtype = projection.dtype,
                                        .scale = op.scale.value_or(0),
                                        .mask = projection.mask_index,
                                        .mask_name = "mask_index",
                                        .filter = op.mask_filter_value.value_or(-10000),
                                        .bias = projection.attention_bias,
                                        .is_causal = is_causal,
                                        .past = before,
                                        .takes_starts = true});
}

}  // namespace

constinit const Schema MicrosoftAttention::schema = contrib("Attention", microsoft_attention_inputs, microsoft_attention_outputs);
constinit const Schema QAttention::schema = contrib("QAttention", quantized_attention_inputs, microsoft_attention_outputs);
constinit const Schema MicrosoftRotaryEmbedding::schema = contrib("RotaryEmbedding", microsoft_rotary_inputs);
constinit const Schema EmbedLayerNormalization::schema = contrib("EmbedLayerNormalization", embed_inputs, embed_outputs);

// Queries, keys and values are one product, input * weights + bias.
void MicrosoftAttention::compose(Composer& composer) const
{
    enum : size_t { given, weights, bias, mask_index, past, attention_bias, past_sequence_length };
    if (composer.has(past_sequence_length))
        composer.fail(Status(Code::unsupported, "past_sequence_length, by which pasts share memory, is not supported"));
    if (!check_projection(composer, *this, "weights") || !composer.check_floats(given, "input"))
        return;
    const Dims& dims = composer.dims(given);
    const Operand w = composer.input(weights);
    const int64_t columns = w.desc.dims[1], heads = *num_heads;
    const Dims sizes = qkv_hidden_sizes.empty() ? Dims{columns / 3, columns / 3, columns / 3} : qkv_hidden_sizes;
    if (!composer.check_list("qkv_hidden_sizes", sizes, 3, 0) ||
        !check_floats_of(composer, weights, "weights", {dims[2], columns}) ||
        !composer.check(sizes[0] == sizes[1] && sizes[0] + sizes[1] + sizes[2] == columns && sizes[0] % heads == 0 &&
                            sizes[2] % heads == 0,
                        "the columns of weights, " + std::to_string(columns) + ", are divided into " + std::to_string(sizes[0]) +
                            ", " + std::to_string(sizes[1]) + " and " + std::to_string(sizes[2]) +
                            ", expected all of them, as many for queries as for keys, and multiples of num_heads = " +
                            std::to_string(heads)) ||
        (composer.has(bias) && !check_floats_of(composer, bias, "bias", {columns})))
        return;
    const DType dtype = composer.input(given).desc.dtype, wide = computed_in(dtype);
    Operand all = composer.add(MatMul(), {composer.cast(composer.input(given), wide), composer.cast(w, wide)});
    if (composer.has(bias))
        all = composer.add(ElementwiseKind::add, {all, composer.cast(composer.input(bias), wide)});
    compose_projected(composer, *this, {all, sizes, dtype, past, mask_index, attention_bias});
}

// The projection is the product of integers:
//
//   input_scale * weight_scale * (input - input_zero_point) * (weight - weight_zero_point) + bias
void QAttention::compose(Composer& composer) const
{
    enum : size_t { given, weight, bias, input_scale, weight_scale, mask_index, input_zero_point, weight_zero_point, past };
    if (!check_projection(composer, *this, "weight") || !check_bytes(composer, given, "input") ||
        !check_bytes(composer, weight, "weight"))
        return;
    const TensorDesc& w = composer.input(weight).desc;
    const int64_t rows = composer.dims(given)[2], columns = w.dims[1], heads = *num_heads;
    if (!composer.check(
            w.dims[0] == rows && columns % 3 == 0 && columns / 3 % heads == 0,
            "weight is " + to_string(w) + ", expected " + std::to_string(rows) +
                " rows, and as many columns for queries, keys and values, a multiple of num_heads = " + std::to_string(heads)) ||
        !check_floats_of(composer, bias, "bias", {columns}) || !check_one(composer, input_scale, "input_scale") ||
        (composer.has(input_zero_point) && !check_one(composer, input_zero_point, "input_zero_point")))
        return;
    const Operand all =
        scaled_product(composer, factor_of(composer, given, input_zero_point), Composer::view(composer.input(input_scale), {}),
                       {weight, weight_scale, weight_zero_point, bias, "weight"});
    const DType dtype = composer.input(weight_scale).desc.dtype;
    compose_projected(composer, *this, {all, Dims(3, columns / 3), dtype, past, mask_index});
}

// Four dimensions are (batch, head, place, size), three are (batch, place, head * size). A row of the tables has the angles of a
// place. One position is that of each batch's first place; others follow it.
void MicrosoftRotaryEmbedding::compose(Composer& composer) const
{
    const Operand input = composer.input(0), ids = composer.input(1), cosines = composer.input(2);
    const Dims& dims = input.desc.dims;
    const bool is_joined = dims.size() == 3, is_interleaved = composer.flag(interleaved, "interleaved");
    if (composer.flag(is_packed_batching, "is_packed_batching"))
        composer.fail(Status(Code::unsupported, "is_packed_batching = 1 is not supported"));
    if (!composer.check_floats(0, "input") ||
        !composer.check(is_joined || dims.size() == 4,
                        "input is " + to_string(input.desc) + ", expected three or four dimensions") ||
        !composer.check(is_matrix(cosines), "cos_cache is " + to_string(cosines.desc) + ", expected two dimensions"))
        return;
    const int64_t pairs = cosines.desc.dims[1], turned = rotary_embedding_dim.value_or(0);
    const int64_t asked = num_heads.value_or(0);
    if (!composer.check(pairs > 0, "cos_cache has no columns") ||
        !composer.check(asked >= 0, "num_heads = " + std::to_string(asked) + " must not be negative") ||
        !composer.check(turned == 0 || turned == 2 * pairs, "rotary_embedding_dim = " + std::to_string(turned) +
                                                                " must be 0 or twice the columns of cos_cache, " +
                                                                std::to_string(2 * pairs)) ||
        !composer.check(turned == 0 || !is_joined || asked > 0, "rotary_embedding_dim needs num_heads with three dimensions"))
        return;
    const int64_t heads = !is_joined ? dims[1] : asked > 0 ? asked : dims[2] / (2 * pairs);
    const int64_t batches = dims[0], places = is_joined ? dims[1] : dims[2];
    const int64_t size = !is_joined ? dims[3] : asked > 0 ? dims[2] / asked : 2 * pairs;
    if (!composer.check(!is_joined || heads * size == dims[2], "input is " + to_string(input.desc) + ", expected a multiple of " +
                                                                   std::to_string(asked > 0 ? asked : 2 * pairs) +
                                                                   " along the last axis") ||
        !composer.check(turned == 0 ? 2 * pairs == size : 2 * pairs <= size,
                        "cos_cache has " + std::to_string(pairs) + " columns, expected half of the size of a head, " +
                            std::to_string(size) + ", or, with rotary_embedding_dim, fewer") ||
        !check_floats_of(composer, 2, "cos_cache", cosines.desc.dims) ||
        !check_floats_of(composer, 3, "sin_cache", cosines.desc.dims))
        return;
    const bool is_first = ids.desc.dims == Dims{1};
    if (!composer.check(ids.desc.dtype == DType::int64 && (is_first || ids.desc.dims == Dims{batches, places}),
                        "position_ids is " + to_string(ids.desc) + ", expected int64[1] or int64[" + std::to_string(batches) +
                            "," + std::to_string(places) + "]"))
        return;
    const Operand rows = is_first ? composer.add(ElementwiseKind::add, {composer.places({1, places}), ids}) : ids;
    const DType wide = computed_in(input.desc.dtype);
    const int64_t given = is_first ? 1 : batches;
    const auto angles = [&](size_t table) {
        const Operand taken = composer.add(Gather(), {composer.cast(composer.input(table), wide), rows});
        return Composer::view(taken, is_joined ? Dims{given, places, 1, pairs} : Dims{given, 1, places, pairs});
    };
    const Operand x = composer.cast(input, wide);
    const Operand y = rotated(composer, is_joined ? Composer::view(x, {batches, places, heads, size}) : x,
                              {.cosines = angles(2), .sines = angles(3), .pairs = pairs, .is_interleaved = is_interleaved});
    composer.set_output(0, composer.cast(Composer::view(y, dims), input.desc.dtype));
}

// Computes LayerNormalization of word_embedding[input_ids] + position_embedding[position] + segment_embedding[segment_ids].
// Output 1 is the sum of the mask for each batch, or 0. Output 2 is what is normalized.
void EmbedLayerNormalization::compose(Composer& composer) const
{
    enum : size_t { input_ids, segment_ids, words, positions, segments, gamma, beta, mask, position_ids };
    const Operand ids = composer.input(input_ids);
    if (!composer.check(ids.desc.dtype == DType::int32 && is_matrix(ids),
                        "input_ids is " + to_string(ids.desc) + ", expected int32 with two dimensions") ||
        !composer.check(composer.has(segment_ids) == composer.has(segments),
                        "segment_ids and segment_embedding must be given together") ||
        !composer.check_floats(words, "word_embedding"))
        return;
    const int64_t batches = ids.desc.dims[0], places = ids.desc.dims[1];
    const int64_t size = is_matrix(composer.input(words)) ? composer.dims(words)[1] : 0;
    const auto check_table = [&](size_t table, const char* name) {
        const Operand given = composer.input(table);
        return check_floats_of(composer, table, name, {is_matrix(given) ? given.desc.dims[0] : 0, size});
    };
    const auto check_places = [&](size_t input, const char* name) {
        const TensorDesc& desc = composer.input(input).desc;
        const bool repeats = input == position_ids && desc.dims == Dims{1, places};
        return composer.check(desc.dtype == DType::int32 && (repeats || desc.dims == ids.desc.dims),
                              std::string(name) + " is " + to_string(desc) + ", expected " + to_string(ids.desc));
    };
    if (!check_table(words, "word_embedding") || !check_table(positions, "position_embedding") ||
        (composer.has(segments) && (!check_table(segments, "segment_embedding") || !check_places(segment_ids, "segment_ids"))) ||
        (composer.has(mask) && !check_places(mask, "mask")) ||
        (composer.has(position_ids) && !check_places(position_ids, "position_ids")) ||
        !check_floats_of(composer, gamma, "gamma", {size}) || !check_floats_of(composer, beta, "beta", {size}) ||
        !composer.check(composer.has(position_ids) || places <= composer.dims(positions)[0],
                        "position_embedding is " + to_string(composer.input(positions).desc) +
                            ", expected a row for each of the " + std::to_string(places) + " places"))
        return;
    const DType dtype = composer.input(words).desc.dtype, wide = computed_in(dtype);
    const auto rows = [&](size_t table, const Operand& at) {
        return composer.cast(composer.add(Gather(), {composer.input(table), at}), wide);
    };
    const auto plus = [&](const Operand& a, const Operand& b) { return composer.add(ElementwiseKind::add, {a, b}); };
    Operand sum = plus(rows(words, ids),
                       rows(positions, composer.has(position_ids) ? composer.input(position_ids) : composer.places({1, places})));
    if (composer.has(segments))
        sum = plus(sum, rows(segments, composer.input(segment_ids)));
    const Operand y = composer.add(LayerNormalization{.axis = -1, .epsilon = epsilon.value_or(1e-12f)},
                                   {sum, composer.cast(composer.input(gamma), wide), composer.cast(composer.input(beta), wide)});
    composer.set_output(0, composer.cast(y, dtype));
    if (composer.wants(1))
        composer.set_output(1, composer.has(mask)
                                   ? composer.add(ReduceSum{.axes = {1}, .keepdims = 0}, {composer.input(mask)})
                                   : composer.constant({.dtype = DType::int32, .dims = {batches}}, [](int64_t) { return 0.0; }));
    if (composer.wants(2))
        composer.set_output(2, composer.cast(sum, dtype));
}

}  // namespace vkonnx::graph
