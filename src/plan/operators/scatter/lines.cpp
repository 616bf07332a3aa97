// SPDX-License-Identifier: Apache-2.0
// This file plans the kernel scatter, for any problem. An element of the output is a sum of the gather protocol, whose taps are
// the updates that may be for it, in their order.
#include <algorithm>

#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/grid.h"
#include "plan/operators/scatter/problem.h"
#include "return_if_error.h"
#include "shaders/operators/scatter/scatter_constants.h"

namespace vkonnx::plan::scatter {
namespace {

TapAxis taps_of(const Problem& problem)
{
    const int64_t count = std::max<int64_t>(problem.geometry.count, 1);  // without updates the axes have a limit of 0
    return {count, 1, count};
}

// Returns ranges around the elements of data, the targets and the updates that a part may read.
Reads reads_of(const Problem& problem, std::span<const BroadcastAxis> axes, const Part& part)
{
    if (part.adds_nothing())
        return {};
    const int64_t slice = problem.slice();
    const int64_t first = part.outputs.first / slice;
    const int64_t last = (part.outputs.end() - 1) / slice;
    Range updates = read_of(axes, 0, {first, last - first + 1});
    reach(updates, {part.box.begin[0], part.box.end[0] - part.box.begin[0]}, problem.geometry.step);
    const int64_t end = std::min(updates.end(), problem.updates);  // slices beyond a limit have none
    updates = {std::min(updates.first, end), end - std::min(updates.first, end)};
    const bool one = first == last;  // of one slice only some columns are read
    const Range columns = one ? Range{part.outputs.first % slice, part.outputs.count} : Range{0, slice};
    Range elements = {};
    if (updates.count > 0)
        elements = {updates.first * slice + columns.first, (updates.count - 1) * slice + columns.count};
    return {part.starts ? part.outputs : Range{}, updates, elements};
}

std::string unfit(const Problem& problem)
{
    const std::string why = unfit_for_targets(problem);
    const TapAxis taps = taps_of(problem);
    return why.empty() ? unfit_for_boxes({&taps, 1}, problem.compute_type, problem.capabilities) : why;
}

Result<Plan> planned(const Problem& problem)
{
    std::vector<BroadcastAxis> axes;
    for (const ops::ScatterAxis& axis : problem.axes)
        axes.push_back({axis.extent, {axis.update}});
    Chain chain = chain_of(problem);
    Memory operands[] = {{.tensor = 0}, {.tensor = 0}, {.tensor = 0}, {.tensor = 3}};  // data stands in for updates
    const InputTensor x = {0, problem.elements(), problem.bytes()};
    InputTensor targets = {1, x.elements, x.element_bytes};
    InputTensor updates = {2, x.elements, x.element_bytes};
    if (problem.updates > 0) {
        operands[1] = chain.scratch(problem.updates, 4);
        operands[2] = {.tensor = 2};
        targets = {1, problem.updates, 4};
        updates.elements = problem.updates * problem.slice();
        VKONNX_RETURN_IF_ERROR(add_targets(chain, problem, operands[1]));
    }
    Gather gather = {.op = problem.geometry.op,
                     .compute_type = problem.compute_type,
                     .element_bytes = problem.bytes(),
                     .outputs = problem.elements(),
                     .output_operand = 3,
                     .inputs = {x, targets, updates},
                     .taps = {taps_of(problem)},
                     .kernel = *variant(modules::scatter, problem.compute_type),
                     .specialization = specialization::Scatter{.workgroup_size = workgroup_size(problem.capabilities),
                                                               .rank = uint32_t(axes.size()),
                                                               .reduction = uint32_t(problem.geometry.reduction)}
                                           .values(),
                     .goes_on = true,
                     .takes_boxes = true};
    gather.reads = [&](const Part& part) { return reads_of(problem, axes, part); };
    VKONNX_RETURN_IF_ERROR(chain.add(gather, operands));
    return plan_of(problem, chain);
}

}  // namespace

constinit const KernelOf<Problem> lines = {
    .name = "scatter", .variants = modules::scatter, .keeps_order = true, .unfit = unfit, .plan = planned};

}  // namespace vkonnx::plan::scatter
