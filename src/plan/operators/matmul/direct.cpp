// SPDX-License-Identifier: Apache-2.0
// This file plans matmul, for any rank and any type: a gather whose channels are K.
#include <algorithm>

#include "modules.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/epilogue.h"
#include "plan/engines/gather.h"
#include "plan/operators/matmul/problem.h"
#include "shaders/operators/matmul/matmul.h"
#include "shaders/operators/matmul/matmul_constants.h"

namespace vkonnx::plan::matmul {
namespace {

using ops::MatMulGeometry;
using ops::MatrixSteps;

constexpr int64_t loop_rest = 8;  // iterations beside those over K and over the axes in front

std::string unfit(const Problem& problem)
{
    if (problem.front.size() > MATMUL_AXES)
        return "its " + std::to_string(problem.front.size()) + " axes in front are more than its uniform block can describe";
    if (int64_t(problem.front.size()) + loop_rest >= loop_limit(problem.compute_type, problem.capabilities))
        return too_many_iterations("its loops", problem.capabilities);
    return "";
}

// Returns the range of a matrix's elements in ranges of its rows and columns, which may be empty.
Range read_of(const MatrixSteps& steps, const Range& rows, const Range& columns)
{
    if (rows.count == 0 || columns.count == 0)
        return {};
    return {rows.first * steps.row + columns.first * steps.column,
            (rows.count - 1) * steps.row + (columns.count - 1) * steps.column + 1};
}

Reads reads_of(const Problem& problem, std::span<const int64_t> dims, const Part& part)
{
    const MatMulGeometry& g = problem.geometry;
    Range rows, columns;
    Range a = {0, 1}, b = {0, 1};
    visit_bounds(part.outputs, dims, [&](size_t i, const Range& coordinates) {
        if (i == problem.front.size() + 1)
            columns = coordinates;
        else if (i == problem.front.size())
            rows = coordinates;
        else
            for (const auto& [range, step] : {std::pair(&a, problem.front[i].a_step), std::pair(&b, problem.front[i].b_step)}) {
                range->first += coordinates.first * step;
                range->count += (coordinates.count - 1) * step;
            }
    });
    const Range k = {part.channels.first, part.channels.count};
    const auto within = [](const Range& front, const Range& matrix) {
        return matrix.count == 0 ? Range() : Range{front.first + matrix.first, front.count + matrix.count - 1};
    };
    const Range c = problem.has_c() && part.finishes ? read_of(*g.c, rows, columns) : Range();
    return {within(a, read_of(g.a, rows, k)), within(b, read_of(g.b, k, columns)), c};
}

push::MatMulProblem uniform_of(const Problem& problem)
{
    const MatMulGeometry& g = problem.geometry;
    push::MatMulProblem push = {};
    for (size_t i = 0; i < problem.front.size(); ++i) {
        const Front& axis = problem.front[problem.front.size() - 1 - i];
        push.axes[i] = {uint32_t(axis.extent), uint32_t(axis.a_step), uint32_t(axis.b_step), 0};
    }
    push.m = uint32_t(g.m);
    push.k = uint32_t(g.k);
    push.n = uint32_t(g.n);
    push.a_row = uint32_t(g.a.row);
    push.a_column = uint32_t(g.a.column);
    push.b_row = uint32_t(g.b.row);
    push.b_column = uint32_t(g.b.column);
    push.end = end_of(problem);
    push.epilogue = numbers_of(problem.epilogue, problem.compute_type);
    return push;
}

Result<Plan> planned(const Problem& problem)
{
    const MatMulGeometry& g = problem.geometry;
    std::vector<int64_t> dims;
    for (const Front& axis : problem.front)
        dims.push_back(axis.extent);
    dims.insert(dims.end(), {g.m, g.n});
    Gather gather = {.op = g.op,
                     .compute_type = problem.compute_type,
                     .element_bytes = bits(g.output.dtype) / 8,
                     .outputs = problem.outputs,
                     .output_operand = uint8_t(g.inputs.size()),
                     .channels = g.k,
                     .kernel = *variant(modules::matmul, problem.compute_type),
                     .goes_on = true,
                     .channels_at_once =
                         loop_limit(problem.compute_type, problem.capabilities) - loop_rest - int64_t(problem.front.size())};
    for (uint8_t i = 0; i < g.inputs.size(); ++i)
        gather.inputs.push_back({i, *element_count(g.inputs[i])});
    gather.inputs.resize(max_bound_inputs, gather.inputs.front());  // a binding without C still needs a buffer
    gather.reads = [&problem, dims = std::move(dims)](const Part& part) {
        Reads reads = reads_of(problem, dims, part);
        if (problem.geometry.inputs.size() < max_bound_inputs)
            reads[max_bound_inputs - 1] = reads.front();
        return reads;
    };
    gather.specialization = specialization::MatMul{.workgroup_size = workgroup_size(problem.capabilities),
                                                   .rank = uint32_t(problem.front.size()),
                                                   .has_c = problem.has_c(),
                                                   .epilogue = constant_of(problem.epilogue)}
                                .values();
    Result<Plan> plan = plan_gather(gather, problem.capabilities, problem.options);
    if (plan)
        plan->uniform = bytes_of(uniform_of(problem));
    return plan;
}

}  // namespace

constinit const KernelOf<Problem> direct = {.name = "matmul",
                                            .variants = modules::matmul,
                                            .keeps_order = true,
                                            .takes_epilogue = true,
                                            .last_resort = true,
                                            .unfit = unfit,
                                            .plan = planned};

}  // namespace vkonnx::plan::matmul
