// SPDX-License-Identifier: Apache-2.0
// The operators that a graph may hold: what this library's kernels compute, what only renames memory, what is known beforehand.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace vkonnx::graph {

inline constexpr std::string_view onnx_domain = "ai.onnx";
inline constexpr std::string_view onednn_domain = "onednn.graph";

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
struct Equal {};
struct Expand {};
struct Gather {
    std::optional<int64_t> axis = {};
};
struct Range {};
struct Size {};
struct Where {};
using HostOperator = std::variant<ConstantOfShape, Equal, Expand, Gather, Range, Size, Where>;

template <class Named, class Visitor>
requires std::is_empty_v<Named>
void fields(Named&, Visitor&&)
{
}

template <class Visitor>
void fields(Gather& op, Visitor&& visit)
{
    visit("axis", op.axis, Versions{});
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

inline constexpr size_t any_number = SIZE_MAX;

// From the version `since` on.
struct Arity {
    int64_t since = 1;
    size_t least = 1;
    size_t most = 1;
};

// An input that is a member of the operator's struct: axes, starts, pads. Its elements must be known while preparing.
struct ListInput {
    size_t input = 0;
    std::string_view member = {};
    int64_t since = 1;  // the version; before, it is an attribute, or stands elsewhere
    int64_t until = std::numeric_limits<int64_t>::max();

    bool is_at(int64_t opset) const { return since <= opset && opset <= until; }
};

struct OperatorInfo {
    std::string_view domain = {};
    std::string_view name = {};
    Kind kind = Kind::kernel;
    Operation (*make)() = nullptr;  // with default attributes
    std::span<const Arity> inputs = {};
    uint64_t holes = 0;  // bits: inputs that may be left out though a later one is given
    size_t most_outputs = 1;
    // Where they decide attributes or the meaning of inputs here; those of kernels are the operators' own matter. Ascending.
    std::span<const int64_t> versions = {};
    // From this version on the second input, whose elements must be known, decides the output's dimensions; 0: in none.
    int64_t values_since = 0;
    int64_t least_opset = 1;  // of what older versions do with attributes that are not here
    std::span<const ListInput> lists = {};

    // The newest that is not newer than the opset; the opset where none are listed.
    int64_t version_at(int64_t opset) const;
    bool has_values_input(int64_t opset) const { return values_since != 0 && version_at(opset) >= values_since; }
    Arity arity_at(int64_t opset) const;
    // Whether the elements of that input decide dimensions.
    bool is_list(size_t input, int64_t opset) const;
};

// Null for an operator that this library does not have.
const OperatorInfo* find_operator(std::string_view domain, std::string_view name);

// "AveragePool, ..., Unsqueeze of domain 'ai.onnx', and ConvTranspose of domain 'onednn.graph'"
std::string supported_operators();

// Whether the counts and names are what the operator takes. `given` and `made` say which inputs and outputs have a name; the
// inputs end with one that has.
Status check_arity(const OperatorInfo& info, int64_t opset, const std::vector<bool>& given, const std::vector<bool>& made);

}  // namespace vkonnx::graph
