// SPDX-License-Identifier: Apache-2.0
// This file finds DotProductAttention where simpler operators spell it out:
//
//   y = MatMul(Softmax(Add(Mul(MatMul(Q, Transpose(K)), scale), bias)), V)
//
// Div may stand for the Mul. Either may be missing, or may multiply Q or the transposed K instead. The Add may be missing. A
// Transpose that makes the heads of Q, K or V an axis in front of the rows is left out, because the operator reads heads side by
// side, and so is that behind y by which they lie side by side again.
//
// Where several heads of Q share one of K and V, both MatMuls may have these as the rows of one matrix, which is the same memory:
//
//   (batch, heads, rows, columns) as (batch, key heads, heads / key heads * rows, columns)
#include <algorithm>
#include <cmath>

#include "graph/fuse.h"
#include "return_if_error.h"

namespace vkonnx::graph {
namespace {

using Dims = std::vector<int64_t>;

// Estimates count multiply-adds, and neither the beginning and the end of a dispatch nor memory. With 64 elements for a key, a
// GPU that multiplies 10^12 times a second and reads 100 GB takes about as long for the scores' way through memory as for the
// products.
constexpr double seconds_of_dispatch = 3e-6;
constexpr double with_memory = 2;

constexpr std::string_view part_of = "it is part of the attention of";

// A Matrices is a value of matrices (.., rows, columns), as the operator reads it.
struct Matrices {
    int32_t value = no_value;
    Dims dims = {};                       // under which the value is read
    std::optional<int64_t> heads = {};    // where they lie side by side
    std::vector<size_t> transposed = {};  // the calls that need not run
};

struct SpelledAttention {
    size_t scores = 0;  // the call that multiplies Q and K
    int32_t q = no_value;
    int32_t k = no_value;  // transposed
    int32_t bias = no_value;
    double scale = 1;
    Dims heads = {};                 // of the scores: (.., heads, queries, keys)
    std::vector<size_t> parts = {};  // the calls between Q, K, V and the last product
};

class AttentionFinder {
public:
    explicit AttentionFinder(Calls& calls) : calls_(calls) {}

    Status run()
    {
        return calls_.visit_each([&](size_t i) { return std::holds_alternative<MatMul>(calls_[i].op) ? visit(i) : Status(); });
    }

private:
    Status visit(size_t product)
    {
        Result<std::optional<SpelledAttention>> found = weights(product);
        VKONNX_RETURN_IF_ERROR(found.status());
        if (*found)
            replace(product, **found);
        return {};
    }

    const Dims& dims(int32_t value) const { return calls_.desc(value).dims; }

    template <class Op>
    const Op* op_of(const std::optional<size_t>& call) const
    {
        return call ? std::get_if<Op>(&calls_[*call].op) : nullptr;
    }

    // Tells whether matrices of heads become those of fewer heads, with as many more rows each.
    static bool shares_heads(const Dims& heads, const Dims& shared)
    {
        return heads.size() == 4 && shared.size() == 4 && heads[0] == shared[0] && heads[3] == shared[3] && shared[1] > 0 &&
               heads[1] % shared[1] == 0 && heads[1] / shared[1] * heads[2] == shared[2];
    }

    // Returns the value as the call gave it that computes it, where it has other heads here; else the value itself.
    int32_t with_own_heads(int32_t value) const
    {
        if (const std::optional<size_t> call = calls_.writer(value))
            for (const int32_t output : calls_[*call].outputs)
                if (output != no_value && calls_.block(output) == calls_.block(value) &&
                    (shares_heads(dims(output), dims(value)) || shares_heads(dims(value), dims(output))))
                    return output;
        return value;
    }

    // Returns the call that computes the value, under its dimensions or under those of other heads.
    std::optional<size_t> writer(int32_t value) const { return calls_.writer_as_is(with_own_heads(value)); }

    // A Factor is a call that multiplies or divides a value by a number.
    struct Factor {
        size_t call = 0;
        int32_t value = no_value;
        double number = 1;
    };

    Result<std::optional<Factor>> factor(int32_t value) const
    {
        const std::optional<size_t> call = calls_.writer_as_is(value);
        const Elementwise* op = op_of<Elementwise>(call);
        if (!op || (op->kind != ElementwiseKind::mul && op->kind != ElementwiseKind::div))
            return std::optional<Factor>();
        for (const size_t place : {size_t(1), size_t(0)}) {
            if (place == 0 && op->kind == ElementwiseKind::div)
                break;
            const int32_t data = calls_[*call].inputs[1 - place];
            const Result<std::optional<double>> number = calls_.real(calls_[*call].inputs[place]);
            VKONNX_RETURN_IF_ERROR(number.status());
            if (*number && dims(data) == dims(value))
                return std::optional(Factor{*call, data, op->kind == ElementwiseKind::mul ? **number : 1 / **number});
        }
        return std::optional<Factor>();
    }

    // Goes from a value through the calls that multiply it by numbers.
    Status skip_factors(int32_t& value, SpelledAttention& found) const
    {
        for (;;) {
            const Result<std::optional<Factor>> one = factor(value);
            VKONNX_RETURN_IF_ERROR(one.status());
            if (!*one)
                return {};
            found.scale *= (*one)->number;
            found.parts.push_back((*one)->call);
            value = (*one)->value;
        }
    }

    // Reads what the last product multiplies V by.
    Result<std::optional<SpelledAttention>> weights(size_t product) const
    {
        const std::optional<SpelledAttention> none;
        const int32_t value = calls_[product].inputs[0];
        const auto softmax = writer(value);
        const Softmax* op = op_of<Softmax>(softmax);
        if (!op)
            return none;
        const auto rank = int64_t(dims(value).size());
        const int64_t axis = op->axis.value_or(op->opset < 13 ? 1 : -1);
        if (rank < 2 || rank > 4 || (axis < 0 ? axis + rank : axis) != rank - 1)
            return none;
        SpelledAttention found = {.parts = {*softmax}};
        const int32_t biased = calls_[*softmax].inputs[0];
        const Result<bool> plain = scores(biased, found);
        VKONNX_RETURN_IF_ERROR(plain.status());
        if (*plain)
            return std::optional(found);
        const auto sum = calls_.writer_as_is(biased);
        if (const Elementwise* add = op_of<Elementwise>(sum); !add || add->kind != ElementwiseKind::add)
            return none;
        for (const size_t place : {size_t(0), size_t(1)}) {
            found = {.bias = calls_[*sum].inputs[1 - place], .parts = {*softmax, *sum}};
            const int32_t data = calls_[*sum].inputs[place];
            const Result<bool> is_sum = dims(data) == dims(biased) ? scores(data, found) : false;
            VKONNX_RETURN_IF_ERROR(is_sum.status());
            if (*is_sum)
                return std::optional(found);
        }
        return none;
    }

    // Reads the scores without a bias. Tells whether they are.
    Result<bool> scores(int32_t value, SpelledAttention& found) const
    {
        VKONNX_RETURN_IF_ERROR(skip_factors(value, found));
        const auto call = writer(value);
        if (!op_of<MatMul>(call))
            return false;
        found.heads = dims(value);
        found.scores = *call;
        found.parts.push_back(*call);
        found.q = with_own_heads(calls_[*call].inputs[0]);
        found.k = calls_[*call].inputs[1];
        VKONNX_RETURN_IF_ERROR(skip_factors(found.q, found));
        VKONNX_RETURN_IF_ERROR(skip_factors(found.k, found));
        return true;
    }

    // Returns the dimensions of matrices as those of (batch, heads, rows, columns).
    static Dims as_four(const Dims& dims)
    {
        Dims four(4 - dims.size(), 1);
        four.insert(four.end(), dims.begin(), dims.end());
        return four;
    }

    // Returns the matrices in the form in which the operator reads them, without a Transpose before them where it can be left
    // out. With `turned` the value has them transposed, and there must be such a Transpose. `joins_heads` allows heads side by
    // side.
    std::optional<Matrices> matrices(int32_t value, bool turned, bool joins_heads) const
    {
        const std::optional<Matrices> as_they_lie =
            turned ? std::nullopt : std::optional(Matrices{value, as_four(dims(value)), {}, {}});
        const auto call = calls_.writer_as_is(value);
        const Transpose* op = op_of<Transpose>(call);
        if (!op)
            return as_they_lie;
        const int32_t x = calls_[*call].inputs[0];
        const Dims& from = dims(x);
        const size_t rank = from.size();
        Dims perm = op->perm;
        for (size_t i = perm.size(); i < rank; ++i)
            perm.push_back(int64_t(rank - 1 - i));
        if (turned)
            std::swap(perm[rank - 2], perm[rank - 1]);
        if (perm == (rank == 4 ? Dims{0, 1, 2, 3} : rank == 3 ? Dims{0, 1, 2} : Dims{0, 1})) {
            Matrices made = turned ? *matrices(x, false, joins_heads) : Matrices{x, as_four(from), {}, {}};
            made.transposed.push_back(*call);
            return made;
        }
        if (joins_heads && perm == Dims{0, 2, 1, 3})
            return Matrices{x, {from[0], from[1], from[2] * from[3]}, from[2], {*call}};
        if (joins_heads && perm == Dims{1, 0, 2})
            return Matrices{x, {1, from[0], from[1] * from[2]}, from[1], {*call}};
        return as_they_lie;
    }

    // Returns the call that alone reads the product, under these dimensions, where it brings the heads side by side.
    std::optional<size_t> joining(size_t product, const Dims& by_head) const
    {
        const int32_t y = calls_[product].outputs[0];
        if (calls_.writer_as_is(y) != product)
            return {};
        for (size_t i = product + 1; i < calls_.size(); ++i)
            if (!calls_.is_gone(i) && std::ranges::any_of(calls_[i].inputs, [&](int32_t input) {
                    return input != no_value && calls_.block(input) == calls_.block(y);
                })) {
                const Transpose* op = std::get_if<Transpose>(&calls_[i].op);
                const bool joins =
                    op && dims(calls_[i].inputs[0]) == by_head && (op->perm == Dims{0, 2, 1, 3} || op->perm == Dims{1, 0, 2});
                return joins ? std::optional(i) : std::nullopt;
            }
        return {};
    }

    void replace(size_t product, SpelledAttention& found)
    {
        const int32_t v = calls_[product].inputs[1];
        const size_t rank = dims(found.q).size();
        // Matrices that are broadcast are left alone.
        for (const auto& [call, other] : {std::pair(found.scores, found.k), {product, v}}) {
            const Dims& rows = dims(calls_[call].inputs[0]);
            if (rows.size() != rank || dims(other).size() != rank ||
                !std::equal(dims(other).begin(), dims(other).end() - 2, rows.begin()))
                return;
        }
        // The two products must divide their matrices into the same heads.
        Dims by_head = found.heads;
        by_head.back() = dims(v).back();
        const bool is_shared = by_head != dims(calls_[product].outputs[0]);
        if (found.heads.size() != rank || !std::equal(found.heads.begin(), found.heads.end() - 1, dims(found.q).begin()) ||
            (is_shared && !shares_heads(by_head, dims(calls_[product].outputs[0]))))
            return;
        const auto joins = joining(product, by_head);
        const auto q = matrices(found.q, false, joins.has_value()), k = matrices(found.k, true, true),
                   values = matrices(v, false, true);
        if (!q || !k || !values)
            return;
        const bool joined = q->heads && joins;
        DotProductAttention op = {.scale = float(found.scale), .q_num_heads = q->heads};
        for (const Matrices* one : {&*k, &*values})
            if (one->heads)
                op.kv_num_heads = one->heads;
        std::vector<Operand> operands = {{q->value, q->dims}, {k->value, k->dims}, {values->value, values->dims}};
        if (found.bias != no_value)
            operands.push_back({found.bias, dims(found.bias)});
        std::vector<TensorDesc> descs;
        for (const Operand& operand : operands)
            descs.push_back({.dtype = calls_.desc(operand.value).dtype, .dims = operand.dims});
        for (const Matrices* one : {&*q, &*k, &*values})
            found.parts.insert(found.parts.end(), one->transposed.begin(), one->transposed.end());
        std::vector<size_t> all = found.parts;
        all.push_back(product);
        if (joined)
            all.push_back(*joins);
        if (!is_faster(op, descs, all))
            return;
        calls_[product].op = std::move(op);
        std::vector<int32_t> inputs;
        for (const Operand& operand : operands)
            inputs.push_back(dims(operand.value) == operand.dims ? operand.value : calls_.add_view(operand.value, operand.dims));
        calls_.set_inputs(product, std::move(inputs));
        for (const size_t part : found.parts)
            calls_.remove(part, product, part_of);
        if (joined)
            calls_.take_outputs(product, *joins, part_of);
        else if (is_shared)
            calls_[product].outputs[0] = calls_.add_view(calls_[product].outputs[0], by_head);
    }

    struct Operand {
        int32_t value = no_value;
        Dims dims = {};
    };

    // Tells whether the device is estimated to compute the operator in less time than the calls, which are as many dispatches at
    // the least. An operator that is not built in, or that does not fit the device, is not faster.
    bool is_faster(const DotProductAttention& op, const std::vector<TensorDesc>& descs, const std::vector<size_t>& parts) const
    {
        const std::optional<double> own = calls_.seconds_of(op, descs);
        if (!own)
            return false;
        double others = 0;
        for (const size_t part : parts) {
            std::vector<TensorDesc> inputs;
            for (const int32_t input : calls_[part].inputs)
                inputs.push_back(input == no_value ? TensorDesc{.dtype = DType::undefined} : calls_.desc(input));
            others += calls_.seconds_of(calls_[part].op, inputs).value_or(HUGE_VAL);
        }
        return *own < with_memory * others + seconds_of_dispatch * double(parts.size() - 1);
    }

    Calls& calls_;
};

}  // namespace

Status fuse_attention(Calls& calls)
{
    return AttentionFinder(calls).run();
}

}  // namespace vkonnx::graph
