// SPDX-License-Identifier: Apache-2.0
// This header has the versions 1 and 6 of operators that came with a broadcasting of their own: attributes say whether B is
// repeated, and along which of A's axes its own lie. Version 7 has the rules of NumPy, and the operator's own description.
//
//   broadcast = 1, axis = 1     A (2, 3, 4, 5), B (3, 4): B is repeated along the first and the last axis of A
//   broadcast = 1, no axis      B's axes are A's last ones
//   broadcast = 0               B has A's dimensions
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "graph/attribute_versions.h"

namespace vkonnx::graph {

class Composer;

namespace old_broadcasting {

constexpr int64_t versions_1[] = {1};
constexpr int64_t versions_1_and_6[] = {1, 6};
constexpr Schema::Input a_and_b[] = {{.name = "A"}, {.name = "B"}};
constexpr Schema::Input x_and_y[] = {{.name = "X"}, {.name = "Y"}};
constexpr Schema::Output c[] = {{"C"}};
constexpr Schema::Output z[] = {{"Z"}};

// Tells whether an operator has a version 6. Add, Sub, Mul and Div have one; before version 7 the others have version 1 alone.
constexpr bool has_version_6(ElementwiseKind kind)
{
    return kind != ElementwiseKind::pow;
}
constexpr bool has_version_6(LogicKind)
{
    return false;
}

struct Attributes {
    std::optional<int64_t> axis = {};
    std::optional<int64_t> broadcast = {};  // 0
    OptionalList consumed_inputs = {};      // a hint of ONNX's first days

    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("axis", axis);
        visit("broadcast", broadcast);
        visit("consumed_inputs", consumed_inputs, Versions{1, 1});
    }
};

// Computes an operator of two tensors.
void compose(Composer& composer, Operator op, const Attributes& attributes);

}  // namespace old_broadcasting

// This struct describes an operator of two tensors. `kind` is an ElementwiseKind or a LogicKind.
template <auto kind>
struct OldBinary : old_broadcasting::Attributes {
    static constexpr bool is_pow = [] {
        if constexpr (std::is_same_v<decltype(kind), ElementwiseKind>)
            return kind == ElementwiseKind::pow;
        return false;
    }();
    static constexpr Schema schema = {.name = name(kind),
                                      .versions = old_broadcasting::has_version_6(kind)
                                                      ? std::span<const int64_t>(old_broadcasting::versions_1_and_6)
                                                      : std::span<const int64_t>(old_broadcasting::versions_1),
                                      .inputs = is_pow ? old_broadcasting::x_and_y : old_broadcasting::a_and_b,
                                      .outputs = is_pow ? old_broadcasting::z : old_broadcasting::c};

    void compose(Composer& composer) const
    {
        if constexpr (std::is_same_v<decltype(kind), ElementwiseKind>)
            old_broadcasting::compose(composer, Elementwise{.kind = kind}, *this);
        else
            old_broadcasting::compose(composer, Logic<kind>(), *this);
    }
};

using OldAdd = OldBinary<ElementwiseKind::add>;
using OldSub = OldBinary<ElementwiseKind::sub>;
using OldMul = OldBinary<ElementwiseKind::mul>;
using OldDiv = OldBinary<ElementwiseKind::div>;
using OldPow = OldBinary<ElementwiseKind::pow>;
using OldEqual = OldBinary<LogicKind::equal>;
using OldGreater = OldBinary<LogicKind::greater>;
using OldLess = OldBinary<LogicKind::less>;
using OldAnd = OldBinary<LogicKind::logical_and>;
using OldOr = OldBinary<LogicKind::logical_or>;
using OldXor = OldBinary<LogicKind::logical_xor>;

// A slope of several elements has one for each channel of X, along axis 1.
struct OldPRelu {
    OptionalList consumed_inputs = {};

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("consumed_inputs", consumed_inputs, Versions{1, 1});
    }
};

// C has the dimensions of Y, or is broadcast to them if `broadcast` is 1.
struct OldGemm {
    Gemm gemm = {};
    std::optional<int64_t> broadcast = {};  // 0

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        vkonnx::fields(gemm, visit);
        visit("broadcast", broadcast);
    }
};

}  // namespace vkonnx::graph
