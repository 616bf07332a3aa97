// SPDX-License-Identifier: Apache-2.0
#include "plan/operators/operators.h"

#include "modules.h"
#include "plan/core/limits.h"
#include "plan/engines/chain.h"
#include "plan/engines/prologue.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/engines/reduction/reduction.h"

namespace vkonnx::plan {
namespace reduction {
namespace {

using ops::ReductionGeometry;
using Kind = ReductionKind;

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const ReductionGeometry& geometry;
    ComputeType compute_type = ComputeType::f32;
    int64_t outputs = 0;  // elements of the output; the rest does not count where there are none
    int64_t inputs = 0;
    std::vector<std::vector<Pass>> groups = {};  // the passes over each group of axes
};

// This struct tells how a kind of reduction is computed.
struct Computed {
    Term term = Term::sum;
    Finish finish = Finish::as_it_is;
};

Computed computed_by(const ReductionGeometry& geometry)
{
    switch (geometry.kind) {
    case Kind::mean:
    case Kind::sum:
        return {Term::sum};
    case Kind::max:
        return {geometry.skips_nans ? Term::greatest : Term::max};
    case Kind::min:  // the least of no booleans is true, 1, where Term::min has a byte's greatest number, 255
        return {geometry.input.dtype == DType::boolean ? Term::product : Term::min};
    case Kind::prod:
        return {Term::product};
    case Kind::l1:
        return {Term::magnitudes};
    case Kind::l2:
        return {Term::own_squares, Finish::square_root};
    case Kind::sum_square:
        return {Term::own_squares};
    case Kind::log_sum:
        return {Term::sum, Finish::logarithm};
    case Kind::log_sum_exp:
        return {Term::exponentials, Finish::shifted_logarithm};
    }
    return {};
}

// Returns the groups of neighbouring axes that are reduced, with the others in between. Extents of 1 are left out.
std::vector<Rows> groups_of(const ReductionGeometry& geometry)
{
    std::vector<Rows> groups;
    int64_t inner = 1;
    int64_t outer = 1;
    for (const int64_t extent : geometry.input.dims)
        outer *= extent;
    bool open = false;  // whether the next axis joins this group
    for (size_t a = geometry.input.dims.size(); a-- > 0;) {
        const int64_t extent = geometry.input.dims[a];
        if (extent == 1)
            continue;
        outer /= extent;
        if (!geometry.reduced[a])
            inner *= extent;
        else if (open)
            groups.front() = {outer, groups.front().extent * extent, inner};
        else
            groups.insert(groups.begin(), Rows{outer, extent, inner});
        open = geometry.reduced[a];
    }
    return groups;
}

std::vector<std::vector<Pass>> passes_for(const ReductionGeometry& geometry, int64_t inputs, int64_t outputs)
{
    if (inputs == 0)
        return {{{.rows = {.outer = outputs, .extent = 0}}}};
    std::vector<Rows> groups = groups_of(geometry);
    if (groups.empty())
        groups = {{.outer = outputs}};
    std::vector<std::vector<Pass>> passes;
    for (size_t g = groups.size(); g-- > 0;)
        passes.push_back(passes_of({&groups[g], 1}));
    return passes;
}

std::vector<Pass> joined(const std::vector<std::vector<Pass>>& groups)
{
    std::vector<Pass> passes;
    for (const std::vector<Pass>& group : groups)
        passes.insert(passes.end(), group.begin(), group.end());
    return passes;
}

// Tells whether elements have 32 bits and their sums 64, as in means of integers of 32 bits.
bool is_narrow(const Problem& problem)
{
    return problem.geometry.kind == Kind::mean && bits(problem.geometry.input.dtype) == 32 &&
           problem.compute_type != ComputeType::f32;
}

Result<ComputeType> number_for(const ReductionGeometry& geometry, const Capabilities& capabilities)
{
    const DType dtype = geometry.input.dtype;
    const std::optional<ComputeType> integer = dtype == DType::boolean ? ComputeType::u8 : integer_of(dtype);
    if (integer && geometry.kind == Kind::mean)
        return *integer == ComputeType::i32 || *integer == ComputeType::i64 ? ComputeType::i64 : ComputeType::u64;
    return integer ? Result(*integer) : compute_type_of(geometry.op, dtype, capabilities);
}

std::string unfit(const Problem& problem)
{
    return unfit_for_passes(joined(problem.groups), problem.compute_type, problem.capabilities);
}

// Adds the steps of ReduceLogSumExp, one group of axes after another. The logarithm of the sum of all exponentials is that of the
// exponentials of such logarithms, which each group makes of the one before. Exponents are differences from the greatest, or from
// 0 where that is infinite.
Status add_log_sum_exp(Chain& chain, Reduction reduction, std::span<const std::vector<Pass>> groups, const Memory& output)
{
    const uint32_t bytes = sum_bytes(reduction.compute_type);
    Memory from = {.tensor = 0};
    for (size_t i = 0; i < groups.size(); ++i) {
        const bool last = i + 1 == groups.size();
        reduction.passes = groups[i];
        reduction.from_sums = i > 0;
        reduction.statistic_count = groups[i].back().outputs();
        reduction.statistics = chain.scratch(reduction.statistic_count, bytes);
        reduction.to_sums = !last;
        Reduction greatest = reduction;
        greatest.term = Term::max;
        greatest.finish = Finish::finite;
        greatest.to_sums = true;
        VKONNX_RETURN_IF_ERROR(add_reduction(chain, greatest, from, reduction.statistics));
        const Memory to = last ? output : chain.scratch(reduction.statistic_count, bytes);
        VKONNX_RETURN_IF_ERROR(add_reduction(chain, reduction, from, to));
        from = to;
    }
    return {};
}

Result<Plan> planned(const Problem& problem)
{
    const uint32_t width = bits(problem.geometry.input.dtype) / 8;
    const std::optional<Prologue>& prologue = problem.options.prologue;
    const auto bytes_of_elements = [width](int64_t elements) { return buffer_bytes(uint64_t(elements) * width); };
    std::vector<uint64_t> tensor_bytes = {bytes_of_elements(problem.inputs)};
    if (const int64_t numbers = prologue_numbers(prologue); numbers > 0)
        tensor_bytes.push_back(bytes_of_elements(problem.geometry.channels * numbers));
    const auto output = uint8_t(tensor_bytes.size());
    tensor_bytes.push_back(bytes_of_elements(problem.outputs));
    Chain chain(problem.geometry.op, problem.capabilities, problem.options, output, std::move(tensor_bytes));
    const auto [term, finish] = computed_by(problem.geometry);
    Reduction reduction = {.compute_type = problem.compute_type,
                           .element_bytes = width,
                           .term = term,
                           .finish = finish,
                           .narrow = is_narrow(problem)};
    if (problem.geometry.kind == Kind::mean)
        reduction.count = problem.inputs / problem.outputs;
    if (prologue) {
        reduction.term = Term::prologue;
        reduction.statistics = {.tensor = uint8_t(output - 1)};  // P, or X, unread, where there is no P
        reduction.statistic_count = problem.geometry.channels;
    }
    if (term == Term::exponentials) {
        VKONNX_RETURN_IF_ERROR(add_log_sum_exp(chain, reduction, problem.groups, {.tensor = output}));
    } else {
        reduction.passes = joined(problem.groups);
        VKONNX_RETURN_IF_ERROR(add_reduction(chain, reduction, {.tensor = 0}, {.tensor = output}));
    }
    return chain.take();
}

// The kernel takes any kind along any axes of any rank. It makes passes over one group of neighbouring axes after another, each
// in parts that are many enough to keep a device busy.
constexpr KernelOf<Problem> kernel = {.name = "reduction",
                                      .variants = modules::reduction_chosen1,
                                      .keeps_order = true,
                                      .takes_prologue = true,
                                      .unfit = unfit,
                                      .plan = planned};
constexpr const KernelOf<Problem>* kernels[] = {&kernel};

Result<Problem> problem_of(const ReductionGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    const std::string_view op = geometry.op;
    const Finish finish = computed_by(geometry).finish;
    const bool binds_more = options.prologue || finish == Finish::logarithm || finish == Finish::shifted_logarithm;
    const Needs needs = {.storage_buffers = binds_more ? 3u : 2u,
                         .push_constant_bytes = sizeof(push::GatherPart) + sizeof(push::ReductionPass)};
    Result<Problem> problem =
        common_problem<Problem>(op, needs, geometry, number_for(geometry, capabilities), geometry.output, capabilities, options);
    if (!problem || problem->outputs == 0)
        return problem;
    VKONNX_RETURN_IF_ERROR(check_addressable(op, "the input", geometry.input));
    VKONNX_RETURN_IF_ERROR(check_addressable(op, "the output", geometry.output));
    problem->inputs = *element_count(geometry.input);
    problem->groups = passes_for(geometry, problem->inputs, problem->outputs);
    return problem;
}

}  // namespace
}  // namespace reduction

Result<Plan> plan_for(const ops::ReductionGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    return best_plan(geometry.op, reduction::kernels, reduction::problem_of(geometry, capabilities, options));
}

Result<std::vector<KernelChoice>> kernels_for(const ops::ReductionGeometry& geometry, const Capabilities& capabilities,
                                              const PrepareOptions& options)
{
    return all_choices(geometry.op, reduction::kernels, reduction::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
