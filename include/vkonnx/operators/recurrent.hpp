// SPDX-License-Identifier: Apache-2.0
// RNN, GRU and LSTM.
#ifndef VKONNX_OPERATORS_RECURRENT_HPP
#define VKONNX_OPERATORS_RECURRENT_HPP

#include <vkonnx/operators/attributes.hpp>

namespace vkonnx {

enum class RecurrentDirection : uint8_t { forward, reverse, bidirectional };

inline constexpr Spelling<RecurrentDirection> recurrent_direction_words[] = {
    {RecurrentDirection::forward, "forward"},
    {RecurrentDirection::reverse, "reverse"},
    {RecurrentDirection::bidirectional, "bidirectional"}};

enum class RecurrentActivation : uint8_t {
    relu,
    tanh,
    sigmoid,
    affine,            // alpha * x + beta
    leaky_relu,        // alpha (0.01)
    thresholded_relu,  // x from alpha (1) on, else 0
    scaled_tanh,       // alpha * Tanh(beta * x)
    hard_sigmoid,      // alpha (0.2), beta (0.5)
    elu,               // alpha (1)
    softsign,          // x / (1 + |x|)
    softplus,          // log(1 + e^x)
};

inline constexpr Spelling<RecurrentActivation> recurrent_activation_words[] = {
    {RecurrentActivation::relu, "Relu"},
    {RecurrentActivation::tanh, "Tanh"},
    {RecurrentActivation::sigmoid, "Sigmoid"},
    {RecurrentActivation::affine, "Affine"},
    {RecurrentActivation::leaky_relu, "LeakyRelu"},
    {RecurrentActivation::thresholded_relu, "ThresholdedRelu"},
    {RecurrentActivation::scaled_tanh, "ScaledTanh"},
    {RecurrentActivation::hard_sigmoid, "HardSigmoid"},
    {RecurrentActivation::elu, "Elu"},
    {RecurrentActivation::softsign, "Softsign"},
    {RecurrentActivation::softplus, "Softplus"}};

// Visits the attributes that all three have, in front of those of their own.
template <class Op, class Visitor>
void recurrent_fields(Op& op, Visitor&& visit)
{
    visit("direction", op.direction, Spellings<RecurrentDirection>(recurrent_direction_words));
    visit("activations", op.activations, Spellings<RecurrentActivation>(recurrent_activation_words));
    visit("activation_alpha", op.activation_alpha);
    visit("activation_beta", op.activation_beta);
    visit("clip", op.clip);
    visit("hidden_size", op.hidden_size);
}

// These operators go through a sequence, and carry a state H, of LSTM also C, from step to step.
// - Input X has the dimensions (steps, batch, input_size), or with layout = 1 (batch, steps, input_size).
// - Inputs W (directions, gates * hidden_size, input_size), R (directions, gates * hidden_size, hidden_size) and the optional B
//   (directions, 2 * gates * hidden_size) have the gates in the documents' order: one of RNN, z, r and h of GRU, and i, o, f and
//   c of LSTM.
// - The optional sequence_lens (batch) are 32-bit integers. The optional initial_h and initial_c have the dimensions (directions,
//   batch, hidden_size), or with layout = 1 (batch, directions, hidden_size). LSTM's optional P (directions, 3 * hidden_size) are
//   the peepholes of i, o and f.
// - Outputs are Y (steps, directions, batch, hidden_size), or with layout = 1 (batch, steps, directions, hidden_size), and as far
//   as they are wanted Y_h and Y_c, the last states, with the dimensions of initial_h.
// Versions are 7, 14 and 22. Older ones have other attributes, and are refused. Types are float, float16, and from version 22 on
// bfloat16. There are no functions of doubles. Halves are computed in float, the states among them, and each output is rounded
// once.
//
// What the documents leave open is answered as ONNX Runtime does. Y is 0 behind the end of a sequence, and a sequence in reverse
// begins with its last valid step. Where the length is 0, so are Y_h and Y_c. A length below 0 counts as 0, and one beyond X's
// steps as all of them. `clip` bounds what goes into the functions of gates, and not what goes into LSTM's function of C.
//
// `activations` has the functions of a direction, then those of the other one. Values of activation_alpha and activation_beta
// belong, in this order, to the functions that take one. A function that is left without has its default; Affine and ScaledTanh
// have none.
struct RNN {
    static constexpr std::string_view name = "RNN";
    int64_t opset = newest_opset;
    RecurrentDirection direction = RecurrentDirection::forward;
    std::vector<RecurrentActivation> activations = {};  // f (Tanh)
    std::vector<float> activation_alpha = {};
    std::vector<float> activation_beta = {};
    std::optional<float> clip = {};           // from -clip to clip
    std::optional<int64_t> hidden_size = {};  // R's, where it is left out
    std::optional<int64_t> layout = {};       // 0 or 1 (0), from version 14
    int64_t outputs = 1;                      // that are wanted: Y and Y_h
};

template <MaybeConst<RNN> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    recurrent_fields(op, visit);
    visit("layout", op.layout);
}

struct GRU {
    static constexpr std::string_view name = "GRU";
    int64_t opset = newest_opset;
    RecurrentDirection direction = RecurrentDirection::forward;
    std::vector<RecurrentActivation> activations = {};  // f, g (Sigmoid, Tanh)
    std::vector<float> activation_alpha = {};
    std::vector<float> activation_beta = {};
    std::optional<float> clip = {};
    std::optional<int64_t> hidden_size = {};
    std::optional<int64_t> layout = {};               // 0 or 1 (0), from version 14
    std::optional<int64_t> linear_before_reset = {};  // 0 or 1 (0)
    int64_t outputs = 1;                              // that are wanted: Y and Y_h
};

template <MaybeConst<GRU> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    recurrent_fields(op, visit);
    visit("layout", op.layout);
    visit("linear_before_reset", op.linear_before_reset);
}

struct LSTM {
    static constexpr std::string_view name = "LSTM";
    int64_t opset = newest_opset;
    RecurrentDirection direction = RecurrentDirection::forward;
    std::vector<RecurrentActivation> activations = {};  // f, g, h (Sigmoid, Tanh, Tanh)
    std::vector<float> activation_alpha = {};
    std::vector<float> activation_beta = {};
    std::optional<float> clip = {};
    std::optional<int64_t> hidden_size = {};
    std::optional<int64_t> input_forget = {};  // 0 or 1 (0): with 1 the forget gate is 1 - i
    std::optional<int64_t> layout = {};        // 0 or 1 (0), from version 14
    int64_t outputs = 1;                       // that are wanted: Y, Y_h and Y_c
    // Before it is multiplied by R, H of each row is rounded to 8 bits, as DynamicQuantizeLinear rounds it. Model files alone ask
    // for it, by DynamicQuantizeLSTM of ONNX Runtime.
    bool rounds_h = false;
};

template <MaybeConst<LSTM> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    recurrent_fields(op, visit);
    visit("input_forget", op.input_forget);
    visit("layout", op.layout);
}

}  // namespace vkonnx

#endif
