// This file computes RNN, GRU and LSTM as their documents define them. What a device may compute is an interval. Its ends go from
// step to step as the states do, with the error of each sum and each function, and with what that makes of the next ones.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "kit/elements.h"
#include "kit/operators.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

using Function = RecurrentActivation;

constexpr double u = 0x1p-23;          // of a device that need not round to nearest
constexpr double smallest = 0x1p-120;  // what is below may be flushed

// ---- what the operators have in common, and where they differ

struct Kind {
    int64_t gates = 1;
    std::vector<Function> functions = {};
    size_t inputs = 6;
    int64_t outputs = 2;
};

Kind kind_of(const RNN&)
{
    return {1, {Function::tanh}};
}

Kind kind_of(const GRU&)
{
    return {3, {Function::sigmoid, Function::tanh}};
}

Kind kind_of(const LSTM&)
{
    return {4, {Function::sigmoid, Function::tanh, Function::tanh}, 8, 3};
}

struct Extents {
    int64_t steps = 0;
    int64_t batch = 0;
    int64_t input = 0;
    int64_t hidden = 0;
    int64_t directions = 1;
    bool batch_first = false;
};

template <class Op>
Extents extents_of(const Op& op, std::span<const TensorDesc> inputs)
{
    const bool batch_first = op.layout == 1;
    const List& x = inputs[0].dims;
    return {.steps = x[batch_first ? 1 : 0],
            .batch = x[batch_first ? 0 : 1],
            .input = x[2],
            .hidden = inputs[2].dims[2],
            .directions = op.direction == RecurrentDirection::bidirectional ? 2 : 1,
            .batch_first = batch_first};
}

// This struct tells whether a function takes values of activation_alpha and activation_beta, and whether it must have them.
struct Takes {
    bool alpha = false;
    bool beta = false;
    bool must = false;
};

Takes takes_of(Function function)
{
    switch (function) {
    case Function::affine:
    case Function::scaled_tanh:
        return {true, true, true};
    case Function::hard_sigmoid:
        return {true, true};
    case Function::leaky_relu:
    case Function::thresholded_relu:
    case Function::elu:
        return {true};
    default:
        return {};
    }
}

struct Activation {
    Function function = Function::tanh;
    double alpha = 0;
    double beta = 0;
};

// Returns the functions of both directions; nothing where a value is missing.
template <class Op>
std::vector<Activation> activations_of(const Op& op, int64_t directions)
{
    std::vector<Function> functions = op.activations;
    if (functions.empty())
        for (int64_t d = 0; d < directions; ++d)
            for (const Function function : kind_of(op).functions)
                functions.push_back(function);
    std::vector<Activation> all;
    size_t alphas = 0, betas = 0;
    for (const Function function : functions) {
        Activation one = {.function = function, .alpha = 1, .beta = 0.5};
        if (function == Function::leaky_relu)
            one.alpha = 0.01f;
        if (function == Function::hard_sigmoid)
            one.alpha = 0.2f;
        const Takes takes = takes_of(function);
        const bool has_alpha = alphas < op.activation_alpha.size(), has_beta = betas < op.activation_beta.size();
        if (takes.must && (!has_alpha || !has_beta))
            return {};
        if (takes.alpha && has_alpha)
            one.alpha = op.activation_alpha[alphas++];
        if (takes.beta && has_beta)
            one.beta = op.activation_beta[betas++];
        all.push_back(one);
    }
    return all;
}

template <class Op>
Result<Resolution> resolved(const Op& op, std::span<const TensorDesc> inputs)
{
    const Kind kind = kind_of(op);
    if (op.opset < 7 || inputs.size() < 3 || inputs.size() > kind.inputs)
        return refusal("opset or inputs");
    const auto given = [&](size_t i) { return i < inputs.size() && inputs[i].dtype != DType::undefined; };
    const DType dtype = inputs[0].dtype;
    if (dtype != DType::float32 && dtype != DType::float16 && (dtype != DType::bfloat16 || op.opset < 22))
        return refusal("type");
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (!given(i) && i >= 3)
            continue;
        if (inputs[i].dtype != (i == 4 ? DType::int32 : dtype))
            return refusal("types");
        if (Result<int64_t> count = element_count(inputs[i]); !count)
            return count.status();
    }
    for (size_t i = 0; i < 3; ++i)
        if (inputs[i].dims.size() != 3 || (inputs[i].layout != Layout::ncx && inputs[i].layout != Layout::nxc))
            return refusal("ranks");
    if (op.layout && (op.opset < 14 || *op.layout < 0 || *op.layout > 1))
        return refusal("layout");
    if (op.outputs < 1 || op.outputs > kind.outputs || (op.clip && !(*op.clip >= 0)))
        return refusal("outputs or clip");
    const auto is_flag = [](const std::optional<int64_t>& flag) { return !flag || *flag == 0 || *flag == 1; };
    if constexpr (requires { op.input_forget; })
        if (!is_flag(op.input_forget))
            return refusal("input_forget");
    if constexpr (requires { op.linear_before_reset; })
        if (!is_flag(op.linear_before_reset))
            return refusal("linear_before_reset");
    const Extents e = extents_of(op, inputs);
    if (e.steps < 1 || e.hidden < 1 || e.hidden > (int64_t(1) << 40) || op.hidden_size.value_or(e.hidden) != e.hidden)
        return refusal("extents");
    const int64_t rows = kind.gates * e.hidden;
    const List state = e.batch_first ? List{e.batch, e.directions, e.hidden} : List{e.directions, e.batch, e.hidden};
    const List expected[] = {
        inputs[0].dims, {e.directions, rows, e.input}, {e.directions, rows, e.hidden}, {e.directions, 2 * rows}, {e.batch}, state,
        state,          {e.directions, 3 * e.hidden}};
    for (size_t i = 1; i < inputs.size(); ++i)
        if (given(i) && inputs[i].dims != expected[i])
            return refusal("dimensions");
    const size_t functions = kind.functions.size() * size_t(e.directions);
    if (!op.activations.empty() && op.activations.size() != functions)
        return refusal("activations");
    if (activations_of(op, e.directions).size() != functions)
        return refusal("activation_alpha or activation_beta");
    Resolution result;
    result.output = {dtype, e.batch_first ? List{e.batch, e.steps, e.directions, e.hidden}
                                          : List{e.steps, e.directions, e.batch, e.hidden}};
    result.more_outputs.assign(size_t(op.outputs) - 1, {dtype, state});
    if (Result<int64_t> count = element_count(result.output); !count)
        return count.status();
    return result;
}

// ---- intervals

// An interval without ends is of anything: a device's floats may have overflowed, so that its answer is an infinity, or the NaN
// of a difference of two.
struct Interval {
    double low = 0;
    double high = 0;

    bool is_anything() const { return low == -HUGE_VAL && high == HUGE_VAL; }
};

constexpr Interval anything = {-HUGE_VAL, HUGE_VAL};

Interval point(double value)
{
    return {value, value};
}

double magnitude(const Interval& a)
{
    return std::max(std::fabs(a.low), std::fabs(a.high));
}

// Returns the interval that reaches further to both sides, or anything where a float may not reach as far. `terms` is the
// magnitude of what a device adds up on the way.
Interval widened(const Interval& a, double by, double terms = 0)
{
    const bool is_finite = std::max(magnitude(a), terms) + by <= double(std::numeric_limits<float>::max());
    return is_finite ? Interval{a.low - by, a.high + by} : anything;
}

// Returns the interval after an operation that is off by some units in the last place.
Interval rounded_by(const Interval& a, double units)
{
    return widened(a, units * u * magnitude(a) + smallest);
}

Interval product(const Interval& a, const Interval& b)
{
    if (a.is_anything() || b.is_anything())
        return anything;
    const double all[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    return {*std::min_element(all, all + 4), *std::max_element(all, all + 4)};
}

Interval sum(const Interval& a, const Interval& b)
{
    return {a.low + b.low, a.high + b.high};
}

Interval times(const Interval& a, const Interval& b)
{
    return rounded_by(product(a, b), 1);
}

Interval plus(const Interval& a, const Interval& b)
{
    const double terms = magnitude(a) + magnitude(b);
    return widened(sum(a, b), u * terms + smallest, terms);
}

Interval one_minus(const Interval& a)
{
    return plus(point(1), {-a.high, -a.low});
}

double value_of(const Activation& a, double x)
{
    switch (a.function) {
    case Function::relu:
        return std::max(x, 0.0);
    case Function::tanh:
        return std::tanh(x);
    case Function::sigmoid:
        return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
    case Function::affine:
        return a.alpha * x + a.beta;
    case Function::leaky_relu:
        return x < 0 ? a.alpha * x : x;
    case Function::thresholded_relu:
        return x >= a.alpha ? x : 0;
    case Function::scaled_tanh:
        return a.alpha * std::tanh(a.beta * x);
    case Function::hard_sigmoid:
        return std::clamp(a.alpha * x + a.beta, 0.0, 1.0);
    case Function::elu:
        return x < 0 ? a.alpha * std::expm1(x) : x;
    case Function::softsign:
        return x / (1 + std::fabs(x));
    case Function::softplus:
        return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
    }
    return 0;
}

// Returns the values of a function over an interval. The function is monotone between the places below, so that its least and
// greatest values are at an end or there.
Interval applied(const Activation& a, const Interval& x)
{
    if (x.is_anything())
        return anything;
    // This is the magnitude of what is rounded before the last step of a function.
    double inner = 0;
    if (a.function == Function::scaled_tanh)
        inner = std::fabs(a.alpha * a.beta) * magnitude(x);
    if (a.function == Function::affine || a.function == Function::hard_sigmoid)
        inner = std::fabs(a.alpha) * magnitude(x) + std::fabs(a.beta);
    if (a.function == Function::softplus)
        inner = 1;
    Interval y = point(value_of(a, x.low));
    const auto include = [&](double at) {
        if (at < x.low || at > x.high)
            return;
        const double value = value_of(a, at);
        y = {std::min(y.low, value), std::max(y.high, value)};
    };
    include(x.high);
    include(0);
    if (a.function == Function::thresholded_relu) {
        include(a.alpha);
        include(std::nextafter(a.alpha, -1e30));
    }
    return widened(rounded_by(y, 6), 4 * u * inner, inner);
}

Interval clipped(const Interval& x, std::optional<float> clip)
{
    if (!clip || x.is_anything())
        return x;
    return {std::clamp(x.low, -double(*clip), double(*clip)), std::clamp(x.high, -double(*clip), double(*clip))};
}

// ---- the operators

using States = std::vector<Interval>;

struct Problem {
    Extents extents;
    int64_t gates = 1;
    std::span<const RealTensor> inputs;
    std::vector<Activation> activations = {};  // of one direction
    std::optional<float> clip = {};
    int64_t direction = 0;
    int64_t batch = 0;

    bool has(size_t input) const { return input < inputs.size() && inputs[input].desc.dtype != DType::undefined; }
    double at(size_t input, int64_t index) const { return inputs[input].values[size_t(index)]; }

    double x(int64_t time, int64_t k) const
    {
        const Extents& e = extents;
        return at(0, (e.batch_first ? batch * e.steps + time : time * e.batch + batch) * e.input + k);
    }
    double offset(int64_t gate, int64_t j, bool of_h) const
    {
        return has(3) ? at(3, ((direction * 2 + of_h) * gates + gate) * extents.hidden + j) : 0;
    }
    double peephole(int64_t gate, int64_t j) const { return has(7) ? at(7, (direction * 3 + gate) * extents.hidden + j) : 0; }
    double initial(size_t input, int64_t j) const
    {
        const Extents& e = extents;
        const int64_t row = e.batch_first ? batch * e.directions + direction : direction * e.batch + batch;
        return has(input) ? at(input, row * e.hidden + j) : 0;
    }
    int64_t length() const { return has(4) ? int64_t(inputs[4].words[size_t(batch)]) : extents.steps; }

    // Returns X * W^T, with the magnitude of its terms.
    std::pair<double, double> product_of_x(int64_t time, int64_t gate, int64_t j) const
    {
        double value = 0, terms = 0;
        for (int64_t k = 0; k < extents.input; ++k) {
            const double term = x(time, k) * at(1, ((direction * gates + gate) * extents.hidden + j) * extents.input + k);
            value += term;
            terms += std::fabs(term);
        }
        return {value, terms};
    }
    // Returns H * R^T.
    Interval product_of_h(const States& h, int64_t gate, int64_t j) const
    {
        Interval value;
        double terms = 0;
        for (int64_t k = 0; k < extents.hidden; ++k) {
            const double r = at(2, ((direction * gates + gate) * extents.hidden + j) * extents.hidden + k);
            value = sum(value, product(h[size_t(k)], point(r)));
            terms += magnitude(h[size_t(k)]) * std::fabs(r);
        }
        return widened(value, double(extents.hidden + 6) * u * terms + smallest, terms);
    }
    // Returns X * W^T + `of_h` + `more`.
    Interval gate_sum(int64_t time, int64_t gate, int64_t j, const Interval& of_h, const Interval& more) const
    {
        const auto [value, terms] = product_of_x(time, gate, j);
        const Interval all = sum(sum(point(value), of_h), more);
        const double others = magnitude(of_h) + magnitude(more);
        return widened(all, u * (double(extents.input + 8) * terms + 8 * others) + smallest, terms + others);
    }
    Interval offsets(int64_t gate, int64_t j) const { return point(offset(gate, j, false) + offset(gate, j, true)); }
    Interval apply(size_t function, const Interval& value) const { return applied(activations[function], value); }
    Interval gate(size_t function, const Interval& value) const { return apply(function, clipped(value, clip)); }
};

void take_step(const RNN&, const Problem& p, int64_t time, States& h, States&)
{
    const States before = h;
    for (int64_t j = 0; j < p.extents.hidden; ++j)
        h[size_t(j)] = p.gate(0, p.gate_sum(time, 0, j, p.product_of_h(before, 0, j), p.offsets(0, j)));
}

void take_step(const GRU& op, const Problem& p, int64_t time, States& h, States&)
{
    const States before = h;
    const size_t hidden = h.size();
    States update(hidden), reset(hidden), reset_h(hidden);
    for (size_t j = 0; j < hidden; ++j) {
        const auto at = int64_t(j);
        update[j] = p.gate(0, p.gate_sum(time, 0, at, p.product_of_h(before, 0, at), p.offsets(0, at)));
        reset[j] = p.gate(0, p.gate_sum(time, 1, at, p.product_of_h(before, 1, at), p.offsets(1, at)));
        reset_h[j] = times(reset[j], before[j]);
    }
    for (size_t j = 0; j < hidden; ++j) {
        const auto at = int64_t(j);
        Interval candidate;
        if (op.linear_before_reset == 1) {
            const Interval of_h = times(reset[j], plus(p.product_of_h(before, 2, at), point(p.offset(2, at, true))));
            candidate = p.gate(1, p.gate_sum(time, 2, at, of_h, point(p.offset(2, at, false))));
        } else {
            candidate = p.gate(1, p.gate_sum(time, 2, at, p.product_of_h(reset_h, 2, at), p.offsets(2, at)));
        }
        h[j] = plus(times(one_minus(update[j]), candidate), times(update[j], before[j]));
    }
}

void take_step(const LSTM& op, const Problem& p, int64_t time, States& h, States& c)
{
    const States before = h;
    for (size_t j = 0; j < h.size(); ++j) {
        const auto at = int64_t(j);
        // The document's order of gates is i, o, f, c, and that of P is i, o, f.
        const auto gate = [&](int64_t number, size_t function, double peephole, const Interval& of_c) {
            const Interval more = sum(p.offsets(number, at), product(point(peephole), of_c));
            return p.gate(function, p.gate_sum(time, number, at, p.product_of_h(before, number, at), more));
        };
        const Interval in = gate(0, 0, p.peephole(0, at), c[j]);
        const Interval forget = op.input_forget == 1 ? one_minus(in) : gate(2, 0, p.peephole(2, at), c[j]);
        const Interval cell = gate(3, 1, 0, c[j]);
        c[j] = plus(times(forget, c[j]), times(in, cell));
        const Interval out = gate(1, 0, p.peephole(1, at), c[j]);
        h[j] = times(out, p.apply(2, c[j]));
    }
}

Answer answer_of(const Interval& value)
{
    Range range = value.is_anything() ? Range::anything() : Range::of(value.low);
    range.include(value.high);
    Answer answer = {.value = value.is_anything() ? NAN : (value.low + value.high) / 2};
    answer.ranges = {range, range};
    return answer;
}

template <class Op>
Result<std::vector<Answer>> answers(const Op& op, std::span<const RealTensor> inputs, std::span<const int64_t> sample,
                                    size_t output)
{
    std::vector<TensorDesc> descs;
    for (const RealTensor& input : inputs)
        descs.push_back(input.desc);
    const Result<Resolution> resolution = resolve(op, descs);
    if (!resolution)
        return resolution.status();
    const Extents e = extents_of(op, descs);
    const std::vector<Activation> activations = activations_of(op, e.directions);
    const size_t each = activations.size() / size_t(e.directions);
    // This holds the elements of the output by direction, batch and, for Y, time.
    std::vector<Interval> all(size_t(*element_count(outputs_of(*resolution)[output])));
    const auto place = [&](int64_t direction, int64_t batch, int64_t time) {
        if (output > 0)
            return e.batch_first ? batch * e.directions + direction : direction * e.batch + batch;
        return e.batch_first ? (batch * e.steps + time) * e.directions + direction
                             : (time * e.directions + direction) * e.batch + batch;
    };
    for (int64_t d = 0; d < e.directions; ++d)
        for (int64_t b = 0; b < e.batch; ++b) {
            Problem p = {.extents = e, .gates = kind_of(op).gates, .inputs = inputs, .clip = op.clip, .direction = d, .batch = b};
            p.activations.assign(activations.begin() + ptrdiff_t(size_t(d) * each),
                                 activations.begin() + ptrdiff_t(size_t(d + 1) * each));
            States h, c;
            for (int64_t j = 0; j < e.hidden; ++j) {
                h.push_back(point(p.initial(5, j)));
                c.push_back(point(p.initial(6, j)));
            }
            const int64_t length = p.length();
            const bool backwards = op.direction == RecurrentDirection::reverse || d == 1;
            for (int64_t step = 0; step < length; ++step) {
                const int64_t time = backwards ? length - 1 - step : step;
                take_step(op, p, time, h, c);
                if (output == 0)
                    std::copy(h.begin(), h.end(), all.begin() + ptrdiff_t(place(d, b, time) * e.hidden));
            }
            const States& last = output == 1 ? h : c;
            if (output > 0 && length > 0)
                std::copy(last.begin(), last.end(), all.begin() + ptrdiff_t(place(d, b, 0) * e.hidden));
        }
    std::vector<Answer> result;
    for (const int64_t index : sample)
        result.push_back(answer_of(all[size_t(index)]));
    return result;
}

}  // namespace

Result<Resolution> resolve(const RNN& attributes, std::span<const TensorDesc> inputs)
{
    return resolved(attributes, inputs);
}

Result<Resolution> resolve(const GRU& attributes, std::span<const TensorDesc> inputs)
{
    return resolved(attributes, inputs);
}

Result<Resolution> resolve(const LSTM& attributes, std::span<const TensorDesc> inputs)
{
    return resolved(attributes, inputs);
}

Result<std::vector<Answer>> reference(const RNN& attributes, std::span<const RealTensor> inputs, std::span<const int64_t> sample,
                                      size_t output)
{
    return answers(attributes, inputs, sample, output);
}

Result<std::vector<Answer>> reference(const GRU& attributes, std::span<const RealTensor> inputs, std::span<const int64_t> sample,
                                      size_t output)
{
    return answers(attributes, inputs, sample, output);
}

Result<std::vector<Answer>> reference(const LSTM& attributes, std::span<const RealTensor> inputs, std::span<const int64_t> sample,
                                      size_t output)
{
    return answers(attributes, inputs, sample, output);
}

}  // namespace vkonnx::kit
