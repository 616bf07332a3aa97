// This file has the references of Attention and RotaryEmbedding.
#include <cmath>

#include "kit/attention.h"
#include "kit/elements.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

using Answers = std::vector<CompositeAnswers>;

constexpr double infinity = HUGE_VAL;

// Heads are the elements (batch, head, place, size) of a tensor of these dimensions or of (batch, place, head * size).
struct Heads {
    List dims = {};
    std::vector<double> values = {};

    double at(int64_t batch, int64_t head, int64_t place, int64_t i) const
    {
        return values[size_t(index_of({batch, head, place, i}, dims))];
    }
};

Heads heads_of(const RealTensor& tensor, int64_t heads)
{
    const List& dims = tensor.desc.dims;
    if (dims.size() == 4)
        return {dims, tensor.values};
    Heads made = {.dims = {dims[0], heads, dims[1], dims[2] / heads}};
    made.values.resize(tensor.values.size());
    for (size_t i = 0; i < tensor.values.size(); ++i) {
        const List place = coordinates_of(int64_t(i), dims);
        const int64_t size = made.dims[3];
        made.values[size_t(index_of({place[0], place[2] / size, place[1], place[2] % size}, made.dims))] = tensor.values[i];
    }
    return made;
}

// Returns past and present places behind one another.
Heads joined(const Heads& past, const Heads& now)
{
    Heads made = {.dims = now.dims};
    made.dims[2] += past.dims[2];
    for (int64_t i = 0; i < *element_count({.dims = made.dims}); ++i) {
        List place = coordinates_of(i, made.dims);
        const bool is_past = place[2] < past.dims[2];
        place[2] -= is_past ? 0 : past.dims[2];
        made.values.push_back((is_past ? past : now).at(place[0], place[1], place[2], place[3]));
    }
    return made;
}

// This class computes one Attention, query by query.
class Attention {
public:
    Attention(const CompositeProblem& problem, const std::vector<double>& sinks, int64_t roundings)
        : problem_(problem), sinks_(sinks), roundings_(roundings)
    {
        const int64_t kv_heads = integer("kv_num_heads", 0);
        q_ = heads_of(problem.inputs[0], integer("q_num_heads", 0));
        k_ = heads_of(problem.inputs[1], kv_heads);
        v_ = heads_of(problem.inputs[2], kv_heads);
        if (problem.has(4)) {
            past_ = problem.dims(4)[2];
            k_ = joined(heads_of(problem.inputs[4], kv_heads), k_);
            v_ = joined(heads_of(problem.inputs[5], kv_heads), v_);
        }
        keys_ = k_.dims[2];
    }

    Answers run()
    {
        const DType dtype = problem_.inputs[0].desc.dtype;
        const bool is_joined = problem_.dims(0).size() == 3;
        const int64_t batches = q_.dims[0], heads = q_.dims[1], queries = q_.dims[2], size = v_.dims[3];
        CompositeAnswers y = {.output = {.dtype = dtype, .dims = {batches, heads, queries, size}}};
        if (is_joined)
            y.output.dims = {batches, queries, heads * size};
        y.elements.resize(size_t(batches * heads * queries * size));
        CompositeAnswers scores = {.output = {.dtype = dtype, .dims = {batches, heads, queries, keys_}}};
        for (int64_t b = 0; b < batches; ++b)
            for (int64_t h = 0; h < heads; ++h)
                for (int64_t q = 0; q < queries; ++q) {
                    const std::vector<double> weights = weights_of(b, h, q, scores.elements);
                    for (int64_t i = 0; i < size; ++i) {
                        const List place = is_joined ? List{b, q, h * size + i} : List{b, h, q, i};
                        y.elements[size_t(index_of(place, y.output.dims))] = sum_of(weights, b, h, i);
                    }
                }
        return {y, cache(k_, 1), cache(v_, 2), scores};
    }

private:
    int64_t integer(const char* name, int64_t otherwise) const { return problem_.attribute<int64_t>(name, otherwise); }
    int64_t kv_head(int64_t head) const { return head / (q_.dims[1] / k_.dims[1]); }

    CompositeAnswers cache(const Heads& heads, size_t input) const
    {
        CompositeAnswers made = {.output = {.dtype = problem_.inputs[input].desc.dtype, .dims = heads.dims}};
        for (const double value : heads.values) {
            made.elements.emplace_back();
            made.elements.back().value = value;
        }
        return made;
    }

    // Returns what is added to a score: -Inf where the key is not allowed.
    double bias_of(int64_t b, int64_t h, int64_t q, int64_t key) const
    {
        const bool has_length = problem_.has(6);
        const int64_t length = has_length ? int64_t(problem_.inputs[6].words[size_t(b)]) : keys_;
        const int64_t before = has_length ? length - q_.dims[2] : past_;
        const int64_t left = integer("left_window_size", -1), right = integer("right_window_size", -1);
        bool allowed = key < length;
        allowed &= integer("is_causal", 0) == 0 || key <= q + before;
        allowed &= left < 0 || q + before - key <= left;
        allowed &= right < 0 || key - q - before <= right;
        if (!problem_.has(3))
            return allowed ? 0 : -infinity;
        const RealTensor& mask = problem_.inputs[3];
        const List& dims = mask.desc.dims;
        const List place = {b, h, q, key};
        List own;
        for (size_t axis = 0; axis < dims.size(); ++axis)
            own.push_back(axis + 1 < dims.size() && dims[axis] == 1 ? 0 : place[axis + 4 - dims.size()]);
        if (!dims.empty() && own.back() >= dims.back())
            return -infinity;
        const double element = number_at(mask, size_t(index_of(own, dims)));
        if (mask.desc.dtype == DType::boolean)
            return allowed && element != 0 ? 0 : -infinity;
        return allowed ? element : -infinity;
    }

    // Returns the weights of all keys, and adds the output that the mode asks for.
    std::vector<double> weights_of(int64_t b, int64_t h, int64_t q, std::vector<Answer>& outputs)
    {
        const int64_t mode = integer("qk_matmul_output_mode", 0), size = q_.dims[3];
        const double scale = problem_.attribute("scale", float(1 / std::sqrt(double(size))));
        const double factor = problem_.attributes.contains("scale") ? scale : 1 / std::sqrt(double(size));
        const double cap = problem_.attribute("softcap", 0.0f);
        std::vector<double> biased;
        std::vector<Answer> stages[4];
        double greatest = -infinity, greatest_bias = -infinity, sum = 0, size_of_scores = 0;
        for (int64_t key = 0; key < keys_; ++key) {
            Answer raw;
            for (int64_t i = 0; i < size; ++i) {
                const double product = q_.at(b, h, q, i) * k_.at(b, kv_head(h), key, i) * factor;
                raw.value = raw.value + DoubleDouble(product);
                raw.magnitude += std::fabs(product);
            }
            raw.taps = size + 4 + roundings_;
            Answer capped = raw;
            if (cap != 0) {
                capped.value = std::tanh(raw.value.hi / cap) * cap;
                capped.taps += 8;
                capped.magnitude += std::fabs(capped.value.hi);
            }
            Answer masked = capped;
            const double bias = bias_of(b, h, q, key);
            masked.value = capped.value.hi + bias;
            masked.magnitude += std::isfinite(bias) ? std::fabs(bias) : 0;
            stages[0].push_back(raw);
            stages[1].push_back(capped);
            stages[2].push_back(masked);
            biased.push_back(masked.value.hi);
            greatest = std::max(greatest, biased.back());
            greatest_bias = std::max(greatest_bias, bias);
            size_of_scores = std::max(size_of_scores, masked.magnitude);
        }
        if (!sinks_.empty()) {
            greatest = std::max(greatest, sinks_[size_t(h)]);
            size_of_scores = std::max(size_of_scores, std::fabs(sinks_[size_t(h)]));
            sum += std::exp(sinks_[size_t(h)] - greatest);
        }
        for (const double score : biased)
            sum += std::exp(score - greatest);
        slack_ = keys_ + 20 + int64_t(std::ceil(2 * double(size + 12 + roundings_) * size_of_scores));
        for (double& score : biased) {
            score = greatest_bias == -infinity ? 0 : std::exp(score - greatest) / sum;
            stages[3].emplace_back();
            stages[3].back().value = score;
            stages[3].back().magnitude = score;
            stages[3].back().taps = score == 0 ? 0 : slack_;
        }
        outputs.insert(outputs.end(), stages[mode].begin(), stages[mode].end());
        return biased;
    }

    Answer sum_of(const std::vector<double>& weights, int64_t b, int64_t h, int64_t i) const
    {
        Answer sum;
        for (int64_t key = 0; key < keys_; ++key) {
            const double product = weights[size_t(key)] * v_.at(b, kv_head(h), key, i);
            sum.value = sum.value + DoubleDouble(product);
            sum.magnitude += std::fabs(product);
        }
        sum.taps = sum.magnitude == 0 ? 0 : slack_;
        return sum;
    }

    const CompositeProblem& problem_;
    const std::vector<double>& sinks_;  // of each head, or none
    const int64_t roundings_;           // that queries and keys have been through
    Heads q_ = {}, k_ = {}, v_ = {};
    int64_t past_ = 0, keys_ = 0;
    int64_t slack_ = 0;  // the roundings that the weights of a query have been through
};

// Pairs of elements of a head are turned by an angle. What is behind `rotary_embedding_dim` stays.
Answers rotary_embedding(const CompositeProblem& problem)
{
    const RealTensor& x = problem.inputs[0];
    const Heads heads = heads_of(x, problem.attribute<int64_t>("num_heads", 0));
    const int64_t places = heads.dims[2], size = heads.dims[3];
    const int64_t given = problem.attribute<int64_t>("rotary_embedding_dim", 0), turned = given == 0 ? size : given;
    const bool is_interleaved = problem.attribute<int64_t>("interleaved", 0) != 0;
    CompositeAnswers made = {.output = x.desc};
    for (int64_t i = 0; i < int64_t(x.values.size()); ++i) {
        List at = coordinates_of(i, x.desc.dims);
        if (at.size() == 3)
            at = {at[0], at[2] / size, at[1], at[2] % size};
        Answer answer;
        answer.value = x.values[size_t(i)];
        if (at[3] < turned) {
            const int64_t pair = is_interleaved ? at[3] / 2 : at[3] % (turned / 2);
            const bool is_second = is_interleaved ? at[3] % 2 == 1 : at[3] >= turned / 2;
            const int64_t first_place = is_interleaved ? 2 * pair : pair;
            const int64_t second_place = is_interleaved ? 2 * pair + 1 : pair + turned / 2;
            const double first = heads.at(at[0], at[1], at[2], first_place);
            const double second = heads.at(at[0], at[1], at[2], second_place);
            int64_t row = at[0] * places + at[2];
            if (problem.has(3))
                row = int64_t(problem.inputs[3].words[size_t(row)]);
            const double cosine = problem.inputs[1].values[size_t(row * turned / 2 + pair)];
            const double sine = problem.inputs[2].values[size_t(row * turned / 2 + pair)];
            answer.value = is_second ? first * sine + second * cosine : first * cosine - second * sine;
            answer.magnitude = std::fabs(first) + std::fabs(second);
            answer.taps = 2;
        }
        made.elements.push_back(answer);
    }
    return {made};
}

}  // namespace

std::vector<CompositeAnswers> reference_attention(const CompositeProblem& problem)
{
    if (problem.is_microsoft)
        return reference_microsoft_attention(problem);
    return problem.op_type == "Attention" ? attention_with_sinks(problem, {}, 0) : rotary_embedding(problem);
}

std::vector<CompositeAnswers> attention_with_sinks(const CompositeProblem& problem, const std::vector<double>& sinks,
                                                   int64_t roundings)
{
    return Attention(problem, sinks, roundings).run();
}

}  // namespace vkonnx::kit
