// This file tests that a LayerNormalization that was found in its parts computes what they compute. Random graphs spell one out,
// run with and without fusions, and are compared with the exact elements and their bounds. tests/unit/onnx has a test of what is
// found.
#include <random>
#include <span>

#include "bounded_graph.h"
#include "kit/draw.h"

namespace vkonnx::gpu_test {
namespace {

// This graph has operators that spell out a LayerNormalization, in one of the ways that exporters write, and often a Relu behind
// them.
class LayerNormalizationGraph : public BoundedGraph {
public:
    explicit LayerNormalizationGraph(unsigned seed) : random_(seed)
    {
        constexpr DType types[] = {DType::float32, DType::float16, DType::bfloat16};
        type_ = type_of(types[below(3)]);
        builder_.opset(22);
        const size_t rank = 2 + below(3);
        axes_ = 1 + int64_t(below(2));
        Dims dims(rank);
        for (int64_t& extent : dims)
            extent = 2 + int64_t(below(6));
        const double center = double(below(2)) * std::ldexp(1, type_.dtype == DType::bfloat16 ? 1 : 4);
        const Value x = given(dims, drawn(dims, center - 1, center + 1));
        const Dims places(dims.end() - axes_, dims.end());
        last_ = normalized(x, constant(places, drawn(places, 0.5, 2)), constant(places, drawn(places, -1, 1)));
        if (below(2))
            last_ = activation(Kind::relu, last_);
        builder_.output(last_.name);
    }

private:
    size_t below(size_t end) { return size_t(random_() % end); }

    Numbers drawn(const Dims& dims, double least, double most)
    {
        Numbers numbers(size_t(*element_count({.dims = dims})));
        for (double& number : numbers)
            number = least + (most - least) * (double(random_()) * 0x1p-32);
        return numbers;
    }

    // Adds the node, with its inputs in either order, and returns its output.
    std::string either(const std::string& op, std::string a, std::string b)
    {
        if (below(2))
            std::swap(a, b);
        return single(op, {a, b});
    }

    std::string single(const std::string& op, const std::vector<std::string>& from,
                       const std::vector<std::string>& attributes = {})
    {
        std::string name = next_name();
        node(op, from, name, attributes);
        return name;
    }

    std::string mean_of(const std::string& x, int64_t rank)
    {
        std::vector<int64_t> axes;
        for (int64_t axis = -axes_; axis < 0; ++axis)
            axes.push_back(axis + (below(2) ? rank : 0));
        return single("ReduceMean", {x, list(axes)}, {kit::int_attribute("keepdims", 1)});
    }

    Value normalized(const Value& x, const Value& scale, const Value& bias)
    {
        const auto rank = int64_t(x.dims.size());
        const Value epsilon = scalar(0x1p-10), two = scalar(2);
        const bool has_bias = below(3) > 0;
        const std::string d = single("Sub", {x.name, mean_of(x.name, rank)});
        const std::string square = below(2) ? single("Pow", {d, two.name}) : single("Mul", {d, d});
        const std::string s = single("Sqrt", {either("Add", mean_of(square, rank), epsilon.name)});
        const std::string quotient = below(2) ? single("Div", {d, s}) : either("Mul", d, single("Reciprocal", {s}));
        std::string y = either("Mul", quotient, scale.name);
        if (has_bias)
            y = either("Add", y, bias.name);

        const LayerNormalization op = {.axis = -axes_, .epsilon = float(epsilon.exact[0])};
        std::vector<kit::RealTensor> operands = {exact(x), exact(scale)};
        if (has_bias)
            operands.push_back(exact(bias));
        Reference reference = reference_of(op, operands);
        Value value = {.name = y, .dims = std::move(reference.dims), .exact = std::move(reference.values)};
        const size_t row = scale.exact.size();
        for (size_t first = 0; first < value.exact.size(); first += row)
            for (const double error :
                 errors_of_row(std::span(x.exact).subspan(first, row), scale.exact, bias.exact, epsilon.exact[0]))
                value.error.push_back(error);
        value.terms = magnitudes(value.exact);
        return value;
    }

    // Returns bounds on the errors of a row, where each of the operators rounds its result.
    Numbers errors_of_row(std::span<const double> x, const Numbers& scale, const Numbers& bias, double epsilon) const
    {
        const auto count = double(x.size());
        const double u = type_.stored + (count + 8) * type_.computed;
        double mean = 0, largest = 0, variance = epsilon, deviation = 0;
        for (const double number : x) {
            mean += number / count;
            largest = std::max(largest, std::abs(number));
        }
        for (const double number : x) {
            variance += (number - mean) * (number - mean) / count;
            deviation = std::max(deviation, std::abs(number - mean));
        }
        const double d_error = 3 * u * largest;
        const double variance_error = 2 * deviation * d_error + d_error * d_error + 4 * u * variance + 4 * type_.least;
        if (variance_error > variance / 4)
            return Numbers(x.size(), HUGE_VAL);
        const double s = std::sqrt(variance);
        const double s_error = variance_error / s + u * s;
        Numbers errors;
        for (size_t i = 0; i < x.size(); ++i) {
            const double quotient = std::abs(x[i] - mean) / s;
            const double quotient_error = 2 * (d_error / s + quotient * s_error / s) + 3 * u * quotient;
            errors.push_back(scale[i] * (quotient_error + u * quotient) + u * (scale[i] * quotient + std::abs(bias[i])) +
                             type_.least);
        }
        return errors;
    }

    std::mt19937 random_;
    int64_t axes_ = 1;  // that are normalized
};

TEST(LayerNormalizationFusion, ComputesWhatItsPartsCompute)
{
    const unsigned first = kit::test_seed(1);
    const auto graphs = unsigned(kit::test_problems(20));
    on_every_device([&](const CaseDevice& device) {
        for (unsigned seed = first; seed < first + graphs; ++seed) {
            const LayerNormalizationGraph graph(seed);
            SCOPED_TRACE("seed " + std::to_string(seed) + ":" + graph.text + " of " + std::string(name(graph.dtype())));
            const Value& expected = graph.output();
            size_t fused = 0, apart = 0;
            const Numbers outputs[] = {output_of(device, graph, 0, fused), output_of(device, graph, all_fusions, apart)};
            EXPECT_EQ(fused, graph.text.ends_with("Relu") ? 2u : 1u);
            EXPECT_GE(apart, 8u);
            for (const Numbers& got : outputs) {
                ASSERT_EQ(got.size(), expected.exact.size());
                for (size_t i = 0; i < got.size(); ++i)
                    ASSERT_NEAR(got[i], expected.exact[i], expected.error[i]) << i;
            }
        }
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
