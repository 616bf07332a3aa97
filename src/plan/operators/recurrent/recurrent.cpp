// SPDX-License-Identifier: Apache-2.0
// This file plans RNN, GRU and LSTM: first X times W for all time steps at once, as a Gemm, and then what goes through the
// sequence. Sums, functions and states are floats, whatever the type.
#include <algorithm>
#include <array>
#include <bit>

#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/operators/operators.h"
#include "plan/operators/recurrent/problem.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/operators/recurrent/recurrent.h"
#include "shaders/operators/recurrent/recurrent_constants.h"
#include "shaders/operators/recurrent/recurrent_copy_constants.h"

namespace vkonnx::plan {
namespace recurrent {

using ops::RecurrentGeometry;
using ops::RecurrentKind;

static_assert(int(RecurrentKind::rnn) == RECURRENT_RNN && int(RecurrentKind::gru) == RECURRENT_GRU &&
              int(RecurrentKind::lstm) == RECURRENT_LSTM);
static_assert(int(RecurrentDirection::forward) == RECURRENT_FORWARD && int(RecurrentDirection::reverse) == RECURRENT_REVERSE &&
              int(RecurrentDirection::bidirectional) == RECURRENT_BIDIRECTIONAL);

namespace {

constexpr uint32_t float_bytes = 4;
constexpr int64_t state_of_c = 2;
constexpr int64_t nothing_beyond = UINT32_MAX;  // as RecurrentCopy::limit: no element is beyond it

std::vector<uint64_t> tensor_bytes(const RecurrentGeometry& geometry)
{
    std::vector<uint64_t> bytes;
    for (const TensorDesc& input : geometry.inputs)
        bytes.push_back(input.dtype == DType::undefined ? 0 : buffer_bytes(*byte_size(input)));
    for (const TensorDesc& output : outputs_of(geometry))
        bytes.push_back(buffer_bytes(*byte_size(output)));
    return bytes;
}

// The product of X and W has the shape (steps * batch, directions * gates * hidden), for all time steps.
int64_t product_rows(const RecurrentGeometry& geometry)
{
    return saturated_product(geometry.steps, geometry.batch);
}

int64_t product_columns(const RecurrentGeometry& geometry)
{
    return saturated_product({geometry.directions, geometry.gates, geometry.hidden});
}

}  // namespace

struct Program::Copy {
    std::array<int64_t, 4> extents = {1, 1, 1, 1};
    std::array<int64_t, 4> steps = {0, 0, 0, 0};
    int64_t reach = 0;
    int64_t limit = nothing_beyond;
    DType from = DType::float32;
    int64_t from_elements = 0;
    ComputeType to = ComputeType::f32;

    static Copy of_all(const TensorDesc& desc)
    {
        const int64_t count = *element_count(desc);
        return {.extents = {1, 1, 1, count}, .steps = {0, 0, 0, 1}, .from = desc.dtype, .from_elements = count};
    }
};

Program::Program(const Problem& problem)
    : problem_(problem), tensor_y_(uint8_t(problem.geometry.inputs.size())),
      chain_(problem.geometry.op, problem.capabilities, problem.options, tensor_y_, tensor_bytes(problem.geometry))
{
}

bool Program::is_constant(size_t input) const
{
    return std::ranges::count(problem_.options.constants, input, &ConstantInput::input) > 0;
}

// Returns `count` floats of a memory of floats, from number `first` on.
Memory Program::part_of(const Memory& memory, int64_t first, int64_t count) const
{
    Memory part = memory;
    part.offset += uint64_t(first) * float_bytes;
    part.bytes = uint64_t(count) * float_bytes;
    return part;
}

Status Program::copy(const Copy& copy, const Memory& from, const Memory& to, Turn turn)
{
    const bool is_half_output = is_half(copy.to);
    Gather gather = {.op = problem_.geometry.op,
                     .compute_type = copy.to,
                     .element_bytes = is_half_output ? 2 : float_bytes,
                     .outputs = copy.extents[0] * copy.extents[1] * copy.extents[2] * copy.extents[3],
                     .output_operand = 1,
                     .inputs = {{0, copy.from_elements, bits(copy.from) / 8}},
                     .kernel = *variant(modules::recurrent_copy, copy.to),
                     .uses_uniform = false};
    if (gather.outputs == 0)
        return {};
    const bool in_order = copy.extents[3] == gather.outputs && copy.steps[3] == 1;
    gather.reads = [in_order, all = copy.from_elements](const Part& part) -> Reads {
        return {in_order ? part.outputs : Range{0, all}};
    };
    gather.specialization =
        specialization::RecurrentCopy{.workgroup_size = workgroup_size(problem_.capabilities), .dtype = uint32_t(copy.from)}
            .values();
    push::RecurrentCopy push = {};
    for (size_t i = 0; i < 3; ++i)
        push.extents[i] = uint32_t(copy.extents[i + 1]);
    for (size_t i = 0; i < 4; ++i)
        push.steps[i] = uint32_t(copy.steps[i]);
    push.reach = uint32_t(copy.reach);
    push.limit = uint32_t(copy.limit);
    gather.push = bytes_of(push);
    const Memory operands[] = {from, to};
    return chain_.add(gather, operands, turn);
}

// Copies a state as it is given, with zeros behind each row up to a whole quad.
Status Program::copy_state(size_t input, int64_t state)
{
    if (!problem_.has(input))
        return {};
    const RecurrentGeometry& g = problem_.geometry;
    const int64_t row = 4 * problem_.quads;
    Copy states = Copy::of_all(g.inputs[input]);
    states.extents = {1, g.directions, g.batch, row};
    states.steps = {0, g.batch_first ? g.hidden : g.batch * g.hidden, g.batch_first ? g.directions * g.hidden : g.hidden, 1};
    states.limit = g.hidden;
    return copy(states, {.tensor = uint8_t(input)}, part_of(state_, state * problem_.state_step, problem_.rows * row),
                Turn::each);
}

Status Program::copy_output(size_t output, int64_t state)
{
    const RecurrentGeometry& g = problem_.geometry;
    if (int64_t(output) >= g.outputs)
        return {};
    const int64_t row = 4 * problem_.quads;
    Copy states = {.extents = {1, g.directions, g.batch, g.hidden},
                   .steps = {0, g.batch * row, row, 1},
                   .from_elements = problem_.rows * row,
                   .to = problem_.compute_type};
    if (g.batch_first) {
        std::swap(states.extents[1], states.extents[2]);
        std::swap(states.steps[1], states.steps[2]);
    }
    return copy(states, part_of(state_, state * problem_.state_step, problem_.rows * row),
                {.tensor = uint8_t(tensor_y_ + output)}, Turn::each);
}

// Copies R, B and P to the form that the kernel reads: only once, where all of them are constant.
Status Program::copy_weights()
{
    const RecurrentGeometry& g = problem_.geometry;
    bool constant = true;
    for (const size_t input : {input_r, input_b, input_p})
        constant &= !problem_.has(input) || is_constant(input);
    const Turn turn = constant ? Turn::once : Turn::each;
    weights_ = constant ? chain_.packed(problem_.weights, float_bytes) : chain_.scratch(problem_.weights, float_bytes);
    Copy r = Copy::of_all(g.inputs[input_r]);
    r.extents = {g.directions * g.gates, problem_.quads, g.hidden, 4};
    r.steps = {g.hidden * g.hidden, 4, g.hidden, 1};
    r.reach = 4;
    r.limit = g.hidden;
    VKONNX_RETURN_IF_ERROR(
        copy(r, {.tensor = input_r}, part_of(weights_, 0, r.extents[0] * 4 * problem_.quads * g.hidden), turn));
    for (const auto& [input, begin] : {std::pair(input_b, problem_.b_begin), std::pair(input_p, problem_.p_begin)})
        if (problem_.has(input)) {
            const Copy all = Copy::of_all(g.inputs[input]);
            VKONNX_RETURN_IF_ERROR(copy(all, {.tensor = uint8_t(input)}, part_of(weights_, begin, all.from_elements), turn));
        }
    return {};
}

// Multiplies X by W with the kernels of Gemm. Halves are made floats before.
Status Program::multiply()
{
    const RecurrentGeometry& g = problem_.geometry;
    const int64_t rows = product_rows(g);
    const int64_t columns = product_columns(g);
    products_ = chain_.scratch(rows * columns, float_bytes);
    Memory x = {.tensor = input_x};
    Memory w = {.tensor = input_w};
    PrepareOptions options = {.reproducible = problem_.options.reproducible,
                              .max_dispatch_seconds = problem_.options.max_dispatch_seconds,
                              .scratch_budget = problem_.options.scratch_budget,
                              .built = problem_.options.built};
    if (is_half(problem_.compute_type)) {
        x = chain_.scratch(rows * g.input_size, float_bytes, true);
        const Turn turn = is_constant(input_w) ? Turn::once : Turn::each;
        w = turn == Turn::once ? chain_.packed(columns * g.input_size, float_bytes)
                               : chain_.scratch(columns * g.input_size, float_bytes, true);
        VKONNX_RETURN_IF_ERROR(copy(Copy::of_all(g.inputs[input_x]), {.tensor = input_x}, x, Turn::each));
        VKONNX_RETURN_IF_ERROR(copy(Copy::of_all(g.inputs[input_w]), {.tensor = input_w}, w, turn));
    } else {
        for (const ConstantInput& constant : problem_.options.constants)
            if (constant.input == input_w)
                options.constants.push_back(constant);
    }
    const TensorDesc factors[] = {{DType::float32, {rows, g.input_size}}, {DType::float32, {columns, g.input_size}}};
    Result<ops::MatMulGeometry> product = ops::resolve(Gemm{.transB = 1}, factors);
    VKONNX_RETURN_IF_ERROR(product.status());
    product->op = g.op;
    Result<Plan> plan = plan_for(*product, problem_.capabilities, options);
    VKONNX_RETURN_IF_ERROR(plan.status());
    const Memory operands[] = {x, w, products_};
    return chain_.add(std::move(*plan), operands);
}

Status Program::begin()
{
    const RecurrentGeometry& g = problem_.geometry;
    VKONNX_RETURN_IF_ERROR(copy_weights());
    VKONNX_RETURN_IF_ERROR(multiply());
    state_ = chain_.scratch(RECURRENT_STATES * problem_.state_step + g.batch, float_bytes);
    VKONNX_RETURN_IF_ERROR(copy_state(input_h, 0));
    VKONNX_RETURN_IF_ERROR(copy_state(input_c, state_of_c));
    if (problem_.has(input_lengths))
        VKONNX_RETURN_IF_ERROR(copy(Copy::of_all(g.inputs[input_lengths]), {.tensor = input_lengths},
                                    part_of(state_, RECURRENT_STATES * problem_.state_step, g.batch), Turn::each));
    y_ = is_half(problem_.compute_type) ? chain_.scratch(problem_.outputs, float_bytes) : Memory{.tensor = tensor_y_};
    return {};
}

void Program::add(const Dispatch& dispatch)
{
    const RecurrentGeometry& g = problem_.geometry;
    specialization::Recurrent constants = {.workgroup_size = uint32_t(dispatch.group.invocations()),
                                           .shares = dispatch.shares,
                                           .quads = uint32_t(problem_.quads),
                                           .kind = uint32_t(g.kind),
                                           .direction = uint32_t(g.direction),
                                           .linear_before_reset = g.linear_before_reset,
                                           .input_forget = g.input_forget,
                                           .batch_first = g.batch_first,
                                           .has_b = problem_.has(input_b),
                                           .has_lengths = problem_.has(input_lengths),
                                           .has_h = problem_.has(input_h),
                                           .has_c = problem_.has(input_c),
                                           .has_p = problem_.has(input_p),
                                           .clips = g.clip.has_value(),
                                           .exactly = problem_.options.reproducible,
                                           .f = 0,
                                           .g = 0,
                                           .h = 0,
                                           .f1 = 0,
                                           .g1 = 0,
                                           .h1 = 0,
                                           .parts = uint32_t(dispatch.group.parts),
                                           .rounds_h = g.rounds_h};
    push::RecurrentSteps push = {.rows = uint32_t(problem_.rows),
                                 .batch = uint32_t(g.batch),
                                 .hidden = uint32_t(g.hidden),
                                 .step_count = uint32_t(g.steps),
                                 .first_step = uint32_t(dispatch.first_step),
                                 .steps = uint32_t(dispatch.steps),
                                 .first = uint32_t(dispatch.first),
                                 .count = uint32_t(dispatch.count),
                                 .instead = dispatch.instead,
                                 .state_step = uint32_t(problem_.state_step),
                                 .b_begin = uint32_t(problem_.b_begin),
                                 .p_begin = uint32_t(problem_.p_begin),
                                 .clip = std::bit_cast<uint32_t>(g.clip.value_or(0)),
                                 .numbers = {}};
    uint32_t* const places[2][RECURRENT_FUNCTIONS] = {{&constants.f, &constants.g, &constants.h},
                                                      {&constants.f1, &constants.g1, &constants.h1}};
    const size_t each = g.functions.size() / size_t(g.directions);
    for (size_t i = 0; i < g.functions.size(); ++i) {
        ops::RecurrentFunction function = g.functions[i];
        if (function.activation == RecurrentActivation::tanh)
            function = {RecurrentActivation::scaled_tanh, 1, 1};
        const size_t number = i / each * RECURRENT_FUNCTIONS + i % each;
        *places[i / each][i % each] = uint32_t(function.activation);
        push.numbers[2 * number] = std::bit_cast<uint32_t>(function.alpha);
        push.numbers[2 * number + 1] = std::bit_cast<uint32_t>(function.beta);
    }
    const PipelineKey key = {.kernel = Kernel::recurrent_f32,
                             .specialization = constants.values(),
                             .views = std::vector(4, View::storage),
                             .uses_uniform = false,
                             .push_bytes = sizeof(push)};
    if (own_.pipelines.empty())
        own_.pipelines.push_back(key);
    own_.steps.push_back({.pipeline = 0,
                          .operands = {{.tensor = 0},
                                       {.tensor = 1},
                                       {.tensor = 2, .access = Access::read_write},
                                       {.tensor = 3, .access = Access::write}},
                          .push = bytes_of(push),
                          .groups = dispatch.groups,
                          .seconds = dispatch.seconds});
}

Result<Plan> Program::finish(int64_t final)
{
    const Memory operands[] = {products_, weights_, state_, y_};
    VKONNX_RETURN_IF_ERROR(chain_.add(std::move(own_), operands));
    if (is_half(problem_.compute_type)) {
        Copy all = Copy::of_all(problem_.geometry.y);
        all.from = DType::float32;
        all.to = problem_.compute_type;
        VKONNX_RETURN_IF_ERROR(copy(all, y_, {.tensor = tensor_y_}, Turn::each));
    }
    VKONNX_RETURN_IF_ERROR(copy_output(1, final));
    VKONNX_RETURN_IF_ERROR(copy_output(2, state_of_c));
    return chain_.take();
}

Group group_in_parts(const Problem& problem, int64_t elements, int64_t invocations)
{
    constexpr int64_t most_parts = 16;
    Group group = {.elements = elements};
    while (2 * group.invocations() <= invocations && 2 * group.parts <= std::min(most_parts, problem.quads))
        group.parts *= 2;
    return group;
}

double waiting_seconds(const Problem& problem, int64_t parts)
{
    // These were measured on an NVIDIA H200, for each quad of H.
    constexpr double of_state = 1.2e-7, of_weights = 6e-8;
    const double quad = of_state + of_weights * double(problem.geometry.gates);
    return problem.capabilities.is_cpu ? 0 : double(divide_up(problem.quads, parts)) * quad;
}

std::string unfit_for_ranges(const Problem& problem)
{
    const RecurrentGeometry& g = problem.geometry;
    const Capabilities& c = problem.capabilities;
    const int64_t products = saturated_product(product_rows(g), product_columns(g));
    const int64_t whole =
        std::max({products, problem.weights, saturated_sum(saturated_product(RECURRENT_STATES, problem.state_step), g.batch),
                  problem.outputs});
    if (whole >= index_limit)
        return "it has " + std::to_string(whole) + " numbers at once, more than the 2147483647 that kernels can number";
    if (uint64_t(whole) * float_bytes > c.max_storage_buffer_range)
        return too_many_bytes(uint64_t(whole) * float_bytes, c);
    return "";
}

namespace {

constexpr const KernelOf<Problem>* kernels[] = {&sequence, &sequence_parts, &steps, &steps_parts};

// Returns a number of floats rounded up, so that another list of floats behind them may be bound.
int64_t aligned(int64_t floats, const Capabilities& capabilities)
{
    const int64_t unit = std::max<int64_t>(capabilities.storage_buffer_alignment / float_bytes, 4);
    return saturated_product(divide_up(floats, unit), unit);
}

Result<Problem> problem_of(const RecurrentGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    constexpr Needs needs = {.storage_buffers = 4, .push_constant_bytes = sizeof(push::GatherPart) + sizeof(push::RecurrentCopy)};
    const std::string_view op = geometry.op;
    Result<Problem> problem = common_problem<Problem>(op, needs, geometry, compute_type_of(op, geometry.y.dtype, capabilities),
                                                      geometry.y, capabilities, options);
    if (!problem || problem->outputs == 0)
        return problem;
    for (size_t i = 0; i < geometry.inputs.size(); ++i)
        if (problem->has(i))
            VKONNX_RETURN_IF_ERROR(check_addressable(op, "an input", geometry.inputs[i]));
    VKONNX_RETURN_IF_ERROR(check_addressable(op, "Y", geometry.y));
    problem->rows = geometry.directions * geometry.batch;
    problem->quads = divide_up(geometry.hidden, 4);
    problem->state_step = aligned(saturated_product(problem->rows, 4 * problem->quads), capabilities);
    const int64_t r = saturated_product({geometry.directions, geometry.gates, 4 * problem->quads, geometry.hidden});
    const int64_t b = problem->has(input_b) ? *element_count(geometry.inputs[input_b]) : 0;
    const int64_t p = problem->has(input_p) ? *element_count(geometry.inputs[input_p]) : 0;
    problem->b_begin = aligned(r, capabilities);
    problem->p_begin = saturated_sum(problem->b_begin, aligned(b, capabilities));
    problem->weights = saturated_sum(problem->p_begin, std::max<int64_t>(aligned(p, capabilities), 4));
    return problem;
}

}  // namespace
}  // namespace recurrent

Result<Plan> plan_for(const ops::RecurrentGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    return best_plan(geometry.op, recurrent::kernels, recurrent::problem_of(geometry, capabilities, options));
}

Result<std::vector<KernelChoice>> kernels_for(const ops::RecurrentGeometry& geometry, const Capabilities& capabilities,
                                              const PrepareOptions& options)
{
    return all_choices(geometry.op, recurrent::kernels, recurrent::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
