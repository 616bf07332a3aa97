// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "graph/fuse.h"
#include "graph/reals.h"
#include "return_if_error.h"

namespace vkonnx::graph {
namespace {

// A gate is clip(x + 3, 0, 6) * factor, or x times that.
struct Gate {
    int32_t x = no_value;
    double factor = 1;
    std::vector<size_t> calls = {};  // the calls that compute it, the last one at the end
};

using OptionalGate = std::optional<Gate>;

// This struct holds both operands of an operator with a constant.
struct Scaled {
    int32_t data = no_value;
    double number = 1;
};

// Returns how far a constant may be from the number that its writer meant, relative to it: two units in its last place.
double tolerance(DType dtype)
{
    switch (dtype) {
    case DType::float16:
        return 0x1p-9;
    case DType::bfloat16:
        return 0x1p-6;
    default:
        return 0x1p-22;
    }
}

bool is_sixth(double factor, DType dtype)
{
    return std::abs(6 * factor - 1) <= tolerance(dtype);
}

class Speller {
public:
    explicit Speller(Calls& calls) : calls_(calls) {}

    Status run()
    {
        for (size_t i = 0; i < calls_.size(); ++i) {
            // Doubles are left alone, because the operators' own sixth is a float.
            const DType dtype = calls_.desc(calls_[i].outputs[0]).dtype;
            if (!elementwise(i) || !is_real(dtype) || dtype == DType::float64)
                continue;
            ElementwiseKind kind = ElementwiseKind::hard_swish;
            Result<OptionalGate> found = product(i, most_factors);
            if (found && !*found) {
                kind = ElementwiseKind::hard_sigmoid;
                found = gate(i, most_factors);
            }
            if (!found)
                return calls_.in(i, found.status());
            if (*found && (*found)->calls.size() > 1 && is_sixth((*found)->factor, calls_.desc((*found)->x).dtype))
                become(i, kind, **found);
        }
        return {};
    }

private:
    // At most so many multiplications and divisions by constants may stand in a row; nobody writes more.
    static constexpr int most_factors = 2;

    const Elementwise* elementwise(size_t call) const
    {
        return calls_.is_gone(call) ? nullptr : std::get_if<Elementwise>(&calls_[call].op);
    }

    void become(size_t last, ElementwiseKind kind, const Gate& gate)
    {
        const bool swish = kind == ElementwiseKind::hard_swish;
        Elementwise op = {.kind = kind};
        if (!swish)
            op.alpha = 1.0f / 6;
        calls_[last].op = op;
        // Views between the parts may have given the elements other dimensions than x has.
        const std::vector<int64_t> dims = calls_.desc(calls_[last].outputs[0]).dims;
        calls_.set_inputs(last, {calls_.desc(gate.x).dims == dims ? gate.x : calls_.add_view(gate.x, dims)});
        for (const size_t part : gate.calls)
            if (part != last)
                calls_.remove(part, last, swish ? "it is part of the HardSwish of" : "it is part of the HardSigmoid of");
    }

    // Returns the constant and the data, which must have the output's dimensions. The constant is the second input, or with
    // `in_front` either one.
    Result<std::optional<Scaled>> with_number(const Call& call, bool in_front) const
    {
        for (const size_t place : {size_t(1), size_t(0)}) {
            if (place == 0 && !in_front)
                break;
            const Result<std::optional<double>> number = calls_.real(call.inputs[place]);
            VKONNX_RETURN_IF_ERROR(number.status());
            const int32_t data = call.inputs[1 - place];
            if (*number && calls_.desc(data).dims == calls_.desc(call.outputs[0]).dims)
                return std::optional(Scaled{data, **number});
        }
        return std::optional<Scaled>();
    }

    Result<std::optional<Scaled>> scaled(size_t call) const
    {
        const Elementwise& op = *elementwise(call);
        if (op.kind != ElementwiseKind::mul && op.kind != ElementwiseKind::div)
            return std::optional<Scaled>();
        Result<std::optional<Scaled>> scaled = with_number(calls_[call], op.kind == ElementwiseKind::mul);
        if (scaled && *scaled && op.kind == ElementwiseKind::div)
            (*scaled)->number = 1 / (*scaled)->number;
        return scaled;
    }

    // Returns what `inner` finds before a factor that the call applies, times that factor.
    template <class Inner>
    Result<OptionalGate> behind_factor(size_t call, Inner inner) const
    {
        const Result<std::optional<Scaled>> factor = scaled(call);
        VKONNX_RETURN_IF_ERROR(factor.status());
        const std::optional<size_t> before = *factor ? calls_.writer((*factor)->data) : std::nullopt;
        Result<OptionalGate> found = before && elementwise(*before) ? inner(*before) : OptionalGate();
        if (found && *found) {
            (*found)->factor *= (*factor)->number;
            (*found)->calls.push_back(call);
        }
        return found;
    }

    Result<OptionalGate> gate(size_t call, int factors) const
    {
        const Elementwise& op = *elementwise(call);
        if (op.kind == ElementwiseKind::hard_sigmoid)
            return is_sixth(op.alpha.value_or(0.2f), DType::float32) && op.beta.value_or(0.5f) == 0.5f
                       ? OptionalGate({.x = calls_[call].inputs[0], .factor = 1.0 / 6, .calls = {call}})
                       : OptionalGate();
        if (op.kind == ElementwiseKind::clip)
            return clipped(call);
        return factors == 0 ? OptionalGate() : behind_factor(call, [&](size_t before) { return gate(before, factors - 1); });
    }

    Result<OptionalGate> clipped(size_t call) const
    {
        const Result<std::optional<Elementwise>> op = calls_.with_bounds(calls_[call]);
        VKONNX_RETURN_IF_ERROR(op.status());
        const std::optional<size_t> before = calls_.writer(calls_[call].inputs[0]);
        if (!*op || (*op)->min != 0.0f || (*op)->max != 6.0f || !before || !elementwise(*before) ||
            elementwise(*before)->kind != ElementwiseKind::add)
            return OptionalGate();
        const Result<std::optional<Scaled>> sum = with_number(calls_[*before], true);
        VKONNX_RETURN_IF_ERROR(sum.status());
        return *sum && (*sum)->number == 3 ? OptionalGate({.x = (*sum)->data, .calls = {*before, call}}) : OptionalGate();
    }

    // Tells whether each element of one operand meets one of the other. No view between the parts of a gate makes its elements
    // more or less than those of x, so neither is broadcast where the product has as many.
    bool pairs_up(size_t call) const
    {
        const Result<int64_t> x = element_count(calls_.desc(calls_[call].inputs[0]));
        const Result<int64_t> product = element_count(calls_.desc(calls_[call].outputs[0]));
        return x && product && *x == *product;
    }

    Result<OptionalGate> product(size_t call, int factors) const
    {
        if (elementwise(call)->kind == ElementwiseKind::mul)
            for (const size_t place : {size_t(0), size_t(1)}) {
                const std::optional<size_t> other = calls_.writer(calls_[call].inputs[1 - place]);
                Result<OptionalGate> found = other && elementwise(*other) ? gate(*other, factors) : OptionalGate();
                if (found && *found && !((*found)->x == calls_[call].inputs[place] && pairs_up(call)))
                    continue;
                if (!found || *found) {
                    if (found)
                        (*found)->calls.push_back(call);
                    return found;
                }
            }
        return factors == 0 ? OptionalGate() : behind_factor(call, [&](size_t before) { return product(before, factors - 1); });
    }

    Calls& calls_;
};

}  // namespace

Status fuse_pattern(Calls& calls)
{
    return Speller(calls).run();
}

}  // namespace vkonnx::graph
