// SPDX-License-Identifier: Apache-2.0
// ONNX's Gather. Its kernel is called take, because the gather protocol has the other name.
#include "plan/operators.h"

#include <algorithm>

#include "modules.h"
#include "plan/arithmetic.h"
#include "plan/bytes.h"
#include "plan/gather.h"
#include "plan/grid.h"
#include "plan/limits.h"
#include "return_if_error.h"
#include "shared/take.h"
#include "specialization/plain.h"

namespace vkonnx::plan {
namespace take {
namespace {

constexpr std::string_view op = vkonnx::Gather::name;

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const ops::GatherGeometry& geometry;
    Number number = Number::u32;  // that carries what is moved at once
    int64_t outputs = 0;          // the tensor's elements
    int64_t together = 1;         // of them moved at once

    int64_t inner() const { return geometry.inner / together; }
    uint32_t bytes() const { return bits(geometry.data.dtype) / 8 * uint32_t(together); }
};

// take: any rank. Where data is too large for one binding, parts have pieces of the axis, which the gather protocol counts as
// channels.

std::string unfit(const Problem&)
{
    return "";
}

// Coordinates of the axis that can be bound at once: all of data's, or else of one part in front of the axis.
int64_t piece_of(const Problem& problem)
{
    const Capabilities& capabilities = problem.capabilities;
    const int64_t all = std::max<int64_t>(problem.geometry.extent, 1);
    if (buffer_bytes(*byte_size(problem.geometry.data)) <= capabilities.max_storage_buffer_range)
        return all;
    const int64_t room = int64_t(capabilities.max_storage_buffer_range) - capabilities.storage_buffer_alignment - 4;
    return std::clamp<int64_t>(room / (problem.inner() * problem.bytes()), 1, all);
}

// The elements of data, and the indices, that some outputs may read of some pieces: ranges around them.
Reads reads_of(const Problem& problem, int64_t piece, const Part& part)
{
    const ops::GatherGeometry& g = problem.geometry;
    const int64_t dims[] = {g.outer, g.count, problem.inner()};
    const Bounds bounds = bounds_of(part.outputs, dims);
    const int64_t first = part.channels.first * piece;
    const int64_t end = std::min(part.channels.end() * piece, g.extent);
    if (end <= first)
        return {Range{}, bounds[1]};
    Range data = bounds[2];
    reach(data, {first, end - first}, problem.inner());
    reach(data, bounds[0], g.extent * problem.inner());
    return {data, bounds[1]};
}

Result<Plan> planned(const Problem& problem)
{
    const ops::GatherGeometry& g = problem.geometry;
    const int64_t piece = piece_of(problem);
    const int64_t pieces = std::max<int64_t>(divide_up(g.extent, piece), 1);
    const uint32_t index_bytes = bits(g.indices.dtype) / 8;
    Gather gather = {.op = op,
                     .number = problem.number,
                     .element_bytes = problem.bytes(),
                     .outputs = problem.outputs / problem.together,
                     .output_operand = 2,
                     .inputs = {{0, *element_count(g.data) / problem.together}, {1, g.count, index_bytes}},
                     .reads = [&problem, piece](const Part& part) { return reads_of(problem, piece, part); },
                     .channels = pieces,
                     .kernel = *variant(modules::take, problem.number),
                     .specialization = specialization::Plain{workgroup_size(problem.capabilities)}.values(),
                     .goes_on = pieces > 1};
    Result<Plan> plan = plan_gather(gather, problem.capabilities, problem.options);
    VKONNX_RETURN_IF_ERROR(plan.status());
    plan->uniform = bytes_of(push::TakeProblem{.inner = push::divisor_of(uint32_t(problem.inner())),
                                               .count = push::divisor_of(uint32_t(g.count)),
                                               .extent = uint32_t(g.extent),
                                               .piece = uint32_t(piece),
                                               .index_words = index_bytes / 4,
                                               .padding_ = 0});
    for (uint64_t& bytes : plan->tensor_bytes)
        bytes = buffer_bytes(bytes);
    return plan;
}

constinit const KernelOf<Problem> any_rank = {
    .name = "take", .variants = modules::take, .keeps_order = true, .unfit = unfit, .plan = planned};

constexpr const KernelOf<Problem>* kernels[] = {&any_rank};

Result<Problem> problem_of(const ops::GatherGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    constexpr Needs needs = {
        .storage_buffers = 3, .push_constant_bytes = sizeof(push::GatherPart), .uniform_bytes = sizeof(push::TakeProblem)};
    const uint32_t bytes = bits(geometry.data.dtype) / 8;
    int64_t together = 16 / bytes;
    while (geometry.inner % together != 0)
        together /= 2;
    Result<Problem> problem = common_problem<Problem>(op, needs, geometry, *raw_type_of(bytes * uint32_t(together) * 8),
                                                      geometry.output, capabilities, options);
    if (!problem || problem->outputs == 0)
        return problem;
    problem->together = together;
    VKONNX_RETURN_IF_ERROR(check_addressable(op, "the output", geometry.output));
    VKONNX_RETURN_IF_ERROR(check_addressable(op, "data", geometry.data));
    VKONNX_RETURN_IF_ERROR(check_addressable(op, "indices", geometry.indices));
    return problem;
}

}  // namespace
}  // namespace take

Result<Plan> plan_for(const ops::GatherGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    return best_plan(take::op, take::kernels, take::problem_of(geometry, capabilities, options));
}

Result<std::vector<KernelChoice>> kernels_for(const ops::GatherGeometry& geometry, const Capabilities& capabilities,
                                              const PrepareOptions& options)
{
    return all_choices(take::op, take::kernels, take::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
