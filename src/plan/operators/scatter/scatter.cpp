// SPDX-License-Identifier: Apache-2.0
// This file plans ScatterElements and ScatterND, and the first pass that their kernels have in common.
#include "shaders/operators/scatter/scatter.h"
#include "modules.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/operators/operators.h"
#include "plan/operators/scatter/problem.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/operators/scatter/scatter_targets_constants.h"

namespace vkonnx::plan {
namespace scatter {

static_assert(uint32_t(ScatterReduction::none) == SCATTER_NONE && uint32_t(ScatterReduction::add) == SCATTER_ADD &&
              uint32_t(ScatterReduction::mul) == SCATTER_MUL && uint32_t(ScatterReduction::max) == SCATTER_MAX &&
              uint32_t(ScatterReduction::min) == SCATTER_MIN);

namespace {

constexpr const KernelOf<Problem>* kernels[] = {&last, &lines};

// Returns how many elements are moved at once: as many of a slice as a device reads at once, where nothing is computed of them.
int64_t together_of(const ops::ScatterGeometry& geometry)
{
    int64_t together = geometry.reduction == ScatterReduction::none ? 128 / bits(geometry.data.dtype) : 1;
    while (geometry.slice % together != 0)
        together /= 2;
    return together;
}

Result<ComputeType> number_of_elements(const ops::ScatterGeometry& geometry, int64_t together, const Capabilities& capabilities)
{
    const DType dtype = geometry.data.dtype;
    if (geometry.reduction == ScatterReduction::none)
        return *raw_type_of(bits(dtype) * uint32_t(together));
    if (dtype == DType::boolean)
        return ComputeType::u8;
    const std::optional<ComputeType> integer = integer_of(dtype);
    return integer ? Result<ComputeType>(*integer) : compute_type_of(geometry.op, dtype, capabilities);
}

// Returns the axes of the updates, without those that change nothing.
std::vector<BroadcastAxis> update_axes_of(const ops::ScatterGeometry& geometry)
{
    std::vector<BroadcastAxis> axes;
    for (const ops::UpdateAxis& axis : geometry.update_axes)
        axes.push_back({axis.extent, {axis.slices}});
    axes = merged(std::move(axes));
    if (axes.size() == 1 && axes[0].strides[0] == 0)
        axes.clear();
    return axes;
}

// Returns the axes of data in slices, neighbours as one where the updates for them lie as for one.
std::vector<ops::ScatterAxis> axes_of(const ops::ScatterGeometry& geometry, int64_t slices, int64_t updates)
{
    if (updates == 0)
        return {{slices, 0, 0}};
    std::vector<ops::ScatterAxis> axes;
    for (const ops::ScatterAxis& axis : geometry.axes) {
        if (axis.extent == 1)
            continue;
        if (!axes.empty() && axis.limit == axis.extent && axes.back().update == axis.update * axis.extent)
            axes.back() = {axes.back().extent * axis.extent, axes.back().limit * axis.extent, axis.update};
        else
            axes.push_back(axis);
    }
    return axes;
}

Result<Problem> problem_of(const ops::ScatterGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    constexpr Needs needs = {
        .storage_buffers = 4, .push_constant_bytes = sizeof(push::GatherPart), .uniform_bytes = sizeof(push::ScatterProblem)};
    const int64_t together = together_of(geometry);
    Result<Problem> problem = common_problem<Problem>(
        geometry.op, needs, geometry, number_of_elements(geometry, together, capabilities), geometry.data, capabilities, options);
    if (!problem || problem->outputs == 0)
        return problem;
    VKONNX_RETURN_IF_ERROR(check_addressable(geometry.op, "data", geometry.data));
    VKONNX_RETURN_IF_ERROR(check_addressable(geometry.op, "indices", geometry.indices));
    VKONNX_RETURN_IF_ERROR(check_addressable(geometry.op, "updates", geometry.updates));
    problem->together = together;
    problem->updates = geometry.update_count();
    problem->update_axes = update_axes_of(geometry);
    problem->axes = axes_of(geometry, problem->slices(), problem->updates);
    return problem;
}

push::ScatterProblem uniform_of(const Problem& problem)
{
    const ops::ScatterGeometry& g = problem.geometry;
    push::ScatterProblem push = {};
    push.words[SCATTER_SLICE] = uint32_t(problem.slice());
    push.words[SCATTER_STEP] = uint32_t(g.step);
    push.words[SCATTER_INDEX_WORDS] = bits(g.indices.dtype) / 32;
    uint32_t* word = &push.words[SCATTER_INDEXED];
    for (const ops::IndexedAxis& axis : g.indexed) {
        *word++ = uint32_t(axis.extent);
        *word++ = uint32_t(axis.stride);
    }
    put_axes(&push.words[SCATTER_UPDATE_AXES], problem.update_axes);
    const size_t rank = problem.axes.size();
    for (size_t i = 0; i < rank; ++i) {
        const ops::ScatterAxis& axis = problem.axes[rank - 1 - i];
        push.words[SCATTER_AXES + i] = uint32_t(axis.extent);
        push.words[SCATTER_AXES + rank + i] = uint32_t(axis.limit);
        push.words[SCATTER_AXES + 2 * rank + i] = uint32_t(axis.update);
    }
    return push;
}

std::vector<uint32_t> specialization_of(const Problem& problem, bool clears)
{
    return specialization::ScatterTargets{.workgroup_size = workgroup_size(problem.capabilities),
                                          .rank = uint32_t(problem.update_axes.size()),
                                          .coordinates = uint32_t(problem.geometry.indexed.size()),
                                          .clears = clears}
        .values();
}

// Returns a pass whose outputs are the updates.
Gather pass_over_updates(const Problem& problem, Kernel kernel)
{
    const auto coordinates = int64_t(problem.geometry.indexed.size());
    Gather gather = {.op = problem.geometry.op,
                     .compute_type = ComputeType::u32,
                     .outputs = problem.updates,
                     .output_operand = 1,
                     .inputs = {{0, problem.updates * coordinates, bits(problem.geometry.indices.dtype) / 8}},
                     .kernel = kernel,
                     .specialization = specialization_of(problem, false)};
    gather.reads = [coordinates](const Part& part) {
        return Reads{Range{part.outputs.first * coordinates, part.outputs.count * coordinates}};
    };
    return gather;
}

}  // namespace

Chain chain_of(const Problem& problem)
{
    const ops::ScatterGeometry& g = problem.geometry;
    const uint64_t data = buffer_bytes(*byte_size(g.data));
    return Chain(g.op, problem.capabilities, problem.options, 3,
                 {data, buffer_bytes(*byte_size(g.indices)), buffer_bytes(*byte_size(g.updates)), data});
}

Plan plan_of(const Problem& problem, Chain& chain)
{
    Plan plan = chain.take();
    plan.uniform = bytes_of(uniform_of(problem));
    plan.in_place = {0};  // an element of data is read where the output is written, before that, and nowhere else
    return plan;
}

std::string unfit_for_targets(const Problem& problem)
{
    const size_t coordinates = problem.geometry.indexed.size();
    if (coordinates > SCATTER_COORDINATES)
        return "an index has " + std::to_string(coordinates) + " coordinates, more than its uniform block can describe";
    const size_t iterations = coordinates + problem.update_axes.size() + 2;
    if (iterations > problem.capabilities.max_loop_iterations)
        return too_many_iterations("its loops over " + std::to_string(iterations) + " axes", problem.capabilities);
    return "";
}

Status add_targets(Chain& chain, const Problem& problem, const Memory& targets)
{
    return chain.add(pass_over_updates(problem, *variant(modules::scatter_targets, ComputeType::u32)),
                     std::vector<Memory>{{.tensor = 1}, targets});
}

Status add_last(Chain& chain, const Problem& problem, const Memory& last)
{
    const std::vector<Memory> operands = {{.tensor = 1}, last};
    Gather updates = pass_over_updates(problem, *variant(modules::scatter_targets_last1, ComputeType::u32));
    Gather zeros = updates;
    zeros.outputs = problem.slices();
    zeros.reads = [](const Part&) { return Reads{}; };
    zeros.specialization = specialization_of(problem, true);
    VKONNX_RETURN_IF_ERROR(chain.add(zeros, operands));
    Result<Plan> plan = plan_gather(updates, problem.capabilities, problem.options);
    VKONNX_RETURN_IF_ERROR(plan.status());
    for (Step& step : plan->steps)
        step.operands.back().access = Access::read_write;  // the greatest of what is there and what comes
    return chain.add(std::move(*plan), operands);
}

}  // namespace scatter

Result<Plan> plan_for(const ops::ScatterGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    return best_plan(geometry.op, scatter::kernels, scatter::problem_of(geometry, capabilities, options));
}

Kernels kernels_for(const ops::ScatterGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    return all_choices(geometry.op, scatter::kernels, scatter::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
