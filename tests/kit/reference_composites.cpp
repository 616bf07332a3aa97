#include <cmath>
#include <numbers>

#include "kit/composites.h"
#include "kit/elements.h"
#include "kit/onnx_builder.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

using Answers = std::vector<CompositeAnswers>;

// ------------------------------------------------------------------------------------------------- elements

double gelu(double x, bool by_tanh)
{
    if (by_tanh)
        return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
    return x / 2 * std::erfc(-x / std::numbers::sqrt2);
}

// The functions are steep nowhere, so that what an argument is off by puts them off by little more.
Answer activation_answer(double value, double argument)
{
    Answer answer;
    answer.value = value;
    answer.magnitude = std::fabs(value) + std::fabs(argument);
    answer.taps = 10;
    return answer;
}

Answers reference_activation(const CompositeProblem& problem)
{
    CompositeAnswers made = {.output = problem.inputs[0].desc};
    for (size_t i = 0; i < problem.inputs[0].values.size(); ++i) {
        double x = problem.inputs[0].values[i];
        if (problem.has(1))
            x += problem.inputs[1].values[i % problem.inputs[1].values.size()];
        if (problem.op_type == "QuickGelu")
            made.elements.push_back(
                activation_answer(x / (1 + std::exp(-double(problem.attribute("alpha", 1.702f)) * x)), 2 * x));
        else
            made.elements.push_back(activation_answer(gelu(x, problem.op_type == "FastGelu"), x));
    }
    return {made};
}

// ------------------------------------------------------------------------------------------------- products

// Returns a matrix of a factor as rows of columns: axis 0 of those behind the batches' where `batches_first` is set.
struct Factor {
    const RealTensor& tensor;
    bool batches_first = false;
    bool transposed = false;

    List dims() const
    {
        List dims = tensor.desc.dims;
        if (dims.size() < 2)
            return dims;
        if (batches_first) {
            dims.insert(dims.end() - 1, dims.front());
            dims.erase(dims.begin());
        }
        if (transposed)
            std::swap(dims[dims.size() - 2], dims[dims.size() - 1]);
        return dims;
    }

    // The coordinates are those of dims().
    double at(List place) const
    {
        if (place.size() >= 2) {
            if (transposed)
                std::swap(place[place.size() - 2], place[place.size() - 1]);
            if (batches_first) {
                place.insert(place.begin(), place[place.size() - 2]);
                place.erase(place.end() - 2);
            }
        }
        return tensor.values[size_t(index_of(place, tensor.desc.dims))];
    }
};

Answers reference_product(const CompositeProblem& problem)
{
    const auto flag = [&](const char* name) { return problem.attribute<int64_t>(name, 0) != 0; };
    const Factor a = {problem.inputs[0], flag("transBatchA"), flag("transA")};
    const Factor b = {problem.inputs[1], flag("transBatchB"), flag("transB")};
    const double alpha = problem.attribute("alpha", 1.0f);
    List a_dims = a.dims(), b_dims = b.dims();
    const bool is_row = a_dims.size() == 1, is_column = b_dims.size() == 1;
    const int64_t terms = a_dims.back();
    if (is_row)
        a_dims.insert(a_dims.begin(), 1);
    if (is_column)
        b_dims.push_back(1);
    const size_t rank = std::max(a_dims.size(), b_dims.size());
    List all(rank);
    for (size_t i = 0; i + 2 < rank; ++i) {
        const auto extent = [&](const List& dims) { return i + dims.size() < rank ? 1 : dims[i + dims.size() - rank]; };
        all[i] = extent(a_dims) == 1 ? extent(b_dims) : extent(a_dims);
    }
    all[rank - 2] = a_dims[a_dims.size() - 2];
    all[rank - 1] = b_dims.back();
    CompositeAnswers made = {.output = {.dtype = problem.inputs[0].desc.dtype, .dims = all}};
    const int64_t elements = *element_count(made.output);
    for (int64_t i = 0; i < elements; ++i) {
        const List place = coordinates_of(i, all);
        const auto batches_of = [&](const List& dims) {
            List batches;
            for (size_t axis = 0; axis + 2 < dims.size(); ++axis)
                batches.push_back(dims[axis] == 1 ? 0 : place[axis + rank - dims.size()]);
            return batches;
        };
        Answer answer;
        for (int64_t k = 0; k < terms; ++k) {
            List at_a = batches_of(a_dims), at_b = batches_of(b_dims);
            if (!is_row)
                at_a.push_back(place[rank - 2]);
            at_a.push_back(k);
            at_b.push_back(k);
            if (!is_column)
                at_b.push_back(place[rank - 1]);
            const double product = a.at(at_a) * b.at(at_b);
            answer.value = answer.value + DoubleDouble(product);
            answer.magnitude += std::fabs(alpha * product);
            ++answer.taps;
        }
        answer.value = answer.value * DoubleDouble(alpha);
        made.elements.push_back(answer);
    }
    List& dims = made.output.dims;
    if (is_row)
        dims.erase(dims.end() - 2);
    if (is_column)
        dims.pop_back();
    return {made};
}

// Returns number i of those that lie in bytes, the first one in the lowest bits of the first byte.
uint64_t bits_at(const RealTensor& bytes, int64_t i, int64_t bits)
{
    return bytes.words[size_t(i * bits / 8)] >> (i * bits % 8) & ((uint64_t(1) << bits) - 1);
}

Answers reference_packed_product(const CompositeProblem& problem)
{
    const RealTensor &a = problem.inputs[0], &b = problem.inputs[1], &scales = problem.inputs[2];
    const int64_t columns = problem.attribute<int64_t>("K", 0), rows = problem.attribute<int64_t>("N", 0);
    const int64_t bits = problem.attribute<int64_t>("bits", 4), size = problem.attribute<int64_t>("block_size", 0);
    const int64_t blocks = (columns + size - 1) / size, zero_bytes = (blocks * bits + 7) / 8;
    const auto weight = [&](int64_t row, int64_t column) {
        const int64_t block = problem.has(4) ? int64_t(problem.inputs[4].words[size_t(column)]) : column / size;
        double zero = double(int64_t(1) << (bits - 1));
        if (problem.has(3) && problem.inputs[3].words.empty())
            zero = problem.inputs[3].values[size_t(row * blocks + block)];
        else if (problem.has(3))
            zero = double(bits_at(problem.inputs[3], row * zero_bytes * 8 / bits + block, bits));
        const auto number = double(bits_at(b, row * blocks * size + column, bits));
        return rounded(a.desc.dtype, float((number - zero) * scales.values[size_t(row * blocks + block)]));
    };
    CompositeAnswers made = {.output = a.desc};
    made.output.dims.back() = rows;
    for (int64_t i = 0; i < *element_count(made.output); ++i) {
        Answer answer = {.rounds_terms = true};
        for (int64_t k = 0; k < columns; ++k) {
            const double product = a.values[size_t(i / rows * columns + k)] * weight(i % rows, k);
            answer.value = answer.value + DoubleDouble(product);
            answer.magnitude += std::fabs(product);
            answer.taps += 2;
        }
        if (problem.has(5)) {
            const double bias = problem.inputs[5].values[size_t(i % rows)];
            answer.value = answer.value + DoubleDouble(bias);
            answer.magnitude += std::fabs(bias);
        }
        made.elements.push_back(answer);
    }
    return {made};
}

// Rows of integers or floats, minus their block's zero point, times its scale. A place that is not there has zeros.
Answers reference_packed_table(const CompositeProblem& problem)
{
    const RealTensor &data = problem.inputs[0], &indices = problem.inputs[1], &scales = problem.inputs[2];
    const bool is_packed = data.desc.dtype == DType::uint8, is_float = data.words.empty();
    const int64_t bits = is_packed ? problem.attribute<int64_t>("bits", 4) : 8, each = 8 / bits;
    const int64_t given = problem.attribute<int64_t>("block_size", 128);
    std::vector<int64_t> dims = data.desc.dims;
    dims.back() *= each;
    const auto axis = [&](const char* name, int64_t otherwise) {
        const int64_t at = problem.attribute<int64_t>(name, otherwise);
        return size_t(at < 0 ? at + int64_t(dims.size()) : at);
    };
    const size_t gathered = axis("gather_axis", 0), blocked = axis("quantize_axis", 1);
    const int64_t size = given == 0 ? dims[blocked] : given;
    const std::vector<int64_t>& places = indices.desc.dims;
    CompositeAnswers made = {.output = {.dtype = scales.desc.dtype, .dims = dims}};
    made.output.dims.erase(made.output.dims.begin() + std::ptrdiff_t(gathered));
    made.output.dims.insert(made.output.dims.begin() + std::ptrdiff_t(gathered), places.begin(), places.end());
    for (int64_t i = 0; i < *element_count(made.output); ++i) {
        const List at = coordinates_of(i, made.output.dims);
        const auto middle = at.begin() + std::ptrdiff_t(gathered);
        const List place(middle, middle + std::ptrdiff_t(places.size()));
        int64_t index = int64_t(indices.words[size_t(index_of(place, places))]);
        index += index < 0 ? dims[gathered] : 0;
        List own(at.begin(), middle);
        own.push_back(index);
        own.insert(own.end(), middle + std::ptrdiff_t(places.size()), at.end());
        Answer answer;
        if (index >= 0 && index < dims[gathered]) {
            List block = own;
            block[blocked] /= size;
            for (size_t each_axis = 0; each_axis < block.size(); ++each_axis)
                block[each_axis] = scales.desc.dims[each_axis] == 1 ? 0 : block[each_axis];
            const double scale = scales.values[size_t(index_of(block, scales.desc.dims))];
            double zero = is_packed ? double(int64_t(1) << (bits - 1)) : 0;
            List zero_dims = scales.desc.dims;
            if (problem.has(3)) {
                zero_dims.back() = problem.dims(3).back() * each;
                zero = is_packed ? double(bits_at(problem.inputs[3], index_of(block, zero_dims), bits))
                                 : number_at(problem.inputs[3], size_t(index_of(block, zero_dims)));
            }
            const double number = is_packed  ? double(bits_at(data, index_of(own, dims), bits))
                                  : is_float ? data.values[size_t(index_of(own, dims))]
                                             : number_at(data, size_t(index_of(own, dims)));
            answer.value = (number - zero) * scale;
        }
        made.elements.push_back(answer);
    }
    return {made};
}

}  // namespace

double number_at(const RealTensor& tensor, size_t i)
{
    if (tensor.words.empty())
        return tensor.values[i];
    return is_signed(tensor.desc.dtype) ? double(int64_t(tensor.words[i])) : double(tensor.words[i]);
}

Answer moved(const RealTensor& tensor, int64_t i)
{
    Answer answer;
    if (tensor.words.empty())
        answer.value = tensor.values[size_t(i)];
    else
        answer.word = tensor.words[size_t(i)];
    return answer;
}

Answer exactly(DType dtype, double number)
{
    Answer answer;
    if (is_real(dtype))
        answer.value = rounded(dtype, number);
    else
        answer.word = dtype == DType::boolean ? uint64_t(number != 0) : normalized(dtype, uint64_t(int64_t(number)));
    return answer;
}

std::vector<CompositeAnswers> reference_composite(const CompositeProblem& problem)
{
    using Reference = Answers (*)(const CompositeProblem&);
    static const std::map<std::string, Reference> references = {
        {"AffineGrid", reference_sampling},
        {"Attention", reference_attention},
        {"BiasGelu", reference_activation},
        {"CastLike", reference_composed_movement},
        {"CausalConvWithState", reference_sequences},
        {"Col2Im", reference_windows},
        {"CumProd", reference_sequences},
        {"DeformConv", reference_windows},
        {"EmbedLayerNormalization", reference_attention},
        {"EyeLike", reference_composed_movement},
        {"FastGelu", reference_activation},
        {"FusedMatMul", reference_product},
        {"Gelu", reference_activation},
        {"GatherBlockQuantized", reference_packed_table},
        {"GlobalLpPool", reference_sampling},
        {"GridSample", reference_sampling},
        {"GroupQueryAttention", reference_attention},
        {"GroupNormalization", reference_composed_normalization},
        {"Hardmax", reference_composed_movement},
        {"LpNormalization", reference_composed_normalization},
        {"LpPool", reference_sampling},
        {"MatMulNBits", reference_packed_product},
        {"MaxUnpool", reference_windows},
        {"MeanVarianceNormalization", reference_composed_normalization},
        {"MultiHeadAttention", reference_attention},
        {"NegativeLogLikelihoodLoss", reference_composed_normalization},
        {"OneHot", reference_composed_movement},
        {"QAttention", reference_attention},
        {"QuickGelu", reference_activation},
        {"RMSNormalization", reference_composed_normalization},
        {"ReverseSequence", reference_composed_movement},
        {"RoiAlign", reference_windows},
        {"RotaryEmbedding", reference_attention},
        {"Scatter", reference_composed_movement},
        {"Shrink", reference_composed_movement},
        {"SimplifiedLayerNormalization", reference_composed_normalization},
        {"SkipLayerNormalization", reference_composed_normalization},
        {"SkipSimplifiedLayerNormalization", reference_composed_normalization},
        {"SoftmaxCrossEntropyLoss", reference_composed_normalization},
        {"TensorScatter", reference_sequences},
        {"Trilu", reference_composed_movement},
        {"Upsample", reference_composed_movement},
    };
    const Answers all = references.at(problem.op_type)(problem);
    Answers wanted;
    for (size_t i = 0; i < problem.outputs; ++i)
        if ((problem.unwanted >> i & 1) == 0)
            wanted.push_back(all.at(i));
    return wanted;
}

std::string to_string(const CompositeProblem& problem)
{
    std::string text = problem.op_type + " of opset " + std::to_string(problem.opset);
    for (const auto& [name, value] : problem.attributes) {
        text += " " + name + "=";
        const auto list = [&](const auto& values) {
            for (const auto& each : values)
                text += std::to_string(each) + ",";
        };
        if (const auto* integer = std::get_if<int64_t>(&value))
            text += std::to_string(*integer);
        else if (const auto* real = std::get_if<float>(&value))
            text += std::to_string(*real);
        else if (const auto* word = std::get_if<std::string>(&value))
            text += *word;
        else if (const auto* integers = std::get_if<std::vector<int64_t>>(&value))
            list(*integers);
        else
            list(std::get<std::vector<float>>(value));
    }
    for (const RealTensor& input : problem.inputs)
        text += " " + (input.desc.dtype == DType::undefined ? "-" : vkonnx::to_string(input.desc));
    return text;
}

std::string model_of(const CompositeProblem& problem, uint32_t constants)
{
    ModelBuilder model;
    model.opset(problem.opset);
    if (problem.is_microsoft)
        model.opset(1, "com.microsoft");
    std::vector<std::string> inputs, outputs, attributes;
    for (size_t i = 0; i < problem.inputs.size(); ++i) {
        inputs.push_back(problem.has(i) ? "x" + std::to_string(i) : "");
        if (!problem.has(i))
            continue;
        const TensorDesc& desc = problem.inputs[i].desc;
        if ((constants >> i & 1) != 0)
            model.initializer(raw_tensor(inputs.back(), desc, encoded(problem.inputs[i])));
        else
            model.input(inputs.back(), desc.dtype, {desc.dims.begin(), desc.dims.end()});
    }
    for (const auto& [name, value] : problem.attributes) {
        if (const auto* integer = std::get_if<int64_t>(&value))
            attributes.push_back(int_attribute(name, *integer));
        else if (const auto* real = std::get_if<float>(&value))
            attributes.push_back(float_attribute(name, *real));
        else if (const auto* text = std::get_if<std::string>(&value))
            attributes.push_back(string_attribute(name, *text));
        else if (const auto* integers = std::get_if<std::vector<int64_t>>(&value))
            attributes.push_back(ints_attribute(name, *integers));
        else
            attributes.push_back(floats_attribute(name, std::get<std::vector<float>>(value)));
    }
    for (size_t i = 0; i < problem.outputs; ++i)
        outputs.push_back((problem.unwanted >> i & 1) != 0 ? "" : "y" + std::to_string(i));
    model.node(problem.op_type, inputs, outputs, attributes, "node", problem.is_microsoft ? "com.microsoft" : "");
    for (const std::string& output : outputs)
        if (!output.empty())
            model.output(output);
    return model.build();
}

}  // namespace vkonnx::kit
