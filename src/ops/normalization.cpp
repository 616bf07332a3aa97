// SPDX-License-Identifier: Apache-2.0
// InstanceNormalization, BatchNormalization.
#include <array>

#include "ops/attributes.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

using Statistics = NormalizationGeometry::Statistics;

constexpr std::array<int64_t, 3> instance_versions = {1, 6, 22};
constexpr std::array<int64_t, 4> batch_versions = {7, 9, 14, 15};

constexpr float default_epsilon = 1e-5f;
constexpr float default_momentum = 0.9f;

constexpr std::array<TypeSince, 4> batch_types = {
    {{DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 14}}};

Status check_x(const Document& document, std::string_view name, const TensorDesc& x, std::span<const TypeSince> types)
{
    VKONNX_RETURN_IF_ERROR(check_type(document, name, x.dtype, types));
    VKONNX_RETURN_IF_ERROR(check_layout(document, std::string(name) + ".layout", x.layout));
    return check_tensor(document, name, x);
}

Status check_same_type(const Document& document, std::string_view name, DType dtype, std::string_view as, DType expected)
{
    if (dtype == expected)
        return {};
    return document.refuse({name, " has type ", vkonnx::name(dtype), ", but it must have ", as, "'s, ", vkonnx::name(expected)});
}

Status check_shape(const Document& document, std::string_view name, const TensorDesc& desc, const std::vector<int64_t>& expected)
{
    VKONNX_RETURN_IF_ERROR(check_tensor(document, name, desc));
    if (desc.dims == expected)
        return {};
    return document.refuse({name, " = ", to_string(desc), " must be ", to_string(TensorDesc{desc.dtype, expected})});
}

// The geometry of X, of which the channels are known.
NormalizationGeometry geometry_of(std::string_view op, const TensorDesc& x)
{
    const bool vector = x.dims.size() == 1;
    const bool last = x.layout == Layout::nxc && !vector;
    const std::span dims = x.dims;
    const size_t channels = last ? dims.size() - 1 : 1;
    NormalizationGeometry geometry = {.op = op, .output = x, .batch = dims[0], .channels_last = last};
    if (vector)
        return geometry;
    geometry.channels = dims[channels];
    geometry.positions = last ? product_of(dims.subspan(1, dims.size() - 2)) : product_of(dims.subspan(2));
    return geometry;
}

std::string formula(std::string_view y, std::string_view x)
{
    return join({": ", y, " = (", x, " - mean) / sqrt(var + epsilon) * scale + B"});
}

// ---- BatchNormalization

constexpr std::array<std::string_view, 5> names_until_9 = {"X", "scale", "B", "mean", "var"};
constexpr std::array<std::string_view, 5> names_from_14 = {"X", "scale", "B", "input_mean", "input_var"};

Status check_attributes(const Document& document, const BatchNormalization& attributes)
{
    VKONNX_RETURN_IF_ERROR(check_until(document, "spatial", attributes.spatial.has_value(), 7));
    VKONNX_RETURN_IF_ERROR(check_since(document, "training_mode", attributes.training_mode.has_value(), 14));
    VKONNX_RETURN_IF_ERROR(check_flag(document, "spatial", attributes.spatial));
    VKONNX_RETURN_IF_ERROR(check_flag(document, "training_mode", attributes.training_mode));
    const int64_t most = attributes.training_mode.value_or(0) == 1 ? 3 : 1;
    if (attributes.outputs >= 1 && attributes.outputs <= most)
        return {};
    return document.refuse({"outputs = ", attributes.outputs, " must be ", most == 1 ? "1" : "from 1 to 3",
                            most == 1 ? ": only with training_mode = 1 there are others than Y" : ""});
}

// T, T1 and T2.
Status check_types(const Document& document, std::span<const std::string_view> names, std::span<const TensorDesc> inputs)
{
    for (size_t i = 1; i < inputs.size(); ++i) {
        const DType dtype = inputs[i].dtype;
        VKONNX_RETURN_IF_ERROR(check_type(document, names[i], dtype, batch_types));
        const size_t as = i == 2 ? 1 : i == 4 ? 3 : document.version < (i == 1 ? 15 : 14) ? 0 : i;
        VKONNX_RETURN_IF_ERROR(check_same_type(document, names[i], dtype, names[as], inputs[as].dtype));
        if ((dtype == DType::float64) != (inputs[0].dtype == DType::float64))
            return document.refuse({names[i], " has type ", vkonnx::name(dtype), " and X ", vkonnx::name(inputs[0].dtype),
                                    ": doubles are computed together with doubles only"},
                                   Code::unsupported);
    }
    return {};
}

// Of version 7: statistics are those of an element of all instances.
void take_elements_apart(NormalizationGeometry& geometry)
{
    geometry.channels = product_of(std::span(geometry.output.dims).subspan(1));
    geometry.positions = 1;
    geometry.channels_last = false;
}

}  // namespace

Result<NormalizationGeometry> resolve(const InstanceNormalization& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(InstanceNormalization::name, instance_versions, attributes.opset);
    if (!document)
        return document.status();
    VKONNX_RETURN_IF_ERROR(check_input_count(*document, inputs.size(), 3, 3));
    const TensorDesc& x = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_x(*document, "input", x, float_types()));
    const auto rank = int64_t(x.dims.size());
    if (rank < 3)
        return document->refuse({"input has rank ", rank, ", but at least 3 is expected: N, C and spatial axes"});
    NormalizationGeometry geometry = geometry_of(InstanceNormalization::name, x);
    for (const size_t i : {size_t(1), size_t(2)}) {
        const std::string_view name = i == 1 ? "scale" : "B";
        VKONNX_RETURN_IF_ERROR(check_same_type(*document, name, inputs[i].dtype, "input", x.dtype));
        VKONNX_RETURN_IF_ERROR(check_shape(*document, name, inputs[i], {geometry.channels}));
    }
    geometry.statistics = Statistics::of_instance;
    geometry.scale_type = geometry.statistics_type = x.dtype;
    geometry.epsilon = attributes.epsilon.value_or(default_epsilon);
    geometry.equation = join({document->title(), formula("output", "input"), ", mean and var those of a channel of an instance"});
    return geometry;
}

Result<NormalizationGeometry> resolve(const BatchNormalization& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(BatchNormalization::name, batch_versions, attributes.opset);
    if (!document)
        return document.status();
    VKONNX_RETURN_IF_ERROR(check_attributes(*document, attributes));
    VKONNX_RETURN_IF_ERROR(check_input_count(*document, inputs.size(), 5, 5));
    const TensorDesc& x = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_x(*document, "X", x, batch_types));
    if (x.dims.empty())
        return document->refuse({"X is a scalar, but a rank of at least 1 is expected: N, C and spatial axes"});
    const auto& names = document->version < 14 ? names_until_9 : names_from_14;
    VKONNX_RETURN_IF_ERROR(check_types(*document, names, inputs));

    NormalizationGeometry geometry = geometry_of(BatchNormalization::name, x);
    const bool by_element = attributes.spatial.value_or(1) == 0;
    std::vector<int64_t> expected = {geometry.channels};
    if (by_element) {
        expected.assign(x.dims.begin() + 1, x.dims.end());
        take_elements_apart(geometry);
    }
    for (size_t i = 1; i < inputs.size(); ++i)
        VKONNX_RETURN_IF_ERROR(check_shape(*document, names[i], inputs[i], expected));
    const bool trains = attributes.training_mode.value_or(0) == 1;
    geometry.statistics = trains ? Statistics::of_channel : Statistics::given;
    geometry.scale_type = inputs[1].dtype;
    geometry.statistics_type = inputs[3].dtype;
    geometry.epsilon = attributes.epsilon.value_or(default_epsilon);
    geometry.momentum = attributes.momentum.value_or(default_momentum);
    geometry.outputs = attributes.outputs;
    geometry.equation = join({document->title(), formula("Y", "X"),
                              trains       ? ", mean and var those of a channel"
                              : by_element ? ", each for an element of all instances"
                                           : ""});
    return geometry;
}

TensorDesc output_of(const NormalizationGeometry& geometry)
{
    return geometry.output;
}

std::vector<TensorDesc> outputs_of(const NormalizationGeometry& geometry)
{
    std::vector<TensorDesc> outputs(size_t(geometry.outputs), {geometry.statistics_type, {geometry.channels}});
    outputs.front() = geometry.output;
    return outputs;
}

Signature signature_of(const InstanceNormalization& attributes)
{
    return {.inputs = {"input", "scale", "B"}, .least_inputs = 3, .most_inputs = 3, .attributes = names_of_fields(attributes)};
}

Signature signature_of(const BatchNormalization& attributes)
{
    return {.inputs = {names_from_14.begin(), names_from_14.end()},
            .least_inputs = 5,
            .most_inputs = 5,
            .attributes = names_of_fields(attributes)};
}

}  // namespace vkonnx::ops
