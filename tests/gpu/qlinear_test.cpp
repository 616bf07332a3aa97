// This file tests the operators of com.microsoft that take integers of 8 bits, on every device. Integers must be equal: scales
// are powers of two, or no result lies near the middle between two integers.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "kit/quantization.h"
#include "quantized_node.h"

namespace vkonnx::gpu_test {
namespace {

using kit::IntegerConvolution;
using onnx::HostTensor;

HostTensor run_contributed(const CaseDevice& device, const std::string& op, const std::vector<NodeInput>& inputs,
                           const std::vector<std::string>& attributes = {})
{
    return run_node(device, op, inputs, attributes, 17, "com.microsoft");
}

// This struct says how integers stand for numbers.
struct Steps {
    double scale = 1;
    int64_t zero = 0;
};

NodeInput scale_of(const std::string& name, const Steps& steps, bool is_constant)
{
    return {name, floats({}, {float(steps.scale)}), is_constant};
}

// Without a zero point the input has no name.
NodeInput zero_of(const std::string& name, DType dtype, const Steps& steps, bool is_constant)
{
    return {steps.zero == 0 ? "" : name, integers(dtype, {1}, {steps.zero}), is_constant};
}

double number_of(int64_t q, const Steps& steps)
{
    return double(q - steps.zero) * steps.scale;
}

int64_t rounded_to(DType dtype, double number, const Steps& steps)
{
    const int64_t least = dtype == DType::int8 ? -128 : 0;
    return kit::reference_quantized(number, steps.scale, steps.zero, least, least + 255);
}

// Returns how far the numbers are from the middle between two integers of these steps.
double margin_of(const std::vector<double>& numbers, const Steps& steps)
{
    double margin = 0.5;
    for (const double number : numbers) {
        const double place = number / steps.scale;
        margin = std::min(margin, std::abs(place - std::floor(place) - 0.5));
    }
    return margin;
}

Integers all_bytes(DType dtype)
{
    Integers all;
    for (int64_t i = 0; i < 256; ++i)
        all.push_back(i - (dtype == DType::int8 ? 128 : 0));
    return all;
}

// A (2, 1, 3) and B (4, 1) are broadcast to (2, 4, 3).
TEST(QLinear, SumsAndProductsAreRoundedOnce)
{
    on_every_device([](const CaseDevice& device) {
        for (const DType dtype : {DType::uint8, DType::int8})
            for (const bool is_constant : {false, true})
                for (const auto& [a_steps, b_steps, c_steps] :
                     {std::tuple(Steps{0.5, 100}, Steps{0.25, -3}, Steps{2, 7}), std::tuple(Steps{0.125}, Steps{2}, Steps{0.5})})
                    for (const char* op : {"QLinearAdd", "QLinearMul"}) {
                        SCOPED_TRACE(std::string(op) + " of " + std::string(name(dtype)));
                        const Steps b_of_type = {b_steps.scale, std::abs(b_steps.zero)};
                        std::mt19937 random(1);
                        const Integers a = drawn_bytes(dtype, 6, random), b = drawn_bytes(dtype, 4, random);
                        const HostTensor y = run_contributed(device, op,
                                                             {{"A", integers(dtype, {2, 1, 3}, a)},
                                                              scale_of("as", a_steps, is_constant),
                                                              zero_of("az", dtype, a_steps, is_constant),
                                                              {"B", integers(dtype, {4, 1}, b), is_constant},
                                                              scale_of("bs", b_of_type, is_constant),
                                                              zero_of("bz", dtype, b_of_type, is_constant),
                                                              scale_of("cs", c_steps, is_constant),
                                                              zero_of("cz", dtype, c_steps, is_constant)});
                        Integers expected;
                        for (size_t i = 0; i < 24; ++i) {
                            const double left = number_of(a[i / 12 * 3 + i % 3], a_steps),
                                         right = number_of(b[i / 3 % 4], b_of_type);
                            expected.push_back(
                                rounded_to(dtype, op == std::string("QLinearAdd") ? left + right : left * right, c_steps));
                        }
                        EXPECT_EQ(y.desc, (TensorDesc{.dtype = dtype, .dims = {2, 4, 3}}));
                        EXPECT_EQ(integers_in(y), expected);
                    }
    });
}

TEST(QLinear, SigmoidAndLeakyReluOfEveryByte)
{
    on_every_device([](const CaseDevice& device) {
        for (const DType dtype : {DType::uint8, DType::int8}) {
            const Steps x_steps = {0.0625, dtype == DType::int8 ? -5 : 120};
            const struct {
                const char* op;
                std::vector<std::string> attributes;
                Steps y_steps;
                std::function<double(double)> function;
            } cases[] = {
                {"QLinearSigmoid",
                 {},
                 {1.0 / 256, dtype == DType::int8 ? -128 : 0},
                 [](double x) { return 1 / (1 + std::exp(-x)); }},
                {"QLinearLeakyRelu", {}, {0.0394, 3}, [](double x) { return x < 0 ? double(0.01f) * x : x; }},
                {"QLinearLeakyRelu",
                 {kit::float_attribute("alpha", 0.3f)},
                 {0.0469, 60},
                 [](double x) { return x < 0 ? double(0.3f) * x : x; }},
            };
            for (const auto& [op, attributes, y_steps, function] : cases) {
                SCOPED_TRACE(std::string(op) + " of " + std::string(name(dtype)));
                const Steps as_float = {double(float(y_steps.scale)), y_steps.zero};
                const Integers x = all_bytes(dtype);
                std::vector<double> numbers;
                for (const int64_t q : x)
                    numbers.push_back(function(number_of(q, x_steps)));
                ASSERT_GT(margin_of(numbers, as_float), 1e-4);
                Integers expected;
                for (const double number : numbers)
                    expected.push_back(rounded_to(dtype, number, as_float));
                const HostTensor y = run_contributed(device, op,
                                                     {{"X", integers(dtype, {256}, x)},
                                                      scale_of("xs", x_steps, false),
                                                      zero_of("xz", dtype, x_steps, true),
                                                      scale_of("ys", as_float, true),
                                                      zero_of("yz", dtype, as_float, false)},
                                                     attributes);
                EXPECT_EQ(y.desc, (TensorDesc{.dtype = dtype, .dims = {256}}));
                EXPECT_EQ(integers_in(y), expected);
            }
        }
    });
}

// Before opset 13, the axes from `axis` on are one.
TEST(QLinear, SoftmaxIsThatOfItsOpset)
{
    const Steps x_steps = {0.125, 9}, y_steps = {1.0 / 256, 1};
    const struct {
        int64_t opset;
        std::vector<std::string> axis;
        size_t row, step;  // elements of a row, and how far they lie apart
    } cases[] = {
        {13, {}, 4, 1},
        {13, {kit::int_attribute("axis", 1)}, 3, 4},
        {12, {}, 4, 1},
        {12, {kit::int_attribute("axis", 1)}, 12, 1},
        {12, {kit::int_attribute("axis", 2)}, 4, 1},
        {11, {kit::int_attribute("axis", 0)}, 24, 1},
    };
    on_every_device([&](const CaseDevice& device) {
        std::mt19937 random(3);
        Integers x = drawn_bytes(DType::uint8, 24, random);
        for (int64_t& q : x)
            q %= 32;
        for (const auto& [opset, axis, row, step] : cases) {
            SCOPED_TRACE(testing::Message() << "opset " << opset << ", rows of " << row);
            std::vector<double> numbers(24);
            for (size_t i = 0; i < 24; ++i) {
                const size_t first = i / (row * step) * row * step + i % step;
                double sum = 0;
                for (size_t k = 0; k < row; ++k)
                    sum += std::exp(number_of(x[first + k * step], x_steps));
                numbers[i] = std::exp(number_of(x[i], x_steps)) / sum;
            }
            ASSERT_GT(margin_of(numbers, y_steps), 1e-3);
            Integers expected;
            for (const double number : numbers)
                expected.push_back(rounded_to(DType::uint8, number, y_steps));
            std::vector<std::string> attributes = axis;
            attributes.push_back(kit::int_attribute("opset", opset));
            const HostTensor y = run_contributed(device, "QLinearSoftmax",
                                                 {{"X", integers(DType::uint8, {2, 3, 4}, x)},
                                                  scale_of("xs", x_steps, true),
                                                  zero_of("xz", DType::uint8, x_steps, true),
                                                  scale_of("ys", y_steps, true),
                                                  zero_of("yz", DType::uint8, y_steps, true)},
                                                 attributes);
            EXPECT_EQ(y.desc, (TensorDesc{.dtype = DType::uint8, .dims = {2, 3, 4}}));
            EXPECT_EQ(integers_in(y), expected);
        }
    });
}

TEST(QLinear, ConcatBringsPartsToOneScale)
{
    const Steps a_steps = {0.5, 3}, b_steps = {2, 200}, y_steps = {1, 10};
    const Integers a = {0, 3, 4, 5, 255, 6}, b = {200, 255, 0, 190};
    on_every_device([&](const CaseDevice& device) {
        const HostTensor y = run_contributed(device, "QLinearConcat",
                                             {scale_of("ys", y_steps, true),
                                              zero_of("yz", DType::uint8, y_steps, true),
                                              {"A", integers(DType::uint8, {2, 3}, a)},
                                              scale_of("as", a_steps, true),
                                              zero_of("az", DType::uint8, a_steps, true),
                                              {"B", integers(DType::uint8, {2, 2}, b)},
                                              scale_of("bs", b_steps, false),
                                              zero_of("bz", DType::uint8, b_steps, false)},
                                             {kit::int_attribute("axis", -1)});
        Integers expected;
        for (size_t row = 0; row < 2; ++row) {
            for (size_t i = 0; i < 3; ++i)
                expected.push_back(rounded_to(DType::uint8, number_of(a[row * 3 + i], a_steps), y_steps));
            for (size_t i = 0; i < 2; ++i)
                expected.push_back(rounded_to(DType::uint8, number_of(b[row * 2 + i], b_steps), y_steps));
        }
        EXPECT_EQ(y.desc, (TensorDesc{.dtype = DType::uint8, .dims = {2, 5}}));
        EXPECT_EQ(integers_in(y), expected);
    });
}

TEST(QLinear, WhereChoosesNumbers)
{
    const Steps x_steps = {0.5, 3}, y_steps = {2, -100}, z_steps = {1, 10};
    const Integers x = {0, 3, 127}, y = {-128};
    on_every_device([&](const CaseDevice& device) {
        const HostTensor z = run_contributed(device, "QLinearWhere",
                                             {{"C", host(DType::boolean, {2, 3}, std::vector<uint8_t>{1, 0, 1, 0, 1, 0})},
                                              {"X", integers(DType::int8, {3}, x)},
                                              scale_of("xs", x_steps, true),
                                              zero_of("xz", DType::int8, x_steps, true),
                                              {"other", integers(DType::int8, {1}, y)},
                                              scale_of("ys", y_steps, true),
                                              zero_of("yz", DType::int8, y_steps, true),
                                              scale_of("zs", z_steps, true),
                                              zero_of("zz", DType::int8, z_steps, true)});
        EXPECT_EQ(z.desc, (TensorDesc{.dtype = DType::int8, .dims = {2, 3}}));
        // -1.5 is rounded to -2, and 62 is what 127 stands for. The others are -56.
        EXPECT_EQ(integers_in(z), (Integers{8, -46, 72, -46, 10, -46}));
    });
}

// Returns elements (N, C, H, W) in the order (N, H, W, C), or back.
Integers with_channels(const Integers& values, int64_t batches, int64_t channels, int64_t plane, bool last)
{
    Integers moved(values.size());
    for (int64_t n = 0; n < batches; ++n)
        for (int64_t c = 0; c < channels; ++c)
            for (int64_t i = 0; i < plane; ++i) {
                const auto first = size_t((n * channels + c) * plane + i), behind = size_t((n * plane + i) * channels + c);
                moved[last ? behind : first] = values[last ? first : behind];
            }
    return moved;
}

// Windows have 1, 2 or 4 elements, so that every mean is exact.
TEST(QLinear, MeansOfWindowsAndOfChannels)
{
    constexpr int64_t batches = 2, channels = 3, size = 4, plane = size * size;
    const Steps x_steps = {0.5, 17}, y_steps = {0.25, 90};
    on_every_device([&](const CaseDevice& device) {
        std::mt19937 random(4);
        const Integers x = drawn_bytes(DType::uint8, batches * channels * plane, random);
        const auto means = [&](const std::string& op, bool last, const std::vector<std::string>& attributes) {
            std::vector<std::string> all = attributes;
            all.push_back(kit::int_attribute("channels_last", last));
            const Dims dims = last ? Dims{batches, size, size, channels} : Dims{batches, channels, size, size};
            return run_contributed(
                device, op,
                {{"X", integers(DType::uint8, dims, last ? with_channels(x, batches, channels, plane, true) : x)},
                 scale_of("xs", x_steps, true),
                 zero_of("xz", DType::uint8, x_steps, true),
                 scale_of("ys", y_steps, true),
                 zero_of("yz", DType::uint8, y_steps, true)},
                all);
        };
        for (const bool last : {false, true}) {
            // Windows of two elements begin at -1, 1 and 3, because the pad is one and the stride is two.
            for (const bool includes_pad : {false, true}) {
                const HostTensor y =
                    means("QLinearAveragePool", last,
                          {kit::ints_attribute("kernel_shape", {2, 2}), kit::ints_attribute("strides", {2, 2}),
                           kit::ints_attribute("pads", {1, 1, 1, 1}), kit::int_attribute("count_include_pad", includes_pad)});
                Integers expected;
                for (int64_t i = 0; i < batches * channels; ++i)
                    for (int64_t row = -1; row < size; row += 2)
                        for (int64_t column = -1; column < size; column += 2) {
                            double sum = 0, count = 0;
                            for (int64_t at = 0; at < 4; ++at) {
                                const int64_t r = row + at / 2, c = column + at % 2;
                                const bool is_inside = r >= 0 && r < size && c >= 0 && c < size;
                                sum += is_inside ? number_of(x[size_t(i * plane + r * size + c)], x_steps) : 0;
                                count += is_inside || includes_pad ? 1 : 0;
                            }
                            expected.push_back(rounded_to(DType::uint8, sum / count, y_steps));
                        }
                EXPECT_EQ(y.desc.dims, last ? (Dims{batches, 3, 3, channels}) : (Dims{batches, channels, 3, 3}));
                EXPECT_EQ(last ? with_channels(integers_in(y), batches, channels, 9, false) : integers_in(y), expected);
            }
            const HostTensor y = means("QLinearGlobalAveragePool", last, {});
            Integers expected;
            for (int64_t i = 0; i < batches * channels; ++i) {
                double sum = 0;
                for (int64_t k = 0; k < plane; ++k)
                    sum += number_of(x[size_t(i * plane + k)], x_steps);
                expected.push_back(rounded_to(DType::uint8, sum / plane, y_steps));
            }
            EXPECT_EQ(y.desc.dims, last ? (Dims{batches, 1, 1, channels}) : (Dims{batches, channels, 1, 1}));
            EXPECT_EQ(integers_in(y), expected);
        }
    });
}

TEST(QLinear, ConvolutionsWithChannelsLast)
{
    const IntegerConvolution p = {
        .batches = 2, .channels = 3, .outputs = 2, .height = 5, .width = 4, .kernel_height = 3, .kernel_width = 2, .x_zero = 130};
    on_every_device([&](const CaseDevice& device) {
        std::mt19937 random(5);
        const Integers x = drawn_bytes(DType::uint8, p.batches * p.channels * p.height * p.width, random);
        const Integers w = drawn_bytes(DType::int8, p.outputs * p.channels * p.kernel_height * p.kernel_width, random);
        const int64_t plane = p.height * p.width, output_plane = p.output_height() * p.output_width();
        for (const bool last : {false, true}) {
            const HostTensor y =
                run_contributed(device, "QLinearConv",
                                {{"x", integers(DType::uint8, last ? Dims{2, 5, 4, 3} : Dims{2, 3, 5, 4},
                                                last ? with_channels(x, p.batches, p.channels, plane, true) : x)},
                                 {"xs", floats({}, {0.5f})},
                                 {"xz", integers(DType::uint8, {}, {p.x_zero})},
                                 {"w", integers(DType::int8, {2, 3, 3, 2}, w), true},
                                 {"ws", floats({2}, {0.25f, 0.5f})},
                                 {"wz", integers(DType::int8, {2}, {0, 0})},
                                 {"ys", floats({}, {128})},
                                 {"yz", integers(DType::uint8, {}, {120})}},
                                {kit::int_attribute("channels_last", last)});
            const Integers sums = kit::reference_integer_conv(p, x, w);
            Integers expected;
            for (size_t i = 0; i < sums.size(); ++i) {
                const double scale = 0.5 * (i / size_t(output_plane) % 2 == 0 ? 0.25 : 0.5);
                expected.push_back(rounded_to(DType::uint8, double(sums[i]) * scale, {128, 120}));
            }
            EXPECT_EQ(y.desc.dims, last ? (Dims{2, 3, 3, 2}) : (Dims{2, 2, 3, 3}));
            EXPECT_EQ(last ? with_channels(integers_in(y), p.batches, p.outputs, output_plane, false) : integers_in(y), expected);
        }
    });
}

Integers transposed(const Integers& values, int64_t rows, int64_t columns)
{
    Integers made;
    for (int64_t i = 0; i < columns; ++i)
        for (int64_t k = 0; k < rows; ++k)
            made.push_back(values[size_t(k * columns + i)]);
    return made;
}

TEST(QLinear, GemmTransposesScalesAndRounds)
{
    constexpr int64_t rows = 2, columns = 3;
    on_every_device([](const CaseDevice& device) {
        for (const int64_t inner : {7, 400})
            for (const bool is_transposed : {false, true})
                for (const bool is_rounded : {false, true})
                    for (const bool has_more : {false, true}) {
                        SCOPED_TRACE(testing::Message() << inner << is_transposed << is_rounded << has_more);
                        std::mt19937 random(6);
                        const Integers a = drawn_bytes(DType::uint8, rows * inner, random);
                        const Integers b = drawn_bytes(DType::int8, inner * columns, random);
                        const Integers b_zeros = has_more ? Integers{0, -5, 100} : Integers{2};
                        const std::vector<float> b_scales = has_more ? std::vector<float>{1, 0.25f, 4} : std::vector<float>{2};
                        const Integers c = {1000, -7, 33};
                        const auto count = int64_t(b_zeros.size());
                        std::vector<NodeInput> inputs = {
                            {"A", is_transposed ? integers(DType::uint8, {inner, rows}, transposed(a, rows, inner))
                                                : integers(DType::uint8, {rows, inner}, a)},
                            {"as", floats({}, {0.5f})},
                            {"az", integers(DType::uint8, {}, {128})},
                            {"B",
                             is_transposed ? integers(DType::int8, {columns, inner}, transposed(b, inner, columns))
                                           : integers(DType::int8, {inner, columns}, b),
                             has_more},
                            {"bs", floats({count}, b_scales)},
                            {"bz", integers(DType::int8, {count}, b_zeros)},
                            {has_more ? "C" : "", integers(DType::int32, {columns}, c)}};
                        if (is_rounded) {
                            inputs.push_back({"ys", floats({}, {1024})});
                            inputs.push_back({"yz", integers(DType::int8, {}, {-20})});
                        }
                        const float alpha = has_more ? 0.5f : 1;
                        const HostTensor y =
                            run_contributed(device, "QGemm", inputs,
                                            {kit::float_attribute("alpha", alpha), kit::int_attribute("transA", is_transposed),
                                             kit::int_attribute("transB", is_transposed)});
                        const Integers sums = kit::reference_integer_matmul(a, b, rows, inner, columns, {128}, b_zeros);
                        std::vector<float> numbers;
                        Integers expected;
                        for (size_t i = 0; i < sums.size(); ++i) {
                            const double scale = 0.5 * double(alpha) * double(b_scales[has_more ? i % columns : 0]);
                            const double number = double(sums[i] + (has_more ? c[i % columns] : 0)) * scale;
                            numbers.push_back(float(number));
                            expected.push_back(rounded_to(DType::int8, number, {1024, -20}));
                        }
                        if (!is_rounded) {
                            expect_floats(y, {rows, columns}, numbers);
                            continue;
                        }
                        EXPECT_EQ(y.desc, (TensorDesc{.dtype = DType::int8, .dims = {rows, columns}}));
                        EXPECT_EQ(integers_in(y), expected);
                    }
    });
}

// The floats of A below are those of a DynamicQuantizeLinear with scale 2 and zero point 128.
TEST(QLinear, ProductsBecomeFloats)
{
    constexpr int64_t inner = 4, columns = 3;
    const Integers a = {0, 128, 255, 178}, b = {5, -128, 127, 0, 1, 2, -3, 4, 9, 11, -7, 60};
    const std::vector<float> a_floats = {-255, 0, 255, 100}, bias = {0.5f, -1, 64};
    on_every_device([&](const CaseDevice& device) {
        for (const bool has_more : {false, true}) {
            const Integers b_zeros = has_more ? Integers{1, 0, -128} : Integers{0};
            const std::vector<float> b_scales = has_more ? std::vector<float>{0.25f, 2, 1} : std::vector<float>{0.5f};
            const auto count = int64_t(b_scales.size());
            const NodeInput b_input = {"B", integers(DType::int8, {inner, columns}, b), true};
            const NodeInput scale = {"bs", floats({count}, b_scales)};
            const NodeInput zero = {has_more ? "bz" : "", integers(DType::int8, {count}, b_zeros)};
            const NodeInput added = {has_more ? "bias" : "", floats({columns}, bias)};
            std::vector<float> expected;
            const Integers sums = kit::reference_integer_matmul(a, b, 1, inner, columns, {128}, b_zeros);
            for (size_t i = 0; i < columns; ++i)
                expected.push_back(float(double(sums[i]) * 2 * double(b_scales[has_more ? i : 0])) + (has_more ? bias[i] : 0));
            expect_floats(run_contributed(device, "MatMulIntegerToFloat",
                                          {{"A", integers(DType::uint8, {1, 1, inner}, a)},
                                           b_input,
                                           {"as", floats({}, {2})},
                                           scale,
                                           {"az", integers(DType::uint8, {}, {128})},
                                           zero,
                                           added}),
                          {1, 1, columns}, expected);
            expect_floats(run_contributed(device, "DynamicQuantizeMatMul",
                                          {{"A", floats({1, inner}, a_floats)}, b_input, scale, zero, added}),
                          {1, columns}, expected);
        }
    });
}

TEST(QLinear, QuantizeAndDequantizeAlongAnAxis)
{
    const std::vector<float> numbers = {-2, 1, 3, 40, -8, 5}, scales = {0.5f, 2};
    const Integers zeros = {10, 100}, rounded = {6, 12, 16, 120, 96, 102};
    on_every_device([&](const CaseDevice& device) {
        const NodeInput scale = {"s", floats({2}, scales)}, zero = {"z", integers(DType::uint8, {2}, zeros)};
        const std::vector<std::string> axis = {kit::int_attribute("axis", 0)};
        const HostTensor y = run_contributed(device, "QuantizeLinear", {{"x", floats({2, 3}, numbers)}, scale, zero}, axis);
        EXPECT_EQ(y.desc, (TensorDesc{.dtype = DType::uint8, .dims = {2, 3}}));
        EXPECT_EQ(integers_in(y), rounded);
        expect_floats(run_contributed(device, "DequantizeLinear", {{"x", y}, scale, zero}, axis), {2, 3}, {-2, 1, 3, 40, -8, 4});
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
