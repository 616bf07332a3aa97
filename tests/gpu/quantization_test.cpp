// This file tests models of quantized operators on every device. Integers must be equal. Scales are powers of two where a result
// is rounded, so that no device can be off on the way to it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "kit/quantization.h"
#include "quantized_node.h"

namespace vkonnx::gpu_test {
namespace {

using kit::IntegerConvolution;
using kit::ModelBuilder;
using onnx::HostTensor;

// The lengths are the greatest of each way of exact_product, and the ones behind them.
TEST(Quantization, SumsOfProductsAreExact)
{
    on_every_device([](const CaseDevice& device) {
        for (const int64_t inner : {1, 258, 259, 4386, 4387, 8000})
            for (const bool is_constant : {false, true}) {
                SCOPED_TRACE(std::to_string(inner) + (is_constant ? ", B is constant" : ""));
                // The first row and column have sums of the greatest magnitude, the others odd ones.
                std::mt19937 random{uint32_t(inner)};
                Integers a = drawn_bytes(DType::uint8, 2 * inner, random), b = drawn_bytes(DType::uint8, inner * 3, random);
                std::fill_n(a.begin(), inner, 255);
                for (int64_t i = 0; i < inner; ++i)
                    b[size_t(i * 3)] = 255;
                const HostTensor y = run_node(
                    device, "MatMulInteger",
                    {{"A", integers(DType::uint8, {2, inner}, a)}, {"B", integers(DType::uint8, {inner, 3}, b), is_constant}});
                EXPECT_EQ(y.desc, (TensorDesc{.dtype = DType::int32, .dims = {2, 3}}));
                EXPECT_EQ(integers_in(y), kit::reference_integer_matmul(a, b, 2, inner, 3, {}, {}));
            }
    });
}

TEST(Quantization, ZeroPointsOfRowsAndColumns)
{
    const struct {
        Dims a_dims, b_dims;
        Integers a_zeros, b_zeros;
    } cases[] = {
        {{}, {}, {7}, {-3}},
        {{1}, {1}, {255}, {-128}},
        {{2}, {3}, {0, 200}, {-1, 127, 5}},
        {{2, 1}, {1, 3}, {9, 100}, {-128, 0, 3}},
    };
    on_every_device([&](const CaseDevice& device) {
        for (const auto& [a_dims, b_dims, a_zeros, b_zeros] : cases)
            for (const int64_t inner : {5, 300}) {
                std::mt19937 random(1);
                const Integers a = drawn_bytes(DType::uint8, 2 * inner, random), b = drawn_bytes(DType::int8, inner * 3, random);
                const HostTensor y = run_node(device, "MatMulInteger",
                                              {{"A", integers(DType::uint8, {2, inner}, a)},
                                               {"B", integers(DType::int8, {inner, 3}, b)},
                                               {"a_zero_point", integers(DType::uint8, a_dims, a_zeros)},
                                               {"b_zero_point", integers(DType::int8, b_dims, b_zeros)}});
                EXPECT_EQ(integers_in(y), kit::reference_integer_matmul(a, b, 2, inner, 3, a_zeros, b_zeros));
            }
    });
}

const IntegerConvolution convolutions[] = {
    {.channels = 3, .outputs = 2, .height = 5, .width = 4, .kernel_height = 3, .kernel_width = 2},
    {.batches = 2,
     .channels = 2,
     .outputs = 3,
     .height = 6,
     .width = 5,
     .kernel_height = 3,
     .kernel_width = 3,
     .stride = 2,
     .pad = 1,
     .x_zero = 130,
     .w_zeros = {5}},
    {.groups = 2,
     .channels = 2,
     .outputs = 2,
     .height = 4,
     .width = 4,
     .kernel_height = 2,
     .kernel_width = 2,
     .pad = 1,
     .x_zero = 255,
     .w_zeros = {-128, 127, 0, 9}},
    {.channels = 40, .outputs = 2, .height = 4, .width = 4, .kernel_height = 3, .kernel_width = 3, .pad = 1, .x_zero = 3},
};

std::vector<std::string> attributes_of(const IntegerConvolution& p)
{
    return {kit::ints_attribute("strides", {p.stride, p.stride}), kit::ints_attribute("pads", {p.pad, p.pad, p.pad, p.pad}),
            kit::int_attribute("group", p.groups)};
}

struct Tensors {
    Integers x = {}, w = {};
    HostTensor x_tensor = {}, w_tensor = {}, w_zeros = {};
};

Tensors tensors_of(const IntegerConvolution& p)
{
    std::mt19937 random(2);
    Tensors made;
    made.x = drawn_bytes(DType::uint8, p.batches * p.groups * p.channels * p.height * p.width, random);
    made.w = drawn_bytes(DType::int8, p.groups * p.outputs * p.channels * p.kernel_height * p.kernel_width, random);
    made.x_tensor = integers(DType::uint8, {p.batches, p.groups * p.channels, p.height, p.width}, made.x);
    made.w_tensor = integers(DType::int8, {p.groups * p.outputs, p.channels, p.kernel_height, p.kernel_width}, made.w);
    const Integers zeros = p.w_zeros.empty() ? Integers{0} : p.w_zeros;
    made.w_zeros = integers(DType::int8, zeros.size() == 1 ? Dims() : Dims{int64_t(zeros.size())}, zeros);
    return made;
}

// Padding is as good as elements that are the zero point.
TEST(Quantization, ConvolutionsAreExact)
{
    on_every_device([](const CaseDevice& device) {
        for (const IntegerConvolution& p : convolutions)
            for (const bool is_constant : {false, true}) {
                const Tensors t = tensors_of(p);
                const HostTensor y = run_node(device, "ConvInteger",
                                              {{"x", t.x_tensor},
                                               {"w", t.w_tensor, is_constant},
                                               {"x_zero_point", integers(DType::uint8, {}, {p.x_zero})},
                                               {"w_zero_point", t.w_zeros, is_constant}},
                                              attributes_of(p));
                EXPECT_EQ(y.desc.dims, (Dims{p.batches, p.groups * p.outputs, p.output_height(), p.output_width()}));
                EXPECT_EQ(integers_in(y), kit::reference_integer_conv(p, t.x, t.w));
            }
    });
}

TEST(Quantization, QLinearConvAddsTheBiasBeforeItRounds)
{
    on_every_device([](const CaseDevice& device) {
        for (const IntegerConvolution& p : convolutions) {
            const Tensors t = tensors_of(p);
            const int64_t channels = p.groups * p.outputs;
            Integers bias;
            std::vector<float> scales;
            for (int64_t i = 0; i < channels; ++i) {
                bias.push_back(1000 * i - 700);
                scales.push_back(i % 2 == 0 ? 0.25f : 0.5f);
            }
            const HostTensor y = run_node(device, "QLinearConv",
                                          {{"x", t.x_tensor},
                                           {"x_scale", floats({}, {0.5f})},
                                           {"x_zero_point", integers(DType::uint8, {}, {p.x_zero})},
                                           {"w", t.w_tensor},
                                           {"w_scale", floats({channels}, scales)},
                                           {"w_zero_point", t.w_zeros},
                                           {"y_scale", floats({}, {64})},
                                           {"y_zero_point", integers(DType::uint8, {}, {120})},
                                           {"B", integers(DType::int32, {channels}, bias)}},
                                          attributes_of(p));
            const Integers sums = kit::reference_integer_conv(p, t.x, t.w);
            const auto plane = size_t(p.output_height() * p.output_width());
            Integers expected;
            for (size_t i = 0; i < sums.size(); ++i) {
                const size_t channel = i / plane % size_t(channels);
                const double number = double(sums[i] + bias[channel]) * 0.5 * double(scales[channel]);
                expected.push_back(kit::reference_quantized(number, 64, 120, 0, 255));
            }
            EXPECT_EQ(y.desc.dtype, DType::uint8);
            EXPECT_EQ(integers_in(y), expected);
        }
    });
}

// 1 + (2^24 + 1) is a float, but 2^24 + 1 is none. The scale puts the sum of integers just above 100.5, and one of floats below.
TEST(Quantization, QLinearConvAddsALargeBiasAsAnInteger)
{
    const float scale = std::nextafter(100.5f, 0.0f) / 0x1p24f;
    on_every_device([&](const CaseDevice& device) {
        for (const bool is_constant : {true, false}) {
            const HostTensor y = run_node(device, "QLinearConv",
                                          {{"x", integers(DType::uint8, {1, 1, 1}, {1})},
                                           {"x_scale", floats({}, {scale})},
                                           {"x_zero_point", integers(DType::uint8, {}, {0})},
                                           {"w", integers(DType::int8, {1, 1, 1}, {1})},
                                           {"w_scale", floats({}, {1})},
                                           {"w_zero_point", integers(DType::int8, {}, {0})},
                                           {"y_scale", floats({}, {1})},
                                           {"y_zero_point", integers(DType::uint8, {}, {0})},
                                           {"B", integers(DType::int32, {1}, {(1 << 24) + 1}), is_constant}});
            EXPECT_EQ(integers_in(y), Integers{101});
        }
    });
}

TEST(Quantization, QLinearMatMulOfScaledRowsAndColumns)
{
    on_every_device([](const CaseDevice& device) {
        for (const int64_t inner : {7, 400}) {
            std::mt19937 random(3);
            const Integers a = drawn_bytes(DType::uint8, 2 * inner, random), b = drawn_bytes(DType::int8, inner * 3, random);
            const Integers a_zeros = {3, 128}, b_zeros = {0, -5, 100};
            const std::vector<float> a_scales = {0.5f, 2}, b_scales = {1, 0.25f, 4};
            const HostTensor y = run_node(device, "QLinearMatMul",
                                          {{"a", integers(DType::uint8, {2, inner}, a)},
                                           {"a_scale", floats({2}, a_scales)},
                                           {"a_zero_point", integers(DType::uint8, {2}, a_zeros)},
                                           {"b", integers(DType::int8, {inner, 3}, b)},
                                           {"b_scale", floats({3}, b_scales)},
                                           {"b_zero_point", integers(DType::int8, {3}, b_zeros)},
                                           {"y_scale", floats({1}, {1024})},
                                           {"y_zero_point", integers(DType::int8, {1}, {-20})}});
            const Integers sums = kit::reference_integer_matmul(a, b, 2, inner, 3, a_zeros, b_zeros);
            Integers expected;
            for (size_t i = 0; i < sums.size(); ++i) {
                const double number = double(sums[i]) * double(a_scales[i / 3]) * double(b_scales[i % 3]);
                expected.push_back(kit::reference_quantized(number, 1024, -20, -128, 127));
            }
            EXPECT_EQ(y.desc.dtype, DType::int8);
            EXPECT_EQ(integers_in(y), expected);
        }
    });
}

TEST(Quantization, HalvesAreRoundedToEvenAndLimited)
{
    const struct {
        DType dtype;
        int64_t zero;
        Integers expected;  // of x / 2 below
    } cases[] = {
        {DType::uint8, 128, {0, 0, 126, 126, 128, 128, 128, 130, 130, 255, 255}},
        {DType::int8, -3, {-128, -128, -5, -5, -3, -3, -3, -1, -1, 127, 127}},
        {DType::uint16, 1000, {0, 0, 998, 998, 1000, 1000, 1000, 1002, 1002, 1150, 65535}},
        {DType::int16, 0, {-32768, -1500, -2, -2, 0, 0, 0, 2, 2, 150, 32767}},
    };
    const std::vector<float> x = {-1e9f, -3000, -5, -3, -1, 0, 1, 3, 5, 300, 1e9f};
    on_every_device([&](const CaseDevice& device) {
        for (const auto& [dtype, zero, expected] : cases) {
            const HostTensor y =
                run_node(device, "QuantizeLinear",
                         {{"x", floats({11}, x)}, {"y_scale", floats({}, {2})}, {"y_zero_point", integers(dtype, {}, {zero})}});
            EXPECT_EQ(y.desc, (TensorDesc{.dtype = dtype, .dims = {11}}));
            EXPECT_EQ(integers_in(y), expected) << name(dtype);
        }
        // Without a zero point the type is uint8, or what the attribute says.
        EXPECT_EQ(integers_in(run_node(device, "QuantizeLinear", {{"x", floats({2}, {-4, 6})}, {"y_scale", floats({}, {2})}})),
                  (Integers{0, 3}));
        const HostTensor y = run_node(device, "QuantizeLinear", {{"x", floats({2}, {-4, 6})}, {"y_scale", floats({}, {2})}},
                                      {kit::int_attribute("output_dtype", int64_t(DType::int16))});
        EXPECT_EQ(y.desc.dtype, DType::int16);
        EXPECT_EQ(integers_in(y), (Integers{-2, 3}));
    });
}

// A scale is that of all elements, of a place of an axis, or of a block of places, of which the last one may be shorter.
TEST(Quantization, ScalesOfAnAxisAndOfBlocks)
{
    const std::vector<float> x = {8, 16, 24, 32, 40, 48, 56, 64, 72, 80};  // (2, 5)
    const struct {
        Dims dims;
        std::vector<float> scales;
        Integers zeros;
        std::vector<std::string> attributes;
        Integers expected;
    } cases[] = {
        {{2}, {8, 4}, {1, 2}, {kit::int_attribute("axis", 0)}, {2, 3, 4, 5, 6, 14, 16, 18, 20, 22}},
        {{5}, {1, 2, 4, 8, 8}, {0, 0, 1, 0, 3}, {kit::int_attribute("axis", -1)}, {8, 8, 7, 4, 8, 48, 28, 17, 9, 13}},
        {{5}, {1, 2, 4, 8, 8}, {0, 0, 1, 0, 3}, {}, {8, 8, 7, 4, 8, 48, 28, 17, 9, 13}},
        {{2, 3},
         {8, 4, 2, 1, 2, 4},
         {0, 1, 0, 0, 0, 5},
         {kit::int_attribute("axis", 1), kit::int_attribute("block_size", 2)},
         {1, 2, 7, 9, 20, 48, 56, 32, 36, 25}},
    };
    on_every_device([&](const CaseDevice& device) {
        for (const auto& [dims, scales, zeros, attributes, expected] : cases) {
            const std::vector<NodeInput> parameters = {{"scale", floats(dims, scales)},
                                                       {"zero", integers(DType::uint8, dims, zeros)}};
            const HostTensor q =
                run_node(device, "QuantizeLinear", {{"x", floats({2, 5}, x)}, parameters[0], parameters[1]}, attributes);
            EXPECT_EQ(integers_in(q), expected);
            for (const bool is_constant : {false, true}) {  // weights that are constant are computed by the host
                const std::vector<NodeInput> inputs = {{"x", q, is_constant},
                                                       {"scale", parameters[0].tensor, is_constant},
                                                       {"zero", parameters[1].tensor, is_constant}};
                expect_floats(run_node(device, "DequantizeLinear", inputs, attributes), {2, 5}, x);
            }
        }
    });
}

// The document asks for as many zero points as scales. Where there is one for all, it is meant for all, known or not.
TEST(Quantization, OneZeroPointBesideScalesOfAnAxis)
{
    on_every_device([](const CaseDevice& device) {
        for (const bool is_constant : {false, true}) {
            const std::vector<NodeInput> inputs = {{"x", integers(DType::uint8, {2, 2}, {10, 20, 30, 40}), is_constant},
                                                   {"scale", floats({2}, {1, 0.5f}), is_constant},
                                                   {"zero", integers(DType::uint8, {}, {10}), is_constant}};
            expect_floats(run_node(device, "DequantizeLinear", inputs), {2, 2}, {0, 5, 20, 15});
            const std::vector<NodeInput> others = {inputs[0],
                                                   {"scale", floats({}, {0.5f}), is_constant},
                                                   {"zero", integers(DType::uint8, {2}, {10, 0}), is_constant}};
            expect_floats(run_node(device, "DequantizeLinear", others), {2, 2}, {0, 10, 10, 20});
        }
    });
}

TEST(Quantization, DequantizesEveryType)
{
    on_every_device([](const CaseDevice& device) {
        const auto run_of = [&](DType dtype, const Integers& values, const Integers& zero) {
            std::vector<NodeInput> inputs = {{"x", integers(dtype, {int64_t(values.size())}, values)},
                                             {"x_scale", floats({}, {0.5f})}};
            if (!zero.empty())
                inputs.push_back({"x_zero_point", integers(dtype, {}, zero)});
            return values_of<float>(run_node(device, "DequantizeLinear", inputs));
        };
        EXPECT_EQ(run_of(DType::uint8, {0, 255}, {255}), (std::vector<float>{-127.5f, 0}));
        EXPECT_EQ(run_of(DType::int8, {-128, 127}, {127}), (std::vector<float>{-127.5f, 0}));
        EXPECT_EQ(run_of(DType::uint16, {0, 65535}, {65535}), (std::vector<float>{-32767.5f, 0}));
        EXPECT_EQ(run_of(DType::int16, {-32768, 32767}, {-1}), (std::vector<float>{-16383.5f, 16384}));
        EXPECT_EQ(run_of(DType::int32, {-1000000, 7}, {}), (std::vector<float>{-500000, 3.5f}));
    });
}

// Returns numbers rounded to 8 bits as DynamicQuantizeLinear rounds them. `margin` becomes how far the nearest of them is from a
// number that is rounded the other way, in steps.
std::vector<double> rounded_to_8_bits(const std::vector<double>& numbers, double& margin)
{
    const double least = std::min(0.0, *std::ranges::min_element(numbers));
    const double greatest = std::max(0.0, *std::ranges::max_element(numbers));
    const double scale = greatest == least ? 1 : (greatest - least) / 255;
    const auto whole = [&](double steps) {
        margin = std::min(margin, 0.5 - std::abs(steps - std::nearbyint(steps)));
        return std::nearbyint(steps);
    };
    const double zero_point = whole(-least / scale);
    std::vector<double> rounded;
    for (const double number : numbers)
        rounded.push_back((std::clamp(whole(number / scale) + zero_point, 0.0, 255.0) - zero_point) * scale);
    return rounded;
}

// Computes a forward or a backward LSTM without offsets, whose X and H are rounded. W and R have a column for each gate and
// element.
std::vector<double> rounded_lstm(const std::vector<double>& x, const std::vector<double>& w, const std::vector<double>& r,
                                 int64_t steps, int64_t batches, int64_t size, int64_t hidden, bool is_backward, double& margin)
{
    const std::vector<double> rounded_x = rounded_to_8_bits(x, margin);
    std::vector<double> y(size_t(steps * batches * hidden));
    const auto logistic = [](double a) { return 1 / (1 + std::exp(-a)); };
    for (int64_t batch = 0; batch < batches; ++batch) {
        std::vector<double> h(size_t(hidden), 0.0), c(size_t(hidden), 0.0);
        for (int64_t step = 0; step < steps; ++step) {
            const int64_t time = is_backward ? steps - 1 - step : step;
            const std::vector<double> before = rounded_to_8_bits(h, margin);
            for (int64_t j = 0; j < hidden; ++j) {
                double gates[4] = {};  // i, o, f and c
                for (int64_t gate = 0; gate < 4; ++gate) {
                    const int64_t column = gate * hidden + j;
                    for (int64_t i = 0; i < size; ++i)
                        gates[gate] +=
                            rounded_x[size_t((time * batches + batch) * size + i)] * w[size_t(i * 4 * hidden + column)];
                    for (int64_t i = 0; i < hidden; ++i)
                        gates[gate] += before[size_t(i)] * r[size_t(i * 4 * hidden + column)];
                }
                double& cell = c[size_t(j)];
                cell = logistic(gates[2]) * cell + logistic(gates[0]) * std::tanh(gates[3]);
                h[size_t(j)] = logistic(gates[1]) * std::tanh(cell);
                y[size_t((time * batches + batch) * hidden + j)] = h[size_t(j)];
            }
        }
    }
    return y;
}

// X as a whole and H of each sequence are rounded to 8 bits, and the weights are those of floats, constant or not.
// The numbers are 0, the least one, 1, the greatest one, and those that are none, halved by the scale.
TEST(Quantization, FloatsOfEightBits)
{
    const struct {
        DType dtype;
        std::vector<uint8_t> codes;
        std::vector<float> numbers;
    } cases[] = {
        {DType::float8e4m3fn, {0, 0x01, 0x38, 0xfe, 0x7f}, {0, 0x1p-10f, 0.5f, -224, NAN}},
        {DType::float8e4m3fnuz, {0, 0x01, 0x40, 0xff, 0x80}, {0, 0x1p-11f, 0.5f, -120, NAN}},
        {DType::float8e5m2, {0, 0x01, 0x3c, 0xfb, 0xfc}, {0, 0x1p-17f, 0.5f, -28672, -INFINITY}},
        {DType::float8e5m2fnuz, {0, 0x01, 0x40, 0xff, 0x80}, {0, 0x1p-18f, 0.5f, -28672, NAN}},
    };
    on_every_device([&](const CaseDevice& device) {
        for (const auto& [dtype, codes, numbers] : cases) {
            SCOPED_TRACE(name(dtype));
            const HostTensor scale = floats({}, {0.5f}), zero = host(dtype, {}, std::vector<uint8_t>{0});
            for (const bool is_known : {false, true}) {
                const HostTensor x = host(dtype, {5}, codes);
                const HostTensor y = run_node(device, "DequantizeLinear", {{"x", x, is_known}, {"s", scale, is_known}});
                EXPECT_EQ(y.desc, (TensorDesc{.dtype = DType::float32, .dims = {5}}));
                const std::vector<float> got = values_of<float>(y);
                EXPECT_TRUE(std::ranges::equal(got, numbers, [](float a, float b) {
                    return a == b || (std::isnan(a) && std::isnan(b));
                })) << testing::PrintToString(got);
            }
            const bool is_fn = dtype == DType::float8e4m3fn || dtype == DType::float8e5m2;
            std::vector<float> beyond = numbers;
            beyond[4] = 1e6f;
            const uint8_t greatest = codes[3] & 0x7f, none = dtype == DType::float8e5m2 ? 0x7c : is_fn ? 0x7f : 0x80;
            for (const int64_t saturate : {0, 1}) {
                const HostTensor y = run_node(device, "QuantizeLinear", {{"x", floats({5}, beyond)}, {"s", scale}, {"z", zero}},
                                              {kit::int_attribute("saturate", saturate)});
                EXPECT_EQ(y.desc, (TensorDesc{.dtype = dtype, .dims = {5}}));
                std::vector<uint8_t> expected = codes;
                expected[4] = saturate != 0 ? greatest : none;
                EXPECT_EQ(values_of<uint8_t>(y), expected) << "saturate = " << saturate;
            }
        }
    });
}

// Two elements lie in a byte. Each row has two blocks, with a scale and a zero point of their own.
TEST(Quantization, IntegersOfFourBitsInBlocks)
{
    const HostTensor x = host(DType::int4, {2, 4}, std::vector<uint8_t>{0x78, 0x01, 0xf3, 0xe2});  // -8, 7, 1, 0; 3, -1, 2, -2
    const HostTensor zero = host(DType::int4, {2, 2}, std::vector<uint8_t>{0xf1, 0x20});           // 1, -1; 0, 2
    on_every_device([&](const CaseDevice& device) {
        for (const bool is_known : {false, true}) {
            const std::vector<NodeInput> inputs = {
                {"x", x, is_known}, {"s", floats({2, 2}, {0.5f, 2, 1, 4}), is_known}, {"z", zero, is_known}};
            expect_floats(run_node(device, "DequantizeLinear", inputs, {kit::int_attribute("block_size", 2)}), {2, 4},
                          {-4.5f, 3, 4, 2, 3, -1, 0, -16});
        }
        const HostTensor unsigned_x = host(DType::uint4, {3}, std::vector<uint8_t>{0xf8, 0x01});  // 8, 15, 1
        expect_floats(run_node(device, "DequantizeLinear", {{"x", unsigned_x}, {"s", floats({}, {0.5f})}}), {3}, {4, 7.5f, 0.5f});
        const HostTensor float_x = host(DType::float4e2m1, {3}, std::vector<uint8_t>{0xf1, 0x05});  // 0.5, -6, 3
        expect_floats(run_node(device, "DequantizeLinear", {{"x", float_x}, {"s", floats({}, {2})}}, {}, 23), {3}, {1, -12, 6});
    });
}

// Bytes have several elements. What is beyond the type becomes its end.
TEST(Quantization, BecomesIntegersOfLessThan8Bits)
{
    const HostTensor x = floats({2, 3}, {-9, -1, 0.5f, 1.5f, 3, 20});
    on_every_device([&](const CaseDevice& device) {
        const auto bytes = [&](const std::vector<NodeInput>& others, DType dtype, const std::vector<std::string>& more = {}) {
            std::vector<NodeInput> inputs = {{"x", x}};
            inputs.insert(inputs.end(), others.begin(), others.end());
            std::vector<std::string> attributes = more;
            if (others.size() == 1)
                attributes.push_back(kit::int_attribute("output_dtype", int64_t(dtype)));
            const HostTensor y = run_node(device, "QuantizeLinear", inputs, attributes, 25);
            EXPECT_EQ(y.desc, (TensorDesc{.dtype = dtype, .dims = {2, 3}}));
            return values_of<uint8_t>(y);
        };
        const NodeInput one = {"s", floats({}, {1})};
        using Bytes = std::vector<uint8_t>;
        EXPECT_EQ(bytes({one}, DType::int4), (Bytes{0xf8, 0x20, 0x73}));        // -8, -1, 0, 2, 3, 7
        EXPECT_EQ(bytes({one}, DType::uint4), (Bytes{0x00, 0x20, 0xf3}));       // 0, 0, 0, 2, 3, 15
        EXPECT_EQ(bytes({one}, DType::int2), (Bytes{0x4e, 0x05}));              // -2, -1, 0, 1; 1, 1
        EXPECT_EQ(bytes({one}, DType::uint2), (Bytes{0x80, 0x0f}));             // 0, 0, 0, 2; 3, 3
        EXPECT_EQ(bytes({one}, DType::float4e2m1), (Bytes{0xaf, 0x31, 0x75}));  // -6, -1, 0.5, 1.5, 3, 6
        const HostTensor zero = host(DType::int4, {2}, Bytes{0xe1});            // 1, -2
        EXPECT_EQ(bytes({{"s", floats({2}, {1, 0.5f})}, {"z", zero}}, DType::int4, {kit::int_attribute("axis", 0)}),
                  (Bytes{0x08, 0x11, 0x74}));  // -8, 0, 1; 1, 4, 7
    });
}

// A table of (2, 32) elements has blocks of 16 along an axis. Any axis may be gathered, also the one with the blocks.
TEST(Quantization, TablesOfFourBitsAndOfFloatsAreGathered)
{
    constexpr int64_t rows = 2, columns = 32, size = 16;
    const auto integer = [](int64_t row, int64_t column) { return (7 * row + 3 * column) % 16 - 8; };
    const auto zero_of = [](int64_t row, int64_t block) { return 2 * row - block; };
    const auto scale_of = [](int64_t row, int64_t block) { return float(1 + row) / float(4 * (1 + block)); };
    const auto nibbles = [](int64_t count, auto number) {
        std::vector<uint8_t> bytes(size_t((count + 1) / 2));
        for (int64_t i = 0; i < count; ++i)
            bytes[size_t(i / 2)] |= uint8_t((number(i) & 15) << (i % 2 * 4));
        return bytes;
    };
    const HostTensor table =
        host(DType::int4, {rows, columns}, nibbles(rows * columns, [&](int64_t i) { return integer(i / columns, i % columns); }));
    const HostTensor places = integers(DType::int32, {2}, {1, -2});
    on_every_device([&](const CaseDevice& device) {
        for (const int64_t gathered : {0, 1})
            for (const int64_t blocked : {0, 1})
                for (const bool has_zeros : {false, true}) {
                    const Dims parts = blocked == 0 ? Dims{1, columns} : Dims{rows, columns / size};
                    const auto block = [&](int64_t row, int64_t column) {
                        return blocked == 0 ? std::pair<int64_t, int64_t>(0, column) : std::pair(row, column / size);
                    };
                    std::vector<float> scales;
                    for (int64_t i = 0; i < parts[0] * parts[1]; ++i)
                        scales.push_back(scale_of(i / parts[1], i % parts[1] % 4));
                    const HostTensor zeros =
                        host(DType::int4, parts,
                             nibbles(parts[0] * parts[1], [&](int64_t i) { return zero_of(i / parts[1], i % parts[1] % 4); }));
                    const Dims dims = gathered == 0 ? Dims{2, columns} : Dims{rows, 2};
                    std::vector<float> expected;
                    for (int64_t i = 0; i < dims[0] * dims[1]; ++i) {
                        const int64_t own = gathered == 0 ? i / dims[1] : i % dims[1];
                        const int64_t taken = own == 0 ? 1 : gathered == 0 ? rows - 2 : columns - 2;
                        const int64_t row = gathered == 0 ? taken : i / dims[1], column = gathered == 0 ? i % dims[1] : taken;
                        const auto [part, of_part] = block(row, column);
                        const int64_t zero = has_zeros ? zero_of(part, of_part % 4) : 0;
                        expected.push_back(float(integer(row, column) - zero) * scale_of(part, of_part % 4));
                    }
                    std::vector<NodeInput> inputs = {
                        {"x", table, true}, {"i", places}, {"s", floats(parts, scales), true}, {"z", zeros, true}};
                    if (!has_zeros)
                        inputs.pop_back();
                    expect_floats(run_node(device, "GatherBlockQuantized", inputs,
                                           {kit::int_attribute("block_size", size), kit::int_attribute("gather_axis", gathered),
                                            kit::int_attribute("quantize_axis", blocked)},
                                           21, "com.microsoft"),
                                  dims, expected);
                }
        // Where the table has floats, one scale may serve all rows, and block_size = 0 makes a block of the whole axis.
        const HostTensor reals = host(DType::float8e4m3fn, {2, 3}, std::vector<uint8_t>{0x38, 0x40, 0xb8, 0x30, 0x44, 0x00});
        for (const bool is_shared : {false, true})  // 1, 2, -1; 0.5, 3, 0
            expect_floats(
                run_node(
                    device, "GatherBlockQuantized",
                    {{"x", reals, true}, {"i", places}, {"s", is_shared ? floats({1, 1}, {2}) : floats({2, 1}, {0.5f, 4}), true}},
                    {kit::int_attribute("block_size", 0)}, 21, "com.microsoft"),
                {2, 3}, is_shared ? std::vector<float>{1, 6, 0, 2, 4, -2} : std::vector<float>{2, 12, 0, 0.5f, 1, -0.5f});
    });
}

TEST(Quantization, DynamicQuantizeLSTMRoundsXAndH)
{
    constexpr int64_t steps = 3, batches = 2, size = 4, hidden = 3, columns = 4 * hidden;
    std::mt19937 random(4);
    std::vector<float> x;
    for (int64_t i = 0; i < steps * batches * size; ++i)
        x.push_back(float(random() % 64) / 32 - 1);
    const Integers w = drawn_bytes(DType::int8, 2 * size * columns, random),
                   r = drawn_bytes(DType::int8, 2 * hidden * columns, random);
    const std::vector<float> w_scales = {1.0f / 64, 1.0f / 128};
    std::vector<float> r_scales;
    Integers r_zeros;
    for (int64_t i = 0; i < 2 * columns; ++i) {
        r_scales.push_back(i % 2 == 0 ? 1.0f / 64 : 1.0f / 256);
        r_zeros.push_back(i % 5 - 2);
    }
    double margin = 1;
    std::vector<double> expected[2];
    for (int64_t direction = 0; direction < 2; ++direction) {
        std::vector<double> w_reals, r_reals;
        for (int64_t i = 0; i < size * columns; ++i)
            w_reals.push_back(double(w[size_t(direction * size * columns + i)] - 9) * w_scales[size_t(direction)]);
        for (int64_t i = 0; i < hidden * columns; ++i) {
            const auto at = size_t(direction * columns + i % columns);
            r_reals.push_back(double(r[size_t(direction * hidden * columns + i)] - r_zeros[at]) * r_scales[at]);
        }
        expected[direction] =
            rounded_lstm({x.begin(), x.end()}, w_reals, r_reals, steps, batches, size, hidden, direction == 1, margin);
    }
    ASSERT_GT(margin, 1e-3) << "a device that is off by some units must round to the same steps";
    const auto file_of = [&](const std::vector<NodeInput>& weights) {
        ModelBuilder model;
        model.opset(17).opset(1, "com.microsoft").input("X", DType::float32, {steps, batches, size});
        for (const NodeInput& weight : weights)
            if (weight.is_constant)
                model.initializer(kit::raw_tensor(weight.name, weight.tensor.desc, weight.tensor.data));
            else
                model.input(weight.name, weight.tensor.desc.dtype,
                            {weight.tensor.desc.dims.begin(), weight.tensor.desc.dims.end()});
        return model
            .node("DynamicQuantizeLSTM", {"X", "W", "R", "", "", "", "", "", "ws", "wz", "rs", "rz"}, {"Y"},
                  {kit::int_attribute("hidden_size", hidden), kit::string_attribute("direction", "bidirectional")}, "",
                  "com.microsoft")
            .output("Y")
            .build();
    };
    const auto body = [&](const CaseDevice& device) {
        for (const bool is_constant : {true, false}) {
            const std::vector<NodeInput> weights = {{"W", integers(DType::int8, {2, size, columns}, w), is_constant},
                                                    {"R", integers(DType::int8, {2, hidden, columns}, r), is_constant},
                                                    {"ws", floats({2}, w_scales), is_constant},
                                                    {"wz", integers(DType::int8, {2}, {9, 9}), is_constant},
                                                    {"rs", floats({2, columns}, r_scales), is_constant},
                                                    {"rz", integers(DType::int8, {2, columns}, r_zeros), is_constant}};
            std::vector<HostTensor> given = {floats({steps, batches, size}, x)};
            for (const NodeInput& weight : weights)
                if (!is_constant)
                    given.push_back(weight.tensor);
            const std::vector<HostTensor> got = run(device, file_of(weights), given);
            ASSERT_EQ(got.size(), 1u);
            ASSERT_EQ(got[0].desc.dims, (Dims{steps, 2, batches, hidden}));
            const std::vector<float> y = values_of<float>(got[0]);
            for (int64_t i = 0; i < int64_t(y.size()); ++i) {
                const int64_t row = i / (batches * hidden), within = i % (batches * hidden);
                EXPECT_NEAR(y[size_t(i)], expected[row % 2][size_t(row / 2 * batches * hidden + within)], 2e-6) << i;
            }
        }
    };
    on_every_device(body);
    Capabilities shares_nothing = unlimited();  // H is no longer shared by a workgroup
    shares_nothing.max_shared_bytes = 0;
    on_every_device(body, shares_nothing);
}

// The range of x always has 0 in it.
TEST(Quantization, TheDynamicScaleIsThatOfTheRange)
{
    const struct {
        std::vector<float> x;
        float scale;
        int64_t zero;
        Integers expected;
    } cases[] = {
        {{-255, 0, 255, 100}, 2, 128, {0, 128, 255, 178}},
        {{51, 255, 2, 3}, 1, 0, {51, 255, 2, 3}},
        {{-51, -255, -2, -3}, 1, 255, {204, 0, 253, 252}},
        {{0, 0, 0, 0}, 1, 0, {0, 0, 0, 0}},
    };
    on_every_device([&](const CaseDevice& device) {
        for (const auto& [x, scale, zero, expected] : cases) {
            const std::string file = ModelBuilder()
                                         .opset(11)
                                         .input("x", DType::float32, {4})
                                         .node("DynamicQuantizeLinear", {"x"}, {"y", "s", "z"})
                                         .output("y")
                                         .output("s")
                                         .output("z")
                                         .build();
            const std::vector<HostTensor> got = run(device, file, {floats({4}, x)});
            ASSERT_EQ(got.size(), 3u);
            EXPECT_EQ(integers_in(got[0]), expected);
            expect_floats(got[1], {}, {scale});
            EXPECT_EQ(got[2].desc, (TensorDesc{.dtype = DType::uint8, .dims = {}}));
            EXPECT_EQ(integers_in(got[2]), Integers{zero});
        }
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
