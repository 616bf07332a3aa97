// Cutting a problem to what a device allows: groups per dimension, loop iterations per invocation.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"

namespace vkonnx::plan {

// Numbers that kernels hold in 32 bits stay below this: sums of two fit without a sign.
inline constexpr int64_t index_limit = int64_t(1) << 31;

// A plan with more dispatches is refused: of half a second each they would take nine hours, and planning takes some 0.4 KiB and
// a microsecond for each, so that no problem's plan takes more than 64 MB or a tenth of a second.
inline constexpr int64_t max_dispatches = 1 << 16;

int64_t divide_up(int64_t a, int64_t b);

// At least 1, also where the capabilities allow none: operators are refused there, but probes are not.
uint32_t workgroup_size(const Capabilities& capabilities);

// Saturate at INT64_MAX. For numbers that are not negative.
int64_t saturated_sum(int64_t a, int64_t b);
int64_t saturated_product(std::initializer_list<int64_t> factors);

// Groups that cover so many invocations, and may overshoot them, folded into three dimensions. They must fit the device's counts.
std::array<uint32_t, 3> groups_of(int64_t invocations, const Capabilities& capabilities);

// An axis of a kernel window, for bounding loops. Outputs meet every step-th tap, `most` of them at the most.
struct TapAxis {
    int64_t kernel = 1;
    int64_t step = 1;
    int64_t most = 1;
};

// A box of taps, an axis each, outermost first; axes that the rank lacks stand at the end as [0, 1).
struct TapBox {
    std::array<uint32_t, 6> begin = {0, 0, 0, 0, 0, 0};
    std::array<uint32_t, 6> end = {1, 1, 1, 1, 1, 1};
};

// All taps.
TapBox whole_window(std::span<const TapAxis> axes);

// Iterations of nested loops over the taps of all axes, the check that ends each loop included. Saturates at INT64_MAX.
int64_t nested_iterations(std::span<const TapAxis> axes);

// Iterations of the nd kernels for one channel: a loop over rows of taps, in each one over the axes and one over a row.
int64_t row_iterations(std::span<const TapAxis> axes);

// What the nd kernels' loops over axes take beside.
inline constexpr int64_t nd_fixed_iterations = 512;

// Cuts the window into boxes of at most `budget` row_iterations and, for one output, `most_taps` each, in the order of the sum
// (taps row-major), as few as that order allows. Empty when even single taps are too many, or the boxes are more than
// max_dispatches.
std::vector<TapBox> split_taps(std::span<const TapAxis> axes, int64_t budget, int64_t most_taps = INT64_MAX);

// A kernel that might run a problem, best first. `unfit` says why it can't; empty when it can.
struct Candidate {
    std::string_view name;
    std::string unfit = {};
};

// The first that fits, or the forced one; an error names those that fit.
Result<size_t> choose_kernel(std::string_view op, std::span<const Candidate> candidates, std::string_view forced);

// A general kernel fits wherever split_taps found boxes.
Candidate nd_candidate(std::string_view kernel, std::span<const TapBox> boxes, const Capabilities& capabilities);

// Why the chosen candidate, for people.
std::string why(std::span<const Candidate> candidates, size_t chosen, std::string_view forced);

// The plan of the first candidate that fits and can be cut to the device's limits, which `plan_with` finds out by its number.
template <class PlanWith>
Result<Plan> first_that_plans(std::string_view op, std::vector<Candidate> candidates, std::string_view forced, PlanWith plan_with)
{
    while (true) {
        const Result<size_t> chosen = choose_kernel(op, candidates, forced);
        if (!chosen)
            return chosen.status();
        Result<Plan> plan = plan_with(*chosen);
        if (plan) {
            plan->why = why(candidates, *chosen, forced);
            return plan;
        }
        if (!forced.empty() || plan.code() != Code::unsupported || *chosen + 1 == candidates.size())
            return plan;
        candidates[*chosen].unfit = plan.message();
    }
}

// What an operator's kernels take of a device.
struct Needs {
    uint32_t storage_buffers = 0;
    uint32_t push_constant_bytes = 0;
    uint32_t uniform_bytes = 0;
};

// Refusals that all operators share. Capabilities with which nothing can be planned, or not this operator: all other limits are
// kept by cutting, or are too low for a problem's own reason (max_storage_buffer_range, max_loop_iterations). No kernel depends
// on max_shared_bytes or subgroup_size.
Status check_capabilities(std::string_view op, const Capabilities& capabilities, const Needs& needs);
// More dispatches, as a product of these, than max_dispatches; or just more, without a number.
Status check_dispatches(std::string_view op, std::initializer_list<int64_t> factors);
Status too_many_dispatches(std::string_view op);
// A tensor beyond 31-bit element numbers. One without elements, too, must have no extents that would be beyond them together:
// strides and counts of taps are products of some of its extents.
Status check_addressable(std::string_view op, std::string_view tensor, const TensorDesc& desc);

template <class Push>
std::vector<std::byte> bytes_of(const Push& push)
{
    auto bytes = std::as_bytes(std::span(&push, 1));
    return {bytes.begin(), bytes.end()};
}

}  // namespace vkonnx::plan
