// SPDX-License-Identifier: Apache-2.0
// This file has the checks that follow from an operator's schema alone.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/attributes.h"
#include "ops/geometry.h"

namespace vkonnx::ops {

// A plan can have at most so many tensors, because it counts them by a byte.
inline constexpr size_t most_tensors = 254;

// An Elementwise with steps takes at most so many inputs, because every device can bind as many at once.
inline constexpr size_t most_inputs_of_chains = 3;

// Returns how many inputs the steps of Elementwise::steps have, behind the operator's own.
size_t count_operands(const Elementwise& attributes);

// This text says why versions before Schema::versions are refused, where nothing more is to be said.
inline constexpr std::string_view older_versions = "older versions are not supported";

// Y is the only output in all versions.
inline constexpr Schema::Output single_output[] = {{"Y"}};

// These are types that several operators have.
inline constexpr Schema::Type float_types[] = {
    {DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 22}};
// The documents name double, too, but GLSL has no such functions of doubles.
inline constexpr Schema::Type function_types[] = {{DType::float32, 1}, {DType::float16, 1}, {DType::bfloat16, 13}};

// Returns the inputs that `prepare` counts, as a version has them. A variadic one stands once.
std::vector<const Schema::Input*> inputs_at(const Schema& schema, int64_t version);

// These return how many of the inputs must be given, and how many may be.
size_t least_of(std::span<const Schema::Input* const> inputs);
size_t most_of(std::span<const Schema::Input* const> inputs);

// Returns an input's name, such as "X". One of several alike has its number, as in "data_3".
std::string input_name(std::span<const Schema::Input* const> inputs, size_t index);

Result<Document> document_of(const Schema& schema, int64_t opset);

Status check_attribute_version(const Document& document, const Schema& schema, std::string_view attribute);

// Refuses one of the first `count` outputs if the document's version lacks it.
Status check_output_versions(const Document& document, const Schema& schema, int64_t count);

// Refuses an input that is not given (DType::undefined), although the operator demands it.
Status refuse_missing(const Document& document, std::string_view input);

// Checks the number of inputs and their types.
Status check_inputs(const Document& document, const Schema& schema, std::span<const TensorDesc> inputs);

template <class Value>
bool is_given(const Value& value)
{
    if constexpr (requires { value.has_value(); })
        return value.has_value();
    else if constexpr (requires { value.empty(); })
        return !value.empty();
    else
        return value != Value();
}

// Returns the document that the operator follows. Refuses attributes and outputs that its version does not have.
template <class Attributes>
Result<Document> document_of(const Attributes& attributes)
{
    const Schema& schema = schema_of(attributes);
    Result<Document> document = document_of(schema, attributes.opset);
    Status status;
    fields(attributes, [&](std::string_view name, const auto& value, const auto&...) {
        if constexpr (!std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>)  // a number is always given, by its default
            if (document && status && is_given(value))
                status = check_attribute_version(*document, schema, name);
    });
    if constexpr (requires { attributes.outputs; })
        if (document && status)
            status = check_output_versions(*document, schema, attributes.outputs);
    return status ? std::move(document) : Result<Document>(status);
}

// Finds the document likewise, and then checks the number of inputs, their types, and that those of one type constraint have one
// type.
template <class Attributes>
Result<Document> document_of(const Attributes& attributes, std::span<const TensorDesc> inputs)
{
    Result<Document> document = document_of(attributes);
    if (document)
        if (Status status = check_inputs(*document, schema_of(attributes), inputs); !status)
            return status;
    return document;
}

}  // namespace vkonnx::ops
