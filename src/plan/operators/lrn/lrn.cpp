// SPDX-License-Identifier: Apache-2.0
#include "plan/operators/operators.h"

#include <algorithm>
#include <bit>

#include "modules.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/chain.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/operators/lrn/lrn_constants.h"
#include "shaders/operators/normalization/normalization.h"

namespace vkonnx::plan {
namespace lrn {
namespace {

using ops::LrnGeometry;

constexpr const char* op = "LRN";

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const LrnGeometry& geometry;
    ComputeType compute_type = ComputeType::f32;
    int64_t outputs = 0;  // elements of the output; the rest does not count where there are none
    TapAxis window = {};
};

std::string unfit(const Problem& problem)
{
    return unfit_for_boxes({&problem.window, 1}, problem.compute_type, problem.capabilities);
}

// Returns a range of X that holds the channels that a box of the windows reaches. It stays within the instances that the outputs
// belong to.
Range read_by(const LrnGeometry& g, const Range& outputs, const TapBox& box)
{
    const int64_t instance = g.channels * g.inner;
    const int64_t least = outputs.first / instance * instance;
    const int64_t most = ((outputs.end() - 1) / instance + 1) * instance;
    const int64_t first = std::max(outputs.first + (int64_t(box.begin[0]) - g.before) * g.inner, least);
    const int64_t end = std::min(outputs.end() + (int64_t(box.end[0]) - 1 - g.before) * g.inner, most);
    return first < end ? Range{first, end - first} : Range{};
}

Gather gather_of(const Problem& problem, ComputeType compute_type, uint32_t element_bytes, Kernel kernel)
{
    const LrnGeometry& g = problem.geometry;
    Gather gather = {.op = op,
                     .compute_type = compute_type,
                     .element_bytes = element_bytes,
                     .outputs = problem.outputs,
                     .inputs = {{0, problem.outputs, bits(g.output.dtype) / 8}},
                     .kernel = kernel,
                     .uses_uniform = false};
    gather.specialization = specialization::Lrn{.workgroup_size = workgroup_size(problem.capabilities)}.values();
    gather.push = bytes_of(push::LrnWindow{.channels = uint32_t(g.channels),
                                           .inner = uint32_t(g.inner),
                                           .before = uint32_t(g.before),
                                           .factor = std::bit_cast<uint32_t>(g.factor),
                                           .beta = std::bit_cast<uint32_t>(g.beta),
                                           .bias = std::bit_cast<uint32_t>(g.bias)});
    return gather;
}

Result<Plan> planned(const Problem& problem)
{
    const LrnGeometry& g = problem.geometry;
    const uint32_t width = bits(g.output.dtype) / 8;
    const uint32_t sum_width = sum_bytes(problem.compute_type);
    const uint64_t bytes = buffer_bytes(uint64_t(problem.outputs) * width);
    Chain chain(op, problem.capabilities, problem.options, 1, {bytes, bytes});
    const Memory x = {.tensor = 0};
    const Memory squares = chain.scratch(problem.outputs, sum_width);

    Gather first = gather_of(problem, sum_number(problem.compute_type), sum_width,
                             *(is_half(problem.compute_type) ? variant(modules::lrn_sums_sums1, problem.compute_type)
                                                             : variant(modules::lrn_sums, problem.compute_type)));
    first.output_operand = 1;
    first.taps = {problem.window};
    first.goes_on = first.takes_boxes = true;
    first.reads = [&g](const Part& part) { return Reads{read_by(g, part.outputs, part.box)}; };
    const Memory first_operands[] = {x, squares};
    VKONNX_RETURN_IF_ERROR(chain.add(first, first_operands));

    Gather last = gather_of(problem, problem.compute_type, width, *variant(modules::lrn, problem.compute_type));
    last.output_operand = 2;
    last.inputs.push_back({1, problem.outputs, sum_width});
    last.reads = [](const Part& part) { return Reads{part.outputs, part.outputs}; };
    const Memory last_operands[] = {x, squares, {.tensor = 1}};
    VKONNX_RETURN_IF_ERROR(chain.add(last, last_operands));
    Plan plan = chain.take();
    plan.in_place = {0};  // the last step reads an element only where it writes it; all steps before only read X
    return plan;
}

// The kernel computes the sums of squares of all windows, and then each element times (bias + factor * sum)^-beta.
constexpr KernelOf<Problem> kernel = {
    .name = "lrn", .variants = modules::lrn, .keeps_order = true, .unfit = unfit, .plan = planned};
constexpr const KernelOf<Problem>* kernels[] = {&kernel};

Result<Problem> problem_of(const LrnGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    constexpr Needs needs = {.storage_buffers = 3, .push_constant_bytes = sizeof(push::GatherPart) + sizeof(push::LrnWindow)};
    Result<Problem> problem = common_problem<Problem>(
        op, needs, geometry, compute_type_of(op, geometry.output.dtype, capabilities), geometry.output, capabilities, options);
    if (!problem || problem->outputs == 0)
        return problem;
    VKONNX_RETURN_IF_ERROR(check_addressable(op, "the output", geometry.output));
    const int64_t taps = geometry.before + 1 + geometry.behind;
    problem->window = {taps, 1, std::min(taps, geometry.channels)};
    return problem;
}

}  // namespace
}  // namespace lrn

Result<Plan> plan_for(const ops::LrnGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    return best_plan(lrn::op, lrn::kernels, lrn::problem_of(geometry, capabilities, options));
}

Result<std::vector<KernelChoice>> kernels_for(const ops::LrnGeometry& geometry, const Capabilities& capabilities,
                                              const PrepareOptions& options)
{
    return all_choices(lrn::op, lrn::kernels, lrn::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
