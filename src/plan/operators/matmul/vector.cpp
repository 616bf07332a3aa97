// SPDX-License-Identifier: Apache-2.0
// This file plans matmul_vector: products of few rows, such as a vector times a matrix. B is read once and as it lies, so that
// nothing is packed, and B may be larger than the device's buffer range.
#include <algorithm>
#include <bit>

#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/epilogue.h"
#include "plan/engines/tiles.h"
#include "plan/operators/matmul/problem.h"
#include "return_if_error.h"
#include "shaders/operators/matmul/matmul_vector.h"
#include "shaders/operators/matmul/matmul_vector_constants.h"

namespace vkonnx::plan::matmul {
namespace {

using ops::MatMulGeometry;

bool a_is_in_rows(const Problem& problem)
{
    const MatMulGeometry& g = problem.geometry;
    const bool rows = g.a.column == 1 && (g.m == 1 || g.a.row == g.k);
    return rows && (problem.front.empty() || problem.front[0].a_step == g.m * g.k);
}

// Tells whether all of A's matrices have one B, or B's matrices lie one behind the other.
bool b_goes_along(const Problem& problem)
{
    const MatMulGeometry& g = problem.geometry;
    return problem.front.empty() || problem.front[0].b_step == 0 || problem.front[0].b_step == g.k * g.n;
}

bool by_columns(const MatMulGeometry& g)
{
    return g.b.row == 1 && (g.n == 1 || g.b.column == g.k);
}

bool by_rows(const MatMulGeometry& g)
{
    return g.b.column == 1 && (g.k == 1 || g.b.row == g.n);
}

// Tells whether quads lie along the columns of B. A B of one row or one column can be read both ways; then quads lie along its
// longer side.
bool reads_columns(const MatMulGeometry& g)
{
    return by_columns(g) && g.k % quad == 0;
}

// Returns how many invocations share a tile, each with some of K. A CPU has enough to do without sharing, which would need
// barriers.
int64_t lanes_of(const Problem& problem)
{
    const Capabilities& c = problem.capabilities;
    constexpr int64_t most_columns = 64, most_rows = 8, least_each = 4;
    const MatMulGeometry& g = problem.geometry;
    if (c.is_cpu || workgroup_size(c) % most_columns != 0)
        return 1;
    const int64_t useful = reads_columns(g) ? g.k / quad / least_each : g.k / least_each;
    return int64_t(std::bit_floor(uint64_t(std::clamp<int64_t>(useful, 1, reads_columns(g) ? most_columns : most_rows))));
}

int64_t iterations_of(const Problem& problem)
{
    const MatMulGeometry& g = problem.geometry;
    return divide_up(reads_columns(g) ? g.k / quad : g.k, lanes_of(problem)) + lanes_of(problem);
}

std::string unfit(const Problem& problem)
{
    const MatMulGeometry& g = problem.geometry;
    const Capabilities& c = problem.capabilities;
    if (*element_count(g.inputs[0]) == 0 || *element_count(g.inputs[1]) == 0)
        return "there is nothing to multiply";
    if (problem.front.size() > 1 || !a_is_in_rows(problem) || !b_goes_along(problem))
        return "it takes A in rows, and one B for all of A or a B for each";
    if (!reads_columns(g) && !(by_rows(g) && g.n % quad == 0))
        return "it reads 4 elements of B at a time, and B of " + std::to_string(g.k) + " rows and " + std::to_string(g.n) +
               " columns is in quads neither by rows nor by columns";
    if (is_half(problem.compute_type) && g.n % 2 != 0 && problem.outputs != g.n)
        return "rows of " + std::to_string(g.n) + " halves end amid a word";
    if (iterations_of(problem) > c.max_loop_iterations)
        return too_many_iterations("its loop over K", c);
    const uint64_t whole = std::max(*byte_size(g.inputs[0]), problem.has_c() ? *byte_size(g.inputs[2]) : 0);
    if (whole > c.max_storage_buffer_range)
        return too_many_bytes(whole, c);
    return "";
}

push::MatMulVectorProblem uniform_of(const Problem& problem, int64_t tiles_of_row)
{
    const MatMulGeometry& g = problem.geometry;
    push::MatMulVectorProblem push = {};
    push.tiles_of_row = push::divisor_of(uint32_t(tiles_of_row));
    push.by_m = push::divisor_of(uint32_t(g.m));
    push.k = uint32_t(g.k);
    push.n = uint32_t(g.n);
    push.b_matrix = problem.front.empty() ? 0 : uint32_t(problem.front[0].b_step);
    push.end = end_of(problem);
    push.epilogue = numbers_of(problem.epilogue, problem.compute_type);
    return push;
}

Plan plan_of(const Problem& problem)
{
    Plan plan;
    plan.inputs = uint32_t(problem.geometry.inputs.size());
    for (const TensorDesc& input : problem.geometry.inputs)
        plan.tensor_bytes.push_back(buffer_bytes(*byte_size(input)));
    plan.tensor_bytes.push_back(buffer_bytes(*byte_size(problem.geometry.output)));
    plan.max_submit_seconds = problem.options.max_dispatch_seconds;
    return plan;
}

TiledTensor tensor(Operand operand, const TensorDesc& desc, int64_t unit, std::function<Range(const Range& tiles)> used)
{
    return {.operand = operand,
            .elements = *element_count(desc),
            .element_bytes = bits(desc.dtype) / 8,
            .unit = unit,
            .used = std::move(used)};
}

Result<Plan> planned(const Problem& problem)
{
    const MatMulGeometry& g = problem.geometry;
    const Capabilities& c = problem.capabilities;
    const double share = (reads_columns(g) ? 0.45 : 1) * (c.is_cpu ? 1 : 0.45);  // cost of a multiply-add; measured on CPUs only
    const int64_t tiles_of_row = divide_up(g.n, MATMUL_TILE);
    const int64_t lanes = lanes_of(problem);
    const int64_t rows = g.m * matrices_of(problem);
    const uint32_t group = workgroup_size(c);
    Plan plan = plan_of(problem);
    plan.uniform = bytes_of(uniform_of(problem, tiles_of_row));
    plan.pipelines = {{.kernel = *variant(modules::matmul_vector, problem.compute_type),
                       .specialization = specialization::MatMulVector{.workgroup_size = group,
                                                                      .lanes = uint32_t(lanes),
                                                                      .columns = reads_columns(g),
                                                                      .has_c = problem.has_c(),
                                                                      .epilogue = constant_of(problem.epilogue)}
                                             .values(),
                       .views = std::vector(4, View::storage),
                       .uses_uniform = true,
                       .push_bytes = sizeof(push::TileRange)}};

    const int64_t b_step = problem.front.empty() ? 0 : problem.front[0].b_step;
    const auto b_of = [&](const Range& tiles) {
        const Range y_rows = {tiles.first / tiles_of_row, (tiles.end() - 1) / tiles_of_row - tiles.first / tiles_of_row + 1};
        Range columns = {0, g.n};
        if (y_rows.count == 1 && reads_columns(g)) {
            columns.first = tiles.first % tiles_of_row * MATMUL_TILE;
            columns.count = std::min(tiles.count * MATMUL_TILE, g.n - columns.first);
        }
        const int64_t first = y_rows.first / g.m * b_step + columns.first * g.k;
        const int64_t end = (y_rows.end() - 1) / g.m * b_step + (columns.count == g.n ? g.n : columns.end()) * g.k;
        return Range{first, end - first};
    };
    const auto y_of = [&](const Range& tiles) {
        const auto begin_of = [&](int64_t tile) {
            return tile / tiles_of_row * g.n + std::min(tile % tiles_of_row * MATMUL_TILE, g.n);
        };
        const int64_t last = tiles.end() - 1;
        const int64_t end = last / tiles_of_row * g.n + std::min((last % tiles_of_row + 1) * MATMUL_TILE, g.n);
        return Range{begin_of(tiles.first), end - begin_of(tiles.first)};
    };
    std::vector<Operand> whole = {{.tensor = 0}, {.tensor = uint8_t(problem.has_c() ? 2 : 0)}};  // A stands in for a missing C
    const Tiles tiles = {.op = g.op,
                         .compute_type = problem.compute_type,
                         .workgroup_size = uint32_t(group / lanes),
                         .tiles = {0, rows * tiles_of_row},
                         .work = 8 + share * double(MATMUL_TILE * g.k),
                         .lanes = lanes,
                         .from = tensor({.tensor = 1}, g.inputs[1], quad, b_of),
                         .whole = std::move(whole),
                         .to = tensor({.tensor = uint8_t(g.inputs.size()), .access = Access::write}, g.output,
                                      elements_per_word(problem.compute_type), y_of)};
    VKONNX_RETURN_IF_ERROR(add_steps(tiles, c, problem.options, plan));
    return plan;
}

}  // namespace

constinit const KernelOf<Problem> vector = {.name = "matmul_vector",
                                            .variants = modules::matmul_vector,
                                            .keeps_order = false,
                                            .takes_epilogue = true,
                                            .unfit = unfit,
                                            .plan = planned};

}  // namespace vkonnx::plan::matmul
