// This file computes Gemm and MatMul as NumPy defines them: every element's row and column are looked up by coordinates.
#include <cmath>

#include "kit/elements.h"
#include "kit/operators.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

bool may_be_multiplied(DType dtype, int64_t opset)
{
    switch (dtype) {
    case DType::float32:
    case DType::float64:
    case DType::float16:
        return true;
    case DType::bfloat16:
        return opset >= 13;
    case DType::int32:
    case DType::int64:
    case DType::uint32:
    case DType::uint64:
        return opset >= 9;
    default:
        return false;
    }
}

Status check(std::span<const TensorDesc> inputs, int64_t opset)
{
    for (const TensorDesc& input : inputs) {
        const Result<int64_t> count = element_count(input);
        if (!count || input.dtype != inputs[0].dtype || !may_be_multiplied(input.dtype, opset))
            return refusal("type or extent");
    }
    return {};
}

// Returns the flat index of element [row, column] of the matrix at `front`. Axes in front with an extent of 1 are broadcast.
int64_t at(const List& dims, const List& front, int64_t row, int64_t column)
{
    int64_t index = 0;
    for (size_t a = 0; a + 2 < dims.size(); ++a) {
        const int64_t place = front[front.size() - (dims.size() - 2) + a];
        index = index * dims[a] + (dims[a] == 1 ? 0 : place);
    }
    index = index * dims[dims.size() - 2] + row;
    return index * dims.back() + column;
}

// This struct holds a sum of products, and then the result made of it, in what the type is computed in.
struct Sum {
    DType dtype;
    bool any = false;
    DoubleDouble total = {};
    uint64_t word = 0;
    double magnitude = 0;
    int64_t terms = 0;

    bool is_integer() const { return kit::is_integer(dtype); }
    bool is_double() const { return dtype == DType::float64; }

    void add(const DoubleDouble& term)
    {
        total = !any ? term : is_double() ? total + term : DoubleDouble(total.hi + term.hi);
        any = true;
    }
    void add(const RealTensor& a, int64_t i, const RealTensor& b, int64_t j)
    {
        ++terms;
        if (is_integer()) {
            word += a.words[size_t(i)] * b.words[size_t(j)];
            return;
        }
        const double x = a.values[size_t(i)];
        const double y = b.values[size_t(j)];
        add(is_double() ? DoubleDouble::two_product(x, y) : DoubleDouble(x * y));
        magnitude += std::fabs(x * y);
    }
    void scale(double alpha)
    {
        if (terms == 0)
            return;  // an empty sum is +0
        word *= uint64_t(int64_t(alpha));
        if (alpha != 1)
            total = is_double() ? total * DoubleDouble(alpha) : DoubleDouble(total.hi * alpha);
        magnitude *= std::fabs(alpha);
    }
    void add_bias(double beta, const RealTensor& c, int64_t i)
    {
        if (is_integer()) {
            word += uint64_t(int64_t(beta)) * c.words[size_t(i)];
            return;
        }
        const double bias = c.values[size_t(i)];
        add(is_double() ? DoubleDouble::two_product(beta, bias) : DoubleDouble(beta * bias));
        magnitude += std::fabs(beta * bias);
        terms += 2;  // beta's rounding and the sum's, beside alpha's
    }
    Answer answer() const
    {
        Answer answer = {.value = total, .magnitude = magnitude, .taps = terms};
        if (is_integer())
            answer.word = normalized(dtype, word);
        return answer;
    }
};

// This struct holds the coordinates of an output element: its row and column, and those on the axes in front.
struct Place {
    List front = {};
    int64_t row = 0;
    int64_t column = 0;
};

Place place_of(int64_t index, const List& front, int64_t rows, int64_t columns)
{
    Place place = {.front = List(front.size()), .row = index / columns % rows, .column = index % columns};
    index /= rows * columns;
    for (size_t a = front.size(); a-- > 0;) {
        place.front[a] = index % front[a];
        index /= front[a];
    }
    return place;
}

}  // namespace

Result<Resolution> resolve(const Gemm& op, std::span<const TensorDesc> inputs)
{
    if (op.opset < 7 || op.opset < (inputs.size() == 2 ? 11 : 7) || inputs.size() < 2 || inputs.size() > 3)
        return refusal("version or number of inputs");
    if (Status status = check(inputs, op.opset); !status)
        return status;
    const List& a = inputs[0].dims;
    const List& b = inputs[1].dims;
    const int64_t turned_a = op.transA.value_or(0);
    const int64_t turned_b = op.transB.value_or(0);
    if (a.size() != 2 || b.size() != 2 || turned_a < 0 || turned_a > 1 || turned_b < 0 || turned_b > 1 ||
        a[size_t(1 - turned_a)] != b[size_t(turned_b)])
        return refusal("rank or K");
    const List y = {a[size_t(turned_a)], b[size_t(1 - turned_b)]};
    if (inputs.size() == 3) {
        const List& c = inputs[2].dims;
        for (size_t i = 0; i < c.size(); ++i)
            if (c.size() > 2 || (c[c.size() - 1 - i] != 1 && c[c.size() - 1 - i] != y[1 - i]))
                return refusal("C");
    }
    for (const float factor : {op.alpha.value_or(1), op.beta.value_or(1)})
        if (is_integer(inputs[0].dtype) && !(factor == std::floor(factor) && std::fabs(factor) < 0x1p53f))
            return refusal("alpha or beta of integers");
    return Resolution{.output = {inputs[0].dtype, y}};
}

Result<std::vector<Answer>> reference(const Gemm& op, std::span<const RealTensor> inputs, std::span<const int64_t> sample)
{
    const RealTensor& a = inputs[0];
    const RealTensor& b = inputs[1];
    const bool turned_a = op.transA.value_or(0) == 1;
    const bool turned_b = op.transB.value_or(0) == 1;
    const int64_t m = a.desc.dims[turned_a ? 1 : 0];
    const int64_t k = a.desc.dims[turned_a ? 0 : 1];
    const int64_t n = b.desc.dims[turned_b ? 0 : 1];
    const double beta = double(op.beta.value_or(1));
    std::vector<Answer> answers;
    for (const int64_t index : sample) {
        const Place place = place_of(index, {}, m, n);
        Sum sum = {.dtype = a.desc.dtype};
        for (int64_t i = 0; i < k; ++i)
            sum.add(a, turned_a ? i * m + place.row : place.row * k + i, b,
                    turned_b ? place.column * k + i : i * n + place.column);
        sum.scale(double(op.alpha.value_or(1)));
        if (inputs.size() == 3 && beta != 0) {
            List c = inputs[2].desc.dims;
            c.insert(c.begin(), 2 - c.size(), 1);
            sum.add_bias(beta, inputs[2], at(c, {}, c[0] == 1 ? 0 : place.row, c[1] == 1 ? 0 : place.column));
        }
        answers.push_back(sum.answer());
    }
    return answers;
}

namespace {

// Gives vectors two axes: `a` becomes a matrix of one row, and `b` one of one column.
void complete(List& a, List& b)
{
    if (a.size() == 1)
        a.insert(a.begin(), 1);
    if (b.size() == 1)
        b.push_back(1);
}

}  // namespace

Result<Resolution> resolve(const MatMul& op, std::span<const TensorDesc> inputs)
{
    if (op.opset < 1 || inputs.size() != 2)
        return refusal("version or number of inputs");
    if (Status status = check(inputs, op.opset); !status)
        return status;
    List a = inputs[0].dims;
    List b = inputs[1].dims;
    if (a.empty() || b.empty())
        return refusal("rank");
    complete(a, b);
    if (a.back() != b[b.size() - 2])
        return refusal("K");
    const size_t rank = std::max(a.size(), b.size());
    Resolution resolution = {.output = {.dtype = inputs[0].dtype}};
    for (size_t i = 0; i + 2 < rank; ++i) {
        const int64_t x = i + a.size() < rank ? 1 : a[i + a.size() - rank];
        const int64_t y = i + b.size() < rank ? 1 : b[i + b.size() - rank];
        if (x != y && x != 1 && y != 1)
            return refusal("axes in front");
        resolution.output.dims.push_back(x == 1 ? y : x);
    }
    if (inputs[0].dims.size() > 1)
        resolution.output.dims.push_back(a[a.size() - 2]);
    if (inputs[1].dims.size() > 1)
        resolution.output.dims.push_back(b.back());
    return resolution;
}

Result<std::vector<Answer>> reference(const MatMul& op, std::span<const RealTensor> inputs, std::span<const int64_t> sample)
{
    const TensorDesc descs[] = {inputs[0].desc, inputs[1].desc};
    const Result<Resolution> resolution = resolve(op, descs);
    if (!resolution)
        return resolution.status();
    List a = inputs[0].desc.dims;
    List b = inputs[1].desc.dims;
    const size_t matrix_axes = size_t(a.size() > 1) + size_t(b.size() > 1);
    complete(a, b);
    List front = resolution->output.dims;
    front.resize(front.size() - matrix_axes);
    std::vector<Answer> answers;
    for (const int64_t index : sample) {
        const Place place = place_of(index, front, a[a.size() - 2], b.back());
        Sum sum = {.dtype = inputs[0].desc.dtype};
        for (int64_t i = 0; i < a.back(); ++i)
            sum.add(inputs[0], at(a, place.front, place.row, i), inputs[1], at(b, place.front, i, place.column));
        answers.push_back(sum.answer());
    }
    return answers;
}

}  // namespace vkonnx::kit
