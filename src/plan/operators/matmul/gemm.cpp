// SPDX-License-Identifier: Apache-2.0
// This file plans matmul_gemm, matmul_gemm_shared and matmul_matrices as pointwise convolutions, by the engine. Where B is one
// matrix, it is the weights, A's rows are positions with their channels last, and Y's columns are output channels. Else each of
// A's matrices is the weights of a group, whose input's channels are B's rows.
#include <utility>

#include "plan/engines/implicit_gemm/implicit_gemm.h"
#include "plan/operators/matmul/problem.h"

namespace vkonnx::plan::matmul {
namespace {

using implicit_gemm::Form;
using implicit_gemm::Product;
using ops::MatMulGeometry;

// This enumeration tells which factor is the engine's W.
enum class Weights { none, a, b };

// Tells whether A's matrices lie one behind the other, and B is the same for all of them.
bool shares_b(const Problem& problem)
{
    const MatMulGeometry& g = problem.geometry;
    return problem.front.empty() ||
           (problem.front.size() == 1 && problem.front[0].b_step == 0 && problem.front[0].a_step == g.m * g.k);
}

// Tells whether B's matrices lie one behind the other, and A's, too, or A is the same for all of them.
bool walks_b(const Problem& problem)
{
    const MatMulGeometry& g = problem.geometry;
    return problem.front.size() == 1 && problem.front[0].b_step == g.k * g.n &&
           (problem.front[0].a_step == 0 || problem.front[0].a_step == g.m * g.k);
}

Weights weights_of(const Problem& problem)
{
    const MatMulGeometry& g = problem.geometry;
    const bool a_in_rows = g.a.column == 1 && g.a.row == g.k;
    const bool b_in_rows = g.b.column == 1 && g.b.row == g.n;
    const bool plain_c = !problem.has_c() || (g.c->row == 0 && g.c->column == 1 && g.beta == 1);
    if (g.alpha != 1 || !a_in_rows)
        return Weights::none;
    if (shares_b(problem) && plain_c)
        return Weights::b;
    return walks_b(problem) && b_in_rows && !problem.has_c() ? Weights::a : Weights::none;
}

// Tells why the engine can't compute the problem; returns "" where it can.
std::string unfit_for(const Problem& problem)
{
    if (*element_count(problem.geometry.inputs[0]) == 0 || *element_count(problem.geometry.inputs[1]) == 0)
        return "there is nothing to multiply";
    if (weights_of(problem) == Weights::none)
        return "it takes alpha 1, A in rows, C a row with beta 1, and one B for all of A, or a B for each";
    return "";
}

implicit_gemm::Problem gemm_of(const Problem& problem)
{
    const MatMulGeometry& g = problem.geometry;
    const bool by_b = weights_of(problem) == Weights::b;
    const size_t x = by_b ? 0 : 1;
    implicit_gemm::Problem engine = {.capabilities = problem.capabilities,
                                     .options = problem.options,
                                     .compute_type = problem.compute_type,
                                     .epilogue = problem.epilogue,
                                     .dtype = g.output.dtype,
                                     .layout = by_b ? Layout::nxc : Layout::ncx,
                                     .bias = problem.has_c(),
                                     .constant_weights = implicit_gemm::is_constant(problem.options, 1 - x),
                                     .x_elements = *element_count(g.inputs[x]),
                                     .w_elements = *element_count(g.inputs[1 - x]),
                                     .outputs = problem.outputs,
                                     .w_tap = 1};
    const bool by_groups = !by_b && problem.front[0].a_step != 0;
    Product product = {.images = by_b || by_groups ? 1 : matrices_of(problem),
                       .groups = by_groups ? matrices_of(problem) : 1,
                       .channels_in = g.k};
    implicit_gemm::Axis& positions = product.axes.back();
    if (by_b) {
        engine.w_channel = g.b.row;
        engine.w_column = g.b.column;
        product.channels_out = g.n;
        positions.in = g.m * matrices_of(problem);
    } else {
        engine.w_group = g.m * g.k;
        engine.w_channel = 1;
        engine.w_column = g.k;
        product.channels_out = g.m;
        positions.in = g.n;
    }
    positions.out = positions.blocks = positions.extent = positions.in;
    engine.products = {completed(std::move(product))};
    return engine;
}

template <Form form>
std::string unfit(const Problem& problem)
{
    return problem.engine ? implicit_gemm::unfit_for(*problem.engine, form) : unfit_for(problem);
}

template <Form form>
Result<Plan> planned(const Problem& problem)
{
    Result<Plan> plan = implicit_gemm::planned(*problem.engine, form);
    if (weights_of(problem) == Weights::b) {
        // A C that is not read is still one of the operands.
        if (plan && problem.geometry.c && !problem.has_c()) {
            for (Step& step : plan->steps)
                for (Operand& operand : step.operands)
                    if (operand.place == Place::tensor && operand.tensor == 2)
                        operand.tensor = 3;
            const uint64_t c_bytes = buffer_bytes(*byte_size(problem.geometry.inputs[2]));
            plan->tensor_bytes.insert(plan->tensor_bytes.begin() + 2, c_bytes);
            plan->inputs = 3;
        }
        return plan;
    }
    if (!plan)
        return plan;
    for (std::vector<Step>* steps : {&plan->setup, &plan->steps})
        for (Step& step : *steps)
            for (Operand& operand : step.operands)
                if (operand.place == Place::tensor && operand.tensor < 2)
                    operand.tensor = uint8_t(1 - operand.tensor);
    std::swap(plan->tensor_bytes[0], plan->tensor_bytes[1]);
    return plan;
}

}  // namespace

void add_engine(Problem& problem)
{
    if (implicit_gemm::computes(problem.compute_type, problem.options) && unfit_for(problem).empty())
        problem.engine.emplace(implicit_gemm::engine_for(gemm_of(problem)));
}

constinit const KernelOf<Problem> gemm = {.name = "matmul_gemm",
                                          .variants = modules::implicit_gemm_inputs,
                                          .keeps_order = false,
                                          .takes_epilogue = true,
                                          .unfit = unfit<Form::registers>,
                                          .plan = planned<Form::registers>};

constinit const KernelOf<Problem> gemm_shared = {.name = "matmul_gemm_shared",
                                                 .variants = implicit_gemm::shared_memory_inputs,
                                                 .keeps_order = false,
                                                 .takes_epilogue = true,
                                                 .unfit = unfit<Form::shared_memory>,
                                                 .plan = planned<Form::shared_memory>};

constinit const KernelOf<Problem> matrices = {.name = "matmul_matrices",
                                              .variants = modules::implicit_gemm_inputs_half_texels1,
                                              .keeps_order = false,
                                              .takes_epilogue = true,
                                              .unfit = unfit<Form::cooperative_matrices>,
                                              .plan = planned<Form::cooperative_matrices>};

constinit const KernelOf<Problem> matrices_unpacked = {.name = "matmul_matrices_unpacked",
                                                       .variants = modules::implicit_gemm_inputs_half_texels1,
                                                       .keeps_order = false,
                                                       .takes_epilogue = true,
                                                       .unfit = unfit<Form::unpacked_matrices>,
                                                       .plan = planned<Form::unpacked_matrices>};

}  // namespace vkonnx::plan::matmul
