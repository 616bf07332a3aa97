// This file tests Softmax, LogSoftmax, InstanceNormalization, BatchNormalization and LRN.
#include "expect.h"

namespace vkonnx::ops {

namespace {

using Inputs = std::vector<TensorDesc>;
using Statistics = NormalizationGeometry::Statistics;

TensorDesc floats(Dims dims, Layout layout = Layout::ncx)
{
    return {DType::float32, std::move(dims), layout};
}

// Returns outer, extent and inner.
Dims rows_of(const Softmax& attributes, Dims dims)
{
    const auto geometry = resolve(attributes, Inputs{floats(std::move(dims))});
    EXPECT_TRUE(geometry) << geometry.message();
    return geometry ? Dims{geometry->outer, geometry->extent, geometry->inner} : Dims{};
}

Inputs batch_inputs(TensorDesc x, const Dims& dims, DType scale = DType::float32, DType mean = DType::float32)
{
    return {std::move(x), {scale, dims}, {scale, dims}, {mean, dims}, {mean, dims}};
}

NormalizationGeometry batch(const BatchNormalization& attributes, const Inputs& inputs)
{
    const auto geometry = resolve(attributes, inputs);
    EXPECT_TRUE(geometry) << geometry.message();
    return geometry ? *geometry : NormalizationGeometry();
}

// Returns batch, channels and positions.
Dims extents_of(const NormalizationGeometry& g)
{
    return {g.batch, g.channels, g.positions};
}

}  // namespace

TEST(SoftmaxOps, OneAxisFromVersion13On)
{
    EXPECT_EQ(rows_of({}, {3, 5, 7}), (Dims{15, 7, 1}));
    EXPECT_EQ(rows_of({.axis = 1}, {3, 5, 7}), (Dims{3, 5, 7}));
    EXPECT_EQ(rows_of({.opset = 13, .axis = -3}, {3, 5, 7}), (Dims{1, 3, 35}));
    EXPECT_EQ(rows_of({}, {3}), (Dims{1, 3, 1}));
}

TEST(SoftmaxOps, AMatrixBefore)
{
    EXPECT_EQ(rows_of({.opset = 12}, {3, 5, 7}), (Dims{3, 35, 1}));
    EXPECT_EQ(rows_of({.opset = 1, .axis = 0}, {3, 5, 7}), (Dims{1, 105, 1}));
    EXPECT_EQ(rows_of({.opset = 11, .axis = -1}, {3, 5, 7}), (Dims{15, 7, 1}));
    EXPECT_EQ(rows_of({.opset = 7, .axis = -2}, {3, 5, 7}), (Dims{3, 35, 1})) << "as ONNX Runtime takes it";
    const auto geometry = resolve(Softmax{.opset = 11}, Inputs{floats({3, 5})});
    ASSERT_TRUE(geometry);
    EXPECT_EQ(geometry->equation, "ONNX Softmax-11: output = e^input / sum of e^input along all axes from 1 on");
}

TEST(SoftmaxOps, Refuses)
{
    expect_refused<Softmax>({{.axis = 2},
                             {floats({3, 5})},
                             "Softmax: axis = 2 must be from -2 to 1: input has rank 2 and opset 28 means version 13"});
    expect_refused<Softmax>({{.opset = 10, .axis = -3},
                             {floats({3, 5})},
                             "Softmax: axis = -3 must be from -2 to 1: input has rank 2 and opset 10 means version 1"});
    expect_refused<Softmax>({{.opset = 11},
                             {floats({3})},
                             "Softmax: axis = 1, the default, must be from -1 to 0: input has rank 1 and opset 11 means version "
                             "11"});
    expect_refused<Softmax>({{}, {floats({})}, "Softmax: input is a scalar, but a rank of at least 1 is expected"});
    expect_refused<Softmax>({{},
                             {{DType::float64, {3}}},
                             "Softmax: input has type double, in which there is no such function: float32, float16 and "
                             "bfloat16 have it",
                             Code::unsupported});
    expect_refused<Softmax>(
        {{}, {{DType::int32, {3}}}, "Softmax: input has type int32, which no version of the operator accepts"});
    expect_refused<Softmax>({{.opset = 12},
                             {{DType::bfloat16, {3, 3}}},
                             "Softmax: input has type bfloat16, which exists from version 13, and opset 12 means version 11"});
    expect_refused<Softmax>({{}, {}, "Softmax: expects 1 input, but 0 are given"});
}

TEST(LogSoftmaxOps, HasSoftmaxsRows)
{
    const auto coerced = resolve(LogSoftmax{.opset = 11}, Inputs{floats({3, 5})});
    ASSERT_TRUE(coerced);
    EXPECT_EQ(coerced->equation, "ONNX LogSoftmax-11: output = log(e^input / sum of e^input) along all axes from 1 on");
    const auto geometry = resolve(LogSoftmax{.axis = -2}, Inputs{floats({3, 5, 7})});
    ASSERT_TRUE(geometry);
    EXPECT_EQ((Dims{geometry->outer, geometry->extent, geometry->inner}), (Dims{3, 5, 7}));
    EXPECT_EQ(geometry->equation, "ONNX LogSoftmax-13: output = log(e^input / sum of e^input) along axis 1");
    expect_refused<LogSoftmax>({{.opset = 10, .axis = 2},
                                {floats({3, 5})},
                                "LogSoftmax: axis = 2 must be from -2 to 1: input has rank 2 and opset 10 means version 1"});
    expect_refused<LogSoftmax>({{},
                                {{DType::float64, {3}}},
                                "LogSoftmax: input has type double, in which there is no such function: float32, float16 and "
                                "bfloat16 have it",
                                Code::unsupported});
}

TEST(InstanceNormalizationOps, TakesChannelsOfEitherLayout)
{
    const auto first = resolve(InstanceNormalization{.epsilon = 0.5f}, Inputs{floats({2, 3, 5, 7}), floats({3}), floats({3})});
    ASSERT_TRUE(first) << first.message();
    EXPECT_EQ(extents_of(*first), (Dims{2, 3, 35}));
    EXPECT_FALSE(first->channels_last);
    EXPECT_EQ(first->statistics, Statistics::of_instance);
    EXPECT_EQ(first->epsilon, 0.5);
    EXPECT_EQ(first->equation, "ONNX InstanceNormalization-22: output = (input - mean) / sqrt(var + epsilon) * scale + B, mean "
                               "and var those of a channel of an instance");
    const auto last = resolve(InstanceNormalization{}, Inputs{floats({2, 5, 7, 3}, Layout::nxc), floats({3}), floats({3})});
    ASSERT_TRUE(last) << last.message();
    EXPECT_EQ(extents_of(*last), (Dims{2, 3, 35}));
    EXPECT_TRUE(last->channels_last);
    EXPECT_EQ(last->epsilon, double(1e-5f));
}

TEST(InstanceNormalizationOps, Refuses)
{
    const TensorDesc x = floats({2, 3, 5});
    const TensorDesc three = floats({3});
    expect_refused<InstanceNormalization>({{}, {x, three}, "InstanceNormalization: expects 3 inputs, but 2 are given"});
    expect_refused<InstanceNormalization>(
        {{}, {x, floats({2}), three}, "InstanceNormalization: scale = float[2] must be float[3]"});
    expect_refused<InstanceNormalization>(
        {{}, {x, three, floats({3, 1})}, "InstanceNormalization: B = float[3,1] must be float[3]"});
    expect_refused<InstanceNormalization>(
        {{}, {x, three, {DType::float16, {3}}}, "InstanceNormalization: B has type float16, but must have input's type float"});
    expect_refused<InstanceNormalization>(
        {{},
         {floats({2, 3}), three, three},
         "InstanceNormalization: input has rank 2, but at least 3 is expected: N, C and spatial axes"});
    expect_refused<InstanceNormalization>({{.opset = 21},
                                           {{DType::bfloat16, {2, 3, 5}}, {DType::bfloat16, {3}}, {DType::bfloat16, {3}}},
                                           "InstanceNormalization: input has type bfloat16, which exists from version 22, and "
                                           "opset 21 means version 6"});
}

TEST(BatchNormalizationOps, TakesWhatItsVersionsSay)
{
    const NormalizationGeometry plain = batch({}, batch_inputs(floats({2, 3, 5, 7}), {3}));
    EXPECT_EQ(extents_of(plain), (Dims{2, 3, 35}));
    EXPECT_EQ(plain.statistics, Statistics::given);
    EXPECT_EQ(plain.equation, "ONNX BatchNormalization-15: Y = (X - mean) / sqrt(var + epsilon) * scale + B");
    EXPECT_EQ(extents_of(batch({}, batch_inputs(floats({2, 5, 7, 3}, Layout::nxc), {3}))), (Dims{2, 3, 35}));
    EXPECT_EQ(extents_of(batch({}, batch_inputs(floats({9}), {1}))), (Dims{9, 1, 1})) << "one channel";
    EXPECT_EQ(extents_of(batch({.opset = 7, .spatial = 0}, batch_inputs(floats({2, 3, 5}), {3, 5}))), (Dims{2, 15, 1}));
    EXPECT_EQ(extents_of(batch({.opset = 7, .spatial = 1}, batch_inputs(floats({2, 3, 5}), {3}))), (Dims{2, 3, 5}));
    EXPECT_EQ(batch({.training_mode = 1}, batch_inputs(floats({2, 3, 5}), {3})).statistics, Statistics::of_channel);
    const auto outputs = infer(BatchNormalization{.training_mode = 1, .outputs = 3},
                               batch_inputs({DType::float16, {2, 3, 5}}, {3}, DType::float16, DType::float32));
    ASSERT_TRUE(outputs) << outputs.message();
    EXPECT_EQ(*outputs, (Inputs{{DType::float16, {2, 3, 5}}, {DType::float32, {3}}, {DType::float32, {3}}}));
    const NormalizationGeometry mixed =
        batch({}, batch_inputs({DType::float16, {2, 3, 5}}, {3}, DType::float32, DType::bfloat16));
    EXPECT_EQ(mixed.scale_type, DType::float32);
    EXPECT_EQ(mixed.statistics_type, DType::bfloat16);
}

TEST(BatchNormalizationOps, Refuses)
{
    const Inputs plain = batch_inputs(floats({2, 3, 5}), {3});
    expect_refused<BatchNormalization>({{.opset = 6},
                                        plain,
                                        "BatchNormalization: opset = 6 must be at least 7: older versions are not supported",
                                        Code::unsupported});
    expect_refused<BatchNormalization>({{.opset = 0}, plain, "BatchNormalization: opset = 0 must be at least 1"});
    expect_refused<BatchNormalization>({{.opset = 8, .spatial = 2}, plain, "BatchNormalization: spatial = 2 must be 0 or 1"});
    expect_refused<BatchNormalization>({{.opset = 9, .spatial = 1},
                                        plain,
                                        "BatchNormalization: spatial must not be given: it is an attribute until version 7, and "
                                        "opset 9 means version 9"});
    expect_refused<BatchNormalization>({{.opset = 13, .training_mode = 0},
                                        plain,
                                        "BatchNormalization: training_mode must not be given: it exists from version 14, and "
                                        "opset 13 means version 9"});
    expect_refused<BatchNormalization>({{.outputs = 3},
                                        plain,
                                        "BatchNormalization: outputs = 3 must be 1: only with training_mode = 1 there are others "
                                        "than Y"});
    expect_refused<BatchNormalization>(
        {{.training_mode = 1, .outputs = 4}, plain, "BatchNormalization: outputs = 4 must be from 1 to 3"});
    expect_refused<BatchNormalization>({{.training_mode = 3}, plain, "BatchNormalization: training_mode = 3 must be 0 or 1"});
    expect_refused<BatchNormalization>({{}, {plain[0], plain[1]}, "BatchNormalization: expects 5 inputs, but 2 are given"});
    expect_refused<BatchNormalization>({{},
                                        batch_inputs(floats({}), {1}),
                                        "BatchNormalization: X is a scalar, but a rank of at least 1 is expected: N, C and "
                                        "spatial axes"});
    expect_refused<BatchNormalization>(
        {{}, batch_inputs(floats({2, 3, 5}), {5}), "BatchNormalization: scale = float[5] must be float[3]"});
    expect_refused<BatchNormalization>({{.opset = 7, .spatial = 0},
                                        batch_inputs(floats({2, 3, 5}), {3}),
                                        "BatchNormalization: scale = float[3] must be float[3,5]"});
    expect_refused<BatchNormalization>({{.opset = 14},
                                        batch_inputs({DType::float16, {2, 3, 5}}, {3}),
                                        "BatchNormalization: scale has type float, but must have X's type float16"});
    expect_refused<BatchNormalization>({{.opset = 13},
                                        batch_inputs({DType::float16, {2, 3, 5}}, {3}, DType::float16),
                                        "BatchNormalization: mean has type float, but must have X's type float16"});
    Inputs pairs = plain;
    pairs[4].dtype = DType::float16;
    expect_refused<BatchNormalization>(
        {{}, pairs, "BatchNormalization: input_var has type float16, but must have input_mean's type float"});
    expect_refused<BatchNormalization>({{},
                                        batch_inputs(floats({2, 3, 5}), {3}, DType::float32, DType::float64),
                                        "BatchNormalization: input_mean has type double and X float: doubles are computed "
                                        "together with doubles only",
                                        Code::unsupported});
}

TEST(LrnOps, CountsChannelsBeforeAndBehind)
{
    const auto channels = [](int64_t size) {
        const auto geometry = resolve(LRN{.size = size}, Inputs{floats({2, 11, 3, 5})});
        EXPECT_TRUE(geometry) << geometry.message();
        return Dims{geometry->outer, geometry->channels, geometry->inner, geometry->before, geometry->behind};
    };
    EXPECT_EQ(channels(1), (Dims{2, 11, 15, 0, 0}));
    EXPECT_EQ(channels(2), (Dims{2, 11, 15, 0, 1}));
    EXPECT_EQ(channels(5), (Dims{2, 11, 15, 2, 2}));
    EXPECT_EQ(channels(6), (Dims{2, 11, 15, 2, 3}));
    EXPECT_EQ(channels(huge), (Dims{2, 11, 15, 11, 11})) << "no more than there are";
    const auto last = resolve(LRN{.size = 3}, Inputs{floats({2, 3, 5, 11}, Layout::nxc)});
    ASSERT_TRUE(last);
    EXPECT_EQ((Dims{last->outer, last->channels, last->inner}), (Dims{30, 11, 1}));
    EXPECT_EQ(last->beta, 0.75f);
    EXPECT_EQ(last->bias, 1.0f);
    EXPECT_EQ(last->factor, 0.0001f / 3);
    EXPECT_EQ(last->equation, "ONNX LRN-13: Y = X / (bias + alpha / size * sum of X^2)^beta, of 1 channels before, the element's "
                              "own and 1 behind");
}

TEST(LrnOps, Refuses)
{
    expect_refused<LRN>({{}, {floats({2, 3})}, "LRN: size is required: the number of channels to sum over"});
    expect_refused<LRN>({{.size = 0}, {floats({2, 3})}, "LRN: size = 0 must be at least 1"});
    expect_refused<LRN>({{.size = 3}, {floats({2})}, "LRN: X has rank 1, but at least 2 is expected: N and C"});
    expect_refused<LRN>({{.size = 3},
                         {{DType::float64, {2, 3}}},
                         "LRN: X has type double, in which there is no such function: float32, float16 and bfloat16 have it",
                         Code::unsupported});
    expect_refused<LRN>({{.opset = 12, .size = 3},
                         {{DType::bfloat16, {2, 3}}},
                         "LRN: X has type bfloat16, which exists from version 13, and opset 12 means version 1"});
    expect_refused<LRN>({{.size = 3}, {}, "LRN: expects 1 input, but 0 are given"});
}

TEST(LayerNormalizationOps, FindsRowsAndOutputs)
{
    const auto geometry = resolve(LayerNormalization{.axis = -2, .epsilon = 0.5f, .outputs = 3},
                                  Inputs{floats({2, 3, 5}), floats({3, 5}), floats({1})});
    ASSERT_TRUE(geometry) << geometry.message();
    EXPECT_EQ(geometry->rows, 2);
    EXPECT_EQ(geometry->extent, 15);
    EXPECT_EQ(geometry->scales, 15);
    EXPECT_EQ(geometry->offsets, 1);
    EXPECT_EQ(geometry->epsilon, 0.5);
    EXPECT_EQ(outputs_of(*geometry), (std::vector<TensorDesc>{floats({2, 3, 5}), floats({2, 1, 1}), floats({2, 1, 1})}));
    EXPECT_EQ(geometry->equation, "ONNX LayerNormalization-17: Y = (X - Mean) * InvStdDev * Scale + B, of all axes from 1 on");
    const auto half = resolve(LayerNormalization{.outputs = 2}, Inputs{{DType::float16, {4}}, {DType::float16, {4}}});
    ASSERT_TRUE(half) << half.message();
    EXPECT_EQ(half->rows, 1);
    EXPECT_EQ(half->extent, 4);
    EXPECT_FALSE(half->has_b);
    EXPECT_EQ(outputs_of(*half)[1], floats({1}));
}

TEST(LayerNormalizationOps, Refuses)
{
    const TensorDesc x = floats({2, 5}), five = floats({5}), d = {DType::float64, {5}};
    expect_refused<LayerNormalization>({{}, {x}, "LayerNormalization: expects 2 or 3 inputs, but 1 is given"});
    expect_refused<LayerNormalization>(
        {{.axis = 2}, {x, five}, "LayerNormalization: axis = 2 must be from -2 to 1: X has rank 2"});
    expect_refused<LayerNormalization>(
        {{},
         {x, floats({2})},
         "LayerNormalization: Scale = float[2] has 2 elements, but must have one or 5, as X has from `axis` on"});
    expect_refused<LayerNormalization>(
        {{}, {x, five, {DType::float16, {5}}}, "LayerNormalization: B has type float16, but must have X's type float"});
    expect_refused<LayerNormalization>(
        {{}, {floats({}), five}, "LayerNormalization: X is a scalar, but a rank of at least 1 is expected"});
    expect_refused<LayerNormalization>(
        {{.opset = 16}, {x, five}, "LayerNormalization: opset = 16 must be at least 17, the version in which the operator came"});
    expect_refused<LayerNormalization>(
        {{.stash_type = 16},
         {x, five},
         "LayerNormalization: stash_type = 16, which is bfloat16, is not supported: expected 1, which "
         "is float",
         Code::unsupported});
    expect_refused<LayerNormalization>(
        {{.stash_type = 2}, {x, five}, "LayerNormalization: stash_type = 2 must be 1 or 16, the number of a type"});
    expect_refused<LayerNormalization>({{.outputs = 4}, {x, five}, "LayerNormalization: outputs = 4 must be from 1 to 3"});
    expect_refused<LayerNormalization>(
        {{.outputs = 2},
         {d, d},
         "LayerNormalization: outputs = 2 must be 1 where X has type double: Mean and InvStdDev of "
         "doubles are not supported",
         Code::unsupported});
}

}  // namespace vkonnx::ops
