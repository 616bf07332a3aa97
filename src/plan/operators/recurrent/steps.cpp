// SPDX-License-Identifier: Apache-2.0
// This file plans recurrent_steps: one or two dispatches for each time step, of as many workgroups as H is large. It needs no
// shared memory, so that H may have any size. In recurrent_steps_parts several invocations of a workgroup share a sum.
#include <algorithm>
#include <vector>

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

// This struct describes the dispatches of a step that compute one kind of thing: elements of H, or quads of the rounded H.
struct Phase {
    bool instead = false;
    int64_t count = 0;      // of all rows
    int64_t work = 0;       // multiply-adds of each
    int64_t per_group = 1;  // how many a workgroup computes
};

// Returns the phases of a step in their order.
std::vector<Phase> phases_of(const Problem& problem, const Group& group)
{
    const Phase elements = {
        .count = 4 * problem.quads * problem.rows, .work = problem.element_work(), .per_group = group.elements};
    std::vector<Phase> phases;
    if (problem.geometry.rounds_h)
        phases.push_back({.instead = true,
                          .count = problem.quads * problem.rows,
                          .work = 2 * problem.rounding_iterations(1),
                          .per_group = group.invocations()});
    if (problem.resets_first()) {
        phases.push_back(elements);
        phases.back().instead = true;
    }
    phases.push_back(elements);
    return phases;
}

// Estimates the seconds of a dispatch that computes so much of a phase.
double seconds_of(const Problem& problem, const Group& group, const Phase& phase, int64_t count)
{
    const Capabilities& c = problem.capabilities;
    const double latency = c.is_cpu ? group.parts > 1 ? 40e-6 : 20e-6 : 4e-6;
    return latency + std::max(waiting_seconds(problem, group.parts), double(phase.work) * double(count) / c.work_per_second);
}

// Returns how much of a phase a dispatch may compute.
int64_t at_once(const Problem& problem, const Phase& phase)
{
    const Capabilities& c = problem.capabilities;
    const auto& most = c.max_group_count;
    const int64_t grid = saturated_product({most[0], most[1], most[2], phase.per_group});
    const double in_time = problem.options.max_dispatch_seconds * c.work_per_second / double(phase.work);
    const int64_t count = std::clamp<int64_t>(std::min(grid, int64_t(std::min(in_time, 0x1p31))), 1, phase.count);
    return count < phase.count && count > phase.per_group ? count - count % phase.per_group : count;
}

template <bool in_parts>
std::string unfit(const Problem& problem)
{
    const Capabilities& c = problem.capabilities;
    const Group group = group_of(problem, in_parts);
    if (in_parts && (!group.has_parts() || group.shared_bytes() > int64_t(c.max_shared_bytes)))
        return "H, the device's workgroups or its shared memory are too small for parts";
    if (std::max(problem.quads, problem.rounding_iterations(1)) + beside > loop_limit(1, c))
        return too_many_iterations("the loop over H", c);
    const double most = problem.options.max_dispatch_seconds;
    for (const Phase& phase : phases_of(problem, group))
        if (double(phase.work) / c.work_per_second > most || double(phase.work) / invocation_work_per_second > most)
            return "an element of a step would take longer than PrepareOptions::max_dispatch_seconds";
    return unfit_for_ranges(problem);
}

template <bool in_parts>
Result<Plan> planned(const Problem& problem)
{
    const Capabilities& c = problem.capabilities;
    const Group group = group_of(problem, in_parts);
    const int64_t count = problem.geometry.steps;
    const std::vector<Phase> phases = phases_of(problem, group);
    int64_t dispatches = 0;
    for (const Phase& phase : phases)
        dispatches = saturated_sum(dispatches, divide_up(phase.count, at_once(problem, phase)));
    VKONNX_RETURN_IF_ERROR(check_dispatches(problem.geometry.op, {count, dispatches}));
    Program program(problem);
    VKONNX_RETURN_IF_ERROR(program.begin());
    for (int64_t step = 0; step < count; ++step)
        for (const Phase& phase : phases)
            for (int64_t first = 0; first < phase.count; first += at_once(problem, phase)) {
                const int64_t part = std::min(at_once(problem, phase), phase.count - first);
                program.add({.group = group,
                             .first_step = step,
                             .first = first,
                             .count = part,
                             .instead = phase.instead,
                             .groups = groups_of(part, phase.per_group, c),
                             .seconds = seconds_of(problem, group, phase, part)});
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
