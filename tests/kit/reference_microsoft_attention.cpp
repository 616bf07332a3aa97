// This file has the references of attention and of what stands in front of it, as com.microsoft has them. They are told by what
// the Attention and the RotaryEmbedding of ONNX make of the same numbers.
#include <cmath>

#include "kit/attention.h"
#include "kit/elements.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

using Answers = std::vector<CompositeAnswers>;

constexpr double infinity = HUGE_VAL;

// Returns a tensor with the elements `element(place)` of these dimensions.
template <class Element>
RealTensor tensor_of(DType dtype, const List& dims, const Element& element)
{
    RealTensor made = {.desc = {.dtype = dtype, .dims = dims}};
    for (int64_t i = 0; i < *element_count(made.desc); ++i)
        made.values.push_back(element(coordinates_of(i, dims)));
    return made;
}

// Returns the element of a tensor that is repeated along its axes of extent 1.
double repeated(const RealTensor& tensor, List at)
{
    for (size_t axis = 0; axis < at.size(); ++axis)
        at[axis] = tensor.desc.dims[axis] == 1 ? 0 : at[axis];
    return tensor.values[size_t(index_of(at, tensor.desc.dims))];
}

// Tells whether a mask lets a query see a key, at (batch, head, query, key). A list of 2 * batches has ends, then starts.
bool is_seen_by_mask(const CompositeProblem& problem, size_t input, const List& at)
{
    if (!problem.has(input))
        return true;
    const RealTensor& given = problem.inputs[input];
    const List& dims = given.desc.dims;
    if (dims.size() == 1) {
        const int64_t batches = problem.dims(0)[0], end = int64_t(given.words[size_t(at[0])]);
        const int64_t start = dims[0] == batches ? 0 : int64_t(given.words[size_t(batches + at[0])]);
        return at[3] >= start && at[3] < end;
    }
    return given.words[size_t(index_of(dims.size() == 2 ? List{at[0], at[3]} : List{at[0], at[2], at[3]}, dims))] != 0;
}

// Returns what has the axes (batch, head, place, i) with the axes (batch, place, head * size).
CompositeAnswers with_heads_joined(const CompositeAnswers& given)
{
    const List& dims = given.output.dims;
    CompositeAnswers made = {.output = {.dtype = given.output.dtype, .dims = {dims[0], dims[2], dims[1] * dims[3]}}};
    for (int64_t i = 0; i < *element_count(made.output); ++i) {
        const List at = coordinates_of(i, {dims[0], dims[2], dims[1], dims[3]});
        made.elements.push_back(given.elements[size_t(index_of({at[0], at[2], at[1], at[3]}, dims))]);
    }
    return made;
}

// This is the Attention of ONNX, of queries, keys and values by heads to which the bias is added, and of a mask that is -Inf for
// each pair of a query and a key that the attributes and inputs do not allow.
Answers multi_head_attention(const CompositeProblem& problem)
{
    const List& q = problem.dims(0);
    const int64_t heads = problem.attribute<int64_t>("num_heads", 0), batches = q[0], queries = q[1];
    const bool is_all_in_one = q.size() == 5, is_pair = !is_all_in_one && problem.dims(1).size() == 5;
    const bool is_by_head = !is_all_in_one && problem.dims(1).size() == 4;
    const int64_t size = is_all_in_one ? q[4] : q[2] / heads;
    int64_t keys = queries, value_size = size;
    if (!is_all_in_one)
        keys = problem.dims(1)[is_by_head ? 2 : 1];
    if (!is_all_in_one && !is_pair)
        value_size = is_by_head ? problem.dims(2)[3] : problem.dims(2)[2] / heads;
    // Returns element (batch, head, place, i) of the queries, keys or values, which have number 0, 1 or 2.
    const auto element = [&](int64_t number, const List& at) {
        const int64_t input = is_all_in_one ? 0 : is_pair && number == 2 ? 1 : number;
        const RealTensor& from = problem.inputs[size_t(input)];
        const int64_t extent = number == 2 ? value_size : size;
        List place = {at[0], at[2], at[1] * extent + at[3]};
        if (from.desc.dims.size() == 5)
            place = {at[0], at[2], at[1], is_all_in_one ? number : number - 1, at[3]};
        else if (from.desc.dims.size() == 4)
            place = at;
        double number_there = from.values[size_t(index_of(place, from.desc.dims))];
        if (problem.has(3) && (number == 0 || !is_by_head))
            number_there += problem.inputs[3].values[size_t(number * heads * size + at[1] * extent + at[3])];
        return number_there;
    };
    const DType dtype = problem.inputs[0].desc.dtype;
    const auto part = [&](int64_t number, int64_t places, int64_t extent) {
        return tensor_of(dtype, {batches, heads, places, extent}, [&](const List& at) { return element(number, at); });
    };
    const int64_t past = problem.has(6) ? problem.dims(6)[2] : 0, all = past + keys;
    const auto mask = [&](const List& at) {
        const double added = problem.has(5) ? repeated(problem.inputs[5], at) : 0;
        const bool is_causal = problem.attribute<int64_t>("unidirectional", 0) != 0;
        bool is_seen = !is_causal || at[3] <= past + at[2] || at[2] == queries - 1;  // the last query sees every key
        is_seen = is_seen && is_seen_by_mask(problem, 4, at);
        return is_seen ? added : -infinity;
    };
    CompositeProblem same = {.op_type = "Attention",
                             .inputs = {part(0, queries, size), part(1, keys, size), part(2, keys, value_size),
                                        tensor_of(DType::float32, {batches, heads, queries, all}, mask)},
                             .outputs = problem.outputs};
    if (problem.attributes.contains("scale"))
        same.attributes["scale"] = problem.attributes.at("scale");
    if (past > 0 || problem.has(6)) {
        same.inputs.push_back(problem.inputs[6]);
        same.inputs.push_back(problem.inputs[7]);
    }
    Answers made = attention_with_sinks(same, {}, 0);
    made[0] = with_heads_joined(made[0]);
    return made;
}

// Queries, keys and values are columns of input * weights + bias, which is exact for the numbers that tests draw.
Answers attention(const CompositeProblem& problem)
{
    const List& x = problem.dims(0);
    const int64_t batches = x[0], places = x[1], heads = problem.attribute<int64_t>("num_heads", 0);
    const int64_t columns = problem.dims(1)[1];
    const List sizes = problem.attribute("qkv_hidden_sizes", List{columns / 3, columns / 3, columns / 3});
    const DType dtype = problem.inputs[0].desc.dtype;
    const int64_t past = problem.has(4) ? problem.dims(4)[3] : 0, keys = past + places;
    const auto projected = [&](int64_t batch, int64_t place, int64_t column) {
        double sum = problem.has(2) ? problem.inputs[2].values[size_t(column)] : 0;
        for (int64_t i = 0; i < x[2]; ++i)
            sum += problem.inputs[0].values[size_t((batch * places + place) * x[2] + i)] *
                   problem.inputs[1].values[size_t(i * columns + column)];
        return sum;
    };
    // Returns the queries, keys or values, which have number 0, 1 or 2, with those of the past in front of keys and values.
    const auto part = [&](int64_t number) {
        const int64_t size = sizes[size_t(number)] / heads, before = number == 0 ? 0 : past;
        return tensor_of(DType::float64, {batches, heads, before + places, size}, [&](const List& at) {
            if (at[2] < before)
                return problem.inputs[4].values[size_t(index_of({number - 1, at[0], at[1], at[2], at[3]}, problem.dims(4)))];
            return projected(at[0], at[2] - before, number * sizes[0] + at[1] * size + at[3]);
        });
    };
    const bool is_causal = problem.attribute<int64_t>("unidirectional", 0) != 0;
    const RealTensor mask = tensor_of(DType::float64, {batches, heads, places, keys}, [&](const List& at) {
        const bool is_seen = (!is_causal || at[3] <= past + at[2]) && is_seen_by_mask(problem, 3, at);
        return !is_seen ? -infinity : problem.has(5) ? repeated(problem.inputs[5], at) : 0;
    });
    CompositeProblem same = {.op_type = "Attention", .inputs = {part(0), part(1), part(2), mask}};
    if (problem.attribute("scale", 0.0f) != 0)
        same.attributes["scale"] = problem.attributes.at("scale");
    const Answers made = attention_with_sinks(same, {}, 0);
    CompositeAnswers y = with_heads_joined(made[0]);
    y.output.dtype = dtype;
    CompositeAnswers present = {.output = {.dtype = dtype, .dims = {2, batches, heads, keys, sizes[0] / heads}}};
    for (const size_t number : {1u, 2u})
        for (const double value : same.inputs[number].values) {
            present.elements.emplace_back();
            present.elements.back().value = value;
        }
    return {y, present};
}

// Returns (x - zero_point) * scale of an input of integers. A scale or zero point has one element, or one for each column.
RealTensor dequantized(const CompositeProblem& problem, size_t input, size_t scale, size_t zero_point)
{
    const RealTensor& x = problem.inputs[input];
    RealTensor made = {.desc = {.dtype = problem.inputs[scale].desc.dtype, .dims = x.desc.dims}};
    for (size_t i = 0; i < x.words.size(); ++i) {
        const size_t column = i % size_t(x.desc.dims.back());
        const auto of_column = [&](size_t count) { return count == 1 ? 0 : column; };
        double number = number_at(x, i);
        if (problem.has(zero_point))
            number -= number_at(problem.inputs[zero_point], of_column(problem.inputs[zero_point].words.size()));
        const std::vector<double>& scales = problem.inputs[scale].values;
        made.values.push_back(number * scales[of_column(scales.size())]);
    }
    return made;
}

// This is the attention of what the integers stand for.
Answers quantized_attention(const CompositeProblem& problem)
{
    CompositeProblem same = {.op_type = "Attention", .attributes = problem.attributes, .outputs = problem.outputs};
    const RealTensor nothing = {.desc = {.dtype = DType::undefined}};
    same.inputs = {dequantized(problem, 0, 3, 6), dequantized(problem, 1, 4, 7), problem.inputs[2],
                   problem.has(5) ? problem.inputs[5] : nothing, problem.has(8) ? problem.inputs[8] : nothing};
    return attention(same);
}

// Returns pairs of a head turned by the angles in a row of the tables. The products are exact for the numbers that tests draw.
std::vector<double> turned(std::vector<double> head, const RealTensor& cosines, const RealTensor& sines, int64_t row,
                           bool is_interleaved)
{
    const int64_t pairs = cosines.desc.dims[1];
    for (int64_t pair = 0; pair < pairs; ++pair) {
        double& a = head[size_t(is_interleaved ? 2 * pair : pair)];
        double& b = head[size_t(is_interleaved ? 2 * pair + 1 : pair + pairs)];
        const double cosine = cosines.values[size_t(row * pairs + pair)], sine = sines.values[size_t(row * pairs + pair)];
        const double real = a * cosine - b * sine;
        b = a * sine + b * cosine;
        a = real;
    }
    return head;
}

Answers rotary_embedding(const CompositeProblem& problem)
{
    const RealTensor& x = problem.inputs[0];
    const List& dims = x.desc.dims;
    const int64_t pairs = problem.dims(2)[1], asked = problem.attribute<int64_t>("num_heads", 0);
    const int64_t size = dims.size() == 4 ? dims[3] : asked > 0 ? dims[2] / asked : 2 * pairs;
    const int64_t places = dims.size() == 4 ? dims[2] : dims[1];
    const std::vector<uint64_t>& ids = problem.inputs[1].words;
    CompositeAnswers made = {.output = x.desc};
    for (int64_t first = 0; first < int64_t(x.values.size()); first += size) {
        const List at = coordinates_of(first, dims);
        const int64_t place = dims.size() == 4 ? at[2] : at[1];
        const int64_t row = ids.size() == 1 && problem.dims(1).size() == 1 ? int64_t(ids[0]) + place
                                                                           : int64_t(ids[size_t(at[0] * places + place)]);
        const std::vector<double> head(x.values.begin() + first, x.values.begin() + first + size);
        for (const double value :
             turned(head, problem.inputs[2], problem.inputs[3], row, problem.attribute<int64_t>("interleaved", 0) != 0)) {
            made.elements.emplace_back();
            made.elements.back().value = value;
        }
    }
    return {made};
}

// This class computes one GroupQueryAttention. Row `before(b) + i` of a cache has the new key i.
class GroupQuery {
public:
    explicit GroupQuery(const CompositeProblem& problem)
        : problem_(problem), heads_(problem.attribute<int64_t>("num_heads", 0)),
          key_heads_(problem.attribute<int64_t>("kv_num_heads", 0)), is_packed_(!problem.has(1)), batches_(problem.dims(0)[0]),
          queries_(problem.dims(0)[1]), size_(problem.dims(0)[2] / (is_packed_ ? heads_ + 2 * key_heads_ : heads_)),
          keys_(int64_t(problem.inputs[6].words[0])), past_(problem.has(3) ? problem.dims(3)[2] : 0)
    {
    }

    Answers run()
    {
        const DType dtype = problem_.inputs[0].desc.dtype;
        const auto part = [&](int64_t number, int64_t heads, int64_t places, const auto& element) {
            return tensor_of(DType::float64, {batches_, heads, places, size_},
                             [&](const List& at) { return element(at, number); });
        };
        const auto fresh = [&](const List& at, int64_t number) { return head(number, at[0], at[1], at[2])[size_t(at[3])]; };
        const auto cached = [&](const List& at, int64_t number) { return row(number, at); };
        const int64_t rows = std::max(past_, keys_);
        const RealTensor k = part(1, key_heads_, rows, cached), v = part(2, key_heads_, rows, cached);
        const auto first = [&](const RealTensor& cache) {
            return tensor_of(DType::float64, {batches_, key_heads_, keys_, size_},
                             [&](const List& at) { return cache.values[size_t(index_of(at, cache.desc.dims))]; });
        };
        const RealTensor mask = tensor_of(DType::float64, {batches_, heads_, queries_, keys_}, [&](const List& at) {
            const double bias = problem_.has(10) ? repeated(problem_.inputs[10], at) : 0;
            return is_allowed(at) ? bias : -infinity;
        });
        const int64_t stage = problem_.attribute<int64_t>("qk_output", 0);
        CompositeProblem same = {.op_type = "Attention",
                                 .attributes = {{"qk_matmul_output_mode", int64_t(stage == 1 ? 2 : 3)}},
                                 .inputs = {part(0, heads_, queries_, fresh), first(k), first(v), mask}};
        if (problem_.attribute("scale", 0.0f) != 0)
            same.attributes["scale"] = problem_.attributes.at("scale");
        if (problem_.attributes.contains("softcap"))
            same.attributes["softcap"] = problem_.attributes.at("softcap");
        std::vector<double> sinks;
        if (problem_.has(11))
            sinks = problem_.inputs[11].values;
        else if (problem_.attribute<int64_t>("smooth_softmax", 0) != 0)
            sinks.assign(size_t(heads_), 0);
        Answers made = attention_with_sinks(same, sinks, problem_.has(14) ? 2 * (size_ + 8) : 0);
        CompositeAnswers& scores = made[3];
        for (int64_t i = 0; i < int64_t(scores.elements.size()); ++i)
            if (stage == 1 && !is_allowed(coordinates_of(i, scores.output.dims)))
                scores.elements[size_t(i)] = {};
        const auto cache = [&](const RealTensor& rows_of) {
            CompositeAnswers answers = {.output = {.dtype = dtype, .dims = rows_of.desc.dims}};
            double greatest = 0;  // a pair of normalized numbers may cancel where it is turned
            for (const double value : rows_of.values)
                greatest = std::max(greatest, std::fabs(value));
            for (const double value : rows_of.values) {
                answers.elements.emplace_back();
                answers.elements.back().value = value;
                answers.elements.back().magnitude = greatest;
                answers.elements.back().taps = problem_.has(14) ? size_ + 8 : 0;
            }
            return answers;
        };
        made[0] = with_heads_joined(made[0]);
        made[1] = cache(k);
        made[2] = cache(v);
        made[0].output.dtype = made[3].output.dtype = dtype;
        return made;
    }

private:
    // Returns how many keys come before the new ones. A prompt has none.
    int64_t before(int64_t batch) const
    {
        if (queries_ == keys_)
            return 0;
        const bool is_filled = batches_ == 1 && past_ == keys_ - queries_;
        return is_filled ? past_ : int64_t(problem_.inputs[5].words[size_t(batch)]) + 1 - queries_;
    }

    bool is_allowed(const List& at) const
    {
        if (problem_.attribute<int64_t>("causal", 1) == 0)
            return (batches_ == 1 && before(0) == keys_ - queries_) || at[3] <= int64_t(problem_.inputs[5].words[size_t(at[0])]);
        const int64_t place = before(at[0]) + at[2], window = problem_.attribute<int64_t>("local_window_size", -1);
        return at[3] <= place && (window < 0 || at[3] > place - window);
    }

    // Returns a new head of queries, keys or values, which have number 0, 1 or 2, as it enters the attention.
    std::vector<double> head(int64_t number, int64_t batch, int64_t head, int64_t place) const
    {
        const RealTensor& from = problem_.inputs[size_t(is_packed_ ? 0 : number)];
        const int64_t skipped = is_packed_ && number > 0 ? heads_ + (number - 1) * key_heads_ : 0;
        const int64_t start = index_of({batch, place, (skipped + head) * size_}, from.desc.dims);
        std::vector<double> made(from.values.begin() + start, from.values.begin() + start + size_);
        if (number == 2)
            return made;
        if (problem_.has(14)) {
            const RealTensor& weight = problem_.inputs[size_t(14 + number)];
            double squares = 0;
            for (const double value : made)
                squares += value * value;
            const double root = std::sqrt(squares / double(size_) + double(problem_.attribute("qk_norm_epsilon", 1e-6f)));
            for (size_t i = 0; i < made.size(); ++i)
                made[i] *= weight.values[i] / root;
        }
        if (problem_.attribute<int64_t>("do_rotary", 0) == 0)
            return made;
        int64_t row = before(batch) + place;
        if (problem_.has(9)) {
            const std::vector<uint64_t>& ids = problem_.inputs[9].words;
            row = before(batch) == 0 ? int64_t(ids[0]) + place : int64_t(ids[size_t(batch * queries_ + place)]);
        }
        return turned(made, problem_.inputs[7], problem_.inputs[8], row,
                      problem_.attribute<int64_t>("rotary_interleaved", 0) != 0);
    }

    // Returns an element of the cache of keys or values, at (batch, head, row, i), rounded as the cache is.
    double row(int64_t number, const List& at) const
    {
        const int64_t fresh = at[2] - before(at[0]);
        double value = 0;
        if (fresh >= 0 && fresh < queries_)
            value = head(number, at[0], at[1], fresh)[size_t(at[3])];
        else if (at[2] < past_)
            value = problem_.inputs[size_t(2 + number)].values[size_t(index_of(at, problem_.dims(3)))];
        const DType dtype = problem_.inputs[0].desc.dtype;
        return dtype == DType::float32 ? value : rounded(dtype, value);
    }

    const CompositeProblem& problem_;
    const int64_t heads_, key_heads_;
    const bool is_packed_;
    const int64_t batches_, queries_, size_, keys_, past_;
};

// Sums the rows of three tables, exactly for the numbers that tests draw, and normalizes the sum.
Answers embedding(const CompositeProblem& problem)
{
    const List& ids = problem.dims(0);
    const int64_t size = problem.dims(2)[1];
    const auto element = [&](size_t table, int64_t row, int64_t i) {
        return problem.inputs[table].values[size_t(row * size + i)];
    };
    const RealTensor sum = tensor_of(problem.inputs[2].desc.dtype, {ids[0], ids[1], size}, [&](const List& at) {
        const auto id = [&](size_t input) {
            const int64_t batch = problem.dims(input)[0] == 1 ? 0 : at[0];
            return int64_t(problem.inputs[input].words[size_t(batch * ids[1] + at[1])]);
        };
        const double words = element(2, id(0), at[2]), places = element(3, problem.has(8) ? id(8) : at[1], at[2]);
        return words + places + (problem.has(1) ? element(4, id(1), at[2]) : 0);
    });
    RealTensor zeros = sum;
    zeros.values.assign(sum.values.size(), 0);
    CompositeProblem same = {.op_type = "SkipLayerNormalization",
                             .is_microsoft = true,
                             .inputs = {sum, zeros, problem.inputs[5], problem.inputs[6]},
                             .outputs = 1};
    if (problem.attributes.contains("epsilon"))
        same.attributes["epsilon"] = problem.attributes.at("epsilon");
    CompositeAnswers mask = {.output = {.dtype = DType::int32, .dims = {ids[0]}}}, added = {.output = sum.desc};
    for (int64_t batch = 0; batch < ids[0]; ++batch) {
        int64_t count = 0;
        for (int64_t i = 0; problem.has(7) && i < ids[1]; ++i)
            count += int64_t(problem.inputs[7].words[size_t(batch * ids[1] + i)]);
        mask.elements.push_back(exactly(DType::int32, double(count)));
    }
    for (const double value : sum.values) {
        added.elements.emplace_back();
        added.elements.back().value = value;
    }
    return {reference_composed_normalization(same)[0], mask, added};
}

}  // namespace

std::vector<CompositeAnswers> reference_microsoft_attention(const CompositeProblem& problem)
{
    if (problem.op_type == "MultiHeadAttention")
        return multi_head_attention(problem);
    if (problem.op_type == "GroupQueryAttention")
        return GroupQuery(problem).run();
    if (problem.op_type == "EmbedLayerNormalization")
        return embedding(problem);
    if (problem.op_type == "QAttention")
        return quantized_attention(problem);
    return problem.op_type == "Attention" ? attention(problem) : rotary_embedding(problem);
}

}  // namespace vkonnx::kit
