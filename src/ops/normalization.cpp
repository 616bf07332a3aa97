// SPDX-License-Identifier: Apache-2.0
// This file resolves InstanceNormalization and BatchNormalization.
#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

using Statistics = NormalizationGeometry::Statistics;

constexpr float default_epsilon = 1e-5f;
constexpr float default_momentum = 0.9f;

constexpr int64_t instance_versions[] = {1, 6, 22};
constexpr Schema::Input instance_inputs[] = {{"input", "T", float_types}, {"scale", "T", float_types}, {"B", "T", float_types}};
constexpr Schema::Output instance_outputs[] = {{"output"}};
constexpr Schema::Attribute instance_attributes[] = {{"epsilon"}};
constexpr Schema instance_schema = {.name = InstanceNormalization::name,
                                    .versions = instance_versions,
                                    .inputs = instance_inputs,
                                    .outputs = instance_outputs,
                                    .attributes = instance_attributes};

constexpr int64_t batch_versions[] = {7, 9, 14, 15};
constexpr Schema::Type batch_types[] = {{DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 14}};

// Returns an input of BatchNormalization. Its type constraints and names changed with versions 14 and 15.
constexpr Schema::Input batch_input(std::string_view name, std::string_view constraint, int64_t since, int64_t until)
{
    return {.name = name, .type_constraint = constraint, .types = batch_types, .since = since, .until = until};
}

constexpr Schema::Input batch_inputs[] = {
    batch_input("X", "T", 7, Schema::newest),
    batch_input("scale", "T", 7, 14),
    batch_input("scale", "T1", 15, Schema::newest),
    batch_input("B", "T", 7, 14),
    batch_input("B", "T1", 15, Schema::newest),
    batch_input("mean", "T", 7, 9),
    batch_input("input_mean", "T2", 14, Schema::newest),
    batch_input("var", "T", 7, 9),
    batch_input("input_var", "T2", 14, Schema::newest),
};
// Before version 14 there are other optional outputs, for training.
constexpr Schema::Output batch_outputs[] = {
    {"Y"}, {"running_mean", Schema::Option::optional, 14}, {"running_var", Schema::Option::optional, 14}};
constexpr Schema::Attribute batch_attributes[] = {{"epsilon"}, {"momentum"}, {"spatial", 1, 7}, {"training_mode", 14}};
constexpr Schema batch_schema = {.name = BatchNormalization::name,
                                 .versions = batch_versions,
                                 .older = older_versions,
                                 .inputs = batch_inputs,
                                 .outputs = batch_outputs,
                                 .attributes = batch_attributes};

Status check_x(const Document& document, std::string_view name, const TensorDesc& x)
{
    VKONNX_RETURN_IF_ERROR(check_layout(document, std::string(name) + ".layout", x.layout));
    return check_tensor(document, name, x);
}

Status check_shape(const Document& document, std::string_view name, const TensorDesc& desc, const std::vector<int64_t>& expected)
{
    VKONNX_RETURN_IF_ERROR(check_tensor(document, name, desc));
    if (desc.dims == expected)
        return {};
    return document.refuse({name, " = ", to_string(desc), " must be ", to_string(TensorDesc{desc.dtype, expected})});
}

// Returns the geometry of X, which must have at least the axes N and C, or N alone.
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

Status check_attributes(const Document& document, const BatchNormalization& attributes)
{
    VKONNX_RETURN_IF_ERROR(check_flag(document, "spatial", attributes.spatial));
    VKONNX_RETURN_IF_ERROR(check_flag(document, "training_mode", attributes.training_mode));
    const int64_t most = attributes.training_mode.value_or(0) == 1 ? 3 : 1;
    if (attributes.outputs >= 1 && attributes.outputs <= most)
        return {};
    return document.refuse({"outputs = ", attributes.outputs, " must be ", most == 1 ? "1" : "from 1 to 3",
                            most == 1 ? ": only with training_mode = 1 there are others than Y" : ""});
}

Status check_doubles(const Document& document, std::span<const Schema::Input* const> known, std::span<const TensorDesc> inputs)
{
    for (size_t i = 1; i < inputs.size(); ++i)
        if ((inputs[i].dtype == DType::float64) != (inputs[0].dtype == DType::float64))
            return document.refuse({known[i]->name, " has type ", vkonnx::name(inputs[i].dtype), " and X ",
                                    vkonnx::name(inputs[0].dtype), ": doubles are computed together with doubles only"},
                                   Code::unsupported);
    return {};
}

// Makes each element of an instance a channel of its own. Its statistics, as version 7 allows, are over all instances.
void take_elements_apart(NormalizationGeometry& geometry)
{
    geometry.channels = product_of(std::span(geometry.output.dims).subspan(1));
    geometry.positions = 1;
    geometry.channels_last = false;
}

}  // namespace

const Schema& schema_of(const InstanceNormalization&)
{
    return instance_schema;
}

const Schema& schema_of(const BatchNormalization&)
{
    return batch_schema;
}

Result<NormalizationGeometry> resolve(const InstanceNormalization& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    const TensorDesc& x = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_x(*document, "input", x));
    const auto rank = int64_t(x.dims.size());
    if (rank < 3)
        return document->refuse({"input has rank ", rank, ", but at least 3 is expected: N, C and spatial axes"});
    NormalizationGeometry geometry = geometry_of(InstanceNormalization::name, x);
    for (const size_t i : {size_t(1), size_t(2)}) {
        const std::string_view name = i == 1 ? "scale" : "B";
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
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    VKONNX_RETURN_IF_ERROR(check_attributes(*document, attributes));
    const TensorDesc& x = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_x(*document, "X", x));
    if (x.dims.empty())
        return document->refuse({"X is a scalar, but a rank of at least 1 is expected: N, C and spatial axes"});
    const std::vector<const Schema::Input*> known = inputs_at(batch_schema, document->version);
    VKONNX_RETURN_IF_ERROR(check_doubles(*document, known, inputs));

    NormalizationGeometry geometry = geometry_of(BatchNormalization::name, x);
    const bool by_element = attributes.spatial.value_or(1) == 0;
    std::vector<int64_t> expected = {geometry.channels};
    if (by_element) {
        expected.assign(x.dims.begin() + 1, x.dims.end());
        take_elements_apart(geometry);
    }
    for (size_t i = 1; i < inputs.size(); ++i)
        VKONNX_RETURN_IF_ERROR(check_shape(*document, known[i]->name, inputs[i], expected));
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

}  // namespace vkonnx::ops
