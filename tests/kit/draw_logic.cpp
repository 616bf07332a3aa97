// This file draws problems of the operators that compare, join truth values, choose and work on bits.
#include "kit/draw.h"

namespace vkonnx::kit {
namespace {

using List = std::vector<int64_t>;

// Returns each of these operators with its default attributes.
template <class... Op>
std::vector<Operator> operators_of(std::type_identity<std::variant<Op...>>)
{
    std::vector<Operator> all;
    (
        [&] {
            if constexpr (LogicOperator<Op>)
                all.push_back(Op());
        }(),
        ...);
    return all;
}

DType draw_type(Draw& draw, LogicKind kind)
{
    if (draw.one_in(40))
        return draw.of({DType::string, DType::complex64, DType::complex128, DType::int4, DType::float8e5m2, DType::undefined});
    switch (kind) {
    case LogicKind::is_nan:
    case LogicKind::is_inf:
        return draw.of({DType::float32, DType::float64, DType::float16, DType::bfloat16});
    case LogicKind::logical_and:
    case LogicKind::logical_or:
    case LogicKind::logical_xor:
    case LogicKind::logical_not:
        return DType::boolean;
    case LogicKind::bitwise_and:
    case LogicKind::bitwise_or:
    case LogicKind::bitwise_xor:
    case LogicKind::bitwise_not:
    case LogicKind::bit_shift:
        return draw.of(
            {DType::int8, DType::int16, DType::int32, DType::int64, DType::uint8, DType::uint16, DType::uint32, DType::uint64});
    default:
        return draw.of({DType::float32, DType::float32, DType::float64, DType::float16, DType::bfloat16, DType::boolean,
                        DType::int8, DType::int16, DType::int32, DType::int64, DType::uint8, DType::uint16, DType::uint32,
                        DType::uint64});
    }
}

template <LogicOperator Op>
Case drawn(Draw& draw, Op op)
{
    constexpr LogicKind kind = Op::logic;
    op.opset = draw.one_in(3) ? draw.between(1, newest_opset) : newest_opset;
    if constexpr (kind == LogicKind::is_inf) {
        if (draw.one_in(2))
            op.detect_negative = draw.one_in(20) ? 2 : draw.between(0, 1);
        if (draw.one_in(2))
            op.detect_positive = draw.between(0, 1);
    }
    if constexpr (kind == LogicKind::bit_shift)
        op.direction = draw.one_in(20) ? ShiftDirection::none : draw.of({ShiftDirection::left, ShiftDirection::right});
    Case problem;
    problem.name = "drawn";
    problem.fill = draw.of({Fill::integers, Fill::reals, Fill::specials, Fill::specials, Fill::negative_zero, Fill::denormals});
    const List extents = draw_broadcast_extents(draw);
    const DType dtype = draw_type(draw, kind);
    const auto count = size_t(signature(op)->most_inputs);
    for (size_t i = 0; i < count; ++i) {
        const bool whole = count == 1 || draw.one_in(2);
        const DType own = kind == LogicKind::where && i == 0 ? DType::boolean : draw.one_in(80) ? DType::float32 : dtype;
        problem.inputs.push_back({own, whole ? extents : draw_narrowed(draw, extents)});
    }
    if (draw.one_in(40))
        problem.inputs.resize(size_t(draw.between(1, 4)), problem.inputs.back());
    if (draw.one_in(40))
        problem.inputs.back().dims.push_back(draw.between(-1, 5));
    problem.attributes = op;
    return problem;
}

}  // namespace

Case draw_logic(Draw& draw)
{
    static const std::vector<Operator> operators = operators_of(std::type_identity<Operator::variant>());
    for (;;) {
        const Operator& op = operators[size_t(draw.between(0, int64_t(operators.size()) - 1))];
        const Case problem = std::visit(
            [&](const auto& one) {
                if constexpr (LogicOperator<std::remove_cvref_t<decltype(one)>>)
                    return drawn(draw, one);
                else
                    return Case();
            },
            op);
        const Result<Resolution> resolution = resolve(problem);
        if (resolution ? *element_count(resolution->output) <= 20'000 : draw.one_in(3))
            return problem;
    }
}

}  // namespace vkonnx::kit
