// SPDX-License-Identifier: Apache-2.0
// This file plans take, for any rank. Where data is too large for one binding, parts have pieces of the axis, which the gather
// protocol counts as channels.
#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/grid.h"
#include "plan/engines/gather.h"
#include "plan/operators/take/problem.h"
#include "return_if_error.h"
#include "shaders/library/plain_constants.h"
#include "shaders/operators/take/take.h"

namespace vkonnx::plan::take {
namespace {

// The output has the extents (outer, count, inner), and data (outer, extent, inner), in elements as they are moved.
struct Rows {
    int64_t outer = 1;
    int64_t count = 1;
    int64_t inner = 1;
    int64_t extent = 1;
    int64_t piece = 1;  // coordinates of the axis that are bound at once: all, or as many as one binding has room for
};

Rows rows_of(const Problem& problem)
{
    const ops::GatherGeometry& g = problem.geometry;
    Rows rows = {.outer = g.axes[0].extent,
                 .count = g.axes[1].extent,
                 .inner = g.axes[2].extent / problem.together,
                 .extent = g.indexed[0].extent};
    rows.piece = piece_of(problem, rows.extent, rows.inner * problem.bytes());
    return rows;
}

std::string unfit(const Problem& problem)
{
    const ops::GatherGeometry& g = problem.geometry;
    if (g.op == GatherElements::name)
        return "each element has an index of its own";
    if (g.indexed.size() > 1)
        return "an index has " + std::to_string(g.indexed.size()) + " coordinates";
    if (g.axes[0].extent > 1 && g.axes[0].indices != 0)
        return "each batch has indices of its own";
    return "";
}

// Returns ranges around the elements of data, and around the indices, that some outputs may read of some pieces.
Reads reads_of(const Rows& rows, const Part& part)
{
    const int64_t dims[] = {rows.outer, rows.count, rows.inner};
    const Bounds bounds = bounds_of(part.outputs, dims);
    const int64_t first = part.channels.first * rows.piece;
    const int64_t end = std::min(part.channels.end() * rows.piece, rows.extent);
    if (end <= first)
        return {Range{}, bounds[1]};
    Range data = bounds[2];
    reach(data, {first, end - first}, rows.inner);
    reach(data, bounds[0], rows.extent * rows.inner);
    return {data, bounds[1]};
}

Result<Plan> planned(const Problem& problem)
{
    const Rows rows = rows_of(problem);
    const int64_t pieces = std::max<int64_t>(divide_up(rows.extent, rows.piece), 1);
    Gather gather = {.op = problem.geometry.op,
                     .compute_type = problem.compute_type,
                     .element_bytes = problem.bytes(),
                     .outputs = problem.outputs / problem.together,
                     .output_operand = 2,
                     .inputs = {{0, problem.elements()}, {1, rows.count, problem.index_bytes()}},
                     .reads = [rows](const Part& part) { return reads_of(rows, part); },
                     .channels = pieces,
                     .kernel = *variant(modules::take, problem.compute_type),
                     .specialization = specialization::Plain{workgroup_size(problem.capabilities)}.values(),
                     .goes_on = pieces > 1};
    Result<Plan> plan = plan_gather(gather, problem.capabilities, problem.options);
    VKONNX_RETURN_IF_ERROR(plan.status());
    plan->uniform = bytes_of(push::TakeProblem{.inner = push::divisor_of(uint32_t(rows.inner)),
                                               .count = push::divisor_of(uint32_t(rows.count)),
                                               .extent = uint32_t(rows.extent),
                                               .piece = uint32_t(rows.piece),
                                               .index_words = problem.index_bytes() / 4,
                                               .padding_ = 0});
    return plan;
}

}  // namespace

constinit const KernelOf<Problem> rows = {
    .name = "take", .variants = modules::take, .keeps_order = true, .unfit = unfit, .plan = planned};

}  // namespace vkonnx::plan::take
