// SPDX-License-Identifier: Apache-2.0
#include "plan/operators/operators.h"

#include "plan/core/limits.h"
#include "plan/operators/matmul/problem.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/operators/matmul/matmul.h"

namespace vkonnx::plan {
namespace matmul {
namespace {

using ops::MatMulGeometry;

// This list begins with the best kernel: of equal estimates the first one counts.
constexpr const KernelOf<Problem>* kernels[] = {&vector, &gemm, &gemm_shared, &matrices_unpacked, &matrices, &direct};

// Returns alpha or beta as the bits of what the kernel computes in.
uint64_t factor_of(ComputeType compute_type, double value)
{
    const bool is_integer = compute_type == ComputeType::i32 || compute_type == ComputeType::i64 ||
                            compute_type == ComputeType::u32 || compute_type == ComputeType::u64;
    return is_integer ? uint64_t(int64_t(value)) : bits_of(compute_type, value);
}

Result<Problem> problem_of(const MatMulGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    const std::string_view op = geometry.op;
    VKONNX_RETURN_IF_ERROR(check_options(op, capabilities, options));
    constexpr Needs needs = {
        .storage_buffers = 4, .push_constant_bytes = sizeof(push::GatherPart), .uniform_bytes = sizeof(push::MatMulProblem)};
    VKONNX_RETURN_IF_ERROR(check_capabilities(op, capabilities, needs));
    const DType dtype = geometry.output.dtype;
    const std::optional<ComputeType> integer = integer_of(dtype);
    const Result<ComputeType> compute_type = integer ? Result(*integer) : compute_type_of(op, dtype, capabilities);
    VKONNX_RETURN_IF_ERROR(compute_type.status());
    Result<ops::Epilogue> epilogue = ops::resolve_epilogue(op, options.epilogue, geometry.output);
    VKONNX_RETURN_IF_ERROR(epilogue.status());
    const Result<int64_t> outputs = element_count(geometry.output);
    VKONNX_RETURN_IF_ERROR(outputs.status());
    Problem problem = {.capabilities = capabilities,
                       .options = options,
                       .geometry = geometry,
                       .compute_type = *compute_type,
                       .epilogue = std::move(*epilogue),
                       .outputs = *outputs};
    if (*outputs == 0)
        return problem;
    static constexpr std::string_view names[] = {"input A", "input B", "input C"};
    for (size_t i = 0; i < geometry.inputs.size(); ++i)
        VKONNX_RETURN_IF_ERROR(check_addressable(op, names[i], geometry.inputs[i]));
    VKONNX_RETURN_IF_ERROR(check_addressable(op, "output Y", geometry.output));
    problem.front = merged(geometry);
    add_engine(problem);
    return problem;
}

}  // namespace

std::vector<Front> merged(const MatMulGeometry& g)
{
    std::vector<Front> front;
    for (size_t i = 0; i < g.front.size(); ++i) {
        if (g.front[i] == 1)
            continue;
        const Front next = {g.front[i], g.a_front[i], g.b_front[i]};
        const bool alike = !front.empty() && front.back().a_step == next.a_step * next.extent &&
                           front.back().b_step == next.b_step * next.extent;
        if (alike)
            front.back() = {front.back().extent * next.extent, next.a_step, next.b_step};
        else
            front.push_back(next);
    }
    return front;
}

int64_t matrices_of(const Problem& problem)
{
    int64_t count = 1;
    for (const Front& axis : problem.front)
        count *= axis.extent;
    return count;
}

push::MatMulEnd end_of(const Problem& problem)
{
    const MatMulGeometry& g = problem.geometry;
    const ops::MatrixSteps c = g.c.value_or(ops::MatrixSteps());
    const uint64_t alpha = factor_of(problem.compute_type, g.alpha);
    const uint64_t beta = factor_of(problem.compute_type, g.beta);
    push::MatMulEnd end = {};
    end.c_row = uint32_t(c.row);
    end.c_column = uint32_t(c.column);
    end.alpha_low = uint32_t(alpha);
    end.alpha_high = uint32_t(alpha >> 32);
    end.beta_low = uint32_t(beta);
    end.beta_high = uint32_t(beta >> 32);
    return end;
}

}  // namespace matmul

Result<Plan> plan_for(const ops::MatMulGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    return best_plan(geometry.op, matmul::kernels, matmul::problem_of(geometry, capabilities, options));
}

Result<std::vector<KernelChoice>> kernels_for(const ops::MatMulGeometry& geometry, const Capabilities& capabilities,
                                              const PrepareOptions& options)
{
    return all_choices(geometry.op, matmul::kernels, matmul::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
