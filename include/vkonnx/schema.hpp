// SPDX-License-Identifier: Apache-2.0
//
// vkonnx 0.1.0: what is known of an operator without a device. That is its outputs, what its documents say and, of some, the
// result.
//
// An operator may be passed as what it is, ConvTranspose{...}: it becomes an Operator before the call begins, by a move or, where
// it is a variable, by a copy, which throws as copies do.
#ifndef VKONNX_SCHEMA_HPP
#define VKONNX_SCHEMA_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <vkonnx/export.hpp>
#include <vkonnx/operators.hpp>
#include <vkonnx/status.hpp>
#include <vkonnx/tensor_desc.hpp>

namespace vkonnx {

// Returns the output descriptions for these inputs. It is pure and needs no device. Optional inputs that are not given are left
// off at the end; one before the last that is given (Clip's min) is described by DType::undefined. `bind` takes no tensor for it,
// and Op::inputs() leaves it out.
VKONNX_API Result<std::vector<TensorDesc>> infer(const Operator& op, std::span<const TensorDesc> inputs);

// A Schema is what the documents of an operator say of its inputs, outputs and attributes, in all the versions that are
// supported. The library checks by it which version a model means, which attributes this version has, and how many inputs of
// which types, in calls and in model files. All texts and lists are constants.
struct Schema {
    static constexpr int64_t newest = INT64_MAX;  // as `until`: up to the newest version, and those to come

    // The operator takes the type from this version on.
    struct Type {
        DType dtype = DType::undefined;
        int64_t since = 1;
    };

    // ONNX's FormalParameterOption: there must be one, there may be one, there may be any number of them from one on.
    enum class Option : uint8_t { single, optional, variadic };

    // An input of the versions `since` to `until`, both included. One whose name or types differ between versions stands here
    // several times.
    struct Input {
        std::string_view name = {};             // of several alike the first one's, "data_0"
        std::string_view type_constraint = {};  // "T": inputs of the same constraint have the same type
        std::span<const Type> types = {};
        Option option = Option::single;
        // A member of the operator's struct that holds the input's elements, "pads", because they must be known beforehand.
        // `infer`, `prepare` and `bind` don't count such an input.
        std::string_view member = {};
        int64_t since = 1;
        int64_t until = newest;

        bool is_at(int64_t version) const noexcept { return since <= version && version <= until; }
    };

    struct Output {
        std::string_view name = {};
        Option option = Option::single;
        int64_t since = 1;
    };

    // An attribute of the versions `since` to `until`, both included.
    struct Attribute {
        std::string_view name = {};  // as fields() visits it
        int64_t since = 1;
        int64_t until = newest;
    };

    std::string_view domain = {};  // "": ONNX's own
    std::string_view name = {};
    std::span<const int64_t> versions = {};  // ascending
    std::string_view older = {};             // why versions before the first one are refused; "": there are none
    std::span<const Input> inputs = {};      // in the documents' order
    std::span<const Output> outputs = {};
    std::span<const Attribute> attributes = {};
    bool non_negative = false;  // no element of an output is below 0, whatever the inputs are

    // Returns the newest version that is not newer than the model's opset, or an error for an opset before the first.
    VKONNX_API Result<int64_t> version_at(int64_t opset) const;
};

// Returns null for an Elementwise whose kind is none.
VKONNX_API const Schema* schema(const Operator& op) noexcept;

// A Signature is what an operator takes in all of its versions together, for those who offer operators by name. Names are
// literals.
struct Signature {
    std::vector<std::string_view> inputs =
        {};  // the document's names; behind the last of several alike ("data_0") more may follow
    size_t least_inputs = 1;
    size_t most_inputs = 1;
    std::vector<std::string_view> attributes = {};  // of those that fields() visits, those that it has
};
VKONNX_API Result<Signature> signature(const Operator& op);

// Computes an operator on the host, without a device. Models compute shapes with such operators, and their results are exact.
// `data` are the inputs' elements, row-major and little-endian, empty for one that is not given. The results are the outputs'
// elements, of the outputs that `infer` describes. It computes Shape, operators that only move elements, those of logic.hpp, and
// of int32 and int64 elementwise ones but Clip, Pow and those with steps (Elementwise::steps), ReduceSum, ReduceProd, ReduceMax
// and ReduceMin. Others are Code::unsupported.
VKONNX_API Result<std::vector<std::vector<std::byte>>> evaluate(const Operator& op, std::span<const TensorDesc> inputs,
                                                                std::span<const std::span<const std::byte>> data);

}  // namespace vkonnx

#endif
