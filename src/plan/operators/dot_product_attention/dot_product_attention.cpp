// SPDX-License-Identifier: Apache-2.0
// This file plans dot_product_attention, for any sizes: a gather that computes an element of Y at a time.
#include "plan/operators/operators.h"

#include <bit>

#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/gather.h"
#include "plan/operators/dot_product_attention/problem.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/operators/dot_product_attention/dot_product_attention.h"
#include "shaders/operators/dot_product_attention/dot_product_attention_constants.h"

namespace vkonnx::plan {
namespace dot_product_attention {

using ops::DotProductAttentionGeometry;
using ops::HeadSteps;

std::vector<std::byte> uniform_of(const Problem& problem, int64_t tile)
{
    const DotProductAttentionGeometry& g = problem.geometry;
    const auto word = [](int64_t number) { return uint32_t(number); };
    return bytes_of(push::DotProductAttentionProblem{.heads = word(g.heads),
                                                     .heads_per_key_head = word(g.heads / g.key_heads),
                                                     .queries = word(g.queries),
                                                     .keys = word(g.keys),
                                                     .size = word(g.size),
                                                     .value_size = word(g.value_size),
                                                     .q_batch = word(g.q.batch),
                                                     .q_head = word(g.q.head),
                                                     .q_row = word(g.q.row),
                                                     .k_batch = word(g.k.batch),
                                                     .k_head = word(g.k.head),
                                                     .k_row = word(g.k.row),
                                                     .v_batch = word(g.v.batch),
                                                     .v_head = word(g.v.head),
                                                     .v_row = word(g.v.row),
                                                     .y_batch = word(g.y.batch),
                                                     .y_head = word(g.y.head),
                                                     .y_row = word(g.y.row),
                                                     .bias_batch = word(g.bias.batch),
                                                     .bias_head = word(g.bias.head),
                                                     .bias_query = word(g.bias.row),
                                                     .bias_key = word(g.bias_key),
                                                     .scale = std::bit_cast<uint32_t>(float(g.scale)),
                                                     .joins_heads = g.output.dims.size() == 3,
                                                     .tiles = word(divide_up(g.queries, tile)),
                                                     .padding_ = {}});
}

namespace {

// Returns the iterations for an element of Y.
int64_t iterations_of(const Problem& problem)
{
    return saturated_product({2, problem.geometry.keys, problem.geometry.size + 1});
}

std::string unfit(const Problem& problem)
{
    const int64_t most = loop_limit(problem.compute_type, problem.capabilities);
    if (iterations_of(problem) > most)
        return "its " + std::to_string(iterations_of(problem)) + " iterations for an element are more than the device's " +
               std::to_string(most);
    return "";
}

// Ranges of coordinates that some elements of Y have.
struct Coordinates {
    Range batches = {};
    Range heads = {};
    Range queries = {};
    Range columns = {};
};

Coordinates coordinates_of(const DotProductAttentionGeometry& g, const Range& outputs)
{
    Coordinates c;
    if (g.output.dims.size() == 3)
        visit_bounds(outputs, std::array{g.batch, g.queries, g.heads, g.value_size}, [&](size_t i, const Range& range) {
            *std::array{&c.batches, &c.queries, &c.heads, &c.columns}[i] = range;
        });
    else
        visit_bounds(outputs, std::array{g.batch, g.heads, g.queries, g.value_size}, [&](size_t i, const Range& range) {
            *std::array{&c.batches, &c.heads, &c.queries, &c.columns}[i] = range;
        });
    return c;
}

// Returns the range from the first to the last of the elements with these coordinates.
Range elements_of(const HeadSteps& steps, const Range& batches, const Range& heads, const Range& rows, const Range& columns,
                  int64_t step)
{
    Range flat = {0, 1};
    reach(flat, batches, steps.batch);
    reach(flat, heads, steps.head);
    reach(flat, rows, steps.row);
    reach(flat, columns, step);
    return flat;
}

Reads reads_of(const DotProductAttentionGeometry& g, const Range& outputs)
{
    const Coordinates c = coordinates_of(g, outputs);
    const int64_t shared = g.heads / g.key_heads;
    const int64_t first_head = c.heads.first / shared;
    const Range key_heads = {first_head, (c.heads.end() - 1) / shared + 1 - first_head};
    const Range keys = {0, g.keys}, size = {0, g.size};
    Reads reads = {};
    if (g.keys == 0)
        return reads;
    if (g.size > 0) {
        reads[0] = elements_of(g.q, c.batches, c.heads, c.queries, size, 1);
        reads[1] = elements_of(g.k, c.batches, key_heads, keys, size, 1);
    }
    reads[2] = elements_of(g.v, c.batches, key_heads, keys, c.columns, 1);
    if (g.has_bias)
        reads[3] = elements_of(g.bias, c.batches, c.heads, c.queries, keys, g.bias_key);
    return reads;
}

Result<Plan> planned(const Problem& problem)
{
    const DotProductAttentionGeometry& g = problem.geometry;
    const auto inputs = uint8_t(g.inputs.size());
    const std::span<const Variant> variants = g.has_bias ? modules::dot_product_attention_bias1 : modules::dot_product_attention;
    Gather gather = {.op = op,
                     .compute_type = problem.compute_type,
                     .element_bytes = problem.width(),
                     .outputs = problem.outputs,
                     .output_operand = inputs,
                     .reads = [&g](const Part& part) { return reads_of(g, part.outputs); },
                     .taps = {{.kernel = g.keys, .most = g.keys}, {.kernel = 2 * g.size + 2, .most = 2 * g.size + 2}},
                     .kernel = *variant(variants, problem.compute_type)};
    for (uint8_t i = 0; i < inputs; ++i)
        gather.inputs.push_back({i, problem.elements(i)});
    gather.specialization = specialization::DotProductAttention{.workgroup_size = workgroup_size(problem.capabilities),
                                                                .exact_division = problem.options.reproducible}
                                .values();
    Result<Plan> plan = plan_gather(gather, problem.capabilities, problem.options);
    if (plan)
        plan->uniform = uniform_of(problem, 1);
    return plan;
}

constexpr KernelOf<Problem> any = {.name = "dot_product_attention",
                                   .variants = modules::dot_product_attention,
                                   .keeps_order = true,
                                   .last_resort = true,
                                   .unfit = unfit,
                                   .plan = planned};
constexpr const KernelOf<Problem>* kernels[] = {&tiles, &any};

Result<Problem> problem_of(const DotProductAttentionGeometry& geometry, const Capabilities& capabilities,
                           const PrepareOptions& options)
{
    const Needs needs = {.storage_buffers = geometry.has_bias ? 5u : 4u,
                         .push_constant_bytes = sizeof(push::GatherPart),
                         .uniform_bytes = sizeof(push::DotProductAttentionProblem)};
    Result<Problem> problem = common_problem<Problem>(
        op, needs, geometry, compute_type_of(op, geometry.output.dtype, capabilities), geometry.output, capabilities, options);
    if (!problem || problem->outputs == 0)
        return problem;
    static constexpr std::string_view names[] = {"input Q", "input K", "input V", "input bias"};
    for (size_t i = 0; i < geometry.inputs.size(); ++i)
        VKONNX_RETURN_IF_ERROR(check_addressable(op, names[i], geometry.inputs[i]));
    VKONNX_RETURN_IF_ERROR(check_addressable(op, "output Y", geometry.output));
    return problem;
}

}  // namespace
}  // namespace dot_product_attention

Result<Plan> plan_for(const ops::DotProductAttentionGeometry& geometry, const Capabilities& capabilities,
                      const PrepareOptions& options)
{
    return best_plan(dot_product_attention::op, dot_product_attention::kernels,
                     dot_product_attention::problem_of(geometry, capabilities, options));
}

Kernels kernels_for(const ops::DotProductAttentionGeometry& geometry, const Capabilities& capabilities,
                    const PrepareOptions& options)
{
    return all_choices(dot_product_attention::op, dot_product_attention::kernels,
                       dot_product_attention::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
