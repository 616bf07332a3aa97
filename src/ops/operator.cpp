// SPDX-License-Identifier: Apache-2.0
// This file has what is done alike for every operator. Each of these functions is compiled once for each operator, and only here.
#include <vkonnx/operators.hpp>

#include <array>
#include <utility>

namespace vkonnx {
namespace {

using Variant = Operator::variant;

template <size_t index>
Variant moved(void* op)
{
    return Variant(std::in_place_index<index>, std::move(*static_cast<std::variant_alternative_t<index, Variant>*>(op)));
}

template <size_t... index>
Variant moved(size_t of, void* op, std::index_sequence<index...>)
{
    constexpr Variant (*by_index[])(void*) = {moved<index>...};
    return by_index[of](op);
}

}  // namespace

Operator::Operator(size_t index, void* op) noexcept
    : variant(moved(index, op, std::make_index_sequence<std::variant_size_v<Variant>>()))
{
}

Operator::Operator() noexcept = default;
Operator::Operator(const Operator& other) = default;
Operator::Operator(Operator&& other) noexcept = default;
Operator& Operator::operator=(const Operator& other) = default;
Operator& Operator::operator=(Operator&& other) noexcept = default;
Operator::~Operator() = default;

std::span<const Operator> every_operator() noexcept
{
    constexpr size_t kinds = std::size(elementwise_words);
    constexpr size_t structs = std::variant_size_v<Operator::variant>;
    static const auto all = []<size_t... index>(std::index_sequence<index...>)
    {
        std::array<Operator, structs - 1 + kinds> operators;
        size_t count = 0;
        const auto add = [&]<class Op>(Op op) {
            if constexpr (std::is_same_v<Op, Elementwise>)
                for (const Spelling<ElementwiseKind>& kind : elementwise_words)
                    operators[count++] = Elementwise{.kind = kind.value};
            else
                operators[count++] = std::move(op);
        };
        (add(std::variant_alternative_t<index, Operator::variant>()), ...);
        return operators;
    }
    (std::make_index_sequence<structs>());
    return all;
}

// valueless_by_exception() is asked for because std::visit would throw.
std::string_view name(const Operator& op) noexcept
{
    if (op.valueless_by_exception())
        return {};
    return std::visit(
        [](const auto& one) -> std::string_view {
            if constexpr (requires { one.kind; })
                return name(one.kind);
            else
                return one.name;
        },
        op);
}

std::string_view domain(const Operator& op) noexcept
{
    if (op.valueless_by_exception())
        return "";
    return std::visit(
        [](const auto& one) -> std::string_view {
            if constexpr (requires { one.domain; })
                return one.domain;
            else
                return "";
        },
        op);
}

const int64_t* opset_of(const Operator& op) noexcept
{
    if (op.valueless_by_exception())
        return nullptr;
    return std::visit(
        [](const auto& one) -> const int64_t* {
            if constexpr (requires { one.opset; })
                return &one.opset;
            else
                return nullptr;
        },
        op);
}

int64_t* opset_of(Operator& op) noexcept
{
    return const_cast<int64_t*>(opset_of(std::as_const(op)));
}

const Rules* rules_of(const Operator& op) noexcept
{
    if (op.valueless_by_exception())
        return nullptr;
    return std::visit(
        [](const auto& one) -> const Rules* {
            if constexpr (requires { one.rules; })
                return &one.rules;
            else
                return nullptr;
        },
        op);
}

Rules* rules_of(Operator& op) noexcept
{
    return const_cast<Rules*>(rules_of(std::as_const(op)));
}

const int64_t* outputs_of(const Operator& op) noexcept
{
    if (op.valueless_by_exception())
        return nullptr;
    return std::visit(
        [](const auto& one) -> const int64_t* {
            if constexpr (requires { one.outputs; })
                return &one.outputs;
            else
                return nullptr;
        },
        op);
}

int64_t* outputs_of(Operator& op) noexcept
{
    return const_cast<int64_t*>(outputs_of(std::as_const(op)));
}

}  // namespace vkonnx
