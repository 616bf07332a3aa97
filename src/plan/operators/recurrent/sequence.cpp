// SPDX-License-Identifier: Apache-2.0
// This file plans recurrent_sequence, in which a workgroup goes through a sequence and its invocations share H, and
// recurrent_sequence_parts, in which several of its invocations also share a sum. A GPU needs those to read weights side by side.
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

// Returns what a workgroup computes at once: as many elements as H has, as far as the device allows. A CPU runs invocations in
// turns, so that more than 64 gain nothing there. Where sums have parts, these take at least half of the workgroup.
Group group_of(const Problem& problem, bool in_parts)
{
    const Capabilities& c = problem.capabilities;
    constexpr int64_t subgroup = 32;
    const int64_t device = std::min<int64_t>(c.max_invocations, c.max_workgroup_size[0]);
    const int64_t most = std::min<int64_t>(in_parts ? 1024 : c.is_cpu ? 64 : 256, device);
    const int64_t wanted = divide_up(problem.geometry.hidden, subgroup) * subgroup;
    const int64_t elements = std::max<int64_t>(1, std::min(in_parts ? most / 2 : most, wanted));
    return in_parts ? group_in_parts(problem, elements, most) : Group{.elements = elements};
}

// Returns how many elements of H an invocation works at, one after the other.
int64_t turns_of(const Problem& problem, const Group& group)
{
    return divide_up(problem.geometry.hidden, group.elements);
}

// Returns the iterations of an invocation's loops that round H in one time step: it rounds some quads for the whole workgroup.
int64_t rounding_iterations(const Problem& problem, const Group& group)
{
    return problem.rounding_iterations(divide_up(problem.quads, group.invocations()));
}

// Returns the iterations of an invocation's loops in one time step. iterations_beside returns those beside all time steps.
int64_t iterations_of(const Problem& problem, const Group& group)
{
    constexpr int64_t beside = 8;  // iterations over functions, and of the loop over elements
    const int64_t sum = divide_up(problem.quads, group.parts) + group.parts;
    const int64_t sums = saturated_product(turns_of(problem, group), (problem.resets_first() ? 2 : 1) * (sum + beside));
    return saturated_sum(sums, rounding_iterations(problem, group) + 1);
}

int64_t iterations_beside(const Problem& problem, const Group& group)
{
    return 2 * divide_up(problem.quads, group.invocations()) + 8;
}

int64_t shared_bytes(const Problem& problem, const Group& group)
{
    const bool has_instead = problem.geometry.kind == ops::RecurrentKind::gru || problem.geometry.rounds_h;
    return (has_instead ? 3 : 2) * problem.quads * 16 + group.shared_bytes();
}

// Estimates the seconds of a time step of all sequences. A workgroup reads all of R for itself, as fast as it can.
double seconds_of_step(const Problem& problem, const Group& group)
{
    const Capabilities& c = problem.capabilities;
    const double work = double(problem.geometry.hidden) * double(problem.element_work()) +
                        double(group.invocations()) * 2 * double(rounding_iterations(problem, group));
    if (c.is_cpu) {
        constexpr double cores = 4;  // how many there may be; a workgroup runs on one
        return work / c.work_per_second * std::max(double(problem.rows), cores) * (group.parts > 1 ? 2 : 1);
    }
    constexpr double work_of_a_group = 4e10, latency = 2e-6;  // of an NVIDIA H200
    const double waiting =
        double(turns_of(problem, group) * (problem.resets_first() ? 2 : 1)) * waiting_seconds(problem, group.parts);
    return latency + std::max({waiting, work / work_of_a_group, work * double(problem.rows) / c.work_per_second});
}

template <bool in_parts>
std::string unfit(const Problem& problem)
{
    const Capabilities& c = problem.capabilities;
    const Group group = group_of(problem, in_parts);
    if (in_parts && !group.has_parts())
        return "H or the device's workgroups are too small for parts";
    if (shared_bytes(problem, group) > int64_t(c.max_shared_bytes))
        return "its states are more than the device's " + std::to_string(c.max_shared_bytes) + " shared bytes";
    if (saturated_sum(iterations_of(problem, group), iterations_beside(problem, group)) > loop_limit(1, c))
        return too_many_iterations("the loops of a step", c);
    if (seconds_of_step(problem, group) > problem.options.max_dispatch_seconds)
        return "a step would take longer than PrepareOptions::max_dispatch_seconds";
    const auto& most = c.max_group_count;
    if (saturated_product({most[0], most[1], most[2]}) < problem.rows)
        return "there are fewer workgroups than sequences";
    return unfit_for_ranges(problem);
}

template <bool in_parts>
Result<Plan> planned(const Problem& problem)
{
    const Capabilities& c = problem.capabilities;
    const int64_t count = problem.geometry.steps;
    const Group group = group_of(problem, in_parts);
    const double seconds = seconds_of_step(problem, group);
    const int64_t in_loops = (loop_limit(1, c) - iterations_beside(problem, group)) / iterations_of(problem, group);
    const auto in_time = int64_t(std::min(problem.options.max_dispatch_seconds / seconds, 0x1p31));
    const int64_t at_once = std::clamp<int64_t>(std::min(in_loops, in_time), 1, count);
    VKONNX_RETURN_IF_ERROR(check_dispatches(problem.geometry.op, {divide_up(count, at_once)}));
    Program program(problem);
    VKONNX_RETURN_IF_ERROR(program.begin());
    for (int64_t first = 0; first < count; first += at_once) {
        const int64_t steps = std::min(at_once, count - first);
        program.add({.shares = true,
                     .group = group,
                     .first_step = first,
                     .steps = steps,
                     .groups = groups_of(problem.rows, 1, c),
                     .seconds = double(steps) * seconds});
    }
    return program.finish(0);
}

}  // namespace

constinit const KernelOf<Problem> sequence = {.name = "recurrent_sequence",
                                              .variants = modules::recurrent_copy,
                                              .keeps_order = true,
                                              .unfit = unfit<false>,
                                              .plan = planned<false>};

constinit const KernelOf<Problem> sequence_parts = {.name = "recurrent_sequence_parts",
                                                    .variants = modules::recurrent_copy,
                                                    .keeps_order = false,
                                                    .unfit = unfit<true>,
                                                    .plan = planned<true>};

}  // namespace vkonnx::plan::recurrent
