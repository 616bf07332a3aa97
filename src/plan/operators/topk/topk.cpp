// SPDX-License-Identifier: Apache-2.0
// This file plans TopK as a merge sort along the axis, which keeps the first k elements of each run. The bits of a result don't
// depend on how passes are cut, because pairs are compared by key and place, and no two have the same place.
#include <bit>

#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/chain.h"
#include "plan/engines/order.h"
#include "plan/operators/operators.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/library/plain_constants.h"
#include "shaders/operators/topk/topk.h"
#include "shaders/operators/topk/topk_constants.h"

namespace vkonnx::plan {
namespace topk {
namespace {

using ops::TopKGeometry;

constexpr std::string_view op = TopK::name;

// A place of a merged run is found in as many iterations as its bisection takes.
constexpr uint32_t most_iterations = 32;

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const TopKGeometry& geometry;
    ComputeType compute_type = ComputeType::u64;  // the type that carries a pair
    int64_t outputs = 0;
};

uint32_t pair_bytes(const Problem& problem)
{
    return problem.compute_type == ComputeType::u128 ? 16 : 8;
}

// Returns the passes. The first one merges runs of one element, and the last one leaves one run.
std::vector<push::TopKPass> passes_of(const TopKGeometry& g)
{
    // Runs of so many elements keep so many together.
    const auto width = [&](int64_t length) {
        return uint32_t(g.extent / length * std::min(length, g.kept) + std::min(g.extent % length, g.kept));
    };
    std::vector<push::TopKPass> passes;
    int64_t length = 1;
    do {
        passes.push_back({.extent = uint32_t(g.extent),
                          .inner = uint32_t(g.inner),
                          .covers = uint32_t(length),
                          .kept = uint32_t(std::min(length, g.kept)),
                          .width = width(length),
                          .to_kept = uint32_t(std::min(2 * length, g.kept)),
                          .to_width = width(2 * length)});
        length *= 2;
    } while (length < g.extent);
    return passes;
}

// Returns the elements of X that a pass reads for these outputs, as one range: those of the runs that are merged.
Range read_by(const push::TopKPass& pass, const Range& outputs)
{
    const int64_t to_row = int64_t(pass.to_width) * pass.inner;
    const int64_t first_row = outputs.first / to_row;
    const int64_t last_row = (outputs.end() - 1) / to_row;
    int64_t first = first_row * pass.width;
    int64_t end = (last_row + 1) * pass.width;
    if (first_row == last_row) {
        const int64_t merged = int64_t(pass.to_kept) * pass.inner;
        end = std::min(end, first + ((outputs.end() - 1) % to_row / merged + 1) * 2 * pass.kept);
        first += outputs.first % to_row / merged * 2 * pass.kept;
    }
    return {first * pass.inner, (end - first) * pass.inner};
}

std::string unfit(const Problem& problem)
{
    if (problem.capabilities.max_loop_iterations >= most_iterations)
        return "";
    return too_many_iterations("its loops", problem.capabilities);
}

int64_t elements_of(const TopKGeometry& g, uint32_t width)
{
    return g.outer * width * g.inner;
}

Status add_pass(Chain& chain, const Problem& problem, const push::TopKPass& pass, bool is_first, bool is_last, const Memory& from,
                const Memory& to)
{
    const TopKGeometry& g = problem.geometry;
    const ComputeType compute_type = is_last ? ComputeType::u64 : problem.compute_type;
    const uint32_t pair = pair_bytes(problem);
    const Order order = order_of(g.input.dtype);
    Gather gather = {.op = op,
                     .compute_type = compute_type,
                     .element_bytes = is_last ? uint32_t(sizeof(int64_t)) : pair,
                     .outputs = elements_of(g, pass.to_width),
                     .output_operand = 1,
                     .inputs = {{0, elements_of(g, pass.width), is_first ? order.bits / 8 : pair}},
                     .kernel = *variant(modules::topk, compute_type),
                     .uses_uniform = false,
                     .push = bytes_of(pass)};
    gather.reads = [pass](const Part& part) { return Reads{read_by(pass, part.outputs)}; };
    gather.specialization = specialization::TopK{.workgroup_size = workgroup_size(problem.capabilities),
                                                 .bits = order.bits,
                                                 .infinity = order.infinity,
                                                 .is_signed = order.is_signed,
                                                 .least = g.least,
                                                 .pair_words = is_first ? 0 : pair / 4,
                                                 .to_pairs = !is_last}
                                .values();
    const Memory operands[] = {from, to};
    return chain.add(gather, operands);
}

// Adds the step that writes Values: the elements of X at Indices.
Status add_values(Chain& chain, const Problem& problem, const Memory& indices)
{
    const TopKGeometry& g = problem.geometry;
    const uint32_t width = bits(g.input.dtype);
    const ComputeType compute_type = *raw_type_of(width);
    const int64_t row = g.kept * g.inner;
    push::TopKPass all = {};
    all.extent = uint32_t(g.extent);
    all.inner = uint32_t(g.inner);
    all.kept = uint32_t(g.kept);
    Gather gather = {.op = op,
                     .compute_type = compute_type,
                     .element_bytes = width / 8,
                     .outputs = problem.outputs,
                     .output_operand = 2,
                     .inputs = {{0, g.outer * g.extent * g.inner}, {1, problem.outputs, sizeof(int64_t)}},
                     .kernel = *variant(modules::topk_values, compute_type),
                     .specialization = specialization::Plain{workgroup_size(problem.capabilities)}.values(),
                     .uses_uniform = false,
                     .push = bytes_of(all)};
    gather.reads = [extent = g.extent * g.inner, row](const Part& part) {
        const int64_t first = part.outputs.first / row;
        const int64_t end = divide_up(part.outputs.end(), row);
        return Reads{Range{first * extent, (end - first) * extent}, part.outputs};
    };
    const Memory operands[] = {{.tensor = 0}, indices, {.tensor = 1}};
    return chain.add(gather, operands);
}

Result<Plan> planned(const Problem& problem)
{
    const TopKGeometry& g = problem.geometry;
    const std::vector<push::TopKPass> passes = passes_of(g);
    std::vector<uint64_t> tensor_bytes = {buffer_bytes(*byte_size(g.input)), buffer_bytes(*byte_size(g.output))};
    const uint64_t indices_bytes = uint64_t(problem.outputs) * sizeof(int64_t);
    if (g.outputs > 1)
        tensor_bytes.push_back(indices_bytes);
    Chain chain(op, problem.capabilities, problem.options, 1, std::move(tensor_bytes));
    // A pass writes where the one before its predecessor did, and no pass writes more than the two first ones.
    Memory rooms[2];
    for (size_t i = 0; i + 1 < passes.size() && i < 2; ++i)
        rooms[i] = chain.scratch(elements_of(g, passes[i].to_width), pair_bytes(problem));
    const Memory indices = g.outputs > 1 ? Memory{.tensor = 2} : chain.scratch(problem.outputs, sizeof(int64_t));
    Memory from = {.tensor = 0};
    for (size_t i = 0; i < passes.size(); ++i) {
        const bool is_last = i + 1 == passes.size();
        Memory to = is_last ? indices : rooms[i % 2];
        if (!is_last)
            to.bytes = buffer_bytes(uint64_t(elements_of(g, passes[i].to_width)) * pair_bytes(problem));
        VKONNX_RETURN_IF_ERROR(add_pass(chain, problem, passes[i], i == 0, is_last, from, to));
        from = to;
    }
    VKONNX_RETURN_IF_ERROR(add_values(chain, problem, indices));
    return chain.take();
}

// The kernel takes any rank, axis and k.
constexpr KernelOf<Problem> kernel = {
    .name = "topk", .variants = modules::topk, .keeps_order = true, .unfit = unfit, .plan = planned};
constexpr const KernelOf<Problem>* kernels[] = {&kernel};

Result<Problem> problem_of(const TopKGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    constexpr Needs needs = {.storage_buffers = 3, .push_constant_bytes = sizeof(push::GatherPart) + sizeof(push::TopKPass)};
    const bool wide = bits(geometry.input.dtype) == 64;
    Result<Problem> problem = common_problem<Problem>(op, needs, geometry, wide ? ComputeType::u128 : ComputeType::u64,
                                                      geometry.output, capabilities, options);
    if (!problem || problem->outputs == 0)
        return problem;
    VKONNX_RETURN_IF_ERROR(check_addressable(op, "X", geometry.input));
    return problem;
}

}  // namespace
}  // namespace topk

Result<Plan> plan_for(const ops::TopKGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    return best_plan(topk::op, topk::kernels, topk::problem_of(geometry, capabilities, options));
}

Kernels kernels_for(const ops::TopKGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    return all_choices(topk::op, topk::kernels, topk::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
