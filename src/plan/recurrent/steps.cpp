// SPDX-License-Identifier: Apache-2.0
// This file plans recurrent_steps: one or two dispatches for each time step, of as many workgroups as H is large. It needs no
// shared memory, so that H may have any size.
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

constexpr int64_t beside = 8;  // iterations of the loops over functions

// Estimates the seconds of a dispatch that computes so many elements of H.
double seconds_of(const Problem& problem, int64_t elements)
{
    const Capabilities& c = problem.capabilities;
    const double work = double(problem.element_work());
    const double latency = c.is_cpu ? 20e-6 : 4e-6;
    return latency + work * double(elements) / c.work_per_second;
}

std::string unfit(const Problem& problem)
{
    const Capabilities& c = problem.capabilities;
    if (problem.quads + beside > loop_limit(1, c))
        return "the loop over H would exceed the device's " + std::to_string(c.max_loop_iterations) + " iterations";
    const double work = double(problem.element_work());
    const double most = problem.options.max_dispatch_seconds;
    if (work / c.work_per_second > most || work / invocation_work_per_second > most)
        return "an element of a step would take longer than PrepareOptions::max_dispatch_seconds";
    return unfit_for_ranges(problem);
}

Result<Plan> planned(const Problem& problem)
{
    const Capabilities& c = problem.capabilities;
    const int64_t group = workgroup_size(c);
    const int64_t elements = 4 * problem.quads * problem.rows;
    const auto& most = c.max_group_count;
    const int64_t grid = saturated_product({most[0], most[1], most[2], group});
    const double in_time = problem.options.max_dispatch_seconds * c.work_per_second / double(problem.element_work());
    int64_t at_once = std::clamp<int64_t>(std::min(grid, int64_t(std::min(in_time, 0x1p31))), 1, elements);
    if (at_once < elements && at_once > group)
        at_once -= at_once % group;
    const int64_t count = problem.geometry.steps;
    const int64_t phases = problem.resets_first() ? 2 : 1;
    VKONNX_RETURN_IF_ERROR(check_dispatches(problem.geometry.op, {count, phases, divide_up(elements, at_once)}));
    Program program(problem);
    VKONNX_RETURN_IF_ERROR(program.begin());
    for (int64_t step = 0; step < count; ++step)
        for (int64_t phase = 0; phase < phases; ++phase)
            for (int64_t first = 0; first < elements; first += at_once) {
                const int64_t part = std::min(at_once, elements - first);
                program.add({.workgroup_size = uint32_t(group),
                             .first_step = step,
                             .first = first,
                             .count = part,
                             .resets = phase + 1 < phases,
                             .groups = groups_of(part, group, c),
                             .seconds = seconds_of(problem, part)});
            }
    return program.finish(count % 2);
}

}  // namespace

constinit const KernelOf<Problem> steps = {
    .name = "recurrent_steps", .variants = modules::recurrent_copy, .keeps_order = true, .unfit = unfit, .plan = planned};

}  // namespace vkonnx::plan::recurrent
