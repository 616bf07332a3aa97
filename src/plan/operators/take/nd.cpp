// SPDX-License-Identifier: Apache-2.0
// This file plans take_nd, for any number of coordinates of any axes. Where data is too large for one binding, parts have pieces
// of it, which the gather protocol counts as channels.
#include <utility>

#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/broadcast.h"
#include "plan/engines/gather.h"
#include "plan/operators/take/problem.h"
#include "return_if_error.h"
#include "shaders/operators/take/take_nd.h"
#include "shaders/operators/take/take_nd_constants.h"

namespace vkonnx::plan::take {
namespace {

// Returns the output's axes, with strides of data and of indices, in elements as they are moved.
std::vector<BroadcastAxis> axes_of(const Problem& problem)
{
    std::vector<BroadcastAxis> axes;
    for (const ops::GatherAxis& axis : problem.geometry.axes)
        axes.push_back({axis.extent, {axis.data / problem.together, axis.indices, 0}});
    if (problem.together > 1)
        axes.back() = {axes.back().extent / problem.together, {1, 0, 0}};
    return merged(std::move(axes));
}

std::string unfit(const Problem& problem)
{
    const size_t coordinates = problem.geometry.indexed.size();
    if (coordinates > TAKE_ND_COORDINATES)
        return "an index has " + std::to_string(coordinates) + " coordinates, more than its uniform block can describe";
    const size_t iterations = std::max(coordinates, axes_of(problem).size());
    if (int64_t(iterations) > loop_limit(problem.compute_type, problem.capabilities))
        return too_many_iterations("its loops over " + std::to_string(iterations) + " axes", problem.capabilities);
    return "";
}

push::TakeNdProblem uniform_of(const Problem& problem, std::span<const BroadcastAxis> axes, int64_t piece)
{
    push::TakeNdProblem push = {};
    push.words[TAKE_ND_PIECE] = uint32_t(piece);
    push.words[TAKE_ND_INDEX_WORDS] = problem.index_bytes() / 4;
    uint32_t* word = &push.words[TAKE_ND_INDEXED];
    for (const ops::IndexedAxis& axis : problem.geometry.indexed) {
        *word++ = uint32_t(axis.extent);
        *word++ = uint32_t(axis.stride / problem.together);
    }
    put_axes(&push.words[TAKE_ND_AXES], axes);
    return push;
}

Result<Plan> planned(const Problem& problem)
{
    const ops::GatherGeometry& g = problem.geometry;
    const std::vector<BroadcastAxis> axes = axes_of(problem);
    const int64_t elements = problem.elements();
    const int64_t piece = piece_of(problem, elements, problem.bytes());
    const int64_t pieces = std::max<int64_t>(divide_up(elements, piece), 1);
    const auto coordinates = int64_t(g.indexed.size());
    Gather gather = {.op = g.op,
                     .compute_type = problem.compute_type,
                     .element_bytes = problem.bytes(),
                     .outputs = problem.outputs / problem.together,
                     .output_operand = 2,
                     .inputs = {{0, elements}, {1, *element_count(g.indices), problem.index_bytes()}},
                     .channels = pieces,
                     .kernel = *variant(modules::take_nd, problem.compute_type),
                     .specialization = specialization::TakeNd{.workgroup_size = workgroup_size(problem.capabilities),
                                                              .rank = uint32_t(axes.size()),
                                                              .coordinates = uint32_t(coordinates)}
                                           .values(),
                     .goes_on = pieces > 1};
    gather.reads = [&](const Part& part) {
        const int64_t first = part.channels.first * piece;
        Range indices = read_of(axes, 1, part.outputs);
        indices.count += coordinates - 1;
        return Reads{Range{first, std::min(part.channels.end() * piece, elements) - first}, indices};
    };
    Result<Plan> plan = plan_gather(gather, problem.capabilities, problem.options);
    VKONNX_RETURN_IF_ERROR(plan.status());
    plan->uniform = bytes_of(uniform_of(problem, axes, piece));
    return plan;
}

}  // namespace

constinit const KernelOf<Problem> nd = {
    .name = "take_nd", .variants = modules::take_nd, .keeps_order = true, .last_resort = true, .unfit = unfit, .plan = planned};

}  // namespace vkonnx::plan::take
