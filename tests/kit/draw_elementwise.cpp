#include <algorithm>

#include "kit/draw.h"
#include "kit/elements.h"
#include "kit/reference_functions.h"

namespace vkonnx::kit {
namespace {

using Kind = ElementwiseKind;
using List = std::vector<int64_t>;

Kind draw_kind(Draw& draw)
{
    return elementwise_words[size_t(draw.between(0, int64_t(std::size(elementwise_words)) - 1))].value;
}

DType draw_type(Draw& draw)
{
    return draw.of({DType::float32, DType::float32, DType::float16, DType::bfloat16, DType::float64, DType::int8, DType::int16,
                    DType::int32, DType::int64, DType::uint8, DType::uint16, DType::uint32, DType::uint64});
}

bool has_two_inputs(Kind kind)
{
    return kind == Kind::prelu || kind == Kind::add || kind == Kind::sub || kind == Kind::mul || kind == Kind::div ||
           kind == Kind::pow || kind == Kind::mod;
}

size_t draw_count(Draw& draw, Kind kind)
{
    if (has_two_inputs(kind))
        return 2;
    switch (kind) {
    case Kind::clip:
        return size_t(draw.between(1, 3));
    case Kind::sum:
    case Kind::mean:
    case Kind::min:
    case Kind::max:
        return size_t(draw.one_in(2) ? draw.between(1, 3) : draw.between(4, 12));
    default:
        return 1;
    }
}

bool has_operand(Kind kind)
{
    return has_two_inputs(kind) || kind == Kind::min || kind == Kind::max;
}

// Draws a kind that takes the type. About one in a hundred need not take it.
Kind draw_step_kind(Draw& draw, DType dtype)
{
    for (;;) {
        const Kind kind = draw_kind(draw);
        const std::vector<TensorDesc> inputs(has_operand(kind) ? 2 : 1, TensorDesc{dtype, {}});
        if (draw.one_in(100) || (kind != Kind::identity && kind != Kind::sum && kind != Kind::mean && kind != Kind::mod &&
                                 resolve(Elementwise{.kind = kind}, inputs)))
            return kind;
    }
}

// Adds steps behind the operator. The problem already has the operator's own inputs.
void add_steps(Draw& draw, Case& problem, const List& extents)
{
    auto& op = std::get<Elementwise>(problem.attributes);
    const DType dtype = problem.inputs[0].dtype;
    const int64_t count = draw.one_in(3) ? draw.between(1, 6) : draw.one_in(50) ? 7 : draw.between(1, 3);
    for (int64_t i = 0; i < count; ++i) {
        ElementwiseStep& step = op.steps.emplace_back();
        step.kind = draw_step_kind(draw, dtype);
        const auto number = [&] { return is_integer(dtype) ? double(draw.between(0, 9)) : double(draw.between(-12, 12)) / 4; };
        if (step.kind == Kind::clip || draw.one_in(100))
            (draw.one_in(2) ? step.min : step.max) = float(number());
        if (step.kind == Kind::leaky_relu || step.kind == Kind::elu || step.kind == Kind::hard_sigmoid ||
            step.kind == Kind::swish)
            (draw.one_in(2) ? step.alpha : step.kind == Kind::hard_sigmoid ? step.beta : step.alpha) = float(number());
        if (step.kind == Kind::selu || step.kind == Kind::celu)
            (draw.one_in(2) && step.kind == Kind::selu ? step.gamma : step.alpha) = float(draw.between(1, 12)) / 4;
        if (step.kind == Kind::gelu)
            step.approximate = draw.of({GeluApproximation::none, GeluApproximation::tanh});
        if (!has_operand(step.kind) && !draw.one_in(100))
            continue;
        step.swapped = draw.one_in(3);
        if (problem.inputs.size() < 3 && draw.one_in(2))
            problem.inputs.push_back({dtype, draw.one_in(3) ? extents : draw_narrowed(draw, extents)});
        else if (!draw.one_in(40))
            step.number = draw.one_in(60) ? 0.3 : number();
    }
}

Case drawn(Draw& draw)
{
    Elementwise op = {.opset = draw.one_in(3) ? draw.between(6, 26) : draw.between(22, 26), .kind = draw_kind(draw)};
    DType dtype = draw_type(draw);
    if (draw.one_in(2) && is_integer(dtype))  // most kinds take no integers
        dtype = DType::float32;
    const int64_t version = op.kind == Kind::clip && op.opset < 11 ? 6 : op.opset;
    fields(op, [&](std::string_view name, auto& value, const auto&...) {
        if (!draw.one_in(has_attribute(op.kind, name, version) ? 2 : 100))
            return;
        if constexpr (std::is_same_v<decltype(value), std::optional<float>&>)
            value = float(draw.between(op.kind == Kind::celu ? 1 : -8, 8)) / 4;  // Celu is exact for an alpha above 0
        else if constexpr (std::is_same_v<decltype(value), std::optional<int64_t>&>)
            value = draw.between(is_integer(dtype) ? 0 : 1, draw.one_in(50) ? 2 : 1);
        else
            value = GeluApproximation::tanh;
    });
    const List extents = draw_broadcast_extents(draw);
    Case problem;
    problem.name = "drawn";
    problem.fill = draw.of({Fill::integers, Fill::reals, Fill::specials, Fill::positive, Fill::negative_zero, Fill::large});
    const size_t count = draw_count(draw, op.kind);
    const bool bounds_are_inputs = op.kind != Kind::clip || op.opset >= 11;
    for (size_t i = 0; i < (bounds_are_inputs || draw.one_in(10) ? count : 1); ++i) {
        const bool bound = op.kind == Kind::clip && i > 0;
        const bool whole = i == 0 && (op.kind == Kind::clip || op.kind == Kind::prelu || draw.one_in(2));
        problem.inputs.push_back({dtype, whole ? extents : bound ? List() : draw_narrowed(draw, extents)});
        if (bound && i + 1 < count && draw.one_in(2))
            problem.inputs.back() = {DType::undefined, {}};
    }
    if (op.kind == Kind::pow && draw.one_in(2))
        problem.inputs[1].dtype = draw_type(draw);
    problem.attributes = op;
    if (problem.inputs.size() <= 3 && draw.one_in(3))
        add_steps(draw, problem, extents);
    return problem;
}

// Changes one thing, so that the problem is likely to be wrong.
void spoil(Draw& draw, Case& problem)
{
    TensorDesc& input = problem.inputs[size_t(draw.between(0, int64_t(problem.inputs.size()) - 1))];
    switch (draw.between(1, 4)) {
    case 1:
        problem.inputs.resize(size_t(draw.between(1, 5)), problem.inputs[0]);
        return;
    case 2:
        input.dims.push_back(draw.between(2, 5));
        return;
    case 3:
        if (!input.dims.empty())
            input.dims[size_t(draw.between(0, int64_t(input.dims.size()) - 1))] = draw.between(-1, 70);
        return;
    default:
        input.dtype = draw.of({DType::boolean, DType::string, DType::undefined, DType::int4});
    }
}

}  // namespace

Case draw_elementwise(Draw& draw)
{
    const bool may_be_refused = draw.one_in(4);
    for (;;) {
        Case problem = drawn(draw);
        if (may_be_refused && draw.one_in(2))
            spoil(draw, problem);
        const Result<Resolution> resolution = resolve(problem);
        if (resolution ? *element_count(resolution->output) <= 20'000 : may_be_refused)
            return problem;
    }
}

}  // namespace vkonnx::kit
