// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t dot_product_attention_versions[] = {1};
constexpr Schema::Type dot_product_attention_types[] = {{DType::float32, 1}, {DType::float16, 1}, {DType::bfloat16, 1}};
constexpr Schema::Input dot_product_attention_inputs[] = {
    {"Q", "T", dot_product_attention_types},
    {"K", "T", dot_product_attention_types},
    {"V", "T", dot_product_attention_types},
    {.name = "bias", .type_constraint = "T", .types = dot_product_attention_types, .option = Schema::Option::optional}};
constexpr Schema::Attribute dot_product_attention_attributes[] = {{"scale"}, {"q_num_heads"}, {"kv_num_heads"}};
constexpr Schema dot_product_attention_schema = {.domain = DotProductAttention::domain,
                                                 .name = DotProductAttention::name,
                                                 .versions = dot_product_attention_versions,
                                                 .inputs = dot_product_attention_inputs,
                                                 .outputs = single_output,
                                                 .attributes = dot_product_attention_attributes};

// An Operand is Q, K or V: (batch, heads, rows, size), or (batch, rows, heads * size).
struct Operand {
    int64_t batch = 1;
    int64_t heads = 1;
    int64_t rows = 1;
    int64_t size = 1;
    HeadSteps steps = {};
};

// Returns steps that mean nothing where the tensor has no elements, whose product may overflow.
HeadSteps steps_of(bool joins_heads, int64_t heads, int64_t rows, int64_t size)
{
    const auto product = [](int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); };
    const int64_t batch = product(product(heads, rows), size);
    return joins_heads ? HeadSteps{batch, size, product(heads, size)} : HeadSteps{batch, product(rows, size), size};
}

Result<Operand> operand_of(const Document& document, std::string_view name, const TensorDesc& desc, std::string_view attribute,
                           const std::optional<int64_t>& heads)
{
    VKONNX_RETURN_IF_ERROR(check_layout(document, join({name, ".layout"}), desc.layout));
    VKONNX_RETURN_IF_ERROR(check_tensor(document, name, desc));
    const std::vector<int64_t>& dims = desc.dims;
    if (dims.size() != 3 && dims.size() != 4)
        return document.refuse({name, " = ", to_string(desc), " must have 3 or 4 dimensions"});
    if (heads && *heads < 1)
        return document.refuse({attribute, " = ", *heads, " must be at least 1"});
    if (dims.size() == 4) {
        if (heads && *heads != dims[1])
            return document.refuse(
                {attribute, " = ", *heads, " must be the ", dims[1], " heads of ", name, " = ", to_string(desc)});
        return Operand{dims[0], dims[1], dims[2], dims[3], steps_of(false, dims[1], dims[2], dims[3])};
    }
    if (!heads)
        return document.refuse({attribute, " must be given, because ", name, " = ", to_string(desc), " has 3 dimensions"});
    if (dims[2] % *heads != 0)
        return document.refuse(
            {name, " = ", to_string(desc), " must have a multiple of ", attribute, " = ", *heads, " elements in a row"});
    const int64_t size = dims[2] / *heads;
    return Operand{dims[0], *heads, dims[1], size, steps_of(true, *heads, dims[1], size)};
}

// Sets the steps of the bias.
Status resolve_bias(const Document& document, const TensorDesc& bias, DotProductAttentionGeometry& geometry)
{
    VKONNX_RETURN_IF_ERROR(check_tensor(document, "bias", bias));
    const std::vector<int64_t> scores = {geometry.batch, geometry.heads, geometry.queries, geometry.keys};
    const size_t rank = bias.dims.size();
    bool is_broadcast = rank <= scores.size();
    int64_t steps[4] = {};
    uint64_t step = 1;
    for (size_t i = 0; is_broadcast && i < rank; ++i) {
        const size_t axis = scores.size() - 1 - i;
        const int64_t extent = bias.dims[rank - 1 - i];
        is_broadcast = extent == 1 || extent == scores[axis];
        steps[axis] = extent == 1 ? 0 : int64_t(step);
        step *= uint64_t(extent);
    }
    if (!is_broadcast)
        return document.refuse({"bias = ", to_string(bias), " is not broadcast to the scores, ",
                                to_string(TensorDesc{.dtype = bias.dtype, .dims = scores})});
    geometry.has_bias = true;
    geometry.bias = {steps[0], steps[1], steps[2]};
    geometry.bias_key = steps[3];
    return {};
}

}  // namespace

const Schema& schema_of(const DotProductAttention&)
{
    return dot_product_attention_schema;
}

Result<DotProductAttentionGeometry> resolve(const DotProductAttention& attributes, std::span<const TensorDesc> inputs)
{
    Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    document->vocabulary.family = "vkonnx";
    const Result<Operand> q = operand_of(*document, "Q", inputs[0], "q_num_heads", attributes.q_num_heads);
    VKONNX_RETURN_IF_ERROR(q.status());
    const Result<Operand> k = operand_of(*document, "K", inputs[1], "kv_num_heads", attributes.kv_num_heads);
    VKONNX_RETURN_IF_ERROR(k.status());
    const Result<Operand> v = operand_of(*document, "V", inputs[2], "kv_num_heads", attributes.kv_num_heads);
    VKONNX_RETURN_IF_ERROR(v.status());
    const auto differs = [&](std::string_view what, std::string_view name, int64_t is, std::string_view other, int64_t wanted) {
        return document->refuse({name, " has ", is, " ", what, ", but ", other, " has ", wanted});
    };
    if (k->batch != q->batch)
        return differs("batches", "K", k->batch, "Q", q->batch);
    if (v->batch != q->batch)
        return differs("batches", "V", v->batch, "Q", q->batch);
    if (k->size != q->size)
        return differs("elements for a key", "K", k->size, "Q", q->size);
    if (v->rows != k->rows)
        return differs("keys", "V", v->rows, "K", k->rows);
    if (v->heads != k->heads)
        return differs("heads", "V", v->heads, "K", k->heads);
    if (q->heads != 0 && (k->heads == 0 || q->heads % k->heads != 0))
        return document->refuse({"the ", q->heads, " heads of Q must be a multiple of the ", k->heads, " of K"});
    DotProductAttentionGeometry geometry = {.inputs = {inputs[0], inputs[1], inputs[2]},
                                            .batch = q->batch,
                                            .heads = q->heads,
                                            .key_heads = k->heads,
                                            .queries = q->rows,
                                            .keys = k->rows,
                                            .size = q->size,
                                            .value_size = v->size,
                                            .q = q->steps,
                                            .k = k->steps,
                                            .v = v->steps};
    const bool joins_heads = inputs[0].dims.size() == 3;
    geometry.y = steps_of(joins_heads, q->heads, q->rows, v->size);
    const Exact row = Exact(q->heads) * v->size;
    if (!row.fits)
        return document->refuse({"the ", q->heads, " heads of Q with ", v->size, " elements each are too many"});
    geometry.output = {.dtype = inputs[0].dtype,
                       .dims = joins_heads ? std::vector{q->batch, q->rows, row.value}
                                           : std::vector{q->batch, q->heads, q->rows, v->size}};
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "Y", geometry.output));
    if (inputs.size() > 3 && inputs[3].dtype != DType::undefined) {
        VKONNX_RETURN_IF_ERROR(resolve_bias(*document, inputs[3], geometry));
        geometry.inputs.push_back(inputs[3]);
    }
    geometry.scale = attributes.scale ? double(*attributes.scale) : 1 / std::sqrt(double(std::max<int64_t>(q->size, 1)));
    geometry.equation =
        join({document->title(), ": Y = softmax(", std::to_string(geometry.scale), " * Q * K^T",
              geometry.has_bias ? " + bias" : "", ") * V for ", q->batch, " batches of ", q->heads, " heads: ", q->rows,
              " queries of ", q->size, " elements, ", k->rows, " keys, values of ", v->size});
    return geometry;
}

TensorDesc output_of(const DotProductAttentionGeometry& geometry)
{
    return geometry.output;
}

}  // namespace vkonnx::ops
