// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "graph/composites/attend.h"
#include "graph/composites/cache.h"
#include "graph/composites/contrib.h"
#include "graph/composites/rms_normalization.h"
#include "graph/composites/rotation.h"
#include "graph/reals.h"

namespace vkonnx::graph {
namespace {

using Option = Schema::Option;

constexpr Schema::Input group_query_inputs[] = {{.name = "query"},
                                                {.name = "key", .option = Option::optional},
                                                {.name = "value", .option = Option::optional},
                                                {.name = "past_key", .option = Option::optional},
                                                {.name = "past_value", .option = Option::optional},
                                                {.name = "seqlens_k"},
                                                {.name = "total_sequence_length"},
                                                {.name = "cos_cache", .option = Option::optional},
                                                {.name = "sin_cache", .option = Option::optional},
                                                {.name = "position_ids", .option = Option::optional},
                                                {.name = "attention_bias", .option = Option::optional},
                                                {.name = "head_sink", .option = Option::optional},
                                                {.name = "k_scale", .option = Option::optional},
                                                {.name = "v_scale", .option = Option::optional},
                                                {.name = "q_norm_weight", .option = Option::optional},
                                                {.name = "k_norm_weight", .option = Option::optional}};
constexpr Schema::Output group_query_outputs[] = {
    {"output"}, {"present_key", Option::optional}, {"present_value", Option::optional}, {"output_qk", Option::optional}};

using Dims = std::vector<int64_t>;

// This class composes one GroupQueryAttention. The keys of a batch lie in its cache one behind the other:
//
//   keys of before | new keys | rows without a meaning, up to the cache's end
//
// How many come before is known while preparing for a prompt, which has none, and for a single batch whose cache has no other
// rows. Otherwise it is seqlens_k + 1 - the number of queries. So a model whose cache and mask have the length of the longest
// text is prepared once for all of its words.
class GroupQueryComposer {
    enum GroupQueryInput : size_t {
        query,
        key,
        value,
        past_key,
        past_value,
        seqlens_k,
        total_sequence_length,
        cos_cache,
        sin_cache,
        position_ids,
        attention_bias,
        head_sink,
        k_scale,
        v_scale,
        q_norm_weight,
        k_norm_weight
    };

public:
    GroupQueryComposer(Composer& composer, const GroupQueryAttention& op) : composer_(composer), op_(op) {}

    void run()
    {
        if (!check_attributes() || !find_parts() || !find_lengths() ||
            (composer_.has(head_sink) && !check_floats_of(composer_, head_sink, "head_sink", {heads_})))
            return;
        normalize();
        rotate();
        const DType dtype = composer_.input(query).desc.dtype;
        const Operand k = cached(past_key, k_), v = cached(past_value, v_);
        for (const size_t i : {1u, 2u})
            if (composer_.wants(i))
                composer_.set_output(i, i == 1 ? k : v);
        AttendOptions options = {.scale = op_.scale.value_or(0) != 0 ? double(*op_.scale) : 1 / std::sqrt(double(size_)),
                                 .softcap = op_.softcap.value_or(0)};
        if (composer_.has(head_sink))
            options.sink = composer_.cast(composer_.input(head_sink), wide_);
        else if (is_smooth_)
            options.sink = composer_.constant({.dtype = wide_, .dims = {heads_}}, [](int64_t) { return 0.0; });
        const Attended made =
            attend(composer_, with_heads_and_places_swapped(composer_, q_), composer_.cast(first_keys(k), wide_),
                   composer_.cast(first_keys(v), wide_), options, [this](const Operand& scores) { return masked(scores); });
        composer_.set_output(0, composer_.cast(Composer::view(with_heads_and_places_swapped(composer_, made.y),
                                                              {batches_, queries_, heads_ * size_}),
                                               dtype));
        if (composer_.wants(3))
            composer_.set_output(3, composer_.cast(op_.qk_output == 1 ? zero_unless_allowed(made.masked) : made.weights, dtype));
    }

private:
    bool check_attributes()
    {
        heads_ = op_.num_heads.value_or(0);
        key_heads_ = op_.kv_num_heads.value_or(0);
        window_ = op_.local_window_size.value_or(-1);
        is_causal_ = composer_.flag(op_.causal, "causal", true);
        does_rotate_ = composer_.flag(op_.do_rotary, "do_rotary");
        is_smooth_ = composer_.flag(op_.smooth_softmax, "smooth_softmax");
        is_interleaved_ = composer_.flag(op_.rotary_interleaved, "rotary_interleaved");
        const bool has_window_cache = composer_.flag(op_.sliding_window_cache, "sliding_window_cache");
        const int64_t stage = op_.qk_output.value_or(0);
        const auto number = [](int64_t n) { return std::to_string(n); };
        if (!composer_.check(heads_ > 0 && key_heads_ > 0 && heads_ % key_heads_ == 0,
                             "num_heads = " + number(heads_) + " must be a multiple of kv_num_heads = " + number(key_heads_) +
                                 ", and both must be above 0") ||
            !composer_.check(window_ == -1 || (window_ > 0 && is_causal_),
                             "local_window_size = " + number(window_) + " must be -1, or above 0 with causal = 1") ||
            !composer_.check(stage >= 0 && stage <= 2, "qk_output = " + number(stage) + " must be from 0 to 2") ||
            !composer_.check(!composer_.wants(3) || stage != 0, "the output output_qk has no meaning with qk_output = 0") ||
            !composer_.check_floats(query, "query"))
            return false;
        const bool is_quantized = op_.k_quant_type.value_or("NONE") != "NONE" || op_.v_quant_type.value_or("NONE") != "NONE" ||
                                  composer_.has(k_scale) || composer_.has(v_scale);
        if (has_window_cache || is_quantized)
            composer_.fail(Status(Code::unsupported, has_window_cache ? "sliding_window_cache = 1 is not supported"
                                                                      : "quantized caches are not supported"));
        wide_ = computed_in(composer_.input(query).desc.dtype);
        return composer_.status().ok();
    }

    // Finds queries, keys and values with the axes (batch, place, head, size). They are three tensors, or lie behind one another
    // on the last axis of one.
    bool find_parts()
    {
        const Dims& q = composer_.dims(query);
        const bool is_packed = !composer_.has(key);
        if (!composer_.check(composer_.has(value) != is_packed, "key and value must be given together") ||
            !composer_.check(q.size() == 3, "query is " + to_string(composer_.input(query).desc) + ", expected three dimensions"))
            return false;
        const int64_t all = is_packed ? heads_ + 2 * key_heads_ : heads_;
        batches_ = q[0];
        queries_ = q[1];
        size_ = q[2] / all;
        if (!check_floats_of(composer_, query, "query", {batches_, queries_, all * size_}))
            return false;
        if (is_packed) {
            const auto part = [&](int64_t first, int64_t heads) {
                const Operand taken = composer_.add(
                    Slice{.starts = {first * size_}, .ends = {(first + heads) * size_}, .axes = {2}}, {composer_.input(query)});
                return by_place(taken, heads);
            };
            q_ = part(0, heads_);
            k_ = part(heads_, key_heads_);
            v_ = part(heads_ + key_heads_, key_heads_);
            return composer_.status().ok();
        }
        const Dims wanted = {batches_, queries_, key_heads_ * size_};
        if (!check_floats_of(composer_, key, "key", wanted) || !check_floats_of(composer_, value, "value", wanted))
            return false;
        q_ = by_place(composer_.input(query), heads_);
        k_ = by_place(composer_.input(key), key_heads_);
        v_ = by_place(composer_.input(value), key_heads_);
        return composer_.status().ok();
    }

    Operand by_place(const Operand& x, int64_t heads)
    {
        return composer_.cast(Composer::view(x, {batches_, queries_, heads, size_}), wide_);
    }

    // Finds how long the cache is and how many of its keys come before the new ones.
    bool find_lengths()
    {
        const TensorDesc& lengths = composer_.input(seqlens_k).desc;
        keys_ = composer_.known_integer(total_sequence_length, "total_sequence_length");
        const bool has_past = composer_.has(past_key);
        if (!composer_.check(lengths.dtype == DType::int32 && extent_of(lengths.dims, 0, lengths.dims.size()) == batches_,
                             "seqlens_k is " + to_string(lengths) + ", expected int32[" + std::to_string(batches_) + "]") ||
            !composer_.check(has_past == composer_.has(past_value), "past_key and past_value must be given together"))
            return false;
        int64_t past = 0;
        if (has_past) {
            const Dims& dims = composer_.dims(past_key);
            past = dims.size() == 4 ? dims[2] : 0;
            const Dims wanted = {batches_, key_heads_, past, size_};
            if (!check_floats_of(composer_, past_key, "past_key", wanted) ||
                !check_floats_of(composer_, past_value, "past_value", wanted))
                return false;
        }
        const int64_t before = keys_ - queries_;
        if (!composer_.check(before >= 0 && before <= past,
                             "total_sequence_length = " + std::to_string(keys_) + " must be from " + std::to_string(queries_) +
                                 ", the new keys, to " + std::to_string(past + queries_) + ", with those of the past"))
            return false;
        rows_ = std::max(past, keys_);
        if (before == 0 || (batches_ == 1 && before == past)) {
            before_ = before;
            return true;
        }
        const Operand ends = composer_.cast(Composer::view(composer_.input(seqlens_k), {batches_, 1}), DType::int64);
        starts_ = composer_.add(ElementwiseKind::sub, {ends, composer_.constant(DType::int64, double(queries_ - 1))});
        return composer_.status().ok();
    }

    // Divides queries and keys by the roots of the means of their squares, head by head.
    void normalize()
    {
        const bool has_weights = composer_.has(q_norm_weight);
        if (!composer_.check(has_weights == composer_.has(k_norm_weight),
                             "q_norm_weight and k_norm_weight must be given together") ||
            !has_weights || !check_floats_of(composer_, q_norm_weight, "q_norm_weight", {size_}) ||
            !check_floats_of(composer_, k_norm_weight, "k_norm_weight", {size_}))
            return;
        const auto normalized = [&](const Operand& x, GroupQueryInput weight) {
            const Operand y = root_mean_square(composer_, x, 3, op_.qk_norm_epsilon.value_or(1e-6f)).normalized;
            return composer_.add(ElementwiseKind::mul, {y, composer_.cast(composer_.input(weight), wide_)});
        };
        q_ = normalized(q_, q_norm_weight);
        k_ = normalized(k_, k_norm_weight);
    }

    // Returns the place of each query in its sequence: (batch or 1, query) of int64.
    Operand places()
    {
        const Operand numbers = composer_.places({1, queries_});
        const Operand first = starts_ ? *starts_ : composer_.constant(DType::int64, double(before_));
        return composer_.add(ElementwiseKind::add, {numbers, first});
    }

    // Returns the rows of the tables of angles. Of a prompt only the first one is given, as ONNX Runtime reads them.
    Operand angle_rows()
    {
        if (!composer_.has(position_ids) || batches_ * queries_ == 0)
            return places();
        const Operand given = composer_.input(position_ids);
        if (!composer_.check(given.desc.dtype == DType::int64 && given.desc.dims == Dims{batches_, queries_},
                             "position_ids is " + to_string(given.desc) + ", expected int64[" + std::to_string(batches_) + "," +
                                 std::to_string(queries_) + "]") ||
            starts_ || before_ > 0)
            return given;
        const Operand first = composer_.add(Slice{.starts = {0, 0}, .ends = {1, 1}, .axes = {0, 1}}, {given});
        return composer_.add(ElementwiseKind::add, {composer_.places({1, queries_}), Composer::view(first, {1, 1})});
    }

    void rotate()
    {
        if (!does_rotate_ ||
            !composer_.check(composer_.has(cos_cache) && composer_.has(sin_cache), "do_rotary = 1 needs cos_cache and sin_cache"))
            return;
        const Dims& dims = composer_.dims(cos_cache);
        const int64_t length = dims.size() == 2 ? dims[0] : 0, pairs = dims.size() == 2 ? dims[1] : 0;
        if (!check_floats_of(composer_, cos_cache, "cos_cache", {length, pairs}) ||
            !check_floats_of(composer_, sin_cache, "sin_cache", {length, pairs}) ||
            !composer_.check(pairs > 0 && 2 * pairs <= size_, "cos_cache has " + std::to_string(pairs) +
                                                                  " columns, expected from 1 to half of the size of a head, " +
                                                                  std::to_string(size_)))
            return;
        const Operand rows = angle_rows();
        const int64_t batches = starts_ ? batches_ : 1;
        const auto angles = [&](GroupQueryInput table) {
            const Operand taken = composer_.add(Gather(), {composer_.cast(composer_.input(table), wide_), rows});
            return Composer::view(taken, {batches, queries_, 1, pairs});
        };
        const Rotation rotation = {
            .cosines = angles(cos_cache), .sines = angles(sin_cache), .pairs = pairs, .is_interleaved = is_interleaved_};
        q_ = rotated(composer_, q_, rotation);
        k_ = rotated(composer_, k_, rotation);
    }

    // Returns the cache of keys or values with the new ones: (batch, head, row, size).
    Operand cached(GroupQueryInput past, const Operand& given)
    {
        const Operand added = with_heads_and_places_swapped(composer_, composer_.cast(given, composer_.input(query).desc.dtype));
        if (!composer_.has(past))
            return added;
        const Operand cache = composer_.input(past);
        const int64_t length = cache.desc.dims[2];
        if (starts_) {
            Pad pad;
            pad.pads = {0, 0, 0, 0, 0, 0, rows_ - length, 0};
            return written(composer_, rows_ == length ? cache : composer_.add(std::move(pad), {cache}), added, 2, starts_, false);
        }
        const auto part = [&](int64_t first, int64_t end) {
            return composer_.add(Slice{.starts = {first}, .ends = {end}, .axes = {2}}, {cache});
        };
        std::vector<Operand> parts;
        if (before_ > 0)
            parts.push_back(before_ == length ? cache : part(0, before_));
        parts.push_back(added);
        if (before_ + queries_ < length)
            parts.push_back(part(before_ + queries_, length));
        return parts.size() == 1 ? added : composer_.add(Concat{.axis = 2}, parts);
    }

    Operand first_keys(const Operand& cache)
    {
        return rows_ == keys_ ? cache : composer_.add(Slice{.starts = {0}, .ends = {keys_}, .axes = {2}}, {cache});
    }

    // Finds the pairs of a query and a key that are allowed, unless all are. A query of a causal attention always has its own
    // key.
    void find_allowed()
    {
        const auto allow = [&](const Operand& pairs) { allowed_ = allowed_ ? composer_.add(And(), {*allowed_, pairs}) : pairs; };
        const Operand keys = composer_.places({1, keys_});
        if (is_causal_) {
            const Operand own = Composer::view(places(), {starts_ ? batches_ : 1, 1, queries_, 1});
            if (starts_ || queries_ > 1)
                allow(composer_.add(LessOrEqual(), {keys, own}));
            const Operand size = composer_.constant(DType::int64, double(window_));
            if (window_ > 0 && window_ < keys_)
                allow(composer_.add(Greater(), {keys, composer_.add(ElementwiseKind::sub, {own, size})}));
        } else if (starts_ || batches_ > 1) {
            allow(composer_.add(
                LessOrEqual(),
                {keys, composer_.cast(Composer::view(composer_.input(seqlens_k), {batches_, 1, 1, 1}), DType::int64)}));
        }
    }

    Operand masked(const Operand& given)
    {
        Operand scores = given;
        if (composer_.has(attention_bias)) {
            if (!composer_.check_broadcast(attention_bias, "attention_bias", given.desc))
                return scores;
            scores = composer_.add(ElementwiseKind::add, {scores, composer_.cast(composer_.input(attention_bias), wide_)});
        }
        find_allowed();
        return allowed_ ? composer_.add(ElementwiseKind::add, {scores, minus_infinity_unless(composer_, *allowed_, wide_)})
                        : scores;
    }

    Operand zero_unless_allowed(const Operand& scores)
    {
        return allowed_ ? composer_.add(Where(), {*allowed_, scores, composer_.constant(wide_, 0)}) : scores;
    }

    Composer& composer_;
    const GroupQueryAttention& op_;
    DType wide_ = DType::float32;  // that is computed in
    bool is_causal_ = true, does_rotate_ = false, is_smooth_ = false, is_interleaved_ = false;
    int64_t window_ = -1;
    int64_t batches_ = 0, heads_ = 0, key_heads_ = 0, queries_ = 0, size_ = 0;
    int64_t keys_ = 0, rows_ = 0;          // of the longest sequence, and of the cache
    int64_t before_ = 0;                   // the keys of before, where they are known
    std::optional<Operand> starts_ = {};   // else that of each batch: int64 (batch, 1)
    std::optional<Operand> allowed_ = {};  // booleans that are broadcast to (batch, head, query, key)
    Operand q_ = {}, k_ = {}, v_ = {};
};

}  // namespace

constinit const Schema GroupQueryAttention::schema = contrib("GroupQueryAttention", group_query_inputs, group_query_outputs);

void GroupQueryAttention::compose(Composer& composer) const
{
    GroupQueryComposer(composer, *this).run();
}

}  // namespace vkonnx::graph
