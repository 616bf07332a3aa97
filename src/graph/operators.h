// SPDX-License-Identifier: Apache-2.0
// The operators that a graph may hold: what this library's kernels compute, what only renames memory, what is known beforehand.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace vkonnx::graph {

inline constexpr std::string_view onnx_domain = "ai.onnx";  // "" in schemas

// ----------------------------------------------------------------------------------------------------------- views
//
// Operators whose output is their input's memory, with their attributes as the documents name them. Types are not restricted
// as the documents of old versions do: no element is ever looked at.

using OptionalList = std::optional<std::vector<int64_t>>;

struct Identity {};
struct Dropout {  // in inference: the identity
    std::optional<float> ratio = {};
    std::optional<int64_t> seed = {};
    std::optional<int64_t> is_test = {};
    OptionalList consumed_inputs = {};  // a hint of ONNX's first days
};
struct Flatten {
    std::optional<int64_t> axis = {};
};
struct Reshape {
    OptionalList shape = {};
    std::optional<int64_t> allowzero = {};
    OptionalList consumed_inputs = {};
};
struct Squeeze {
    OptionalList axes = {};
};
struct Unsqueeze {
    OptionalList axes = {};
};
using View = std::variant<Identity, Dropout, Flatten, Reshape, Squeeze, Unsqueeze>;

// The versions that have an attribute, both ends included; 0: no end.
struct Versions {
    int64_t since = 1;
    int64_t until = 0;
};

// fields(view, visit) calls visit(name, member, versions) for each attribute, as those of operators.hpp do.
template <class Visitor>
void fields(Dropout& view, Visitor&& visit)
{
    visit("ratio", view.ratio, Versions{1, 10});
    visit("seed", view.seed, Versions{12});
    visit("is_test", view.is_test, Versions{1, 6});
    visit("consumed_inputs", view.consumed_inputs, Versions{1, 1});
}

template <class Visitor>
void fields(Flatten& view, Visitor&& visit)
{
    visit("axis", view.axis, Versions{});
}

template <class Visitor>
void fields(Reshape& view, Visitor&& visit)
{
    visit("shape", view.shape, Versions{1, 1});
    visit("allowzero", view.allowzero, Versions{14});
    visit("consumed_inputs", view.consumed_inputs, Versions{1, 1});
}

template <class Visitor>
void fields(Squeeze& view, Visitor&& visit)
{
    visit("axes", view.axes, Versions{1, 11});
}

template <class Visitor>
void fields(Unsqueeze& view, Visitor&& visit)
{
    visit("axes", view.axes, Versions{1, 11});
}

// ------------------------------------------------------------------------------------------------------------ host
//
// Operators that compute shapes, of values that are known before anything runs. Versions differ in types only.

struct ConstantOfShape {};  // its value is Node::content
struct Range {};
struct Size {};
using HostOperator = std::variant<ConstantOfShape, Range, Size>;

template <class Named, class Visitor>
requires std::is_empty_v<Named>
void fields(Named&, Visitor&&)
{
}

// ----------------------------------------------------------------------------------------------------------- table

// What the file itself holds: Node::content.
struct Constant {};

using Operation = std::variant<Operator, View, HostOperator, Constant>;

enum class Kind : uint8_t {
    kernel,  // dispatched, unless its inputs are known and the host computes it
    view,    // only renames memory
    host,    // known before anything runs: Constant, Shape, which looks at dimensions only, and the HostOperators
};

struct OperatorInfo {
    Kind kind = Kind::kernel;
    Operation (*make)() = nullptr;  // with default attributes
    const Schema* schema = nullptr;

    // The version that the opset means; the opset itself before the operator came.
    int64_t version_at(int64_t opset) const;
    // The inputs of that version, in the documents' order; none before the operator came.
    std::vector<const Schema::Input*> inputs_at(int64_t opset) const;
    // Whether the elements of that input decide dimensions, so that they must be known while preparing.
    bool is_list(size_t input, int64_t opset) const;
};

// Null for an operator that this library does not have.
const OperatorInfo* find_operator(std::string_view domain, std::string_view name);

// "AveragePool, ..., Unsqueeze of domain 'ai.onnx', and ConvTranspose of domain 'onednn.graph'"
std::string supported_operators();

// Whether the opset has the operator, and the counts and names are what it takes. `given` and `made` say which inputs and outputs
// have a name; the inputs end with one that has.
Status check_arity(const OperatorInfo& info, int64_t opset, const std::vector<bool>& given, const std::vector<bool>& made);

}  // namespace vkonnx::graph
