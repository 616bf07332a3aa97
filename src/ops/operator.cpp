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

// Returns the address of what `get` returns of the operator's struct, or null where `get` can't be called with that struct.
template <class Member, class Get>
const Member* member_of(const Operator& op, Get get) noexcept
{
    if (op.valueless_by_exception())  // std::visit would throw
        return nullptr;
    return std::visit(
        [get](const auto& one) -> const Member* {
            if constexpr (requires { get(one); })
                return &get(one);
            else
                return nullptr;
        },
        op);
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

std::span<const Operator, operator_count> every_operator() noexcept
{
    static const auto all = []<size_t... index>(std::index_sequence<index...>)
    {
        std::array<Operator, operator_count> operators;
        size_t count = 0;
        const auto add = [&]<class Op>(Op op) {
            if constexpr (std::is_same_v<Op, Elementwise>)
                for (const Spelling<ElementwiseKind>& kind : elementwise_words)
                    operators[count++] = Elementwise{.kind = kind.value};
            else
                operators[count++] = std::move(op);
        };
        (add(std::variant_alternative_t<index, Variant>()), ...);
        return operators;
    }
    (std::make_index_sequence<std::variant_size_v<Variant>>());
    return all;
}

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
    return member_of<int64_t>(op, [](const auto& one) -> decltype((one.opset)) { return one.opset; });
}

int64_t* opset_of(Operator& op) noexcept
{
    return const_cast<int64_t*>(opset_of(std::as_const(op)));
}

const Rules* rules_of(const Operator& op) noexcept
{
    return member_of<Rules>(op, [](const auto& one) -> decltype((one.rules)) { return one.rules; });
}

Rules* rules_of(Operator& op) noexcept
{
    return const_cast<Rules*>(rules_of(std::as_const(op)));
}

const int64_t* outputs_of(const Operator& op) noexcept
{
    return member_of<int64_t>(op, [](const auto& one) -> decltype((one.outputs)) { return one.outputs; });
}

int64_t* outputs_of(Operator& op) noexcept
{
    return const_cast<int64_t*>(outputs_of(std::as_const(op)));
}

}  // namespace vkonnx
