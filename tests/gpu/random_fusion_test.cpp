// This file tests that fused nodes compute what the single nodes compute. Random graphs of operators that fusions are made of run
// with and without each Fusion, and are compared with the exact elements and their bounds. The graphs have what models have:
// values far from 0 and BatchNormalizations by their mean and variance, factors of any size, operators of one input, views
// between the parts of a pattern, values that two nodes read.
#include <random>

#include "bounded_graph.h"
#include "kit/draw.h"

namespace vkonnx::gpu_test {
namespace {

class FusedGraph : public BoundedGraph {
public:
    explicit FusedGraph(unsigned seed) : random_(seed)
    {
        // Doubles in integer words take a software driver seconds to compile.
        constexpr DType types[] = {DType::float32, DType::float16, DType::bfloat16};
        const size_t kind = below(12);
        type_ = type_of(kind == 0 ? DType::float64 : kind == 1 ? DType::int32 : types[below(3)]);
        has_extremes_ = !one_in(3);
        builder_.opset(22);
        const size_t begin = is_integer() ? 0 : below(6);
        if (begin < 2)
            add_input({2, 1 + int64_t(below(4)), 5});
        else if (begin < 4)
            add_filter();
        else
            add_product();
        for (size_t i = 1 + below(4); i > 0; --i)
            is_integer() ? add_follower_of_integers() : add_follower();
        builder_.output(last_.name);
    }

private:  // ---- what is drawn
    size_t below(size_t end) { return size_t(random_() % end); }
    bool one_in(size_t n) { return below(n) == 0; }
    double between(double least, double most) { return least + (most - least) * (double(random_()) * 0x1p-32); }

    // Draws the power of two that values are to be about as large as. It often is one of the ends, where the graph has extremes.
    int drawn_size()
    {
        if (!has_extremes_ || one_in(3))
            return int(below(5)) - 2;
        return one_in(2) ? type_.most - int(below(6)) : type_.smallest + int(below(6));
    }

    // This factor makes values as large as `from` as large as 2^to, as far as it is a normal number of the type.
    double factor(double from, int to) const
    {
        const double least = type_.dtype == DType::float16 ? 0x1p-12 : 0x1p-120;
        return std::clamp(std::ldexp(1.0, to) / from, least, type_.dtype == DType::float16 ? 0x1p14 : 0x1p120);
    }

    Numbers drawn(const Dims& dims, double least, double most)
    {
        Numbers numbers(size_t(*element_count({.dims = dims})));
        for (double& number : numbers)
            number = between(least, most);
        return numbers;
    }

    using BoundedGraph::constant;
    Value constant(const Dims& dims, double least, double most) { return constant(dims, drawn(dims, least, most)); }

    // Returns an input with elements as large as those of the value that it is combined with.
    Value given_beside(const Value& value, const Dims& dims)
    {
        const double size = is_integer() ? 8 : size_of(value);
        return given(dims, drawn(dims, -size, size));
    }

    // ---- beginnings of a graph

    // Adds an input with values around 0, or far from it compared with how far they are from each other.
    void add_input(const Dims& dims)
    {
        if (is_integer()) {
            last_ = given(dims, drawn(dims, -20, 20));
            return;
        }
        const int farthest = type_.dtype == DType::bfloat16 ? 6 : 9;
        const double sign = one_in(2) ? 1 : -1;
        const double center = one_in(2) ? 0 : std::ldexp(sign, farthest - int(below(3)));
        const double size = std::ldexp(1 / (1 + std::abs(center)), drawn_size());
        Numbers numbers = drawn(dims, -1, 1);
        for (double& number : numbers)
            number = (center + number) * size;
        last_ = given(dims, numbers);
        axis_ = 1;
        if (center != 0 && one_in(2))
            add_normalization();
    }

    // Weights of this size give sums of so many taps a size that is drawn.
    double weights_size(double taps) { return factor(size_of(last_) * taps / 2, drawn_size()); }

    void add_filter()
    {
        const size_t axes = 1 + below(3);
        const int64_t group = 1 + int64_t(below(3));
        const int64_t in = group * (1 + int64_t(below(3)));
        const int64_t out = group * (1 + int64_t(below(3)));
        const bool transpose = one_in(2);
        Dims x = {1 + int64_t(below(2)), in};
        Dims w = transpose ? Dims{in, out / group} : Dims{out, in / group};
        for (size_t a = 0; a < axes; ++a) {
            x.push_back(4 + int64_t(below(3)));
            w.push_back(1 + int64_t(below(3)));
        }
        add_input(x);
        const bool front_is_padded = one_in(2);
        if (front_is_padded)
            add_front();
        if (!transpose && one_in(3))
            add_padding();
        if (!front_is_padded)
            add_front();
        const double size = weights_size(double(*element_count({.dims = w})) / double(out));
        std::vector<Value> constants = {constant(w, -size, size)};
        if (one_in(2)) {
            const double bias = size_of(last_) * size;
            constants.push_back(constant({out}, -bias, bias));
        }
        const std::vector<std::string> attributes = {kit::int_attribute("group", group)};
        last_ = transpose ? product(ConvTranspose{.group = group}, last_, constants, attributes)
                          : product(Conv{.group = group}, last_, constants, attributes);
    }

    // Adds operators that may become a prologue.
    void add_front()
    {
        if (one_in(2))
            add_normalization();
        Dims slopes(last_.dims.size() - 1, 1);
        slopes[0] = one_in(2) ? 1 : last_.dims[1];
        switch (below(4)) {
        case 0:
            last_ = activation(Kind::relu, last_);
            return;
        case 1: {
            const Value slope = constant(slopes, -1, 1);
            last_ = changed(elementwise(Kind::prelu, {exact(last_), exact(slope)}), "PRelu", {last_, slope});
            return;
        }
        case 2:
            last_ = activation(Kind::leaky_relu, last_);
            return;
        default:
            return;
        }
    }

    void add_padding()
    {
        const size_t rank = last_.dims.size();
        Pad op;
        op.pads.resize(2 * rank);
        for (size_t a = 2; a < rank; ++a)
            op.pads[a] = op.pads[rank + a] = int64_t(below(3));
        const auto padded = [&](const Numbers& numbers) {
            kit::RealTensor tensor = {.desc = {DType::float64, last_.dims}};
            for (const double number : numbers)
                tensor.words.push_back(std::bit_cast<uint64_t>(number));
            return reference_of(op, {tensor});
        };
        Value value = {.name = next_name(), .error = padded(last_.error).values};
        Reference reference = padded(last_.exact);
        value.dims = std::move(reference.dims);
        value.exact = std::move(reference.values);
        value.terms = magnitudes(value.exact);
        node("Pad", {last_.name, list(op.pads)}, value.name);
        last_ = std::move(value);
    }

    void add_product()
    {
        const int64_t depth = 1 + int64_t(below(5));
        const int64_t channels = 1 + int64_t(below(5));
        const bool gemm = one_in(2);
        const bool transposed = gemm && one_in(2);
        Dims x = {3, depth};
        if (!gemm && one_in(2))
            x.insert(x.begin(), 2);
        add_input(x);
        const double size = weights_size(double(depth));
        std::vector<Value> constants = {constant(transposed ? Dims{channels, depth} : Dims{depth, channels}, -size, size)};
        if (gemm) {
            Gemm op = {
                .alpha = 0.5f, .beta = float(2 * below(3)), .transB = transposed};  // with 0, C is not read, whatever it is
            if (one_in(2)) {
                const double bias = op.beta == 0 ? NAN : size_of(last_) * size;
                const Dims dims = one_in(2) ? Dims{channels} : Dims{1, 1};
                constants.push_back(constant(dims, -bias, bias));
            }
            last_ = product(op, last_, constants,
                            {kit::int_attribute("transB", transposed), kit::float_attribute("alpha", *op.alpha),
                             kit::float_attribute("beta", *op.beta)});
        } else {
            last_ = product(MatMul(), last_, constants, {});
        }
        axis_ = last_.dims.size() - 1;
    }

    // ---- operators that follow

    // These are the dimensions of a constant that has a number for each channel, or one for all.
    Dims broadcast()
    {
        Dims dims(last_.dims.size() - axis_, 1);
        dims[0] = one_in(3) ? 1 : last_.dims[axis_];
        return dims;
    }

    void add_follower()
    {
        if (last_.takes_constants && one_in(2))
            return add_arithmetic();
        switch (below(8)) {
        case 0:
            return add_arithmetic();
        case 1:
        case 2:
            return axis_ == 1 ? add_normalization() : add_arithmetic();
        case 3:
            return add_activation();
        case 4:
            return add_gate();
        case 5: {  // a value that two nodes read
            const Value x = last_;
            add_activation();
            const bool adds = one_in(2);
            last_ =
                changed(elementwise(adds ? Kind::add : Kind::sub, {exact(x), exact(last_)}), adds ? "Add" : "Sub", {x, last_});
            return;
        }
        case 6:
            return add_many();
        default:
            return add_bounds();
        }
    }

    void add_follower_of_integers()
    {
        switch (below(4)) {
        case 0:
            return add_many();
        case 1:
            last_ = one_in(2) ? activation(Kind::abs, last_) : activation(Kind::neg, last_);
            return;
        case 2: {
            const Value number = constant(broadcast(), -9, 9);
            const Kind kind = one_in(2) ? Kind::add : Kind::sub;
            last_ = arithmetic(kind, last_, number, one_in(2));
            return;
        }
        default:
            return add_bounds();
        }
    }

    void add_arithmetic()
    {
        const double size = size_of(last_);
        if (one_in(3)) {
            const Value number = constant(broadcast(), -size, size);
            const Kind kind = one_in(2) ? Kind::add : Kind::sub;
            last_ = arithmetic(kind, last_, number, one_in(2));
            return;
        }
        const bool multiplies = one_in(2);
        const double factor_of_it = factor(size, drawn_size());
        const double number = multiplies ? factor_of_it : 1 / factor_of_it;
        const Value constant_of_it = constant(broadcast(), number / 2, number);
        const bool in_front = multiplies && one_in(3);
        last_ = arithmetic(multiplies ? Kind::mul : Kind::div, last_, constant_of_it, in_front);
    }

    // Adds a BatchNormalization by about the mean and the variance that each channel has.
    void add_normalization()
    {
        const size_t channels = size_t(last_.dims[1]);
        size_t inner = 1;
        for (size_t a = 2; a < last_.dims.size(); ++a)
            inner *= size_t(last_.dims[a]);
        Numbers means(channels), variances(channels), scales(channels), shifts(channels);
        const int size = drawn_size();
        for (size_t c = 0; c < channels; ++c) {
            double count = 0, total = 0, squares = 0;
            for (size_t i = 0; i < last_.exact.size(); ++i) {
                if (i / inner % channels != c || !std::isfinite(last_.error[i]))
                    continue;
                ++count;
                total += last_.exact[i];
                squares += last_.exact[i] * last_.exact[i];
            }
            count = std::max(count, 1.0);
            means[c] = total / count;
            const double variance = std::max(squares / count - means[c] * means[c], 0x1p-200);
            const bool is_half = type_.dtype == DType::float16;
            // Variances are numbers of the type. Their quotient is no denormal float either, which a device may read as 0.
            variances[c] = std::clamp(variance * between(0.5, 2), 0x1p-10, is_half ? 0x1p14 : 0x1p60);
            const double made = factor(std::sqrt(variance), size) * std::sqrt(variances[c]) * between(0.5, 1);
            scales[c] = std::clamp(made, is_half ? 0x1p-12 : 0x1p-124, is_half ? 0x1p14 : 0x1p120);
            shifts[c] = std::ldexp(between(-1, 1), size);
        }
        const Dims dims = {int64_t(channels)};
        const Value scale = constant(dims, scales), shift = constant(dims, shifts);
        const Value mean = constant(dims, means), var = constant(dims, variances);
        last_ = normalization(last_, scale, shift, mean, var);
    }

    void add_activation()
    {
        switch (below(6)) {
        case 0:
            last_ = activation(Kind::relu, last_);
            return;
        case 1:
            last_ = activation(Kind::leaky_relu, last_);
            return;
        case 2:
            last_ = activation(Kind::hard_sigmoid, last_, 1, 1);
            return;
        case 3:
            last_ = activation(Kind::hard_swish, last_, 1.5, 3);
            return;
        case 4:
            last_ = activation(Kind::neg, last_);
            return;
        default:
            last_ = activation(Kind::abs, last_);
        }
    }

    // Adds a HardSigmoid or a HardSwish that is spelled out, often with views between the parts. A view may make the product of
    // HardSwish one of each element with each.
    void add_gate()
    {
        Value x = last_;
        const auto count = int64_t(x.exact.size());
        const bool has_views = axis_ == 1 && one_in(2);
        if (has_views) {
            const Dims dims = {count};
            x = viewed(x, dims, "Reshape", {list(dims)});
        }
        const Value three = scalar(3), zero = scalar(0), six = scalar(6), sixth = scalar(1.0 / 6);
        Value gate = arithmetic(Kind::add, x, three, one_in(3));
        gate = clipped(gate, zero, six);
        const bool is_swish = !one_in(3), divides = one_in(2), is_divided_first = !is_swish || one_in(2);
        const auto divided = [&](const Value& value) {
            return divides ? arithmetic(Kind::div, value, six) : arithmetic(Kind::mul, value, sixth);
        };
        if (is_divided_first)
            gate = divided(gate);
        if (has_views) {
            const bool all_with_all = is_swish && count <= 40 && one_in(2);
            const Dims dims = all_with_all ? Dims{count, 1} : Dims{1, count};
            gate = one_in(2)   ? viewed(gate, dims, "Reshape", {list(dims)})
                   : one_in(2) ? viewed(gate, dims, "Unsqueeze", {list({all_with_all ? 1 : 0})})
                               : viewed(gate, dims, "Flatten", {}, {kit::int_attribute("axis", all_with_all ? 1 : 0)});
        }
        if (is_swish)
            gate = multiplied(x, gate);
        if (!is_divided_first)
            gate = divided(gate);
        // As one operator it computes x / 6 + 0.5 in float, and with a sixth that is none of the type's numbers.
        for (size_t i = 0; i < gate.error.size(); ++i)
            gate.error[i] += 8 * type_.computed * (std::abs(gate.exact[i]) + 3) + 4 * type_.stored * std::abs(gate.exact[i]);
        last_ = std::move(gate);
    }

    // Adds a Sum, Max or Min of one input, often behind one of three, two of which are inputs of the graph.
    void add_many()
    {
        const Kind kinds[] = {Kind::max, Kind::min, Kind::sum};
        const size_t all = is_integer() ? 2 : 3;
        if (one_in(3)) {
            const Value a = given_beside(last_, last_.dims), b = given_beside(last_, {1});
            const Kind kind = kinds[below(all)];
            last_ =
                changed(elementwise(kind, {exact(last_), exact(a), exact(b)}), std::string(vkonnx::name(kind)), {last_, a, b});
        }
        last_ = activation(kinds[below(all)], last_);
    }

    // Adds a Clip by constants or by inputs of the graph, and often an operator of one input behind it.
    void add_bounds()
    {
        const double size = is_integer() ? 8 : size_of(last_) / 2;
        const bool are_known = one_in(2);
        const double low = between(-size, 0), high = between(0, size);
        const Value least = are_known ? scalar(low) : given({}, Numbers{low});
        const Value most = are_known ? scalar(high) : given({}, Numbers{high});
        last_ = clipped(last_, least, most);
        if (one_in(2))
            add_many();
    }

    std::mt19937 random_;
    bool has_extremes_ = false;
    size_t axis_ = 1;  // of the channels
};

TEST(RandomFusion, ComputesWhatTheOperatorsCompute)
{
    const unsigned first = kit::test_seed(1);
    const auto graphs = unsigned(kit::test_problems(40));
    on_every_device([&](const CaseDevice& device) {
        size_t fewer = 0, elements = 0, skipped = 0;
        for (unsigned seed = first; seed < first + graphs; ++seed) {
            const FusedGraph graph(seed);
            SCOPED_TRACE("seed " + std::to_string(seed) + ":" + graph.text + " of " + std::string(name(graph.dtype())));
            const Value& expected = graph.output();
            size_t alone = 0;
            const Numbers apart = output_of(device, graph, all_fusions, alone);
            const uint32_t one = uint32_t(onnx::fusion_words[seed % std::size(onnx::fusion_words)].value);
            for (const uint32_t without : {0u, all_fusions & ~one}) {
                size_t dispatches = 0;
                const Numbers got = output_of(device, graph, without, dispatches);
                ASSERT_EQ(got.size(), expected.exact.size());
                ASSERT_EQ(apart.size(), expected.exact.size());
                for (size_t i = 0; i < got.size(); ++i) {
                    ++elements;
                    if (!std::isfinite(expected.error[i])) {  // something may have overflown on the way to it
                        ++skipped;
                        continue;
                    }
                    ASSERT_NEAR(got[i], expected.exact[i], expected.error[i]) << i << ", without " << without;
                    ASSERT_NEAR(apart[i], expected.exact[i], expected.error[i]) << i << ", without any";
                    ASSERT_NEAR(got[i], apart[i], 2 * expected.error[i]) << i << ", without " << without;
                }
                fewer += without == 0 && dispatches < alone;
            }
        }
        EXPECT_GE(2 * fewer, graphs) << "graphs of which something was fused";
        EXPECT_LE(8 * skipped, elements);
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
