// SPDX-License-Identifier: Apache-2.0
// This file resolves Gemm and MatMul.
#include <cmath>

#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t gemm_versions[] = {7, 9, 11, 13};
constexpr int64_t matmul_versions[] = {1, 9, 13};

constexpr Schema::Type matmul_types[] = {
    {DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 13},
    {DType::int32, 9},   {DType::int64, 9},   {DType::uint32, 9},  {DType::uint64, 9},
};

constexpr Schema::Input gemm_inputs[] = {
    {"A", "T", matmul_types},
    {"B", "T", matmul_types},
    {.name = "C", .type_constraint = "T", .types = matmul_types, .until = 10},
    {.name = "C", .type_constraint = "T", .types = matmul_types, .option = Schema::Option::optional, .since = 11}};
constexpr Schema::Attribute gemm_attributes[] = {{"alpha"}, {"beta"}, {"transA"}, {"transB"}};
constexpr Schema gemm_schema = {.name = Gemm::name,
                                .versions = gemm_versions,
                                .older = older_versions,
                                .inputs = gemm_inputs,
                                .outputs = single_output,
                                .attributes = gemm_attributes};
constexpr Schema::Input matmul_inputs[] = {{"A", "T", matmul_types}, {"B", "T", matmul_types}};
constexpr Schema matmul_schema = {
    .name = MatMul::name, .versions = matmul_versions, .inputs = matmul_inputs, .outputs = single_output};

Status check_tensors(const Document& document, std::span<const TensorDesc> inputs)
{
    static constexpr std::array<std::string_view, 3> names = {"A", "B", "C"};
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].dtype == DType::undefined)
            return refuse_missing(document, names[i]);
        VKONNX_RETURN_IF_ERROR(check_tensor(document, names[i], inputs[i]));
    }
    return {};
}

bool is_integer(DType dtype)
{
    return dtype == DType::int32 || dtype == DType::int64 || dtype == DType::uint32 || dtype == DType::uint64;
}

Status check_factor(const Document& document, std::string_view name, double factor, DType dtype)
{
    if (!is_integer(dtype) || (factor == std::floor(factor) && std::fabs(factor) < 0x1p53))
        return {};
    return document.refuse({name, " = ", std::to_string(factor), " must be whole for type ", vkonnx::name(dtype)});
}

Status check_same(const Document& document, int64_t a, int64_t b)
{
    if (a == b)
        return {};
    return document.refuse({"A has K = ", a, ", but B has K = ", b});
}

// Returns C's steps, which are 0 where it is broadcast to M x N.
Result<MatrixSteps> bias_steps(const Document& document, const TensorDesc& c, int64_t m, int64_t n)
{
    const size_t rank = c.dims.size();
    const int64_t rows = rank < 2 ? 1 : c.dims[rank - 2];
    const int64_t columns = rank < 1 ? 1 : c.dims[rank - 1];
    if (rank > 2 || (rows != 1 && rows != m) || (columns != 1 && columns != n))
        return document.refuse({"C = ", to_string(c), " does not broadcast to [", m, ",", n, "]"});
    return MatrixSteps{rows == 1 ? 0 : columns, columns == 1 ? 0 : 1};
}

// Returns the steps, in elements, of the axes in front of the last two. A matrix has `matrix` elements. A step is 0 where the
// tensor is broadcast.
std::vector<int64_t> front_steps(std::span<const int64_t> own, size_t rank, int64_t matrix)
{
    std::vector<int64_t> steps(rank);
    auto step = uint64_t(matrix);  // may wrap where there are no elements, because then it is not used
    for (size_t i = 0; i < own.size(); ++i) {
        const int64_t extent = own[own.size() - 1 - i];
        steps[rank - 1 - i] = extent == 1 ? 0 : int64_t(step);
        step *= uint64_t(extent);
    }
    return steps;
}

}  // namespace

const Schema& schema_of(const Gemm&)
{
    return gemm_schema;
}

const Schema& schema_of(const MatMul&)
{
    return matmul_schema;
}

Result<MatMulGeometry> resolve(const Gemm& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    VKONNX_RETURN_IF_ERROR(check_flag(*document, "transA", attributes.transA));
    VKONNX_RETURN_IF_ERROR(check_flag(*document, "transB", attributes.transB));
    VKONNX_RETURN_IF_ERROR(check_tensors(*document, inputs));
    const TensorDesc& a = inputs[0];
    const TensorDesc& b = inputs[1];
    if (a.dims.size() != 2 || b.dims.size() != 2)
        return document->refuse({"A and B must have rank 2, but are ", to_string(a), " and ", to_string(b)});
    const bool turned_a = attributes.transA.value_or(0) == 1;
    const bool turned_b = attributes.transB.value_or(0) == 1;
    MatMulGeometry geometry = {.op = Gemm::name,
                               .inputs = {inputs.begin(), inputs.end()},
                               .m = a.dims[turned_a ? 1 : 0],
                               .k = a.dims[turned_a ? 0 : 1],
                               .n = b.dims[turned_b ? 0 : 1],
                               .alpha = double(attributes.alpha.value_or(1)),
                               .beta = double(attributes.beta.value_or(1))};
    VKONNX_RETURN_IF_ERROR(check_same(*document, geometry.k, b.dims[turned_b ? 1 : 0]));
    geometry.a = turned_a ? MatrixSteps{1, a.dims[1]} : MatrixSteps{a.dims[1], 1};
    geometry.b = turned_b ? MatrixSteps{1, b.dims[1]} : MatrixSteps{b.dims[1], 1};
    if (inputs.size() == 3) {
        const Result<MatrixSteps> c = bias_steps(*document, inputs[2], geometry.m, geometry.n);
        VKONNX_RETURN_IF_ERROR(c.status());
        geometry.c = *c;
    }
    for (const auto& [name, factor] : {std::pair("alpha", geometry.alpha), std::pair("beta", geometry.beta)})
        VKONNX_RETURN_IF_ERROR(check_factor(*document, name, factor, a.dtype));
    geometry.output = {.dtype = a.dtype, .dims = {geometry.m, geometry.n}};
    geometry.equation = join({document->title(), ": [", geometry.m, ",", geometry.k, "] * [", geometry.k, ",", geometry.n, "]",
                              turned_a ? ", A transposed" : "", turned_b ? ", B transposed" : "", geometry.c ? ", and C" : ""});
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "Y", geometry.output));
    return geometry;
}

Result<MatMulGeometry> resolve(const MatMul& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    VKONNX_RETURN_IF_ERROR(check_tensors(*document, inputs));
    std::vector<int64_t> a = inputs[0].dims;
    std::vector<int64_t> b = inputs[1].dims;
    const bool is_row = a.size() == 1;
    const bool is_column = b.size() == 1;
    if (a.empty() || b.empty())
        return document->refuse({a.empty() ? "A" : "B", " has rank 0, but must have at least 1"});
    if (is_row)
        a.insert(a.begin(), 1);
    if (is_column)
        b.push_back(1);
    MatMulGeometry geometry = {.op = MatMul::name,
                               .inputs = {inputs.begin(), inputs.end()},
                               .m = a[a.size() - 2],
                               .k = a[a.size() - 1],
                               .n = b[b.size() - 1]};
    VKONNX_RETURN_IF_ERROR(check_same(*document, geometry.k, b[b.size() - 2]));
    geometry.a = {geometry.k, 1};
    geometry.b = {geometry.n, 1};
    const auto a_front = std::span(a).first(a.size() - 2);
    const auto b_front = std::span(b).first(b.size() - 2);
    const size_t rank = std::max(a_front.size(), b_front.size());
    for (size_t i = 0; i < rank; ++i) {
        const auto extent = [&](std::span<const int64_t> own) { return i + own.size() < rank ? 1 : own[i + own.size() - rank]; };
        if (extent(a_front) != extent(b_front) && extent(a_front) != 1 && extent(b_front) != 1)
            return document->refuse(
                {"axes in front of ", to_string(inputs[0]), " and ", to_string(inputs[1]), " do not broadcast"});
        geometry.front.push_back(extent(a_front) == 1 ? extent(b_front) : extent(a_front));
    }
    geometry.a_front = front_steps(a_front, rank, int64_t(uint64_t(geometry.m) * uint64_t(geometry.k)));
    geometry.b_front = front_steps(b_front, rank, int64_t(uint64_t(geometry.k) * uint64_t(geometry.n)));
    geometry.output = {.dtype = inputs[0].dtype, .dims = geometry.front};
    if (!is_row)
        geometry.output.dims.push_back(geometry.m);
    if (!is_column)
        geometry.output.dims.push_back(geometry.n);
    geometry.equation = join({document->title(), ": [", geometry.m, ",", geometry.k, "] * [", geometry.k, ",", geometry.n, "]"});
    if (!geometry.front.empty())
        geometry.equation += join({" for each of ", to_string(TensorDesc{DType::int64, geometry.front}).substr(5)});
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "Y", geometry.output));
    return geometry;
}

TensorDesc output_of(const MatMulGeometry& geometry)
{
    return geometry.output;
}

}  // namespace vkonnx::ops
