// SPDX-License-Identifier: Apache-2.0
// This file holds what the elementwise kernels share. They are gathers with no taps. Where there are more inputs than can be
// bound, the inputs are the channels.
#include <algorithm>

#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/elementwise_kinds.h"
#include "plan/operators/elementwise/problem.h"
#include "shaders/operators/elementwise/elementwise.h"
#include "shaders/operators/elementwise/elementwise_chain_constants.h"
#include "shaders/operators/elementwise/elementwise_constants.h"

namespace vkonnx::plan::elementwise {
namespace {

static_assert(ELEMENTWISE_INPUTS == max_bound_inputs);
static_assert(ELEMENTWISE_STEPS == max_elementwise_steps);

int64_t words_of(const Problem& problem)
{
    // The shader reads the strides of as many inputs as a part can bind, also where the part has fewer.
    return ELEMENTWISE_NUMBERS + int64_t(problem.axes.size() * (1 + problem.geometry.inputs.size() + ELEMENTWISE_INPUTS));
}

uint32_t block_vectors(const Problem& problem)
{
    return words_of(problem) <= 4 * ELEMENTWISE_FEW_VECTORS ? ELEMENTWISE_FEW_VECTORS : ELEMENTWISE_VECTORS;
}

void put_numbers(uint32_t* word, ComputeType compute_type, std::span<const double> values)
{
    for (const double value : values) {
        const uint64_t bits = bits_of(compute_type, value);
        *word++ = uint32_t(bits);
        *word++ = uint32_t(bits >> 32);
    }
}

push::ElementwiseProblem uniform_of(const Problem& problem)
{
    push::ElementwiseProblem push = {};
    uint32_t* word = push.words;
    put_numbers(word, problem.compute_type, problem.geometry.numbers);
    for (const ops::ElementwiseLink& link : problem.geometry.steps)
        put_numbers(word += ELEMENTWISE_NUMBERS_OF_ONE, problem.compute_type, link.numbers);
    word = push.words + ELEMENTWISE_NUMBERS;
    put_axes(word, problem.axes);
    return push;
}

// Tells whether there are more inputs than are bound at once. They are then the channels of the gather protocol.
bool in_parts(const ops::ElementwiseGeometry& g)
{
    return g.inputs.size() > max_bound_inputs;
}

// Returns a mask whose bit i is set where input i belongs to the first operator and is given. Where inputs are taken in parts, it
// is bit 0 alone.
uint32_t given(const ops::ElementwiseGeometry& g)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < (in_parts(g) ? 1 : g.own_inputs); ++i)
        bits |= (g.inputs[i] ? 1u : 0u) << i;
    return bits;
}

// Returns what a part reads of its inputs. An input that isn't given has the first one bound in its place.
Reads reads_of(const Problem& problem, const Part& part)
{
    const ops::ElementwiseGeometry& g = problem.geometry;
    const size_t first = in_parts(g) ? size_t(part.channels.first) : 0;
    const size_t count = in_parts(g) ? size_t(part.channels.count) : max_bound_inputs;
    Reads reads = {};
    for (size_t i = 0; i < count; ++i) {
        const size_t input = first + i;
        const bool there = input < g.inputs.size() && g.inputs[input];
        reads[i] = read_of(problem.axes, there ? input : 0, part.outputs);
    }
    return reads;
}

// Returns step `index` as the shader reads it; 0 where there is none.
uint32_t step_of(const ops::ElementwiseGeometry& g, size_t index)
{
    if (index >= g.steps.size())
        return 0;
    const ops::ElementwiseLink& link = g.steps[index];
    const uint32_t other = link.input ? uint32_t(*link.input) : ELEMENTWISE_NUMBER;
    return uint32_t(link.kind) | other << ELEMENTWISE_OTHER | (link.swapped ? ELEMENTWISE_SWAPPED : 0u);
}

// Returns a mask whose bit i is set where bound input i advances along the innermost axis.
uint32_t advances(const Problem& problem)
{
    if (problem.axes.empty())
        return (1u << max_bound_inputs) - 1;
    const std::vector<int64_t>& strides = problem.axes.back().strides;
    uint32_t bits = 0;
    for (size_t i = 0; i < std::min(strides.size(), max_bound_inputs); ++i)
        bits |= (strides[i] != 0 ? 1u : 0u) << i;
    return bits;
}

std::vector<uint32_t> constants_of(const Problem& problem, const Invocation& invocation)
{
    const ops::ElementwiseGeometry& g = problem.geometry;
    const specialization::Elementwise first = {.workgroup_size = workgroup_size(problem.capabilities),
                                               .kind = uint32_t(g.kind),
                                               .rank = uint32_t(problem.axes.size()),
                                               .given = given(g),
                                               .exact_division = problem.options.reproducible,
                                               .exponent = uint32_t(g.exponent),
                                               .vectors = block_vectors(problem),
                                               .quads = invocation.quads,
                                               .advances = invocation.quads == QUADS_NEVER ? 0 : advances(problem)};
    if (g.steps.empty())
        return first.values();
    return specialization::ElementwiseChain{.workgroup_size = first.workgroup_size,
                                            .kind = first.kind,
                                            .rank = first.rank,
                                            .given = first.given,
                                            .exact_division = first.exact_division,
                                            .exponent = first.exponent,
                                            .vectors = first.vectors,
                                            .quads = first.quads,
                                            .advances = first.advances,
                                            .step1 = step_of(g, 0),
                                            .step2 = step_of(g, 1),
                                            .step3 = step_of(g, 2),
                                            .step4 = step_of(g, 3),
                                            .step5 = step_of(g, 4),
                                            .step6 = step_of(g, 5)}
        .values();
}

Gather gather_of(const Problem& problem, const Invocation& invocation)
{
    const ops::ElementwiseGeometry& g = problem.geometry;
    const bool parts = in_parts(g);
    Gather gather = {.op = name(g.kind),
                     .compute_type = problem.compute_type,
                     .element_bytes = bits(g.dtype) / 8,
                     .outputs = problem.outputs,
                     .output_operand = uint8_t(g.inputs.size()),
                     .channels = parts ? int64_t(g.inputs.size()) : 1,
                     .inputs_are_channels = parts,
                     .kernel = invocation.kernel,
                     .goes_on = parts,
                     .channels_at_once = parts ? int64_t(max_bound_inputs) : 1,
                     .outputs_at_once = invocation.outputs_at_once};
    for (size_t i = 0; i < g.inputs.size(); ++i)
        gather.inputs.push_back(g.inputs[i] ? InputTensor{uint8_t(i), elements_of(*g.inputs[i])} : gather.inputs.front());
    if (g.exponent != DType::undefined)
        gather.inputs[1].element_bytes = bits(g.exponent) / 8;
    if (!parts)
        gather.inputs.resize(max_bound_inputs, gather.inputs.front());
    gather.reads = [&problem](const Part& part) { return reads_of(problem, part); };
    gather.specialization = constants_of(problem, invocation);
    return gather;
}

// Returns the inputs whose memory the output may be. Such an input isn't broadcast, and its elements are as wide as the output's,
// so that each is read where its output is written. Parts go on from sums in Y, so that all inputs but the first are read after Y
// was written. Halves go on from scratch memory, and are written when all inputs of their slice have been read.
std::vector<uint8_t> in_place(const Problem& problem)
{
    const ops::ElementwiseGeometry& g = problem.geometry;
    std::vector<uint8_t> inputs;
    for (size_t i = 0; i < g.inputs.size(); ++i) {
        const bool first_only = in_parts(g) && !is_half(problem.compute_type);
        if (i == 1 && g.exponent != DType::undefined && bits(g.exponent) != bits(g.dtype))
            continue;
        if (g.inputs[i] && *g.inputs[i] == g.dims && (i == 0 || !first_only))
            inputs.push_back(uint8_t(i));
    }
    return inputs;
}

}  // namespace

bool has_functions(const Problem& problem)
{
    const ops::ElementwiseGeometry& g = problem.geometry;
    return is_function(g.kind) ||
           std::any_of(g.steps.begin(), g.steps.end(), [](const ops::ElementwiseLink& link) { return is_function(link.kind); });
}

std::string unfit_for_gather(const Problem& problem, int64_t outputs_at_once)
{
    const int64_t rank = int64_t(problem.axes.size());
    if (words_of(problem) > 4 * ELEMENTWISE_VECTORS)
        return "its " + std::to_string(problem.geometry.inputs.size()) + " inputs are broadcast along " + std::to_string(rank) +
               " axes, more than its uniform block can describe";
    const int64_t expressions = 1 + int64_t(problem.geometry.steps.size());
    if (rank + expressions * ELEMENTWISE_ITERATIONS > loop_limit(outputs_at_once, problem.capabilities))
        return too_many_iterations("its loops over " + std::to_string(rank) + " axes and bits", problem.capabilities);
    return "";
}

Result<Plan> plan_gathered(const Problem& problem, const Invocation& invocation)
{
    Result<Plan> plan = plan_gather(gather_of(problem, invocation), problem.capabilities, problem.options);
    if (plan) {
        plan->uniform = bytes_of(uniform_of(problem));
        plan->uniform.resize(block_vectors(problem) * 4 * sizeof(uint32_t));
        plan->in_place = in_place(problem);
    }
    return plan;
}

}  // namespace vkonnx::plan::elementwise
