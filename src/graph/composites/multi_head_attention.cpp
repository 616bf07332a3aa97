// SPDX-License-Identifier: Apache-2.0
#include "graph/composites/contrib.h"
#include "graph/composites/masked_attention.h"

namespace vkonnx::graph {
namespace {

using Option = Schema::Option;

constexpr Schema::Input multi_head_inputs[] = {{.name = "query"},
                                               {.name = "key", .option = Option::optional},
                                               {.name = "value", .option = Option::optional},
                                               {.name = "bias", .option = Option::optional},
                                               {.name = "key_padding_mask", .option = Option::optional},
                                               {.name = "attention_bias", .option = Option::optional},
                                               {.name = "past_key", .option = Option::optional},
                                               {.name = "past_value", .option = Option::optional},
                                               {.name = "past_sequence_length", .option = Option::optional},
                                               {.name = "cache_indirection", .option = Option::optional}};
constexpr Schema::Output multi_head_outputs[] = {
    {"output"}, {"present_key", Option::optional}, {"present_value", Option::optional}, {"qk", Option::optional}};

using Dims = std::vector<int64_t>;

// This class composes one MultiHeadAttention. Queries, keys and values come in one of four forms, and become (batch, head, place,
// size), which all that follows has:
//
//   query (B, S, N * H), key (B, L, N * H), value (B, L, N * Hv)
//   query (B, S, N * H), key (B, N, L, H), value (B, N, L, Hv)
//   query (B, S, N * H), key and value in one: (B, L, N, 2, H)
//   all in one: (B, S, N, 3, H)
class MultiHeadComposer {
    enum MultiHeadInput : size_t {
        query,
        key,
        value,
        bias,
        key_padding_mask,
        attention_bias,
        past_key,
        past_value,
        past_sequence_length,
        cache_indirection
    };

public:
    MultiHeadComposer(Composer& composer, const MultiHeadAttention& op) : composer_(composer), op_(op) {}

    void run()
    {
        const bool is_causal = composer_.flag(op_.unidirectional, "unidirectional");
        if (!check_support() || !find_parts() || !check_past() || !add_bias())
            return;
        const Operand q = by_head(q_), k = joined(past_key, k_is_by_head_ ? k_ : by_head(k_)),
                      v = joined(past_value, k_is_by_head_ ? v_ : by_head(v_));
        const DType dtype = composer_.input(query).desc.dtype;
        if (composer_.wants(1))
            composer_.set_output(1, composer_.cast(k, dtype));
        if (composer_.wants(2))
            composer_.set_output(2, composer_.cast(v, dtype));
        compose_masked_attention(composer_, {.q = q,
                                             .k = k,
                                             .v = v,
                                             .dtype = composer_.input(0).desc.dtype,
                                             .scale = op_.scale.value_or(0),
                                             .mask = key_padding_mask,
                                             .mask_name = "key_padding_mask",
                                             .filter = op_.mask_filter_value.value_or(-10000),
                                             .bias = attention_bias,
                                             .is_causal = is_causal,
                                             .past = past_});
    }

private:
    bool check_support()
    {
        heads_ = op_.num_heads.value_or(0);
        if (!composer_.check(heads_ > 0, "num_heads = " + std::to_string(heads_) + " must be above 0") ||
            !composer_.check_floats(query, "query"))
            return false;
        wide_ = computed_in(composer_.input(query).desc.dtype);
        const bool shares = composer_.has(past_sequence_length) || composer_.has(cache_indirection);
        if (shares || composer_.wants(3))
            composer_.fail(Status(Code::unsupported, shares ? "past_sequence_length and cache_indirection, by which pasts share "
                                                              "memory, are not supported"
                                                            : "the output qk is not supported"));
        return composer_.status().ok();
    }

    // Returns one of the tensors that lie side by side on axis 3.
    Operand part(size_t input, int64_t number)
    {
        const Dims& dims = composer_.dims(input);
        const Operand taken =
            composer_.add(Slice{.starts = {number}, .ends = {number + 1}, .axes = {3}}, {composer_.input(input)});
        return composer_.cast(Composer::view(taken, {dims[0], dims[1], dims[2], dims[4]}), wide_);
    }

    // Finds the queries, keys and values with the axes (batch, place, head, size). Keys and values may be by heads already.
    bool find_parts()
    {
        const Dims& q = composer_.dims(query);
        batches_ = q.empty() ? 0 : q[0];
        if (q.size() == 5) {
            size_ = value_size_ = q[4];
            queries_ = keys_ = q[1];
            if (!composer_.check(!composer_.has(key) && !composer_.has(value),
                                 "key and value must not be given beside a query of "
                                 "5 dimensions, which has them") ||
                !check_floats_of(composer_, query, "query", {batches_, queries_, heads_, 3, size_}))
                return false;
            q_ = part(query, 0);
            k_ = part(query, 1);
            v_ = part(query, 2);
            return composer_.status().ok();
        }
        if (!composer_.check(q.size() == 3 && composer_.has(key),
                             "query is " + to_string(composer_.input(query).desc) + ", expected 3 dimensions and a key, or 5"))
            return false;
        queries_ = q[1];
        size_ = q[2] / heads_;
        if (!check_floats_of(composer_, query, "query", {batches_, queries_, heads_ * size_}))
            return false;
        q_ = composer_.cast(Composer::view(composer_.input(query), {batches_, queries_, heads_, size_}), wide_);
        const Dims& k = composer_.dims(key);
        if (k.size() == 5) {
            keys_ = k[1];
            value_size_ = size_;
            if (!composer_.check(!composer_.has(value), "value must not be given beside a key of 5 dimensions, which has it") ||
                !check_floats_of(composer_, key, "key", {batches_, keys_, heads_, 2, size_}))
                return false;
            k_ = part(key, 0);
            v_ = part(key, 1);
            return composer_.status().ok();
        }
        if (!composer_.check(composer_.has(value) && (k.size() == 3 || k.size() == 4) && composer_.dims(value).size() == k.size(),
                             "key is " + to_string(composer_.input(key).desc) +
                                 ", expected 3 or 4 dimensions, and a value of as many"))
            return false;
        k_is_by_head_ = k.size() == 4;
        keys_ = k_is_by_head_ ? k[2] : k[1];
        value_size_ = k_is_by_head_ ? composer_.dims(value)[3] : composer_.dims(value)[2] / heads_;
        const auto dims = [&](int64_t size) {
            return k_is_by_head_ ? Dims{batches_, heads_, keys_, size} : Dims{batches_, keys_, heads_ * size};
        };
        const auto numbers = [&](size_t input, int64_t size) {
            const Operand x = composer_.cast(composer_.input(input), wide_);
            return k_is_by_head_ ? x : Composer::view(x, {batches_, keys_, heads_, size});
        };
        if (!check_floats_of(composer_, key, "key", dims(size_)) ||
            !check_floats_of(composer_, value, "value", dims(value_size_)))
            return false;
        k_ = numbers(key, size_);
        v_ = numbers(value, value_size_);
        return composer_.status().ok();
    }

    bool check_past()
    {
        const bool has_past = composer_.has(past_key);
        if (!composer_.check(has_past == composer_.has(past_value), "past_key and past_value must be given together") ||
            !composer_.check(!has_past || !k_is_by_head_, "past_key must not be given with a key of 4 dimensions"))
            return false;
        if (!has_past)
            return true;
        const Dims& past = composer_.dims(past_key);
        past_ = past.size() == 4 ? past[2] : 0;
        return check_floats_of(composer_, past_key, "past_key", {batches_, heads_, past_, size_}) &&
               check_floats_of(composer_, past_value, "past_value", {batches_, heads_, past_, value_size_});
    }

    // Adds the bias, which has an element for each of a query, a key and a value. Keys by heads have had theirs.
    bool add_bias()
    {
        if (!composer_.has(bias))
            return true;
        const int64_t hidden = heads_ * size_;
        if (!check_floats_of(composer_, bias, "bias", {2 * hidden + heads_ * value_size_}))
            return false;
        const auto biased = [&](const Operand& x, int64_t first, int64_t size) {
            const Operand taken = composer_.add(Slice{.starts = {first}, .ends = {first + heads_ * size}, .axes = {0}},
                                                {composer_.cast(composer_.input(bias), wide_)});
            return composer_.add(ElementwiseKind::add, {x, Composer::view(taken, {heads_, size})});
        };
        q_ = biased(q_, 0, size_);
        if (!k_is_by_head_) {
            k_ = biased(k_, hidden, size_);
            v_ = biased(v_, 2 * hidden, value_size_);
        }
        return composer_.status().ok();
    }

    Operand by_head(const Operand& x) { return with_heads_and_places_swapped(composer_, x); }

    Operand joined(MultiHeadInput past, const Operand& x)
    {
        return composer_.has(past) ? composer_.add(Concat{.axis = 2}, {composer_.cast(composer_.input(past), wide_), x}) : x;
    }

    Composer& composer_;
    const MultiHeadAttention& op_;
    DType wide_ = DType::float32;  // that is computed in
    bool k_is_by_head_ = false;
    int64_t batches_ = 0, heads_ = 0, queries_ = 0, size_ = 0, value_size_ = 0;
    int64_t keys_ = 0, past_ = 0;  // new keys, and those of the past
    Operand q_ = {}, k_ = {}, v_ = {};
};

}  // namespace

constinit const Schema MultiHeadAttention::schema = contrib("MultiHeadAttention", multi_head_inputs, multi_head_outputs);

void MultiHeadAttention::compose(Composer& composer) const
{
    MultiHeadComposer(composer, *this).run();
}

}  // namespace vkonnx::graph
