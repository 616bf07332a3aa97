// This file draws problems of RNN, GRU and LSTM.
#include "kit/draw.h"

namespace vkonnx::kit {
namespace {

using Function = RecurrentActivation;

template <class Op>
Case recurrent(Draw& draw, int64_t gates, size_t functions, bool has_c)
{
    Op op;
    const DType dtype =
        draw.one_in(20) ? DType::float64 : draw.of({DType::float32, DType::float32, DType::float16, DType::bfloat16});
    op.opset = draw.one_in(40) ? draw.between(1, 6) : draw.between(dtype == DType::bfloat16 ? 22 : 7, 28);
    op.direction = RecurrentDirection(draw.between(0, 2));
    const int64_t directions = op.direction == RecurrentDirection::bidirectional ? 2 : 1;
    const int64_t steps = draw.one_in(40) ? 0 : draw.between(1, draw.one_in(6) ? 40 : 6);
    const int64_t batch = draw.one_in(20) ? 0 : draw.between(1, 4);
    const int64_t input = draw.one_in(20) ? 0 : draw.between(1, 9);
    const int64_t hidden = draw.one_in(10) ? draw.between(60, 150) : draw.between(1, 12);
    if (draw.one_in(3))
        op.layout = draw.between(0, 1);
    if (draw.one_in(2))
        op.hidden_size = draw.one_in(20) ? hidden + 1 : hidden;
    if (draw.one_in(3))
        op.clip = draw.of({0.25f, 1.0f, 3.0f});
    if (draw.one_in(2)) {
        for (size_t i = 0; i < functions * size_t(directions); ++i) {
            op.activations.push_back(Function(draw.between(0, 10)));
            op.activation_alpha.push_back(draw.of({0.5f, -0.25f, 1.0f}));
            op.activation_beta.push_back(draw.of({0.5f, -0.25f}));
        }
        if (draw.one_in(20))
            op.activations.pop_back();
    }
    if constexpr (requires { op.linear_before_reset; })
        if (draw.one_in(2))
            op.linear_before_reset = draw.between(0, draw.one_in(20) ? 2 : 1);
    if constexpr (requires { op.input_forget; })
        if (draw.one_in(3))
            op.input_forget = draw.between(0, 1);
    op.outputs = draw.between(1, has_c ? 3 : 2);

    Case problem;
    const bool batch_first = op.layout == 1;
    const std::vector<int64_t> state =
        batch_first ? std::vector<int64_t>{batch, directions, hidden} : std::vector<int64_t>{directions, batch, hidden};
    const TensorDesc optional[] = {{dtype, {directions, 2 * gates * hidden}},
                                   {DType::int32, {batch}},
                                   {dtype, state},
                                   {dtype, state},
                                   {dtype, {directions, 3 * hidden}}};
    problem.inputs = {
        {dtype, batch_first ? std::vector<int64_t>{batch, steps, input} : std::vector<int64_t>{steps, batch, input}},
        {dtype, {directions, gates * hidden, input}},
        {dtype, {directions, gates * hidden, hidden}}};
    const int64_t given = draw.between(0, has_c ? 5 : 3);
    for (int64_t i = 0; i < given; ++i) {
        const bool last = i + 1 == given;
        problem.inputs.push_back(last || draw.one_in(2) ? optional[i] : TensorDesc{DType::undefined, {}});
    }
    if (draw.one_in(30))
        problem.inputs[size_t(draw.between(1, 2))].dims[1] += 1;
    problem.attributes = op;
    problem.fill = draw.of({Fill::integers, Fill::reals, Fill::reals});
    return problem;
}

}  // namespace

Case draw_recurrent(Draw& draw)
{
    switch (draw.between(0, 2)) {
    case 0:
        return recurrent<RNN>(draw, 1, 1, false);
    case 1:
        return recurrent<GRU>(draw, 3, 2, false);
    default:
        return recurrent<LSTM>(draw, 4, 3, true);
    }
}

}  // namespace vkonnx::kit
