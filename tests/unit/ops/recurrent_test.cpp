// This file tests RNN, GRU and LSTM.
#include "expect.h"

namespace vkonnx::ops {

namespace {

using Inputs = std::vector<TensorDesc>;
using Function = RecurrentActivation;

const TensorDesc none = {DType::undefined, {}};

// Returns inputs of three steps of two sequences of four elements, and weights of five hidden units.
Inputs inputs_of(int64_t gates, int64_t directions = 1)
{
    return {f32({3, 2, 4}), f32({directions, gates * 5, 4}), f32({directions, gates * 5, 5})};
}

Inputs with(Inputs inputs, const Inputs& more)
{
    inputs.insert(inputs.end(), more.begin(), more.end());
    return inputs;
}

RecurrentGeometry lstm(const LSTM& attributes, const Inputs& inputs)
{
    const auto geometry = resolve(attributes, inputs);
    EXPECT_TRUE(geometry) << geometry.message();
    return geometry ? *geometry : RecurrentGeometry();
}

}  // namespace

TEST(RecurrentOps, OutputsFollowFromXAndR)
{
    const RecurrentGeometry one = lstm({.outputs = 3}, inputs_of(4));
    EXPECT_EQ(outputs_of(one), (Inputs{f32({3, 1, 2, 5}), f32({1, 2, 5}), f32({1, 2, 5})}));
    const RecurrentGeometry both = lstm({.direction = RecurrentDirection::bidirectional, .outputs = 2}, inputs_of(4, 2));
    EXPECT_EQ(outputs_of(both), (Inputs{f32({3, 2, 2, 5}), f32({2, 2, 5})}));
    const RecurrentGeometry batch_first = lstm({.layout = 1, .outputs = 2}, inputs_of(4));
    EXPECT_EQ(batch_first.batch, 3);
    EXPECT_EQ(outputs_of(batch_first), (Inputs{f32({3, 2, 1, 5}), f32({3, 1, 5})}));
    EXPECT_EQ(one.equation, "ONNX LSTM-22: Ct = ft . Ct-1 + it . ct, Ht = ot . h(Ct), forward");
}

TEST(RecurrentOps, FunctionsTakeTheValuesThatTheyNeedInTheirOrder)
{
    const RecurrentGeometry g = lstm({.activations = {Function::sigmoid, Function::leaky_relu, Function::hard_sigmoid},
                                      .activation_alpha = {0.5f, 0.25f},
                                      .activation_beta = {0.125f}},
                                     inputs_of(4));
    ASSERT_EQ(g.functions.size(), 3u);
    EXPECT_EQ(g.functions[1].alpha, 0.5f);
    EXPECT_EQ(g.functions[2].alpha, 0.25f);
    EXPECT_EQ(g.functions[2].beta, 0.125f);
    const RecurrentGeometry defaults =
        lstm({.activations = {Function::hard_sigmoid, Function::leaky_relu, Function::elu}}, inputs_of(4));
    EXPECT_EQ(defaults.functions[0].alpha, 0.2f);
    EXPECT_EQ(defaults.functions[0].beta, 0.5f);
    EXPECT_EQ(defaults.functions[1].alpha, 0.01f);
    EXPECT_EQ(defaults.functions[2].alpha, 1.0f);
    EXPECT_EQ(lstm({.direction = RecurrentDirection::bidirectional}, inputs_of(4, 2)).functions.size(), 6u);
}

TEST(RecurrentOps, Refuses)
{
    expect_refused<LSTM>(
        {{.opset = 6}, inputs_of(4), "LSTM: opset = 6 must be at least 7: older versions are not supported", Code::unsupported});
    expect_refused<GRU>({{.opset = 13, .layout = 1},
                         inputs_of(3),
                         "GRU: layout must not be given: it exists from version 14, and opset 13 means version 7"});
    expect_refused<RNN>({{.layout = 2}, inputs_of(1), "RNN: layout = 2 must be 0 or 1"});
    expect_refused<GRU>({{.linear_before_reset = 2}, inputs_of(3), "GRU: linear_before_reset = 2 must be 0 or 1"});
    expect_refused<LSTM>({{.input_forget = 2}, inputs_of(4), "LSTM: input_forget = 2 must be 0 or 1"});
    expect_refused<GRU>({{.outputs = 3}, inputs_of(3), "GRU: outputs = 3 must be from 1 to 2"});
    expect_refused<LSTM>({{.clip = -1.0f}, inputs_of(4), "LSTM: clip = -1.000000 must be at least 0"});
    expect_refused<LSTM>({{.hidden_size = 6}, inputs_of(4), "LSTM: hidden_size = 6 must be 5, the last dimension of R"});
    expect_refused<LSTM>({{},
                          {{DType::float64, {3, 2, 4}}, {DType::float64, {1, 20, 4}}, {DType::float64, {1, 20, 5}}},
                          "LSTM: X has type double, in which there is no such function: float32, float16 and bfloat16 have it",
                          Code::unsupported});
    expect_refused<LSTM>({{}, {f32({3, 2}), f32({1, 20, 4}), f32({1, 20, 5})}, "LSTM: X = float[3,2] must have rank 3"});
    expect_refused<LSTM>(
        {{}, {f32({0, 2, 4}), f32({1, 20, 4}), f32({1, 20, 5})}, "LSTM: X = float[0,2,4] must have at least one step"});
    expect_refused<LSTM>({{},
                          {f32({3, 2, 4}), f32({1, 0, 4}), f32({1, 0, 0})},
                          "LSTM: R = float[1,0,0] must have a last dimension of at least 1, which is hidden_size"});
    expect_refused<LSTM>({{}, inputs_of(3), "LSTM: W = float[1,15,4] must be float[1,20,4]"});
    expect_refused<LSTM>(
        {{.direction = RecurrentDirection::bidirectional}, inputs_of(4), "LSTM: W = float[1,20,4] must be float[2,20,4]"});
    expect_refused<LSTM>({{}, with(inputs_of(4), {f32({1, 20})}), "LSTM: B = float[1,20] must be float[1,40]"});
    expect_refused<LSTM>(
        {{}, with(inputs_of(4), {none, {DType::int32, {3}}}), "LSTM: sequence_lens = int32[3] must be int32[2]"});
    expect_refused<LSTM>({{},
                          with(inputs_of(4), {none, {DType::int64, {2}}}),
                          "LSTM: sequence_lens has type int64, which no version of the operator accepts"});
    expect_refused<LSTM>(
        {{}, with(inputs_of(4), {none, none, f32({2, 1, 5})}), "LSTM: initial_h = float[2,1,5] must be float[1,2,5]"});
    expect_refused<LSTM>(
        {{}, with(inputs_of(4), {none, none, none, none, f32({1, 20})}), "LSTM: P = float[1,20] must be float[1,15]"});
}

TEST(RecurrentOps, RefusesFunctionsThatDoNotFit)
{
    expect_refused<GRU>({{.activations = {Function::sigmoid}},
                         inputs_of(3),
                         "GRU: activations has 1 function, expected 2, 2 for each direction"});
    expect_refused<RNN>({{.activations = {Function::affine}, .activation_alpha = {1}},
                         inputs_of(1),
                         "RNN: activation_beta has no value for Affine, which has no default"});
    expect_refused<RNN>({{.activations = {Function(11)}}, inputs_of(1), "RNN: activations has number 11, which is no function"});
    expect_refused<RNN>({{.direction = RecurrentDirection(3)}, inputs_of(1), "RNN: direction is number 3, which is none"});
}

}  // namespace vkonnx::ops
