// This file computes DotProductAttention as include/vkonnx/operators/matrices.hpp defines it, in double precision. The bounds of
// its answers are first-order: by how much the scores, the weights and the sums of a device may be off. In them u is 2^-24.
#include <algorithm>
#include <cmath>

#include "kit/elements.h"
#include "kit/operators.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

constexpr double u = 0x1p-24;
constexpr double smallest = 0x1p-126;  // the least normal float: what is below may be flushed

// This struct is Q, K or V, with its four extents, however it lies.
struct Heads {
    bool joined = false;  // (batch, rows, heads * size)
    int64_t batch = 0, heads = 0, rows = 0, size = 0;

    int64_t at(int64_t b, int64_t h, int64_t row, int64_t i) const
    {
        return joined ? index_of({b, row, h, i}, {batch, rows, heads, size})
                      : index_of({b, h, row, i}, {batch, heads, rows, size});
    }
};

Result<Heads> heads_of(const TensorDesc& desc, const std::optional<int64_t>& count)
{
    const List& dims = desc.dims;
    if (dims.size() == 4 && count.value_or(dims[1]) == dims[1] && count.value_or(1) > 0)
        return Heads{false, dims[0], dims[1], dims[2], dims[3]};
    if (dims.size() == 3 && count.value_or(0) > 0 && dims[2] % *count == 0)
        return Heads{true, dims[0], *count, dims[1], dims[2] / *count};
    return refusal("rank or number of heads");
}

struct Attention {
    Heads q, k, v, y;
    List bias = {};  // its dimensions, with 1s in front
    double scale = 0;
};

Result<Attention> attention_of(const DotProductAttention& op, std::span<const TensorDesc> inputs)
{
    if (op.opset < 1 || inputs.size() < 3 || inputs.size() > 4)
        return refusal("opset or number of inputs");
    if (Status status = check_counts(inputs); !status)
        return status;
    for (const TensorDesc& input : inputs)
        if (input.dtype != inputs[0].dtype)
            return refusal("types");
    const DType dtype = inputs[0].dtype;
    if (dtype != DType::float32 && dtype != DType::float16 && dtype != DType::bfloat16)
        return refusal("type");
    const Result<Heads> q = heads_of(inputs[0], op.q_num_heads), k = heads_of(inputs[1], op.kv_num_heads),
                        v = heads_of(inputs[2], op.kv_num_heads);
    if (!q || !k || !v)
        return refusal("rank or number of heads");
    if (k->batch != q->batch || v->batch != q->batch || k->size != q->size || k->rows != v->rows || k->heads != v->heads)
        return refusal("extents");
    if (q->heads > 0 && (k->heads == 0 || q->heads % k->heads != 0))
        return refusal("heads");
    Attention attention = {*q, *k,           *v,
                           *q, {1, 1, 1, 1}, double(op.scale.value_or(float(1 / std::sqrt(std::max(1.0, double(q->size))))))};
    attention.y.size = v->size;
    if (inputs.size() == 4) {
        const List& dims = inputs[3].dims;
        const List scores = {q->batch, q->heads, q->rows, k->rows};
        if (dims.size() > 4)
            return refusal("rank of bias");
        std::copy(dims.begin(), dims.end(), attention.bias.end() - ptrdiff_t(dims.size()));
        for (size_t i = 0; i < 4; ++i)
            if (attention.bias[i] != 1 && attention.bias[i] != scores[i])
                return refusal("bias");
    }
    return attention;
}

// A score with the largest error that a device may make.
struct Score {
    double value = 0;
    double error = 0;
};

Score score_of(const Attention& attention, std::span<const RealTensor> inputs, int64_t b, int64_t head, int64_t query,
               int64_t key)
{
    const auto& [q, k, v, y, bias, scale] = attention;
    const auto q_first = size_t(q.at(b, head, query, 0)), k_first = size_t(k.at(b, head / (q.heads / k.heads), key, 0));
    double product = 0, magnitude = 0;
    for (size_t i = 0; i < size_t(q.size); ++i) {
        const double term = inputs[0].values[q_first + i] * inputs[1].values[k_first + i];
        product += term;
        magnitude += std::fabs(term);
    }
    Score score = {.value = product * scale};
    score.error = magnitude * std::fabs(scale) * double(q.size + 8) * u;
    if (inputs.size() == 4) {
        List at = {b, head, query, key};
        for (size_t i = 0; i < 4; ++i)
            at[i] = bias[i] == 1 ? 0 : at[i];
        const double added = inputs[3].values[size_t(index_of(at, bias))];
        score.value += added;
        if (std::isfinite(added))
            score.error += (std::fabs(score.value) + std::fabs(added)) * u;
    }
    score.error += smallest * double(q.size + 2);
    return score;
}

Answer answer_of(const std::vector<Score>& scores, const std::vector<double>& values)
{
    double greatest = -HUGE_VAL;
    for (const Score& score : scores)
        greatest = std::isnan(score.value) || std::isnan(greatest) ? NAN : std::max(greatest, score.value);
    double sum = 0, weighted = 0, magnitude = 0, weight_error = 0, weighted_error = 0, most = 0;
    const auto count = double(scores.size());
    double greatest_error = 0;
    for (const Score& score : scores)
        greatest_error = std::max(greatest_error, score.error);
    for (size_t i = 0; i < scores.size(); ++i) {
        const double below = std::min(greatest - scores[i].value, 110.0);
        const double weight = std::exp(scores[i].value - greatest);
        // The score, its difference from the greatest one and the exponential function round. On the way a weight may be
        // multiplied by the factor of each greatest score that was passed, whose exponents add up to the difference.
        const double error = scores[i].error + greatest_error + (4 * below + count + 16) * u;
        sum += weight;
        weighted += weight * values[i];
        magnitude += weight * std::fabs(values[i]);
        weight_error += weight * error;
        weighted_error += weight * error * std::fabs(values[i]);
        most = std::max(most, std::fabs(values[i]));
    }
    const double value = weighted / sum;
    Answer answer = {.value = value};
    const double carried = rounded(DType::float32, value);
    if (std::isfinite(carried)) {
        const double bound = weighted_error / sum + std::fabs(value) * weight_error / sum +
                             (2 * count + 16) * u * magnitude / sum + smallest * (count * (1 + most) + 1);
        answer.ulps = bound / ulp_at(DType::float32, carried);
    }
    return answer;
}

}  // namespace

Result<Resolution> resolve(const DotProductAttention& op, std::span<const TensorDesc> inputs)
{
    const Result<Attention> attention = attention_of(op, inputs);
    if (!attention)
        return attention.status();
    const Heads& y = attention->y;
    const TensorDesc output = {.dtype = inputs[0].dtype,
                               .dims =
                                   y.joined ? List{y.batch, y.rows, y.heads * y.size} : List{y.batch, y.heads, y.rows, y.size}};
    if (Status status = check_count(output); !status)
        return status;
    return Resolution{.output = output};
}

Result<std::vector<Answer>> reference(const DotProductAttention& op, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample)
{
    std::vector<TensorDesc> descs;
    for (const RealTensor& input : inputs)
        descs.push_back(input.desc);
    const Result<Attention> attention = attention_of(op, descs);
    if (!attention)
        return attention.status();
    const auto& [q, k, v, y, bias, scale] = *attention;
    std::vector<Answer> answers;
    std::vector<Score> scores;  // those of the row of queries that has the last element
    List row;
    for (const int64_t flat : sample) {
        List place = y.joined ? coordinates_of(flat, {y.batch, y.rows, y.heads, y.size})
                              : coordinates_of(flat, {y.batch, y.heads, y.rows, y.size});
        const int64_t b = place[0], head = place[y.joined ? 2 : 1], query = place[y.joined ? 1 : 2], column = place[3];
        const int64_t key_head = head / (q.heads / k.heads);
        place.pop_back();
        if (place != row || scores.empty()) {
            row = place;
            scores.clear();
            for (int64_t key = 0; key < k.rows; ++key)
                scores.push_back(score_of(*attention, inputs, b, head, query, key));
        }
        std::vector<double> values;
        for (int64_t key = 0; key < k.rows; ++key)
            values.push_back(inputs[2].values[size_t(v.at(b, key_head, key, column))]);
        answers.push_back(scores.empty() ? Answer() : answer_of(scores, values));
    }
    return answers;
}

}  // namespace vkonnx::kit
