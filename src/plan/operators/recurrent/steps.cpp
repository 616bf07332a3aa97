// SPDX-License-Identifier: Apache-2.0
// This file plans recurrent_steps: one or two dispatches for each time step, of as many workgroups as H is large. It needs no
// shared memory, so that H may have any size. In recurrent_steps_parts several invocations of a workgroup share a sum.
#include <algorithm>

#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/gather.h"
#include "plan/operators/recurrent/problem.h"
#include "return_if_error.h"

namespace vkonnx::plan::recurrent {
namespace {

constexpr int64_t beside = 8;  // iterations of the loops over functions

// Returns what a workgroup computes at once. With parts it is few elements: a device has many workgroups to spread them over.
Group group_of(const Problem& problem, bool in_parts)
{
    const int64_t most = workgroup_size(problem.capabilities);
    return in_parts ? group_in_parts(problem, std::max<int64_t>(1, most / 16), most) : Group{.elements = most};
}

// Estimates the seconds of a dispatch that computes so many elements of H.
double seconds_of(const Problem& problem, const Group& group, int64_t elements)
{
    const Capabilities& c = problem.capabilities;
    const double work = double(problem.element_work());
    const double latency = c.is_cpu ? group.parts > 1 ? 40e-6 : 20e-6 : 4e-6;
    return latency + std::max(waiting_seconds(problem, group.parts), work * double(elements) / c.work_per_second);
}

template <bool in_parts>
std::string unfit(const Problem& problem)
{
    const Capabilities& c = problem.capabilities;
    const Group group = group_of(problem, in_parts);
    if (in_parts && (!group.has_parts() || group.shared_bytes() > int64_t(c.max_shared_bytes)))
        return "H, the device's workgroups or its shared memory are too small for parts";
    if (problem.quads + problem.rounding_iterations() + beside > loop_limit(1, c))
        return "the loop over H would exceed the device's " + std::to_string(c.max_loop_iterations) + " iterations";
    const double work = double(problem.element_work());
    const double most = problem.options.max_dispatch_seconds;
    if (work / c.work_per_second > most || work / invocation_work_per_second > most)
        return "an element of a step would take longer than PrepareOptions::max_dispatch_seconds";
    return unfit_for_ranges(problem);
}

template <bool in_parts>
Result<Plan> planned(const Problem& problem)
{
    const Capabilities& c = problem.capabilities;
    const Group group = group_of(problem, in_parts);
    const int64_t elements = 4 * problem.quads * problem.rows;
    const auto& most = c.max_group_count;
    const int64_t grid = saturated_product({most[0], most[1], most[2], group.elements});
    const double in_time = problem.options.max_dispatch_seconds * c.work_per_second / double(problem.element_work());
    int64_t at_once = std::clamp<int64_t>(std::min(grid, int64_t(std::min(in_time, 0x1p31))), 1, elements);
    if (at_once < elements && at_once > group.elements)
        at_once -= at_once % group.elements;
    const int64_t count = problem.geometry.steps;
    const int64_t phases = problem.resets_first() ? 2 : 1;
    VKONNX_RETURN_IF_ERROR(check_dispatches(problem.geometry.op, {count, phases, divide_up(elements, at_once)}));
    Program program(problem);
    VKONNX_RETURN_IF_ERROR(program.begin());
    for (int64_t step = 0; step < count; ++step)
        for (int64_t phase = 0; phase < phases; ++phase)
            for (int64_t first = 0; first < elements; first += at_once) {
                const int64_t part = std::min(at_once, elements - first);
                program.add({.group = group,
                             .first_step = step,
                             .first = first,
                             .count = part,
                             .resets = phase + 1 < phases,
                             .groups = groups_of(part, group.elements, c),
                             .seconds = seconds_of(problem, group, part)});
            }
    return program.finish(count % 2);
}

}  // namespace

constinit const KernelOf<Problem> steps = {.name = "recurrent_steps",
                                           .variants = modules::recurrent_copy,
                                           .keeps_order = true,
                                           .unfit = unfit<false>,
                                           .plan = planned<false>};

constinit const KernelOf<Problem> steps_parts = {.name = "recurrent_steps_parts",
                                                 .variants = modules::recurrent_copy,
                                                 .keeps_order = false,
                                                 .unfit = unfit<true>,
                                                 .plan = planned<true>};

}  // namespace vkonnx::plan::recurrent
