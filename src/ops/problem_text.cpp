// SPDX-License-Identifier: Apache-2.0
#include "ops/problem_text.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "ops/geometry.h"

namespace vkonnx::ops {
namespace {

std::string word(std::string_view text)
{
    return std::string(text);
}

std::string word(const char* text)
{
    return text;
}

std::string word(DType dtype)
{
    return std::string(vkonnx::name(dtype));
}

std::string word(Layout layout)
{
    return layout == Layout::nxc ? "nxc" : "ncx";
}

template <class Number>
requires std::is_arithmetic_v<Number> std::string word(Number number)
{
    std::array<char, 40> text = {};
    return std::string(text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr);
}

template <class Enumeration>
requires std::is_enum_v<Enumeration> std::string word(Enumeration value)
{
    return word(int(value));
}

// These are declared before the templates below, which call them.
template <class Value>
std::string word(const std::vector<Value>& values);
std::string word(const TensorDesc& desc);
std::string word(const ElementwiseStep& step);

template <class Value>
std::string word(const std::optional<Value>& value)
{
    return value ? word(*value) : "none";
}

template <class... Values>
std::string joined(std::string_view between, const Values&... values)
{
    std::string text;
    ((text += (text.empty() ? std::string_view() : between), text += word(values)), ...);
    return text;
}

template <class Value>
std::string word(const std::vector<Value>& values)
{
    std::string text;
    for (const Value& value : values)
        text += (text.empty() ? "" : ",") + word(value);
    return "[" + text + "]";
}

std::string word(const TensorDesc& desc)
{
    return joined(":", desc.dtype, desc.dims, desc.layout);
}

std::string word(const ElementwiseStep& step)
{
    const auto& [kind, alpha, beta, min, max, number, swapped, gamma, approximate] = step;
    return joined(":", vkonnx::name(kind), alpha, beta, min, max, number, int(swapped), gamma, approximate);
}

// Returns a text of the operator with everything that its struct holds.
std::string text_of(const Operator& op)
{
    std::string text = joined(" ", domain(op), name(op));
    fields(op,
           [&](std::string_view attribute, const auto& value, const auto&...) { text += " " + joined("=", attribute, value); });
    if (const int64_t* opset = opset_of(op))
        text += " " + joined("=", "opset", *opset);
    if (const int64_t* outputs = vkonnx::outputs_of(op))
        text += " " + joined("=", "outputs", *outputs);
    if (const Rules* rules = rules_of(op))
        text += " " + joined("=", "rules", *rules);
    if (const auto* elementwise = std::get_if<Elementwise>(&op); elementwise && !elementwise->steps.empty())
        text += " " + joined("=", "steps", elementwise->steps);
    return text;
}

std::vector<size_t> constants_of(const PrepareOptions& options)
{
    std::vector<size_t> inputs;
    for (const ConstantInput& constant : options.constants)
        inputs.push_back(constant.input);
    std::sort(inputs.begin(), inputs.end());
    return inputs;
}

}  // namespace

std::string problem_text(const Operator& op, std::span<const TensorDesc> inputs, const PrepareOptions& options)
{
    const auto own = own_inputs(op, options.prologue, inputs);
    if (!own || !std::visit([&](const auto& one) { return resolve(one, *own).ok(); }, op))
        return "";
    std::string text = joined(" ", text_of(op), std::vector(inputs.begin(), inputs.end()));
    if (!options.constants.empty())
        text += " " + joined(" ", "constant", constants_of(options));
    if (options.prologue)
        text += " " + joined(" ", "prologue", vkonnx::name(options.prologue->kind), int(options.prologue->scaled));
    if (options.epilogue)
        text += " " + joined(" ", "epilogue", text_of(*options.epilogue));
    return text + (options.reproducible ? " reproducible" : "");
}

}  // namespace vkonnx::ops
