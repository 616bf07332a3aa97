// SPDX-License-Identifier: Apache-2.0
// This file plans recurrent_sequence, in which a workgroup goes through a sequence and its invocations share H.
#include <algorithm>

#include "modules.h"
#include "plan/arithmetic.h"
#include "plan/gather.h"
#include "plan/grid.h"
#include "plan/limits.h"
#include "plan/recurrent/problem.h"
#include "return_if_error.h"

namespace vkonnx::plan::recurrent {
namespace {

// Returns the invocations of a workgroup: as many as H has elements, as far as the device allows. A CPU runs them in turns, so
// that more than 64 gain nothing there.
int64_t group_of(const Problem& problem)
{
    const Capabilities& c = problem.capabilities;
    constexpr int64_t subgroup = 32;
    const int64_t most = std::min<int64_t>({c.is_cpu ? 64 : 256, c.max_invocations, c.max_workgroup_size[0]});
    return std::max<int64_t>(1, std::min(most, divide_up(problem.geometry.hidden, subgroup) * subgroup));
}

// Returns how many elements of H an invocation computes.
int64_t elements_of(const Problem& problem)
{
    return divide_up(problem.geometry.hidden, group_of(problem));
}

// Returns the iterations of an invocation's loops in one time step. iterations_beside returns those beside all time steps.
int64_t iterations_of(const Problem& problem)
{
    constexpr int64_t beside = 8;  // iterations over functions, and of the loop over elements
    return saturated_product(elements_of(problem), (problem.resets_first() ? 2 : 1) * (problem.quads + beside)) + 1;
}

int64_t iterations_beside(const Problem& problem)
{
    return 2 * divide_up(problem.quads, group_of(problem)) + 8;
}

int64_t shared_bytes(const Problem& problem)
{
    return (problem.geometry.kind == ops::RecurrentKind::gru ? 3 : 2) * problem.quads * 16;
}

// Estimates the seconds of a time step of all sequences. A workgroup reads all of R for itself, as fast as it can.
double seconds_of_step(const Problem& problem)
{
    const Capabilities& c = problem.capabilities;
    const double work = double(problem.geometry.hidden) * double(problem.element_work());
    if (c.is_cpu) {
        constexpr double cores = 4;  // how many there may be; a workgroup runs on one
        return work / c.work_per_second * std::max(double(problem.rows), cores);
    }
    constexpr double work_of_a_group = 2e10, latency = 2e-6;
    return latency + work * std::max(1 / work_of_a_group, double(problem.rows) / c.work_per_second);
}

std::string unfit(const Problem& problem)
{
    const Capabilities& c = problem.capabilities;
    if (shared_bytes(problem) > int64_t(c.max_shared_bytes))
        return "its states are more than the device's " + std::to_string(c.max_shared_bytes) + " shared bytes";
    if (saturated_sum(iterations_of(problem), iterations_beside(problem)) > loop_limit(1, c))
        return "the loops of a step would exceed the device's " + std::to_string(c.max_loop_iterations) + " iterations";
    if (seconds_of_step(problem) > problem.options.max_dispatch_seconds)
        return "a step would take longer than PrepareOptions::max_dispatch_seconds";
    const auto& most = c.max_group_count;
    if (saturated_product({most[0], most[1], most[2]}) < problem.rows)
        return "there are fewer workgroups than sequences";
    return unfit_for_ranges(problem);
}

Result<Plan> planned(const Problem& problem)
{
    const Capabilities& c = problem.capabilities;
    const int64_t count = problem.geometry.steps;
    const double seconds = seconds_of_step(problem);
    const int64_t in_loops = (loop_limit(1, c) - iterations_beside(problem)) / iterations_of(problem);
    const auto in_time = int64_t(std::min(problem.options.max_dispatch_seconds / seconds, 0x1p31));
    const int64_t at_once = std::clamp<int64_t>(std::min(in_loops, in_time), 1, count);
    VKONNX_RETURN_IF_ERROR(check_dispatches(problem.geometry.op, {divide_up(count, at_once)}));
    Program program(problem);
    VKONNX_RETURN_IF_ERROR(program.begin());
    for (int64_t first = 0; first < count; first += at_once) {
        const int64_t steps = std::min(at_once, count - first);
        program.add({.shares = true,
                     .workgroup_size = uint32_t(group_of(problem)),
                     .first_step = first,
                     .steps = steps,
                     .groups = groups_of(problem.rows, 1, c),
                     .seconds = double(steps) * seconds});
    }
    return program.finish(0);
}

}  // namespace

constinit const KernelOf<Problem> sequence = {
    .name = "recurrent_sequence", .variants = modules::recurrent_copy, .keeps_order = true, .unfit = unfit, .plan = planned};

}  // namespace vkonnx::plan::recurrent
