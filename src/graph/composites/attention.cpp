// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "graph/composites/attend.h"

namespace vkonnx::graph {
namespace {

using Option = Schema::Option;

constexpr int64_t attention_versions[] = {23, 24, 25};
constexpr Schema::Input attention_inputs[] = {{.name = "Q"},
                                              {.name = "K"},
                                              {.name = "V"},
                                              {.name = "attn_mask", .option = Option::optional},
                                              {.name = "past_key", .option = Option::optional},
                                              {.name = "past_value", .option = Option::optional},
                                              {.name = "nonpad_kv_seqlen", .option = Option::optional, .since = 24}};
constexpr Schema::Output attention_outputs[] = {
    {"Y"}, {"present_key", Option::optional}, {"present_value", Option::optional}, {"qk_matmul_output", Option::optional}};

enum AttentionInput : size_t { query, key, value, mask, past_key, past_value, nonpad };

using Dims = std::vector<int64_t>;

constexpr double infinity = std::numeric_limits<double>::infinity();

// This class composes one Attention.
class AttentionComposer {
public:
    AttentionComposer(Composer& composer, const Attention& op) : composer_(composer), op_(op) {}

    void run()
    {
        if (!check_attributes() || !check_inputs())
            return;
        const DType dtype = composer_.input(query).desc.dtype;
        wide_ = computed_in(dtype);
        const Operand q = heads(composer_.input(query), q_heads_);
        const Operand k = joined(past_key, heads(composer_.input(key), kv_heads_));
        const Operand v = joined(past_value, heads(composer_.input(value), kv_heads_));
        for (const size_t i : {1u, 2u})
            if (composer_.wants(i))
                composer_.set_output(i, i == 1 ? k : v);

        const AttendOptions options = {.scale = op_.scale ? double(*op_.scale) : 1 / std::sqrt(double(head_size_)),
                                       .softcap = op_.softcap.value_or(0)};
        const Attended made = attend(composer_, composer_.cast(q, wide_), composer_.cast(k, wide_), composer_.cast(v, wide_),
                                     options, [this](const Operand& scores) { return masked(scores); });
        const Operand y = without_masked_rows(made.y);
        composer_.set_output(0, composer_.cast(is_joined_ ? joined_heads(y) : y, dtype));
        if (!composer_.wants(3))
            return;
        const int64_t mode = op_.qk_matmul_output_mode.value_or(0);
        const Operand stages[] = {made.scores, made.capped, made.masked,
                                  mode == 3 ? without_masked_rows(made.weights) : made.weights};
        composer_.set_output(3, composer_.cast(stages[mode], dtype));
    }

private:
    bool check_attributes()
    {
        const int64_t mode = op_.qk_matmul_output_mode.value_or(0);
        is_causal_ = composer_.flag(op_.is_causal, "is_causal");
        const auto is_window = [&](const std::optional<int64_t>& size, const char* name) {
            return composer_.check(size.value_or(-1) >= -1,
                                   std::string(name) + " = " + std::to_string(size.value_or(-1)) + " must be at least -1");
        };
        const int64_t precision = op_.softmax_precision.value_or(1);
        return composer_.check(mode >= 0 && mode <= 3,
                               "qk_matmul_output_mode = " + std::to_string(mode) + " must be from 0 to 3") &&
               composer_.check(precision == 1 || precision == 10 || precision == 11 || precision == 16,
                               "softmax_precision = " + std::to_string(precision) + " must be 1, 10, 11 or 16") &&
               is_window(op_.left_window_size, "left_window_size") && is_window(op_.right_window_size, "right_window_size");
    }

    bool check_inputs()
    {
        if (!composer_.check_floats(query, "Q"))
            return false;
        const Dims &q = composer_.dims(query), &k = composer_.dims(key), &v = composer_.dims(value);
        is_joined_ = q.size() == 3;
        if (!composer_.check((q.size() == 3 || q.size() == 4) && k.size() == q.size() && v.size() == q.size(),
                             "Q, K and V have " + std::to_string(q.size()) + ", " + std::to_string(k.size()) + " and " +
                                 std::to_string(v.size()) + " dimensions, expected 3 or 4, as many of each"))
            return false;
        q_heads_ = op_.q_num_heads.value_or(is_joined_ ? 0 : q[1]);
        kv_heads_ = op_.kv_num_heads.value_or(is_joined_ ? 0 : k[1]);
        if (!composer_.check(q_heads_ > 0 && kv_heads_ > 0, "q_num_heads = " + std::to_string(q_heads_) +
                                                                " and kv_num_heads = " + std::to_string(kv_heads_) +
                                                                " must be above 0, and be given with three dimensions") ||
            !composer_.check(q_heads_ % kv_heads_ == 0, "q_num_heads = " + std::to_string(q_heads_) +
                                                            " must be a multiple of kv_num_heads = " + std::to_string(kv_heads_)))
            return false;
        const auto axis = [&](const Dims& dims, size_t of_four) { return dims[is_joined_ ? of_four - 1 : of_four]; };
        batches_ = q[0];
        queries_ = axis(q, 2);
        const int64_t new_keys = axis(k, 2);
        head_size_ = is_joined_ ? q[2] / q_heads_ : q[3];
        value_size_ = is_joined_ ? v[2] / kv_heads_ : v[3];
        const auto fits = [&](size_t input, const char* name, int64_t heads, int64_t length, int64_t size) {
            const Dims wanted = is_joined_ ? Dims{batches_, length, heads * size} : Dims{batches_, heads, length, size};
            return composer_.check(composer_.dims(input) == wanted,
                                   std::string(name) + " is " + to_string(composer_.input(input).desc) + ", expected " +
                                       to_string({.dtype = composer_.input(input).desc.dtype, .dims = wanted}));
        };
        if (!fits(query, "Q", q_heads_, queries_, head_size_) || !fits(key, "K", kv_heads_, new_keys, head_size_) ||
            !fits(value, "V", kv_heads_, new_keys, value_size_))
            return false;
        const bool has_past = composer_.has(past_key);
        if (!composer_.check(has_past == composer_.has(past_value), "past_key and past_value must be given together") ||
            !composer_.check(!has_past || !composer_.has(nonpad), "nonpad_kv_seqlen must not be given with past_key"))
            return false;
        if (has_past) {
            const Dims& past = composer_.dims(past_key);
            past_ = past.size() == 4 ? past[2] : 0;
            if (!composer_.check(past == Dims{batches_, kv_heads_, past_, head_size_} &&
                                     composer_.dims(past_value) == Dims{batches_, kv_heads_, past_, value_size_},
                                 "past_key is " + to_string(composer_.input(past_key).desc) + " and past_value " +
                                     to_string(composer_.input(past_value).desc) +
                                     ", expected the batches, heads and sizes of K and V"))
                return false;
        }
        keys_ = past_ + new_keys;
        return !composer_.has(nonpad) ||
               composer_.check(composer_.input(nonpad).desc.dtype == DType::int64 && composer_.dims(nonpad) == Dims{batches_},
                               "nonpad_kv_seqlen is " + to_string(composer_.input(nonpad).desc) + ", expected int64[" +
                                   std::to_string(batches_) + "]");
    }

    // Returns (batch, head, place, size) of what may be (batch, place, head * size).
    Operand heads(const Operand& x, int64_t count)
    {
        if (!is_joined_)
            return x;
        const Dims& dims = x.desc.dims;
        return with_heads_and_places_swapped(composer_, Composer::view(x, {dims[0], dims[1], count, dims[2] / count}));
    }

    Operand joined_heads(const Operand& y)
    {
        return Composer::view(with_heads_and_places_swapped(composer_, y), {batches_, queries_, q_heads_ * value_size_});
    }

    Operand joined(AttentionInput past, const Operand& x)
    {
        return composer_.has(past) ? composer_.add(Concat{.axis = 2}, {composer_.input(past), x}) : x;
    }

    // Returns the place of each query among the keys: its number and how many keys come before the first query.
    Operand positions()
    {
        const auto integer = [&](int64_t number) { return composer_.constant(DType::int64, double(number)); };
        const Operand numbers = composer_.places({queries_, 1});
        if (!composer_.has(nonpad))
            return composer_.add(ElementwiseKind::add, {numbers, integer(past_)});
        const Operand before = composer_.add(ElementwiseKind::sub, {composer_.input(nonpad), integer(queries_)});
        return composer_.add(ElementwiseKind::add, {numbers, Composer::view(before, {batches_, 1, 1, 1})});
    }

    // Finds the pairs of a query and a key that the attributes and inputs allow.
    void find_allowed()
    {
        const auto allow = [&](const Operand& pairs) { allowed_ = allowed_ ? composer_.add(And(), {*allowed_, pairs}) : pairs; };
        const auto beyond = [&](ElementwiseKind kind, const std::optional<int64_t>& size) {
            const int64_t most = std::min(size.value_or(0), int64_t(1) << 40);
            return composer_.add(kind, {positions(), composer_.constant(DType::int64, double(most))});
        };
        const Operand keys = composer_.places({1, keys_});
        if (is_causal_)
            allow(composer_.add(LessOrEqual(), {keys, positions()}));
        if (op_.left_window_size.value_or(-1) >= 0)
            allow(composer_.add(GreaterOrEqual(), {keys, beyond(ElementwiseKind::sub, op_.left_window_size)}));
        if (op_.right_window_size.value_or(-1) >= 0)
            allow(composer_.add(LessOrEqual(), {keys, beyond(ElementwiseKind::add, op_.right_window_size)}));
        if (composer_.has(nonpad))
            allow(composer_.add(Less(), {keys, Composer::view(composer_.input(nonpad), {batches_, 1, 1, 1})}));
        if (!composer_.has(mask))
            return;
        const Operand given = composer_.input(mask);
        const int64_t length = given.desc.dims.empty() ? 1 : given.desc.dims.back();
        const TensorDesc scores = {.dtype = given.desc.dtype, .dims = {batches_, q_heads_, queries_, keys_}};
        Dims whole = given.desc.dims;
        if (!whole.empty())
            whole.back() = keys_;
        if (!composer_.check(length <= keys_ || whole.empty(), "attn_mask is " + to_string(given.desc) +
                                                                   ", which is longer than the " + std::to_string(keys_) +
                                                                   " keys") ||
            !composer_.check(is_broadcast(whole, scores.dims), "attn_mask is " + to_string(given.desc) +
                                                                   ", expected dimensions that are broadcast to those of " +
                                                                   to_string(scores)))
            return;
        if (given.desc.dtype == DType::boolean)
            allow(longer(given, length, composer_.constant(DType::boolean, 0)));
        else
            added_ = longer(composer_.cast(given, wide_), length, composer_.constant(wide_, -infinity));
    }

    // Returns a mask that may be shorter than the keys with this element for all that are left. A scalar holds for all keys.
    Operand longer(const Operand& given, int64_t length, const Operand& element)
    {
        const size_t rank = given.desc.dims.size();
        if (rank == 0)
            return Composer::view(given, {1});
        if (length == keys_)
            return given;
        Pad pad;
        pad.pads.resize(2 * rank);
        pad.pads.back() = keys_ - length;
        return composer_.add(std::move(pad), {given, element});
    }

    // Adds the mask, which is -Inf where no key is allowed.
    Operand masked(const Operand& scores)
    {
        find_allowed();
        if (allowed_) {
            const Operand number = added_ ? *added_ : composer_.constant(wide_, 0);
            added_ = composer_.add(Where(), {*allowed_, number, composer_.constant(wide_, -infinity)});
        }
        return added_ ? composer_.add(ElementwiseKind::add, {scores, *added_}) : scores;
    }

    // Makes the elements of a query zeros that no key is allowed for, where Softmax has NaN. With is_causal alone the first key
    // is allowed for each query. Where the mask was refused there is none.
    Operand without_masked_rows(const Operand& elements)
    {
        const bool may_be = composer_.has(mask) || composer_.has(nonpad) || op_.left_window_size.value_or(-1) >= 0 ||
                            op_.right_window_size.value_or(-1) >= 0;
        if (!may_be || !added_)
            return elements;
        const Operand greatest = composer_.add(ReduceMax{.axes = {-1}}, {*added_});
        const Operand is_masked = composer_.add(Equal(), {greatest, composer_.constant(wide_, -infinity)});
        return composer_.add(Where(), {is_masked, composer_.constant(wide_, 0), elements});
    }

    Composer& composer_;
    const Attention& op_;
    DType wide_ = DType::float32;  // that is computed in
    bool is_causal_ = false;
    bool is_joined_ = false;  // Q, K, V and Y have three dimensions
    int64_t batches_ = 0, q_heads_ = 0, kv_heads_ = 0, head_size_ = 0, value_size_ = 0;
    int64_t queries_ = 0, keys_ = 0, past_ = 0;
    std::optional<Operand> allowed_ = {};  // booleans
    std::optional<Operand> added_ = {};    // the mask, which is added to the scores
};

}  // namespace

constinit const Schema Attention::schema = {
    .name = "Attention", .versions = attention_versions, .inputs = attention_inputs, .outputs = attention_outputs};

void Attention::compose(Composer& composer) const
{
    AttentionComposer(composer, *this).run();
}

}  // namespace vkonnx::graph
