// SPDX-License-Identifier: Apache-2.0
// This file plans move, for any rank and any number of sources: a gather of no taps. Where there are more sources than it binds
// at once, they are its channels.
#include <algorithm>
#include <bit>
#include <cstring>

#include "halves.h"
#include "modules.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/gather.h"
#include "plan/operators/move/problem.h"
#include "shaders/operators/move/move.h"
#include "shaders/operators/move/move_constants.h"

namespace vkonnx::plan::move {
namespace {

using ops::Beyond;
using ops::SourceAxis;

static_assert(MOVE_SOURCES == max_bound_inputs);
static_assert(uint32_t(Beyond::never) == MOVE_NEVER && uint32_t(Beyond::other) == MOVE_OTHER &&
              uint32_t(Beyond::edge) == MOVE_EDGE && uint32_t(Beyond::reflect) == MOVE_REFLECT &&
              uint32_t(Beyond::wrap) == MOVE_WRAP);

// Returns the rank of the uniform block, which all outputs share: the greatest of theirs.
size_t rank_of(const Problem& problem)
{
    size_t rank = 0;
    for (const Output& output : problem.outputs)
        rank = std::max(rank, output.axes.size());
    return rank;
}

size_t source_count(const Problem& problem)
{
    size_t count = 0;
    for (const Output& output : problem.outputs)
        count += output.sources.size();
    return count;
}

// Returns how many vectors of the uniform block the problem needs, at least.
size_t vectors_of(const Problem& problem)
{
    return 1 + source_count(problem) * (1 + rank_of(problem));
}

uint32_t block_vectors(const Problem& problem)
{
    return vectors_of(problem) <= MOVE_FEW_VECTORS ? MOVE_FEW_VECTORS : MOVE_VECTORS;
}

std::string unfit(const Problem& problem)
{
    const size_t rank = rank_of(problem);
    const size_t sources = source_count(problem);
    if (vectors_of(problem) > MOVE_VECTORS)
        return "its " + std::to_string(sources) + " parts lie along " + std::to_string(rank) +
               " axes, more than its uniform block can describe";
    if (int64_t(rank * MOVE_SOURCES) > loop_limit(problem.compute_type, problem.capabilities))
        return too_many_iterations("its loops over " + std::to_string(rank) + " axes", problem.capabilities);
    return "";
}

// Returns the bits of the fill as an element of the type. Of an integer type they are 0, because only a fill that is bound can
// have other integers.
uint64_t fill_bits(DType dtype, float fill)
{
    switch (dtype) {
    case DType::float32:
        return std::bit_cast<uint32_t>(fill);
    case DType::float64:
        return std::bit_cast<uint64_t>(double(fill));
    case DType::float16:
        return half_bits(fill);
    default:
        return 0;
    }
}

push::MoveProblem uniform_of(const Problem& problem)
{
    push::MoveProblem push = {};
    const uint64_t fill = fill_bits(problem.geometry.dtype, problem.geometry.fill);
    const size_t bytes = bits(problem.geometry.dtype) / 8;
    for (int64_t i = 0; i < problem.together; ++i)
        std::memcpy(reinterpret_cast<std::byte*>(push.words[0]) + size_t(i) * bytes, &fill, bytes);
    const size_t rank = rank_of(problem);
    auto* vector = &push.words[1];
    for (const Output& output : problem.outputs)
        for (size_t s = 0; s < output.sources.size(); ++s) {
            (*vector++)[0] = uint32_t(output.sources[s].first);
            for (size_t i = 0; i < rank; ++i, ++vector) {
                const bool there = i < output.axes.size();
                const Axis& axis = there ? output.axes[output.axes.size() - 1 - i] : Axis{1, {}};
                const SourceAxis along = there ? axis.along[s] : SourceAxis();
                const int64_t words[] = {axis.extent, along.stride, along.begin, along.extent};
                std::transform(std::begin(words), std::end(words), *vector, [](int64_t word) { return uint32_t(word); });
            }
        }
    return push;
}

// Returns a range around the input's coordinates that belong to some of the output's. It may be empty.
Range coordinates_of(const SourceAxis& along, Beyond beyond, const Range& outputs)
{
    int64_t first = outputs.first - along.begin;
    int64_t last = outputs.end() - 1 - along.begin;
    const bool inside = first >= 0 && last < along.extent;
    if (inside || beyond == Beyond::never)
        return {first, last - first + 1};
    if (beyond == Beyond::other && (last < 0 || first >= along.extent))
        return {};
    if (beyond == Beyond::reflect || beyond == Beyond::wrap)
        return {0, along.extent};
    first = std::clamp<int64_t>(first, 0, along.extent - 1);
    last = std::clamp<int64_t>(last, 0, along.extent - 1);
    return {first, last - first + 1};
}

// Returns a range of a source's input that holds all that a range of outputs reads.
Range read_of(const Output& output, size_t source, Beyond beyond, std::span<const int64_t> extents, const Range& outputs)
{
    int64_t first = output.sources[source].first;
    int64_t last = first;
    bool none = false;
    const auto add = [&](size_t a, const Range& range) {
        const SourceAxis& along = output.axes[a].along[source];
        const Range coordinates = coordinates_of(along, beyond, range);
        none = none || coordinates.count == 0;
        const int64_t ends[] = {coordinates.first * along.stride, (coordinates.end() - 1) * along.stride};
        first += std::min(ends[0], ends[1]);
        last += std::max(ends[0], ends[1]);
    };
    visit_bounds(outputs, extents, add);
    return none ? Range{} : Range{first, last - first + 1};
}

Gather gather_of(const Problem& problem, const Output& output, size_t first_source)
{
    const ops::MoveGeometry& g = problem.geometry;
    const size_t sources = output.sources.size();
    const bool parts = sources > max_bound_inputs;
    Gather gather = {.op = g.op,
                     .compute_type = problem.compute_type,
                     .element_bytes = bits(g.dtype) / 8 * uint32_t(problem.together),
                     .outputs = output.elements,
                     .output_operand = uint8_t(g.inputs.size() + output.index),
                     .channels = parts ? int64_t(sources) : 1,
                     .inputs_are_channels = parts,
                     .first_channel = int64_t(first_source),
                     .kernel = *variant(modules::move, problem.compute_type),
                     .goes_on = parts,
                     .channels_at_once = parts ? int64_t(max_bound_inputs) : 1};
    const auto tensor = [&](size_t input) {
        return InputTensor{uint8_t(input), *element_count(g.inputs[input]) / problem.together};
    };
    for (const ops::Source& source : output.sources)
        gather.inputs.push_back(tensor(source.input));
    const bool fills = g.fill_input.has_value();
    if (fills)
        gather.inputs.push_back(tensor(*g.fill_input));
    if (!parts)
        gather.inputs.resize(max_bound_inputs, gather.inputs.front());
    std::vector<int64_t> extents;
    for (const Axis& axis : output.axes)
        extents.push_back(axis.extent);
    gather.reads = [&output, beyond = g.beyond, extents = std::move(extents), parts, fills](const Part& part) {
        const size_t all = output.sources.size();
        const size_t first = parts ? size_t(part.channels.first) : 0;
        const size_t count = parts ? size_t(part.channels.count) : max_bound_inputs;
        Reads reads = {};
        for (size_t i = 0; i < count; ++i)
            reads[i] =
                fills && i == all ? Range{0, 1} : read_of(output, first + i < all ? first + i : 0, beyond, extents, part.outputs);
        return reads;
    };
    gather.specialization = specialization::Move{.workgroup_size = workgroup_size(problem.capabilities),
                                                 .rank = uint32_t(rank_of(problem)),
                                                 .sources = parts ? 0 : uint32_t(sources),
                                                 .beyond = uint32_t(g.beyond),
                                                 .fill_bound = fills,
                                                 .vectors = block_vectors(problem)}
                                .values();
    return gather;
}

// Appends another output's steps to those before.
void append(Plan& whole, Plan&& part)
{
    std::vector<uint32_t> numbers;
    for (PipelineKey& key : part.pipelines) {
        const auto found = std::find(whole.pipelines.begin(), whole.pipelines.end(), key);
        numbers.push_back(uint32_t(found - whole.pipelines.begin()));
        if (found == whole.pipelines.end())
            whole.pipelines.push_back(std::move(key));
    }
    for (Step& step : part.steps) {
        step.pipeline = numbers[step.pipeline];
        whole.steps.push_back(std::move(step));
    }
    whole.max_submit_seconds = part.max_submit_seconds;
}

Result<Plan> planned(const Problem& problem)
{
    const ops::MoveGeometry& g = problem.geometry;
    Plan whole = {.inputs = uint32_t(g.inputs.size()), .uniform = bytes_of(uniform_of(problem))};
    whole.uniform.resize(block_vectors(problem) * 4 * sizeof(uint32_t));
    for (const TensorDesc& input : g.inputs)
        whole.tensor_bytes.push_back(input.dtype == DType::undefined ? 0 : *byte_size(input));
    for (const ops::Move& move : g.moves)
        whole.tensor_bytes.push_back(*byte_size(move.output));
    for (uint64_t& bytes : whole.tensor_bytes)
        bytes = buffer_bytes(bytes);
    size_t first_source = 0;
    for (const Output& output : problem.outputs) {
        Result<Plan> part = plan_gather(gather_of(problem, output, first_source), problem.capabilities, problem.options);
        if (!part)
            return part;
        if (whole.steps.size() + part->steps.size() > size_t(max_dispatches))
            return too_many_dispatches(g.op);
        append(whole, std::move(*part));
        first_source += output.sources.size();
    }
    return whole;
}

}  // namespace

constinit const KernelOf<Problem> any_rank = {
    .name = "move", .variants = modules::move, .keeps_order = true, .unfit = unfit, .plan = planned};

}  // namespace vkonnx::plan::move
