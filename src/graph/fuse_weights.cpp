// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "graph/affine.h"
#include "graph/fuse.h"
#include "graph/reals.h"
#include "return_if_error.h"

namespace vkonnx::graph {
namespace {

using OptionalAffine = std::optional<Affine>;

// ---- what is folded

// Returns scale and shift of x + number, x - number, number - x or x * number, and of x / number for any other kind.
std::pair<double, double> linear(ElementwiseKind kind, double number, bool in_front)
{
    if (kind == ElementwiseKind::add)
        return {1, number};
    if (kind == ElementwiseKind::sub)
        return in_front ? std::pair(-1.0, number) : std::pair(1.0, -number);
    return {kind == ElementwiseKind::mul ? number : 1 / number, 0};
}

// Returns what an Add, Sub, Mul or Div with a constant makes.
Result<OptionalAffine> arithmetic(const Calls& calls, const Call& call, size_t axis)
{
    const ElementwiseKind kind = std::get<Elementwise>(call.op).kind;
    if (kind != ElementwiseKind::add && kind != ElementwiseKind::sub && kind != ElementwiseKind::mul &&
        kind != ElementwiseKind::div)
        return OptionalAffine();
    const size_t place = calls.content(call.inputs[1]) ? 1 : 0;  // the constant's
    if (kind == ElementwiseKind::div && place == 0)
        return OptionalAffine();
    const TensorDesc& output = calls.desc(call.outputs[0]);
    Result<std::optional<std::vector<double>>> numbers = by_channels(calls, call.inputs[place], output, axis);
    if (!numbers || !*numbers)
        return numbers ? Result(OptionalAffine()) : numbers.status();
    Affine affine;
    for (const double number : **numbers) {
        const auto [scale, shift] = linear(kind, number, place == 0);
        affine.scale.push_back(scale);
        affine.shift.push_back(shift);
    }
    return OptionalAffine(std::move(affine));
}

// ---- what takes it

// A target is the weights and the bias of an operator, or scale and B of a BatchNormalization. It tells which weight belongs to
// which channel of the output.
struct Target {
    size_t axis = 1;                    // the output's axis of channels
    std::vector<int64_t> weights = {};  // W's dimensions
    int64_t inner = 1;                  // how many weights of a channel lie side by side
    int64_t period = 1;                 // channels until the same ones come again, or the next group's begin
    int64_t group_rows = 0;             // runs of `period` channels in a group; 0: there is only one group
    double bias_factor = 1;             // Gemm's beta

    size_t channel(size_t weight) const
    {
        const int64_t place = int64_t(weight) / inner;
        const int64_t group = group_rows == 0 ? 0 : place / period / group_rows;
        return size_t(group * period + place % period);
    }
};

int64_t product(std::span<const int64_t> dims)
{
    int64_t count = 1;
    for (const int64_t extent : dims)
        count *= extent;
    return count;
}

std::optional<Target> target_of(const Calls& calls, const Call& call)
{
    const bool filters = std::holds_alternative<Conv>(call.op) || std::holds_alternative<ConvTranspose>(call.op);
    const bool products = std::holds_alternative<Gemm>(call.op) || std::holds_alternative<MatMul>(call.op);
    const bool normalizes = std::holds_alternative<BatchNormalization>(call.op);
    if (call.epilogue || !(filters || products || normalizes) || !calls.content(call.inputs[1]))
        return {};
    const std::vector<int64_t>& weights = calls.desc(call.inputs[1]).dims;
    const std::vector<int64_t>& output = calls.desc(call.outputs[0]).dims;
    Target target = {.weights = weights};
    if (std::holds_alternative<Conv>(call.op)) {
        target.inner = product(std::span(weights).subspan(1));
        target.period = weights[0];
    } else if (const auto* transpose = std::get_if<ConvTranspose>(&call.op)) {
        target.inner = product(std::span(weights).subspan(2));
        target.period = weights[1];
        target.group_rows = weights[0] / transpose->group;
    } else if (normalizes) {
        target.period = weights[0];
    } else {
        const auto* gemm = std::get_if<Gemm>(&call.op);
        const bool transposed = gemm && gemm->transB.value_or(0) != 0;
        if (weights.size() != 2 || output.size() < 2)
            return {};
        target.axis = output.size() - 1;
        target.period = output.back();
        target.inner = transposed ? weights[1] : 1;
        target.bias_factor = gemm ? gemm->beta.value_or(1) : 1;
    }
    return product(weights) == 0 ? std::nullopt : std::optional(std::move(target));
}

// Tells whether the type holds factor * weight so that rounding puts it off by at most half a unit in its last place, as the
// bound of Fusion::weights needs. A denormal product would lose some or all of its bits, and every sum with it, however large the
// term is that X makes of it. A product beyond the greatest number would be infinite.
bool holds(DType dtype, double weight, double factor)
{
    const double product = weight * factor;
    if (weight == 0 || factor == 0)
        return is_within(dtype, product);
    return std::abs(factor) == 1 || is_normal(dtype, product);
}

// A weight that is at most this much of the greatest one may be lost beside it: trained weights have many floats, at times whole
// channels, that have come down to denormals. The range of float16 is too small for that.
constexpr double nothing_beside = 0x1p-48;

// Tells whether the type holds all scaled weights that are large enough to count.
Result<bool> fit(const std::shared_ptr<const Content>& weights, const Target& target, const std::vector<double>& scale)
{
    const Result<HostTensor> tensor = weights->read();
    VKONNX_RETURN_IF_ERROR(tensor.status());
    const DType dtype = weights->desc.dtype;
    const std::vector<double> numbers = reals_of(*tensor);
    double greatest = 0;
    for (const double number : numbers)
        greatest = std::max(greatest, std::abs(number));
    const double nothing = dtype == DType::float16 ? 0 : greatest * nothing_beside;
    for (size_t i = 0; i < numbers.size(); ++i) {
        const double factor = scale[target.channel(i)];
        const bool is_nothing = std::abs(numbers[i]) <= nothing && is_within(dtype, numbers[i] * factor);
        if (!is_nothing && !holds(dtype, numbers[i], factor))
            return false;
    }
    return true;
}

// Returns scale * W, which is computed when it is uploaded.
std::shared_ptr<const Content> scaled_weights(const std::shared_ptr<const Content>& weights, const TensorDesc& desc,
                                              const Target& target, const std::vector<double>& scale)
{
    const auto read = [weights, desc, target, scale]() -> Result<HostTensor> {
        const Result<HostTensor> tensor = weights->read();
        if (!tensor)
            return tensor;
        std::vector<double> numbers = reals_of(*tensor);
        for (size_t i = 0; i < numbers.size(); ++i)
            numbers[i] *= scale[target.channel(i)];
        return rounded(desc, numbers);
    };
    return std::make_shared<const Content>(Content{.desc = desc, .read = read});
}

class WeightFolder {
public:
    explicit WeightFolder(Calls& calls) : calls_(calls) {}

    Status run()
    {
        return calls_.visit_each([&](size_t i) { return visit(i); });
    }

private:
    Status visit(size_t reader)
    {
        const Call& call = calls_[reader];
        const bool normalizes = std::holds_alternative<BatchNormalization>(call.op);
        if (!normalizes && !(std::holds_alternative<Elementwise>(call.op) && call.inputs.size() == 2))
            return {};
        const size_t data = !normalizes && calls_.content(call.inputs[0]) ? 1 : 0;
        const std::optional<size_t> writer = calls_.writer_as_is(call.inputs[data]);
        const std::optional<Target> target = writer ? target_of(calls_, calls_[*writer]) : std::nullopt;
        if (!target || !is_real(calls_.desc(call.outputs[0]).dtype) || (normalizes && target->axis != 1))
            return {};
        const std::vector<int64_t>& dims = calls_.desc(call.outputs[0]).dims;
        if (target->axis >= dims.size() || calls_.desc(call.inputs[data]).dims != dims)
            return {};
        if (!normalizes && !calls_.content(call.inputs[1 - data]))
            return {};
        Memo::Key key = key_of(*writer, reader, *target);
        const Memo::Contents* folded = calls_.memo().find(key);
        if (!folded) {
            Result<Memo::Contents> made = fold(*writer, reader, *target);
            VKONNX_RETURN_IF_ERROR(made.status());
            folded = &calls_.memo().keep(std::move(key), std::move(*made));
        }
        if (folded->empty())
            return {};
        give(*writer, *folded);
        calls_.take_outputs(*writer, reader, "it is in the weights of");
        if (std::holds_alternative<MatMul>(calls_[*writer].op) && calls_[*writer].inputs.size() > 2)
            become_gemm(*writer);
        return {};
    }

    // Returns all that decides what `fold` makes: the constants, as both calls see them, and of the data only which axis has how
    // many channels.
    Memo::Key key_of(size_t writer, size_t reader, const Target& target) const
    {
        const std::vector<int64_t>& output = calls_.desc(calls_[reader].outputs[0]).dims;
        const uint64_t places[] = {calls_[writer].node, calls_[writer].part, calls_[reader].node,
                                   calls_[reader].part, output.size(),       uint64_t(output[target.axis])};
        Memo::Key key = {.how = "folded" + bytes_of(std::span(places))};
        for (const size_t call : {writer, reader})
            for (const int32_t input : calls_[call].inputs) {
                const std::shared_ptr<const Content>& content = calls_.content(input);
                key.from.push_back(content);
                if (content)
                    key.how += bytes_of(calls_.desc(input));
            }
        return key;
    }

    // Returns the writer's weights and bias that do what the reader does, with null for one that stays as it is. It returns an
    // empty list where they can't.
    Result<Memo::Contents> fold(size_t writer, size_t reader, const Target& target) const
    {
        const Call& call = calls_[reader];
        const Result<OptionalAffine> found = std::holds_alternative<BatchNormalization>(call.op)
                                                 ? normalization(calls_, call)
                                                 : arithmetic(calls_, call, target.axis);
        if (!found || !*found || !(*found)->is_finite())
            return found ? Result(Memo::Contents()) : found.status();
        const Affine& affine = **found;
        const std::vector<int32_t>& inputs = calls_[writer].inputs;
        Result<std::optional<std::vector<double>>> bias = bias_of(calls_[writer], target);
        if (!bias || !*bias)
            return bias ? Result(Memo::Contents()) : bias.status();
        const Result<bool> divides = std::holds_alternative<BatchNormalization>(calls_[writer].op)
                                         ? divides_still(calls_[writer], affine.scale)
                                         : Result(true);
        if (!divides || !*divides)
            return divides ? Result(Memo::Contents()) : divides.status();
        Memo::Contents made(2);
        if (std::any_of(affine.scale.begin(), affine.scale.end(), [](double scale) { return scale != 1; })) {
            const std::shared_ptr<const Content>& weights = calls_.content(inputs[1]);
            const Result<bool> fits = weights->is_on_host() ? fit(weights, target, affine.scale) : Result(false);
            if (!fits || !*fits)
                return fits ? Result(Memo::Contents()) : fits.status();
            made[0] = scaled_weights(weights, calls_.desc(inputs[1]), target, affine.scale);
        }
        if (inputs.size() > 2 || affine.shifts()) {
            for (size_t c = 0; c < (*bias)->size(); ++c)
                (**bias)[c] = (**bias)[c] * affine.scale[c] + affine.shift[c];
            const TensorDesc desc = {.dtype = calls_.desc(inputs[1]).dtype, .dims = {int64_t((*bias)->size())}};
            if (!std::all_of((*bias)->begin(), (*bias)->end(), [&](double number) { return is_within(desc.dtype, number); }))
                return Memo::Contents();
            made[1] = content_of(rounded(desc, **bias));
        }
        return made;
    }

    // Tells whether scale / deviation is still a normal number once the scale is multiplied. A normalization computes with this
    // quotient, in floats or doubles, and it may be much larger or smaller than the scale.
    Result<bool> divides_still(const Call& call, const std::vector<double>& scale) const
    {
        const DType computed = calls_.desc(call.inputs[0]).dtype == DType::float64 ? DType::float64 : DType::float32;
        const Result<OptionalAffine> own = normalization(calls_, call);
        VKONNX_RETURN_IF_ERROR(own.status());
        for (size_t c = 0; *own && c < scale.size(); ++c)
            if (!holds(computed, (*own)->scale[c], scale[c]))
                return false;
        return own->has_value();
    }

    void give(size_t writer, const Memo::Contents& folded)
    {
        std::vector<int32_t> inputs = calls_[writer].inputs;
        if (folded[0])
            inputs[1] = calls_.add_constant(folded[0]);
        if (folded[1]) {
            inputs.resize(std::max<size_t>(inputs.size(), 3), no_value);
            inputs[2] = calls_.add_constant(folded[1]);
            if (auto* gemm = std::get_if<Gemm>(&calls_[writer].op))
                gemm->beta = {};
        }
        calls_.set_inputs(writer, std::move(inputs));
    }

    // Returns the bias, a number for each channel. It returns nothing where that is not known, or differs within a channel.
    Result<std::optional<std::vector<double>>> bias_of(const Call& call, const Target& target) const
    {
        const TensorDesc& output = calls_.desc(call.outputs[0]);
        const size_t channels = size_t(output.dims[target.axis]);
        if (call.inputs.size() < 3 || call.inputs[2] == no_value || target.bias_factor == 0)  // with a factor of 0, C is not read
            return std::optional(std::vector<double>(channels));
        if (!std::holds_alternative<Gemm>(call.op))
            return calls_.reals(call.inputs[2]);
        Result<std::optional<std::vector<double>>> row = by_channels(calls_, call.inputs[2], output, target.axis);
        if (row && *row)
            for (double& number : **row)
                number *= target.bias_factor;
        return row;
    }

    // Turns a MatMul into a Gemm, because MatMul has no bias. All axes but the last become the rows of a matrix.
    void become_gemm(size_t call)
    {
        const std::vector<int64_t>& weights = calls_.desc(calls_[call].inputs[1]).dims;
        const std::vector<int64_t>& output = calls_.desc(calls_[call].outputs[0]).dims;
        const int64_t rows = product(std::span(output).first(output.size() - 1));
        const std::vector<int64_t> dims = {rows, weights[1]};
        std::vector<int32_t> inputs = calls_[call].inputs;
        inputs[0] = calls_.add_view(inputs[0], {rows, weights[0]});
        calls_[call].op = Gemm();
        calls_[call].outputs[0] = calls_.add_view(calls_[call].outputs[0], dims);
        calls_.set_inputs(call, std::move(inputs));
    }

    Calls& calls_;
};

}  // namespace

Status fuse_weights(Calls& calls)
{
    return WeightFolder(calls).run();
}

}  // namespace vkonnx::graph
