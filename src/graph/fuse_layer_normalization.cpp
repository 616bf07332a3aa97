// SPDX-License-Identifier: Apache-2.0
// This file finds LayerNormalization where simpler operators spell it out, as exporters write it before opset 17:
//
//   mean = ReduceMean(x)                 along the last axes, which stay as axes of extent 1
//   d    = Sub(x, mean)
//   s    = Sqrt(Add(ReduceMean(Pow(d, 2)), epsilon))
//   y    = Add(Mul(Div(d, s), scale), bias)
//
// Mul(d, d) may stand for the Pow, Mul by Reciprocal(s) for the Div, and the last Add may be missing.
#include <algorithm>

#include "graph/fuse.h"
#include "graph/reals.h"
#include "return_if_error.h"

namespace vkonnx::graph {
namespace {

// This struct holds a LayerNormalization that was found, and the calls that compute it but the last one.
struct Found {
    int32_t x = no_value;
    int32_t scale = no_value;
    int32_t bias = no_value;
    int64_t axis = 0;
    double epsilon = 0;
    std::vector<size_t> parts = {};
};

using OptionalFound = std::optional<Found>;

class Finder {
public:
    explicit Finder(Calls& calls) : calls_(calls) {}

    Status run()
    {
        // A LayerNormalization with a bias contains one without. So the former are looked for first.
        for (const ElementwiseKind last : {ElementwiseKind::add, ElementwiseKind::mul})
            for (size_t i = 0; i < calls_.size(); ++i) {
                if (!is(i, last) || !computes_in_float(calls_.desc(calls_[i].outputs[0]).dtype))
                    continue;
                const Result<OptionalFound> found = last == ElementwiseKind::add ? biased(i) : scaled(i);
                if (!found)
                    return calls_.in(i, found.status());
                if (*found && is_built_in(**found))
                    become(i, **found);
            }
        return {};
    }

private:
    static bool computes_in_float(DType dtype) { return is_real(dtype) && dtype != DType::float64; }

    bool is(size_t call, ElementwiseKind kind) const
    {
        const Elementwise* op = calls_.is_gone(call) ? nullptr : std::get_if<Elementwise>(&calls_[call].op);
        return op && op->kind == kind;
    }

    // Tells whether both are the same elements under the same dimensions.
    bool are_same(int32_t a, int32_t b) const { return calls_.block(a) == calls_.block(b) && calls_.desc(a) == calls_.desc(b); }

    // Returns the call of this kind that computes the value, where so many inputs read it.
    std::optional<size_t> written_by(ElementwiseKind kind, int32_t value, size_t uses = 1) const
    {
        const std::optional<size_t> call = calls_.writer_as_is(value, uses);
        return call && is(*call, kind) ? call : std::nullopt;
    }

    static std::vector<int32_t> inputs_of(const Found& found)
    {
        std::vector<int32_t> inputs = {found.x, found.scale};
        if (found.bias != no_value)
            inputs.push_back(found.bias);
        return inputs;
    }

    // Tells whether the library computes the operator. VKONNX_OPERATORS may name the parts and leave it out.
    bool is_built_in(const Found& found) const
    {
        std::vector<TensorDesc> descs;
        for (const int32_t input : inputs_of(found))
            descs.push_back(calls_.desc(input));
        return kernels(LayerNormalization{.axis = found.axis}, descs, Capabilities()).status().ok();
    }

    void become(size_t last, const Found& found)
    {
        calls_[last].op = LayerNormalization{.axis = found.axis, .epsilon = float(found.epsilon)};
        calls_.set_inputs(last, inputs_of(found));
        for (const size_t part : found.parts)
            calls_.remove(part, last, "it is part of the LayerNormalization of");
    }

    Result<OptionalFound> biased(size_t call) const
    {
        for (const size_t place : {size_t(0), size_t(1)})
            if (const auto product = written_by(ElementwiseKind::mul, calls_[call].inputs[place])) {
                Result<OptionalFound> found = scaled(*product);
                VKONNX_RETURN_IF_ERROR(found.status());
                const int32_t bias = calls_[call].inputs[1 - place];
                if (!*found || calls_.desc(bias) != calls_.desc((*found)->scale))
                    continue;
                (*found)->bias = bias;
                (*found)->parts.push_back(*product);
                return found;
            }
        return OptionalFound();
    }

    // Reads Mul(quotient, scale), where the scale has an element for each place on the axes of the mean.
    Result<OptionalFound> scaled(size_t call) const
    {
        for (const size_t place : {size_t(0), size_t(1)}) {
            Result<OptionalFound> found = quotient(calls_[call].inputs[place]);
            VKONNX_RETURN_IF_ERROR(found.status());
            if (!*found)
                continue;
            (*found)->scale = calls_[call].inputs[1 - place];
            const std::vector<int64_t>& x = calls_.desc((*found)->x).dims;
            if (calls_.desc((*found)->scale).dims == std::vector(x.begin() + (*found)->axis, x.end()))
                return found;
        }
        return OptionalFound();
    }

    // Reads Div(d, s), or Mul(d, Reciprocal(s)).
    Result<OptionalFound> quotient(int32_t value) const
    {
        if (const auto call = written_by(ElementwiseKind::div, value))
            return deviations(*call, calls_[*call].inputs[0], calls_[*call].inputs[1]);
        if (const auto call = written_by(ElementwiseKind::mul, value))
            for (const size_t place : {size_t(0), size_t(1)})
                if (const auto inverse = written_by(ElementwiseKind::reciprocal, calls_[*call].inputs[place])) {
                    Result<OptionalFound> found = deviations(*call, calls_[*call].inputs[1 - place], calls_[*inverse].inputs[0]);
                    if (found && *found)
                        (*found)->parts.push_back(*inverse);
                    return found;
                }
        return OptionalFound();
    }

    // Reads the deviations d from the mean, by which `call` multiplies or which it divides, and the square root s of their
    // variance.
    Result<OptionalFound> deviations(size_t call, int32_t d, int32_t s) const
    {
        const auto root = written_by(ElementwiseKind::sqrt, s);
        const auto sum = root ? written_by(ElementwiseKind::add, calls_[*root].inputs[0]) : std::nullopt;
        if (!sum)
            return OptionalFound();
        for (const size_t place : {size_t(0), size_t(1)}) {
            const Result<std::optional<double>> epsilon = calls_.real(calls_[*sum].inputs[1 - place]);
            VKONNX_RETURN_IF_ERROR(epsilon.status());
            const auto variance = calls_.writer_as_is(calls_[*sum].inputs[place]);
            if (!*epsilon || !variance || !is_mean(*variance))
                continue;
            const auto square = calls_.writer_as_is(calls_[*variance].inputs[0]);
            const Result<size_t> reads = square ? times_read(*square, d) : Result(size_t(0));
            VKONNX_RETURN_IF_ERROR(reads.status());
            const auto difference = *reads > 0 ? written_by(ElementwiseKind::sub, d, *reads + 1) : std::nullopt;
            const auto mean = difference ? calls_.writer_as_is(calls_[*difference].inputs[1]) : std::nullopt;
            if (!mean || !is_mean(*mean) || !are_same(calls_[*mean].inputs[0], calls_[*difference].inputs[0]))
                continue;
            const std::optional<int64_t> axis = first_axis(*mean);
            if (axis && first_axis(*variance) == axis)
                return OptionalFound({.x = calls_[*difference].inputs[0],
                                      .axis = *axis,
                                      .epsilon = **epsilon,
                                      .parts = {*mean, *difference, *square, *variance, *sum, *root, call}});
        }
        return OptionalFound();
    }

    bool is_mean(size_t call) const { return !calls_.is_gone(call) && std::holds_alternative<ReduceMean>(calls_[call].op); }

    // Returns the first axis of a mean along the last axes that keeps them; nothing of another mean.
    std::optional<int64_t> first_axis(size_t call) const
    {
        const auto& mean = std::get<ReduceMean>(calls_[call].op);
        const auto rank = int64_t(calls_.desc(calls_[call].inputs[0]).dims.size());
        std::vector<int64_t> axes = mean.axes;
        for (int64_t& axis : axes)
            axis += axis < 0 ? rank : 0;
        std::ranges::sort(axes);
        if (axes.empty() || mean.keepdims.value_or(1) != 1)
            return {};
        for (size_t i = 0; i < axes.size(); ++i)
            if (axes[i] != rank - int64_t(axes.size() - i))
                return {};
        return axes.front();
    }

    // Returns how often the call reads d, where it computes its square; else 0.
    Result<size_t> times_read(size_t call, int32_t d) const
    {
        const std::vector<int32_t>& inputs = calls_[call].inputs;
        if (is(call, ElementwiseKind::mul) && are_same(inputs[0], d) && are_same(inputs[1], d))
            return size_t(2);
        if (!is(call, ElementwiseKind::pow) || !are_same(inputs[0], d))
            return size_t(0);
        const Result<std::optional<double>> exponent = calls_.real(inputs[1]);
        VKONNX_RETURN_IF_ERROR(exponent.status());
        return size_t(*exponent == 2.0 ? 1 : 0);
    }

    Calls& calls_;
};

}  // namespace

Status fuse_layer_normalization(Calls& calls)
{
    return Finder(calls).run();
}

}  // namespace vkonnx::graph
