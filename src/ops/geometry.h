// SPDX-License-Identifier: Apache-2.0
// What an operator's attributes mean for given shapes: plain integers, every default filled in, every rule applied.
// After this no code sees an ONNX attribute.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vkonnx::ops {

// One spatial axis. All numbers are exact; in, out >= 0, kernel, stride, dilation >= 1, begin, end >= 0.
struct Axis {
    int64_t in = 1;
    int64_t out = 1;
    int64_t kernel = 1;
    int64_t stride = 1;
    int64_t dilation = 1;
    int64_t begin = 0;  // resolved padding; an output_padding is part of `out`
    int64_t end = 0;

    // K of SEMANTICS: the kernel with its holes.
    int64_t dilated_kernel() const { return (kernel - 1) * dilation + 1; }

    friend bool operator==(const Axis&, const Axis&) = default;
};

struct ConvTransposeGeometry {
    DType dtype = DType::float32;
    int64_t batch = 1;
    int64_t channels_in = 1;   // C
    int64_t channels_out = 1;  // M
    int64_t group = 1;
    bool bias = false;
    Layout layout = Layout::ncx;  // of X and Y
    onednn::FilterFormat filter = onednn::FilterFormat::iox;
    std::vector<Axis> axes = {};  // outermost first, 1 to 6
    // For people: document, version and rule in a line, then a line for each axis with its numbers.
    std::string equation = {};
};

struct AveragePoolGeometry {
    DType dtype = DType::float32;
    int64_t batch = 1;
    int64_t channels = 1;
    bool count_include_pad = false;
    Layout layout = Layout::ncx;
    std::vector<Axis> axes = {};
    std::string equation = {};  // as ConvTranspose's
};

struct ShapeGeometry {
    std::vector<int64_t> result = {};
    std::string equation = {};
};

struct ElementwiseGeometry {
    ElementwiseKind kind = {};
    DType dtype = DType::float32;
    std::vector<int64_t> dims = {};  // of the output
    // As given to prepare, each with as many dimensions as the output: that one's extents, or 1. None where it is not given.
    std::vector<std::optional<std::vector<int64_t>>> inputs = {};
    Layout layout = Layout::ncx;         // of the output: NXC where an input says so
    DType exponent = DType::undefined;   // the type of Pow's second input
    bool variadic = false;               // any number of inputs: each is joined with what those before it gave
    std::array<double, 2> numbers = {};  // that stand in the kind's expression: alpha and beta
    std::string equation = {};
};

// PrepareOptions::epilogue: what becomes of each element before it is stored. An identity: nothing.
struct Epilogue {
    ElementwiseKind kind = ElementwiseKind::identity;
    std::array<double, 2> numbers = {};  // as ElementwiseGeometry's
    std::string equation = {};
};

Result<ConvTransposeGeometry> resolve(const ConvTranspose& attributes, std::span<const TensorDesc> inputs);
Result<ConvTransposeGeometry> resolve(const onednn::ConvTranspose& attributes, std::span<const TensorDesc> inputs);
Result<AveragePoolGeometry> resolve(const AveragePool& attributes, std::span<const TensorDesc> inputs);
Result<ShapeGeometry> resolve(const Shape& attributes, std::span<const TensorDesc> inputs);
Result<ElementwiseGeometry> resolve(const Elementwise& attributes, std::span<const TensorDesc> inputs);

// Behind operator `op` with such an output. Refusals name PrepareOptions::epilogue; none given is an identity.
Result<Epilogue> resolve_epilogue(std::string_view op, const std::optional<Elementwise>& attributes, const TensorDesc& output);

Signature signature_of(const ConvTranspose& attributes);
Signature signature_of(const onednn::ConvTranspose& attributes);
Signature signature_of(const AveragePool& attributes);
Signature signature_of(const Shape& attributes);
Signature signature_of(const Elementwise& attributes);

// Where all attributes are the operator's.
template <class Attributes>
std::vector<std::string_view> names_of_fields(const Attributes& attributes)
{
    std::vector<std::string_view> names;
    fields(attributes, [&](std::string_view name, const auto&...) { names.push_back(name); });
    return names;
}

// The operator's output for a resolved geometry.
TensorDesc output_of(const ConvTransposeGeometry& geometry);
TensorDesc output_of(const AveragePoolGeometry& geometry);
TensorDesc output_of(const ShapeGeometry& geometry);
TensorDesc output_of(const ElementwiseGeometry& geometry);

}  // namespace vkonnx::ops
