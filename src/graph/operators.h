// SPDX-License-Identifier: Apache-2.0
// This file lists the operators that a graph may hold: what this library's kernels compute, what only renames memory, what is
// known beforehand, and the composites (composites.h).
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "graph/composites.h"

namespace vkonnx::graph {

inline constexpr std::string_view onnx_domain = "ai.onnx";  // "" in schemas
inline constexpr std::string_view microsoft_domain = "com.microsoft";

// ----------------------------------------------------------------------------------------------------------- views
//
// The output of these operators is their input's memory. Their attributes have the names of ONNX's documents. Types are not
// restricted as in the documents of old versions, because no element is ever looked at.

struct Identity {};
struct Dropout {  // in inference it is the identity
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
// The host computes these operators, of values that are known while preparing or between two stages. Elements decide the
// dimensions of what all of them but Size make.

struct ConstantOfShape {};  // its value is Node::content
struct Range {
    std::optional<int64_t> stash_type = {};  // the type that halves are counted in, by its number: 1 is float, and the default
};
struct Size {};
struct NonZero {};
struct NonMaxSuppression {
    std::optional<int64_t> center_point_box = {};  // 1: boxes are (x, y, width, height) of their centre; else two corners
};
struct Unique {
    std::optional<int64_t> axis = {};    // what lies along it is compared; without it, elements are
    std::optional<int64_t> sorted = {};  // 0: in the order of their first places
};
using HostOperator = std::variant<ConstantOfShape, Range, Size, NonZero, NonMaxSuppression, Unique>;

template <class Visitor>
void fields(Range& range, Visitor&& visit)
{
    visit("stash_type", range.stash_type, Versions{27});
}

template <class Visitor>
void fields(NonMaxSuppression& op, Visitor&& visit)
{
    visit("center_point_box", op.center_point_box, Versions{});
}

template <class Visitor>
void fields(Unique& unique, Visitor&& visit)
{
    visit("axis", unique.axis, Versions{});
    visit("sorted", unique.sorted, Versions{});
}

template <class Named, class Visitor>
requires std::is_empty_v<Named>
void fields(Named&, Visitor&&)
{
}

// ----------------------------------------------------------------------------------------------------------- table

// A constant's elements are in the file itself: Node::content.
struct Constant {};

// An If is replaced by the nodes of one of its branches, or by those of both and a Where for each output.
struct If {
    int32_t then_branch = -1;  // in Graph::branches
    int32_t else_branch = -1;
};

// A Loop or a Scan is replaced by the nodes of its body, as often as it runs.
struct Loop {
    int32_t body = -1;  // in Graph::branches
};

// A direction is 0 for forward or 1 for reverse. Lists that are left out are zeros.
struct Scan {
    int32_t body = -1;
    std::optional<int64_t> num_scan_inputs = {};
    OptionalList scan_input_axes = {};
    OptionalList scan_input_directions = {};
    OptionalList scan_output_axes = {};
    OptionalList scan_output_directions = {};
};

template <class Visitor>
void fields(Scan& scan, Visitor&& visit)
{
    visit("num_scan_inputs", scan.num_scan_inputs, Versions{});
    visit("scan_input_axes", scan.scan_input_axes, Versions{});
    visit("scan_input_directions", scan.scan_input_directions, Versions{});
    visit("scan_output_axes", scan.scan_output_axes, Versions{});
    visit("scan_output_directions", scan.scan_output_directions, Versions{});
}

using Operation = std::variant<Operator, View, HostOperator, Constant, If, Loop, Scan, Composite>;

// Returns the bodies or branches of a node with subgraphs, and none for others.
std::vector<int32_t> subgraphs_of(const Operation& operation);

enum class Kind : uint8_t {
    kernel,  // dispatched, unless its inputs are known and the host computes it
    view,    // only renames memory, as an If does whose condition is known, or is replaced by other nodes, as a Loop
    host,    // known before anything runs: Constant, Shape, which looks at dimensions only, and the HostOperators
};

struct OperatorInfo {
    Kind kind = Kind::kernel;
    Operation (*make)() = nullptr;  // with default attributes
    const Schema* schema = nullptr;

    // Returns the version that the opset means, or the opset itself where it is older than the operator.
    int64_t version_at(int64_t opset) const;
    // Returns the inputs of that version, in the documents' order, or none where the opset is older than the operator.
    std::vector<const Schema::Input*> inputs_at(int64_t opset) const;
    // Tells whether the elements of that input must be known while preparing, above all because they decide dimensions.
    bool is_list(size_t input, int64_t opset) const;
};

// Tells whether the host may compute the operator where its inputs are known. Whether it does depends on their types, too.
bool may_be_known(const Operation& operation);

// Tells whether it is one of the HostOperators whose inputs are data in which they look for elements, and not numbers that sizes
// are computed from.
bool looks_for_elements(const Operation& operation);

// Returns null for an operator that this library does not have. Of several descriptions of one operator, each for some of its
// versions, it returns the one for this opset.
const OperatorInfo* find_operator(std::string_view domain, std::string_view name, int64_t opset);

// Returns "AveragePool, ..., Unsqueeze of domain 'ai.onnx', BiasGelu, ... of domain 'com.microsoft', and ConvTranspose of domain
// 'onednn.graph'".
std::string supported_operators();

// Checks that the opset has the operator, and that the counts and names are what it takes. `given` and `made` say which inputs
// and outputs have a name; the last input must have one.
Status check_arity(const OperatorInfo& info, int64_t opset, const std::vector<bool>& given, const std::vector<bool>& made);

}  // namespace vkonnx::graph
