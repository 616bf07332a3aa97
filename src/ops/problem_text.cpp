// SPDX-License-Identifier: Apache-2.0
// Each struct is taken apart into all of its members, so that one which is added does not compile before it is looked at here.
// Left out are equations, which say the same for people.
#include "ops/problem_text.h"

#include <algorithm>
#include <charconv>

#include "ops/geometry.h"

namespace vkonnx::ops {
namespace {

// ---- words

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

std::string word(bool flag)
{
    return flag ? "yes" : "no";
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

// Declared before the templates below, which call them.
template <class Value>
std::string word(const std::optional<Value>& value);
template <class Value>
std::string word(const std::vector<Value>& values);
template <class Value, size_t count>
std::string word(const std::array<Value, count>& values);
std::string word(const TensorDesc& desc);
std::string word(const Axis& axis);
std::string word(const MatrixSteps& steps);
std::string word(const ElementwiseLink& link);
std::string word(const SourceAxis& axis);
std::string word(const Source& source);
std::string word(const Move& move);
std::string word(const ResizeAxis& axis);
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

template <class List>
std::string list(const List& values)
{
    std::string text;
    for (const auto& value : values)
        text += (text.empty() ? "" : ",") + word(value);
    return "[" + text + "]";
}

template <class Value>
std::string word(const std::vector<Value>& values)
{
    return list(values);
}

template <class Value, size_t count>
std::string word(const std::array<Value, count>& values)
{
    return list(values);
}

template <class... Values>
std::string line(const Values&... values)
{
    return joined(" ", values...);
}

// ---- parts of problems

std::string word(const TensorDesc& desc)
{
    const auto& [dtype, dims, layout] = desc;
    return joined(":", dtype, dims, layout);
}

std::string word(const Axis& axis)
{
    const auto& [in, out, kernel, stride, dilation, begin, end] = axis;
    return joined(":", in, out, kernel, stride, dilation, begin, end);
}

std::string word(const MatrixSteps& steps)
{
    const auto& [row, column] = steps;
    return joined(":", row, column);
}

std::string word(const ElementwiseLink& link)
{
    const auto& [kind, numbers, input, swapped] = link;
    return joined(":", vkonnx::name(kind), numbers, input, swapped);
}

std::string word(const SourceAxis& axis)
{
    const auto& [stride, begin, extent] = axis;
    return joined(":", stride, begin, extent);
}

std::string word(const Source& source)
{
    const auto& [input, first, axes] = source;
    return joined(":", input, first, axes);
}

std::string word(const Move& move)
{
    const auto& [output, extents, sources] = move;
    return joined(":", output, extents, sources);
}

std::string word(const ResizeAxis& axis)
{
    const auto& [in, out, scale, length, roi_start, roi_end, changes] = axis;
    return joined(":", in, out, scale, length, roi_start, roi_end, changes);
}

// ---- problems, one for each geometry

std::string text_of(const ConvTransposeGeometry& geometry)
{
    const auto& [dtype, batch, channels_in, channels_out, group, bias, layout, filter, axes, equation] = geometry;
    return line("ConvTranspose", dtype, layout, "filter", filter, "bias", bias, joined("x", batch, channels_in, channels_out),
                "group", group, axes);
}

std::string text_of(const ConvGeometry& geometry)
{
    const auto& [dtype, batch, channels_in, channels_out, group, bias, layout, axes, equation] = geometry;
    return line("Conv", dtype, layout, "bias", bias, joined("x", batch, channels_in, channels_out), "group", group, axes);
}

std::string text_of(const MatMulGeometry& geometry)
{
    const auto& [op, inputs, output, m, k, n, front, a_front, b_front, a, b, c, alpha, beta, equation] = geometry;
    return line(op, inputs, output, joined("x", m, k, n), front, a_front, b_front, a, b, "c", c, "alpha", alpha, "beta", beta);
}

std::string text_of(std::string_view op, const PoolGeometry& geometry)
{
    const auto& [dtype, batch, channels, layout, axes, equation] = geometry;
    return line(op, dtype, layout, joined("x", batch, channels), axes);
}

std::string text_of(const AveragePoolGeometry& geometry)
{
    return line(text_of("AveragePool", geometry), "padding", geometry.count_include_pad);
}

std::string text_of(const MaxPoolGeometry& geometry)
{
    return line(text_of("MaxPool", geometry), "outputs", geometry.outputs, "column_major", geometry.column_major);
}

std::string text_of(const ShapeGeometry& geometry)
{
    const auto& [result, equation] = geometry;
    return line("Shape", result);
}

std::string text_of(const ElementwiseGeometry& geometry)
{
    const auto& [kind, dtype, dims, inputs, layout, exponent, variadic, numbers, equation, own_inputs, steps] = geometry;
    return line(vkonnx::name(kind), dtype, layout, dims, inputs, "exponent", exponent, "variadic", variadic, numbers,
                "own_inputs", own_inputs, steps);
}

std::string text_of(const MoveGeometry& geometry)
{
    const auto& [op, dtype, beyond, inputs, moves, fill_input, fill, equation] = geometry;
    return line(op, dtype, "beyond", beyond, inputs, moves, "fill", fill_input, fill);
}

std::string text_of(const CastGeometry& geometry)
{
    const auto& [from, output, equation] = geometry;
    return line("Cast", from, output);
}

std::string text_of(const ReductionGeometry& geometry)
{
    const auto& [op, input, reduced, channels, kind, output, equation] = geometry;
    return line(op, input, reduced, "channels", channels, "kind", kind, output);
}

std::string text_of(const ResizeGeometry& geometry)
{
    const auto& [dtype, layout, mode, transformation, nearest, antialias, exclude_outside, extrapolates, extrapolation_value,
                 cubic_coeff_a, axes, equation] = geometry;
    return line("Resize", dtype, layout, "mode", mode, "transformation", transformation, "nearest", nearest, "antialias",
                antialias, "exclude_outside", exclude_outside, "extrapolates", extrapolates, extrapolation_value, "cubic",
                cubic_coeff_a, axes);
}

std::string text_of(const SoftmaxGeometry& geometry)
{
    const auto& [output, outer, extent, inner, equation] = geometry;
    return line("Softmax", output, joined("x", outer, extent, inner));
}

std::string text_of(const NormalizationGeometry& geometry)
{
    const auto& [op, output, batch, channels, positions, channels_last, statistics, scale_type, statistics_type, epsilon,
                 momentum, outputs, equation] = geometry;
    return line(op, output, joined("x", batch, channels, positions), "channels_last", channels_last, "statistics", statistics,
                scale_type, statistics_type, "epsilon", epsilon, "momentum", momentum, "outputs", outputs);
}

std::string text_of(const LrnGeometry& geometry)
{
    const auto& [output, outer, channels, inner, before, behind, factor, beta, bias, equation] = geometry;
    return line("LRN", output, joined("x", outer, channels, inner), before, behind, factor, beta, bias);
}

std::string text_of(const LayerNormalizationGeometry& geometry)
{
    const auto& [output, moments, rows, extent, scales, has_b, offsets, epsilon, outputs, equation] = geometry;
    return line("LayerNormalization", output, joined("x", rows, extent), "scales", scales, "b", has_b, offsets, "epsilon",
                epsilon, "outputs", outputs);
}

// ---- what stands before and behind them

std::string text_of(const Prologue& prologue)
{
    const auto& [scaled, kind] = prologue;
    return line("prologue", vkonnx::name(kind), "scaled", scaled);
}

std::string word(const ElementwiseStep& step)
{
    const auto& [kind, alpha, beta, min, max, number, swapped] = step;
    return joined(":", vkonnx::name(kind), alpha, beta, min, max, number, swapped);
}

std::string text_of(const Elementwise& epilogue)
{
    const auto& [opset, kind, alpha, beta, min, max, steps] = epilogue;
    return line("epilogue", vkonnx::name(kind), alpha, beta, min, max, steps);
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
    if (!own)
        return "";
    std::string text = std::visit(
        [&](const auto& one) {
            const auto geometry = resolve(one, *own);
            return geometry ? text_of(*geometry) : std::string();
        },
        op);
    if (text.empty())
        return text;
    if (!options.constants.empty())
        text += " " + line("constant", constants_of(options));
    if (options.prologue)
        text += " " + text_of(*options.prologue);
    if (options.epilogue)
        text += " " + text_of(*options.epilogue);
    return text + (options.reproducible ? " reproducible" : "");
}

}  // namespace vkonnx::ops
