// SPDX-License-Identifier: Apache-2.0
// This file plans dot_product_attention_tiles for GPUs and dot_product_attention_rows for CPUs. Both go over the keys once, with
// a workgroup for a tile of queries, and need no memory for scores.
#include <algorithm>

#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/tiles.h"
#include "plan/operators/dot_product_attention/problem.h"
#include "return_if_error.h"
#include "shaders/operators/dot_product_attention/dot_product_attention.h"
#include "shaders/operators/dot_product_attention/dot_product_attention_tiles_constants.h"

namespace vkonnx::plan::dot_product_attention {
namespace {

using ops::DotProductAttentionGeometry;

constexpr uint32_t buffers = 5;
constexpr int64_t most_elements = 128;  // of a key and of a value
constexpr int64_t key_work = 8;         // multiply-adds that take as long as the exponential function of a score
constexpr int64_t loops_of_keys = 64;   // iterations for a tile of keys, at the most
constexpr int64_t staged_work = 32;     // multiply-adds of an invocation for what it waits for: six quads of shared memory

// Returns the most elements of a value. An invocation keeps a quad of sums for each 32 elements and each of its two queries. With
// 128 elements, compilers that have 64 registers move some of them to memory.
int64_t most_values(const Capabilities& capabilities)
{
    return capabilities.invocation_registers > 64 ? most_elements : 96;
}

uint64_t shared_bytes_of(const DotProductAttentionGeometry& g)
{
    const int64_t quads = ATTENTION_QUERIES * (divide_up(g.size, quad) | 1) + ATTENTION_KEYS * (ATTENTION_STAGED / quad + 1) +
                          ATTENTION_QUERIES * (ATTENTION_KEYS / quad + 1);
    return uint64_t(quads * quad + ATTENTION_QUERIES * 8) * sizeof(float);
}

std::string unfit(const Problem& problem)
{
    const DotProductAttentionGeometry& g = problem.geometry;
    const Capabilities& c = problem.capabilities;
    if (c.max_storage_buffers < buffers)
        return "it binds " + std::to_string(buffers) + " buffers, and the device allows " + std::to_string(c.max_storage_buffers);
    if (g.keys == 0)
        return "there are no keys";
    if (g.size == 0 || g.size > most_elements || g.value_size > most_values(c))
        return "keys and values have " + std::to_string(g.size) + " and " + std::to_string(g.value_size) +
               " elements, and it takes 1 to " + std::to_string(most_elements) + " and " + std::to_string(most_values(c));
    if (is_half(problem.compute_type) && g.value_size % quad != 0)
        return "values of " + std::to_string(g.value_size) + " halves are no multiple of 4";
    if (divide_up(g.keys, ATTENTION_KEYS) * loops_of_keys > c.max_loop_iterations)
        return too_many_iterations("its loop over the keys", c);
    for (size_t i = 1; i < g.inputs.size(); ++i) {
        const uint64_t bytes = buffer_bytes(uint64_t(problem.elements(i)) * problem.width());
        if (bytes > c.max_storage_buffer_range)
            return too_many_bytes(bytes, c);
    }
    if (c.max_workgroup_size[0] < ATTENTION_INVOCATIONS || c.max_invocations < ATTENTION_INVOCATIONS)
        return "it needs workgroups of " + std::to_string(ATTENTION_INVOCATIONS);
    if (shared_bytes_of(g) > c.max_shared_bytes)
        return "it needs " + std::to_string(shared_bytes_of(g)) + " shared bytes, and the device has " +
               std::to_string(c.max_shared_bytes);
    return "";
}

// Returns the elements of the batches in which the tiles are.
std::function<Range(const Range&)> batches_of(int64_t tiles_of_batch, int64_t batch)
{
    return [tiles = tiles_of_batch, batch](const Range& range) {
        const int64_t first = range.first / tiles;
        return Range{first * batch, ((range.end() - 1) / tiles + 1 - first) * batch};
    };
}

Result<Plan> planned(const Problem& problem)
{
    const DotProductAttentionGeometry& g = problem.geometry;
    const Capabilities& c = problem.capabilities;
    const int64_t tiles_of_batch = g.heads * divide_up(g.queries, ATTENTION_QUERIES);
    const auto inputs = uint32_t(g.inputs.size());
    Plan plan;
    for (size_t i = 0; i < inputs; ++i)
        plan.tensor_bytes.push_back(buffer_bytes(uint64_t(problem.elements(i)) * problem.width()));
    plan.tensor_bytes.push_back(buffer_bytes(uint64_t(problem.outputs) * problem.width()));
    plan.inputs = inputs;
    plan.max_submit_seconds = problem.options.max_dispatch_seconds;
    plan.uniform = uniform_of(problem, ATTENTION_QUERIES);
    plan.pipelines = {{.kernel = *variant(modules::dot_product_attention_tiles, problem.compute_type),
                       .specialization = specialization::DotProductAttentionTiles{.workgroup_size = ATTENTION_INVOCATIONS,
                                                                                  .has_bias = g.has_bias,
                                                                                  .size = uint32_t(g.size),
                                                                                  .value_size = uint32_t(g.value_size)}
                                             .values(),
                       .views = std::vector(buffers, View::storage),
                       .uses_uniform = true,
                       .push_bytes = sizeof(push::TileRange)}};
    const TiledTensor q = {.operand = {.tensor = 0},
                           .elements = problem.elements(0),
                           .element_bytes = problem.width(),
                           .unit = quad,
                           .used = batches_of(tiles_of_batch, g.q.batch)};
    const TiledTensor y = {.operand = {.tensor = uint8_t(inputs), .access = Access::write},
                           .elements = problem.outputs,
                           .element_bytes = problem.width(),
                           .unit = quad,
                           .used = batches_of(tiles_of_batch, g.y.batch)};
    // A work unit is a multiply-add that waits for its loads. Here several share a load, as in the engine of matrix products. The
    // half is a guess, until it is measured on a GPU. On CPUs barriers and shared memory take most of the time.
    const double share = c.is_cpu ? 32 : 0.5;
    const Tiles tiles = {
        .op = op,
        .compute_type = problem.compute_type,
        .workgroup_size = 1,
        .tiles = {0, g.batch * tiles_of_batch},
        .work = share * ATTENTION_QUERIES * (64 + double(g.keys) * double(g.size + g.value_size + key_work)),
        .lanes = ATTENTION_INVOCATIONS * staged_work,
        .from = q,
        .whole = {{.tensor = 1}, {.tensor = 2}, {.tensor = uint8_t(g.has_bias ? 3 : 2)}},  // V stands in for bias
        .to = y};
    VKONNX_RETURN_IF_ERROR(add_steps(tiles, c, problem.options, plan));
    return plan;
}

}  // namespace

constinit const KernelOf<Problem> tiles = {.name = "dot_product_attention_tiles",
                                           .variants = modules::dot_product_attention_tiles,
                                           .keeps_order = false,
                                           .unfit = unfit,
                                           .plan = planned};

}  // namespace vkonnx::plan::dot_product_attention
