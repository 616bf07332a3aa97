// This file tests the reference's sums against arrays that were worked out by hand.
#include "kit/operators.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "helpers.h"

namespace vkonnx::kit {
namespace {

RealTensor tensor(std::vector<int64_t> dims, std::vector<double> values, DType dtype = DType::float32)
{
    return {{dtype, std::move(dims)}, std::move(values)};
}

template <class Attributes>
std::vector<Answer> answers(const Attributes& attributes, const std::vector<RealTensor>& inputs)
{
    std::vector<TensorDesc> descs;
    for (const RealTensor& input : inputs)
        descs.push_back(input.desc);
    const Result<Resolution> resolution = resolve(attributes, descs);
    EXPECT_TRUE(resolution) << resolution.message();
    const Result<std::vector<Answer>> result = reference(attributes, inputs, sample_of(resolution->output, 1000));
    EXPECT_TRUE(result) << result.message();
    return *result;
}

template <class Attributes>
std::vector<double> values(const Attributes& attributes, const std::vector<RealTensor>& inputs)
{
    std::vector<double> values;
    for (const Answer& answer : answers(attributes, inputs))
        values.push_back(answer.value.hi);
    return values;
}

using Values = std::vector<double>;

TEST(ReferenceConvTranspose, OneAxis)
{
    const RealTensor x = tensor({1, 1, 3}, {1, 2, 3});
    const RealTensor w = tensor({1, 1, 3}, {1, 10, 100});
    EXPECT_EQ(values(ConvTranspose(), {x, w}), (Values{1, 12, 123, 230, 300}));
    EXPECT_EQ(values(ConvTranspose{.strides = {2}}, {x, w}), (Values{1, 10, 102, 20, 203, 30, 300}));
    EXPECT_EQ(values(ConvTranspose{.strides = {2}, .pads = {1, 2}}, {x, w}), (Values{10, 102, 20, 203}));
    EXPECT_EQ(values(ConvTranspose{.dilations = {2}}, {x, w}), (Values{1, 2, 13, 20, 130, 200, 300}));
    EXPECT_EQ(values(ConvTranspose{.strides = {2}, .output_shape = {9}}, {x, w}), (Values{1, 10, 102, 20, 203, 30, 300, 0, 0}));
    EXPECT_EQ(values(ConvTranspose{.strides = {2}, .output_shape = {4}}, {x, w}), (Values{102, 20, 203, 30}));
    EXPECT_EQ(values(ConvTranspose{.strides = {2}, .output_padding = {1}}, {x, w}), (Values{1, 10, 102, 20, 203, 30, 300, 0}));
}

TEST(ReferenceConvTranspose, TwoAxesAreNotSwapped)
{
    const RealTensor x = tensor({1, 1, 1, 2}, {1, 2});
    const RealTensor w = tensor({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6});
    EXPECT_EQ(values(ConvTranspose{.strides = {1, 2}}, {x, w}), (Values{1, 2, 5, 4, 6, 4, 5, 14, 10, 12}));
}

TEST(ReferenceConvTranspose, ChannelsGroupsAndBias)
{
    // There are 4 input channels in 2 groups, and 2 output channels in each, so that W's column is m % 2.
    const RealTensor x = tensor({1, 4, 1}, {1, 10, 100, 1000});
    const RealTensor w = tensor({4, 2, 1}, {1, 2, 3, 4, 5, 6, 7, 8});
    const RealTensor b = tensor({4}, {0.5, 0.25, 0.125, 0.0625});
    EXPECT_EQ(values(ConvTranspose{.group = 2}, {x, w}), (Values{31, 42, 7500, 8600}));
    EXPECT_EQ(values(ConvTranspose{.group = 2}, {x, w, b}), (Values{31.5, 42.25, 7500.125, 8600.0625}));
    EXPECT_EQ(values(ConvTranspose(), {x, w}), (Values{7531, 8642}));
}

TEST(ReferenceConvTranspose, BatchesReadTheirOwnInput)
{
    EXPECT_EQ(values(ConvTranspose(), {tensor({2, 1, 2}, {1, 2, 30, 40}), tensor({1, 1, 1}, {2})}), (Values{2, 4, 60, 80}));
}

TEST(ReferenceConvTranspose, PositionsWithoutTapsHoldTheBias)
{
    const RealTensor x = tensor({1, 1, 2}, {inf, 3});
    const RealTensor w = tensor({1, 1, 1}, {2});
    EXPECT_EQ(values(ConvTranspose{.strides = {3}}, {x, w, tensor({1}, {5})}), (Values{inf, 5, 5, 11})) << "no 0 * Inf";
    const Answer empty = answers(ConvTranspose{.strides = {3}}, {x, w}).at(1);
    EXPECT_EQ(empty.value.hi, 0);
    EXPECT_FALSE(std::signbit(empty.value.hi));
    EXPECT_EQ(empty.taps, 0);
    const Values no_channels = values(ConvTranspose(), {tensor({1, 0, 2}, {}), tensor({0, 1, 2}, {}), tensor({1}, {7})});
    EXPECT_EQ(no_channels, (Values{7, 7, 7}));
    EXPECT_EQ(values(ConvTranspose(), {tensor({1, 1, 0}, {}), tensor({1, 2, 3}, {1, 2, 3, 4, 5, 6})}), (Values{0, 0, 0, 0}));
    EXPECT_EQ(values(ConvTranspose(), {tensor({0, 1, 2}, {}), tensor({1, 1, 2}, {1, 2})}), Values{});
}

TEST(ReferenceConvTranspose, ExactZerosAndMagnitudes)
{
    const Answer cancelled =
        answers(ConvTranspose(), {tensor({1, 2, 1}, {3, 2}), tensor({2, 1, 1}, {-2, 3}), tensor({1}, {-1})}).at(0);
    EXPECT_EQ(cancelled.value.hi, -1);
    EXPECT_EQ(cancelled.magnitude, 13) << "|-1| + |3 * -2| + |2 * 3|";
    EXPECT_EQ(cancelled.taps, 2);
    const Answer negative = answers(ConvTranspose(), {tensor({1, 1, 1}, {-0.0}), tensor({1, 1, 1}, {4})}).at(0);
    EXPECT_TRUE(std::signbit(negative.value.hi)) << "the sum starts from its first term";
}

TEST(ReferenceConvTranspose, DoublesAreSummedInDoubleDouble)
{
    const auto cancelling = [](DType dtype) {
        return values(ConvTranspose(), {tensor({1, 3, 1}, {1e16, 1, -1e16}, dtype), tensor({3, 1, 1}, {1, 1, 1}, dtype)}).at(0);
    };
    EXPECT_EQ(cancelling(DType::float64), 1.0);
    EXPECT_EQ(cancelling(DType::float32), 0.0) << "float inputs are summed in double";
    const double a = 1 + std::ldexp(1.0, -52);
    const RealTensor x = tensor({1, 2, 1}, {a, -1}, DType::float64);
    const RealTensor w = tensor({2, 1, 1}, {a, 1 + std::ldexp(1.0, -51)}, DType::float64);
    EXPECT_EQ(values(ConvTranspose(), {x, w}).at(0), std::ldexp(1.0, -104)) << "products are exact";
}

// The numbers are the same with channels last: 2 channels of 3 positions, whose pixels are (1, 10), (2, 20), (3, 30).
TEST(ReferenceConvTranspose, ChannelsLast)
{
    RealTensor x = tensor({1, 3, 2}, {1, 10, 2, 20, 3, 30});
    x.desc.layout = Layout::nxc;
    const RealTensor w = tensor({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});  // (c, m, tap)
    const Values y = values(ConvTranspose(), {x, w, tensor({2}, {0.5, 0.25})});
    EXPECT_EQ(y, (Values{51.5, 73.25, 164.5, 230.25, 277.5, 387.25, 186.5, 252.25})) << "pixels of two outputs";
    const TensorDesc output = resolve(ConvTranspose(), std::vector<TensorDesc>{x.desc, w.desc})->output;
    EXPECT_EQ(output, (TensorDesc{DType::float32, {1, 4, 2}, Layout::nxc}));
    RealTensor first = x;
    first.desc = {DType::float32, {1, 2, 3}};
    first.values = {1, 2, 3, 10, 20, 30};
    EXPECT_EQ(values(ConvTranspose(), {first, w, tensor({2}, {0.5, 0.25})}),
              (Values{51.5, 164.5, 277.5, 186.5, 73.25, 230.25, 387.25, 252.25}));
}

TEST(ReferenceConvTranspose, ChannelsLastInGroups)
{
    RealTensor x = tensor({2, 1, 4}, {1, 10, 100, 1000, 2, 20, 200, 2000});
    x.desc.layout = Layout::nxc;
    const RealTensor w = tensor({4, 2, 1}, {1, 2, 3, 4, 5, 6, 7, 8});
    EXPECT_EQ(values(ConvTranspose{.group = 2}, {x, w}), (Values{31, 42, 7500, 8600, 62, 84, 15000, 17200}));
}

// There are 3 input channels in 1 group, 2 output channels, a kernel of 2 x 1 and one pixel. All numbers of W are seen, each at
// its place.
TEST(ReferenceOnednnConvTranspose, FilterFormats)
{
    using onednn::FilterFormat;
    const auto y = [](FilterFormat format, Layout layout, std::vector<int64_t> w_dims) {
        const std::vector<int64_t> x_dims =
            layout == Layout::nxc ? std::vector<int64_t>{1, 1, 1, 3} : std::vector<int64_t>{1, 3, 1, 1};
        const RealTensor x = tensor(x_dims, {1, 100, 10000});
        const RealTensor w = tensor(std::move(w_dims), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
        const std::vector<int64_t> ones = {1, 1};
        const std::vector<int64_t> zeros = {0, 0};
        return values(onednn::ConvTranspose{.strides = ones,
                                            .pads_begin = zeros,
                                            .pads_end = zeros,
                                            .dilations = ones,
                                            .data_format = layout,
                                            .filter_format = format},
                      {x, w});
    };
    // XIO has rows of (tap, c), each of which holds both outputs.
    EXPECT_EQ(y(FilterFormat::xio, Layout::nxc, {2, 1, 3, 2}), (Values{50301, 60402, 110907, 121008}));
    EXPECT_EQ(y(FilterFormat::xio, Layout::ncx, {2, 1, 3, 2}), (Values{50301, 110907, 60402, 121008}));
    // OIX has an output's three channels of two taps together.
    EXPECT_EQ(y(FilterFormat::oix, Layout::nxc, {2, 3, 2, 1}), (Values{50301, 110907, 60402, 121008}));
    EXPECT_EQ(y(FilterFormat::oix, Layout::ncx, {2, 3, 2, 1}), (Values{50301, 60402, 110907, 121008}));
    // IOX has a channel's two outputs of two taps together.
    EXPECT_EQ(y(FilterFormat::iox, Layout::nxc, {3, 2, 2, 1}), (Values{90501, 110703, 100602, 120804}));
    EXPECT_EQ(y(FilterFormat::iox, Layout::ncx, {3, 2, 2, 1}), (Values{90501, 100602, 110703, 120804}));
}

TEST(ReferenceOnednnConvTranspose, GroupsAndBias)
{
    // There are 2 groups of one input channel and two outputs each. With XIO, W is (1, 2, 2).
    const onednn::ConvTranspose attributes = {
        .strides = {2}, .pads_begin = {0}, .pads_end = {0}, .dilations = {1}, .output_padding = {2}, .groups = 2};
    const RealTensor x = tensor({1, 1, 2}, {1, 10});
    const RealTensor w = tensor({1, 2, 2}, {1, 2, 3, 4});
    const RealTensor b = tensor({4}, {0.5, 0.25, 0.125, 0.0625});
    EXPECT_EQ(values(attributes, {x, w, b}),
              (Values{1.5, 2.25, 30.125, 40.0625, 0.5, 0.25, 0.125, 0.0625, 0.5, 0.25, 0.125, 0.0625}))
        << "output_padding of the stride and more: positions that hold B";
}

TEST(ReferenceOnednnConvTranspose, SumsAsOnnxDoes)
{
    const RealTensor x = tensor({1, 1, 3}, {1, 2, 3});
    const RealTensor w = tensor({1, 1, 3}, {1, 10, 100});
    EXPECT_EQ(values(onednn::ConvTranspose{.strides = {2},
                                           .pads_begin = {1},
                                           .pads_end = {2},
                                           .dilations = {1},
                                           .data_format = Layout::ncx,
                                           .filter_format = onednn::FilterFormat::iox},
                     {x, w}),
              (Values{10, 102, 20, 203}));
}

TEST(ReferenceAveragePool, ChannelsLast)
{
    RealTensor x = tensor({1, 3, 2}, {1, 10, 3, 30, 8, 80});
    x.desc.layout = Layout::nxc;
    EXPECT_EQ(values(AveragePool{.kernel_shape = {2}}, {x}), (Values{2, 20, 5.5, 55}));
    EXPECT_EQ(values(AveragePool{.kernel_shape = {2}, .strides = {2}, .pads = {0, 1}, .count_include_pad = 1}, {x}),
              (Values{2, 20, 4, 40}));
    RealTensor plane = tensor({2, 2, 2, 1}, {1, 2, 3, 4, 5, 6, 7, 8});
    plane.desc.layout = Layout::nxc;
    EXPECT_EQ(values(AveragePool{.kernel_shape = {2, 1}}, {plane}), (Values{2, 3, 6, 7})) << "axes are not swapped";
    const TensorDesc output = resolve(AveragePool{.kernel_shape = {2}}, std::vector<TensorDesc>{x.desc})->output;
    EXPECT_EQ(output, (TensorDesc{DType::float32, {1, 2, 2}, Layout::nxc}));
}

TEST(ReferenceAveragePool, WorkedExamples)
{
    const RealTensor five = tensor({1, 1, 5}, {1, 2, 3, 4, 5});
    EXPECT_EQ(values(AveragePool{.kernel_shape = {2}, .strides = {2}, .ceil_mode = 1, .count_include_pad = 1}, {five}),
              (Values{1.5, 3.5, 5.0}));
    EXPECT_EQ(values(AveragePool{.kernel_shape = {3}, .strides = {3}, .ceil_mode = 1}, {tensor({1, 1, 4}, {1, 2, 4, 8})}),
              (Values{7.0 / 3, 8}));
    EXPECT_EQ(values(AveragePool{.auto_pad = AutoPad::same_upper, .kernel_shape = {3}, .dilations = {2}}, {five}),
              (Values{2, 3, 3, 3, 4}));
    EXPECT_EQ(values(AveragePool{.kernel_shape = {1}, .pads = {0, 3}, .ceil_mode = 1}, {tensor({1, 1, 2}, {7, 9})}),
              (Values{7, 9, 0, 0}));
}

TEST(ReferenceAveragePool, DivisorWithAndWithoutPadding)
{
    const RealTensor x = tensor({1, 1, 3}, {6, 12, 18});
    EXPECT_EQ(values(AveragePool{.kernel_shape = {3}, .pads = {1, 2}}, {x}), (Values{9, 12, 15, 18}));
    EXPECT_EQ(values(AveragePool{.kernel_shape = {3}, .pads = {1, 2}, .count_include_pad = 1}, {x}), (Values{6, 12, 10, 6}));
    // With in 3, pads 1 and 1, k 4 and s 3, the second window holds 18, one padding position, and two of overhang that do not
    // count.
    EXPECT_EQ(
        values(AveragePool{.kernel_shape = {4}, .strides = {3}, .pads = {1, 1}, .ceil_mode = 1, .count_include_pad = 1}, {x}),
        (Values{9, 9}));
    const auto edge = answers(AveragePool{.kernel_shape = {2}, .pads = {2, 0}, .count_include_pad = 1}, {x}).at(0);
    EXPECT_EQ(edge.value.hi, 0);
    EXPECT_EQ(edge.taps, 0);
}

TEST(ReferenceAveragePool, DivisorIsTheProductOverAxes)
{
    const RealTensor x = tensor({1, 1, 2, 3}, {4, 8, 12, 16, 20, 24});
    EXPECT_EQ(values(AveragePool{.kernel_shape = {2, 2}, .strides = {2, 1}, .pads = {1, 0, 1, 0}}, {x}), (Values{6, 10, 18, 22}));
    const auto corner = answers(AveragePool{.kernel_shape = {2, 2}, .pads = {1, 1, 0, 0}, .count_include_pad = 1}, {x}).at(0);
    EXPECT_EQ(corner.value.hi, 1);
    EXPECT_EQ(corner.divisor, 4);
    EXPECT_EQ(corner.magnitude, 1);
    EXPECT_EQ(corner.taps, 1);
}

TEST(ReferenceAveragePool, SpecialValuesStayInTheirWindows)
{
    const auto y = values(AveragePool{.kernel_shape = {2}, .strides = {2}, .pads = {1, 1}},
                          {tensor({1, 1, 6}, {-0.0, -0.0, -0.0, nan, 1, -inf})});
    EXPECT_EQ(y.at(0), 0);
    EXPECT_TRUE(std::signbit(y.at(0))) << "padding must not flip -0.0";
    EXPECT_TRUE(std::signbit(y.at(1)));
    EXPECT_TRUE(std::isnan(y.at(2)));
    EXPECT_EQ(y.at(3), -inf);
}

// H becomes 1, 2^100, then 2^200, which no float holds: from there on a device has an infinity, or the difference of two.
TEST(ReferenceRnn, IsAnythingOnceAFloatHasOverflowed)
{
    const RNN op = {.activations = {RecurrentActivation::leaky_relu}};
    const std::vector<RealTensor> inputs = {tensor({3, 1, 1}, {1, 0, 0}), tensor({1, 1, 1}, {1}), tensor({1, 1, 1}, {0x1p100})};
    const std::vector<Answer> y = answers(op, inputs);
    ASSERT_EQ(y.size(), 3u);
    for (size_t step : {0u, 1u}) {
        const Range& range = (*y[step].ranges)[0];
        EXPECT_TRUE(range.holds(step == 0 ? 1 : 0x1p100)) << step;
        EXPECT_FALSE(range.holds(step == 0 ? 1.001 : 0x1.01p100)) << step;
    }
    EXPECT_TRUE((*y[2].ranges)[0].is_anything());
}

TEST(ReferenceSample, TakesAllOrSpreadsEvenly)
{
    const TensorDesc hundred = {DType::float32, {10, 10}};
    std::vector<int64_t> all(100);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(sample_of(hundred, 100), all);
    EXPECT_EQ(sample_of(hundred, 4), (std::vector<int64_t>{0, 33, 66, 99}));
    EXPECT_EQ(sample_of({DType::float32, {3, 0}}, 4), std::vector<int64_t>{});
}

TEST(ReferenceBound, IsTheDocumentsFormula)
{
    Answer answer;
    answer.magnitude = 8;
    answer.taps = 10;
    EXPECT_EQ(float_error_bound(answer, std::ldexp(1.0, -24)), 16 * 8 * std::ldexp(1.0, -24) + 10 * std::ldexp(1.0, -149));
    EXPECT_EQ(double_error_bound(answer), 16 * 8 * std::ldexp(1.0, -53) + 10 * std::ldexp(1.0, -1074));
}

TEST(Reference, RefusesValuesThatDoNotFill)
{
    const std::vector<RealTensor> inputs = {tensor({1, 1, 3}, {1, 2})};
    const auto refused = reference(AveragePool{.kernel_shape = {1}}, inputs, std::vector<int64_t>{0});
    EXPECT_EQ(refused.message(), "reference: values do not fill float[1,1,3]");
}

}  // namespace
}  // namespace vkonnx::kit
