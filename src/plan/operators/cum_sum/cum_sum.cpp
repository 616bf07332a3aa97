// SPDX-License-Identifier: Apache-2.0
// This file plans CumSum. A long row is cut into blocks: sums of the blocks are added up as a row is, and each of these goes on
// through its block. Blocks depend on the row's length alone, and so do the bits of a sum.
#include <algorithm>

#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/chain.h"
#include "plan/operators/operators.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/operators/cum_sum/cum_sum.h"
#include "shaders/operators/cum_sum/cum_sum_constants.h"

namespace vkonnx::plan {
namespace cum_sum {
namespace {

using ops::CumSumGeometry;

// An output adds half a block on average, so that long blocks take long; short ones take more passes.
constexpr int64_t elements_of_block = 16;
constexpr int64_t longest = 2 * elements_of_block;  // longer rows are cut into blocks

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const CumSumGeometry& geometry;
    ComputeType compute_type = ComputeType::f32;
    int64_t outputs = 0;
};

// This struct is a pass over rows. It computes the sum of each block, or the sums up to each element.
struct CumSumStage {
    Rows rows = {};
    int64_t block = 1;
    bool of_blocks = false;
    bool exclusive = false;
    bool reverse = false;
    bool from_zero = false;  // begins at 0, as sums without their own element do, and not at -0, which changes no sum
    bool prefix = false;     // goes on from the sums of all blocks in front
    bool from_sums = false;  // X holds sums, not elements of the tensor's type
    bool to_sums = false;    // Y holds sums, likewise

    int64_t blocks() const { return divide_up(rows.extent, block); }
    int64_t count() const { return of_blocks ? blocks() : rows.extent; }
    int64_t outputs() const { return rows.outer * count() * rows.inner; }
    // Returns the place of the last element that output `j` of a row may add, in the order of the sum.
    int64_t place_of(int64_t j) const
    {
        if (of_blocks)
            return std::min((j + 1) * block, rows.extent) - 1;
        return reverse ? rows.extent - 1 - j : j;
    }
};

TapAxis taps_of(const CumSumStage& stage)
{
    return {stage.block, 1, stage.block};
}

// Returns ranges around the elements that the part reads, and around their prefixes.
Reads read_by(const CumSumStage& stage, const Part& part)
{
    const int64_t extent = stage.rows.extent;
    const int64_t inner = stage.rows.inner;
    const int64_t count = stage.count();
    const int64_t blocks = stage.blocks();
    const int64_t last = part.outputs.end() - 1;
    const int64_t outer = part.outputs.first / (count * inner);
    const int64_t outers = last / (count * inner) - outer + 1;
    if (outers > 1)
        return {Range{outer * extent * inner, outers * extent * inner}, Range{outer * blocks * inner, outers * blocks * inner}};
    const int64_t ends[] = {stage.place_of(part.outputs.first / inner % count), stage.place_of(last / inner % count)};
    const int64_t least = std::min(ends[0], ends[1]);
    const int64_t most = std::max(ends[0], ends[1]);
    const int64_t block = least / stage.block;
    const int64_t last_block = most / stage.block;
    const int64_t begin = block * stage.block + part.box.begin[0];
    const int64_t end = std::min<int64_t>(last_block * stage.block + part.box.end[0], most + 1 - stage.exclusive);
    const bool one = part.outputs.first / inner == last / inner;  // within one place of the axis only some columns are read
    const Range columns = one ? Range{part.outputs.first % inner, part.outputs.count} : Range{0, inner};
    const auto range_of = [&](int64_t first, int64_t rows) {
        return Range{first * inner + columns.first, (rows - 1) * inner + columns.count};
    };
    Reads reads = {};
    if (begin < end)
        reads[0] = range_of(outer * extent + (stage.reverse ? extent - end : begin), end - begin);
    if (stage.prefix)
        reads[1] = range_of(outer * blocks + block, last_block - block + 1);
    return reads;
}

// Returns a problem's only pass where its rows are short, or the last of several.
CumSumStage whole(const Problem& problem)
{
    const CumSumGeometry& geometry = problem.geometry;
    return {.rows = {geometry.outer, geometry.extent, geometry.inner},
            .exclusive = geometry.exclusive,
            .reverse = geometry.reverse,
            .from_zero = geometry.exclusive};
}

class Passes {
public:
    Passes(Chain& chain, const Problem& problem) : chain_(chain), problem_(problem) {}

    // Adds the steps that compute all sums of the stage, in as many passes as its rows take.
    Status add_sums(CumSumStage stage, const Memory& from, const Memory& to)
    {
        stage.block = std::max<int64_t>(1, stage.rows.extent);
        if (stage.rows.extent <= longest)
            return add(stage, from, from, to);
        stage.block = elements_of_block;
        CumSumStage of_blocks = stage;
        of_blocks.of_blocks = of_blocks.to_sums = true;
        of_blocks.exclusive = of_blocks.from_zero = false;
        const Memory sums = scratch(of_blocks);
        VKONNX_RETURN_IF_ERROR(add(of_blocks, from, from, sums));
        const CumSumStage in_front = {.rows = {stage.rows.outer, of_blocks.count(), stage.rows.inner},
                                      .exclusive = true,
                                      .from_zero = stage.from_zero,
                                      .from_sums = true,
                                      .to_sums = true};
        const Memory prefixes = scratch(in_front);
        VKONNX_RETURN_IF_ERROR(add_sums(in_front, sums, prefixes));
        stage.prefix = true;
        return add(stage, from, prefixes, to);
    }

private:
    Memory scratch(const CumSumStage& stage) { return chain_.scratch(stage.outputs(), sum_bytes(problem_.compute_type)); }

    Status add(const CumSumStage& stage, const Memory& from, const Memory& prefixes, const Memory& to)
    {
        const ComputeType compute_type = stage.from_sums ? sum_number(problem_.compute_type) : problem_.compute_type;
        const bool widens = stage.to_sums && is_half(compute_type);
        const uint32_t element = bits(problem_.geometry.output.dtype) / 8;
        const uint32_t sum = sum_bytes(problem_.compute_type);
        const InputTensor x = {0, stage.rows.outer * stage.rows.extent * stage.rows.inner, stage.from_sums ? sum : element};
        const InputTensor p = {1, stage.rows.outer * stage.blocks() * stage.rows.inner, sum};
        Gather gather = {.op = CumSum::name,
                         .compute_type = stage.to_sums ? sum_number(compute_type) : compute_type,
                         .element_bytes = stage.to_sums ? sum : element,
                         .outputs = stage.outputs(),
                         .output_operand = 2,
                         .inputs = {x, stage.prefix ? p : InputTensor{1, x.elements, x.element_bytes}},
                         .taps = {taps_of(stage)},
                         .kernel =
                             widens ? *variant(modules::cum_sum_sums1, compute_type) : *variant(modules::cum_sum, compute_type),
                         .uses_uniform = false,
                         .goes_on = true,
                         .takes_boxes = true};
        gather.reads = [stage](const Part& part) { return part.adds_nothing() ? Reads() : read_by(stage, part); };
        gather.specialization = specialization::CumSum{.workgroup_size = workgroup_size(problem_.capabilities),
                                                       .of_blocks = stage.of_blocks,
                                                       .exclusive = stage.exclusive,
                                                       .reverse = stage.reverse,
                                                       .prefix = stage.prefix,
                                                       .from_zero = stage.from_zero}
                                    .values();
        gather.push = bytes_of(push::CumSumPass{.extent = uint32_t(stage.rows.extent),
                                                .inner = uint32_t(stage.rows.inner),
                                                .count = uint32_t(stage.count()),
                                                .block = uint32_t(stage.block)});
        const Memory operands[] = {from, prefixes, to};
        return chain_.add(gather, operands);
    }

    Chain& chain_;
    const Problem& problem_;
};

std::string unfit(const Problem& problem)
{
    const TapAxis axis = {longest, 1, longest};
    return unfit_for_boxes({&axis, 1}, problem.compute_type, problem.capabilities);
}

Result<Plan> planned(const Problem& problem)
{
    const uint64_t bytes = buffer_bytes(*byte_size(problem.geometry.output));
    Chain chain(CumSum::name, problem.capabilities, problem.options, 1, {bytes, bytes});
    VKONNX_RETURN_IF_ERROR(Passes(chain, problem).add_sums(whole(problem), {.tensor = 0}, {.tensor = 1}));
    return chain.take();
}

// The kernel takes any rank and axis, in as many passes as its rows are long.
constexpr KernelOf<Problem> kernel = {
    .name = "cum_sum", .variants = modules::cum_sum, .keeps_order = true, .unfit = unfit, .plan = planned};
constexpr const KernelOf<Problem>* kernels[] = {&kernel};

Result<Problem> problem_of(const CumSumGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    constexpr Needs needs = {.storage_buffers = 3, .push_constant_bytes = sizeof(push::GatherPart) + sizeof(push::CumSumPass)};
    const std::optional<ComputeType> integer = integer_of(geometry.output.dtype);
    const Result<ComputeType> compute_type =
        integer ? Result<ComputeType>(*integer) : compute_type_of(CumSum::name, geometry.output.dtype, capabilities);
    Result<Problem> problem =
        common_problem<Problem>(CumSum::name, needs, geometry, compute_type, geometry.output, capabilities, options);
    if (problem && problem->outputs > 0)
        VKONNX_RETURN_IF_ERROR(check_addressable(CumSum::name, "x", geometry.output));
    return problem;
}

}  // namespace
}  // namespace cum_sum

Result<Plan> plan_for(const ops::CumSumGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    return best_plan(CumSum::name, cum_sum::kernels, cum_sum::problem_of(geometry, capabilities, options));
}

Kernels kernels_for(const ops::CumSumGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    return all_choices(CumSum::name, cum_sum::kernels, cum_sum::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
