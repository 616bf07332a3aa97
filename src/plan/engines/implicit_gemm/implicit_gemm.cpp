// SPDX-License-Identifier: Apache-2.0
#include "plan/engines/implicit_gemm/implicit_gemm.h"

#include <algorithm>
#include <cmath>

#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/elementwise_kinds.h"
#include "plan/engines/epilogue.h"
#include "plan/engines/implicit_gemm/bands.h"
#include "plan/engines/implicit_gemm/steps.h"
#include "plan/engines/prologue.h"
#include "shaders/engines/implicit_gemm/implicit_gemm_constants.h"
#include "shaders/engines/implicit_gemm/implicit_gemm_matrices_constants.h"

namespace vkonnx::plan::implicit_gemm {
namespace {

// Returns the tile with a module that reads its operands as storage buffers alone.
constexpr Tile buffers(Kernel kernel, Tile tile)
{
    tile.texels = tile.storage = kernel;
    return tile;
}

constexpr Tile in_registers[] = {
    {16, 8, Kernel::implicit_gemm_rows16_columns8_texels1_f32, Kernel::implicit_gemm_rows16_columns8_texels0_f32},
    {16, 4, Kernel::implicit_gemm_rows16_columns4_texels1_f32, Kernel::implicit_gemm_rows16_columns4_texels0_f32},
    {4, 8, Kernel::implicit_gemm_rows4_columns8_texels1_f32, Kernel::implicit_gemm_rows4_columns8_texels0_f32},
    {.rows = 16,
     .columns = 8,
     .texels = Kernel::implicit_gemm_rows16_columns8_texels1_shuffles1_f32,
     .storage = Kernel::implicit_gemm_rows16_columns8_texels0_f32,
     .shuffles = true},
    {.rows = 4,
     .columns = 8,
     .texels = Kernel::implicit_gemm_rows4_columns8_texels1_shuffles1_f32,
     .storage = Kernel::implicit_gemm_rows4_columns8_texels0_f32,
     .shuffles = true},
    // GPUs load as fast from buffers as through texels, and take fewer registers for that.
    buffers(Kernel::implicit_gemm_rows16_columns4_texels0_f32, {.rows = 16, .columns = 4, .registers = 216}),
    buffers(Kernel::implicit_gemm_rows4_columns4_texels0_f32, {.rows = 4, .columns = 4, .registers = 96}),
    buffers(Kernel::implicit_gemm_rows4_columns4_texels0_few_registers1_f32, {.rows = 4, .columns = 4, .registers = any_gpu}),
};
constexpr Tile doubles_in_registers[] = {
    buffers(Kernel::implicit_gemm_rows16_columns4_texels0_f64, {.rows = 16, .columns = 4, .texel_bytes = 32}),
    buffers(Kernel::implicit_gemm_rows4_columns8_texels0_f64, {.rows = 4, .columns = 8, .texel_bytes = 32}),
    buffers(Kernel::implicit_gemm_rows4_columns8_texels0_f64, {.rows = 4, .columns = 8, .texel_bytes = 32, .registers = 256}),
    buffers(Kernel::implicit_gemm_rows4_columns4_texels0_f64, {.rows = 4, .columns = 4, .texel_bytes = 32, .registers = any_gpu}),
};
constexpr Tile through_shared_memory[] = {
    buffers(Kernel::implicit_gemm_shared_rows64_columns128_f32,
            {.rows = 64, .columns = 128, .invocations = 128, .registers = 136}),
    buffers(Kernel::implicit_gemm_shared_rows64_columns64_f32, {.rows = 64, .columns = 64, .invocations = 64, .registers = 136}),
    buffers(Kernel::implicit_gemm_shared_rows64_columns64_sums32_f32,
            {.rows = 64, .columns = 64, .invocations = 128, .registers = 96}),
    buffers(Kernel::implicit_gemm_shared_rows32_columns64_sums16_f32,
            {.rows = 32, .columns = 64, .invocations = 128, .registers = any_gpu}),
};
constexpr Tile by_matrices[] = {
    buffers(Kernel::implicit_gemm_matrices_rows128_columns128_f16,
            {.rows = 128, .columns = 128, .invocations = 256, .texel_bytes = 8, .registers = 200, .matrices = true}),
    buffers(Kernel::implicit_gemm_matrices_rows64_columns64_f16,
            {.rows = 64, .columns = 64, .invocations = 64, .texel_bytes = 8, .registers = 200, .matrices = true}),
};

// Returns the tile with a module that reads X as it lies in memory.
constexpr Tile unpacked(Kernel kernel, Tile tile)
{
    tile.x_as_it_lies = true;
    return buffers(kernel, tile);
}

constexpr Tile unpacked_by_matrices[] = {
    unpacked(Kernel::implicit_gemm_matrices_rows128_columns128_x_packed0_f16, by_matrices[0]),
    unpacked(Kernel::implicit_gemm_matrices_rows64_columns64_x_packed0_f16, by_matrices[1]),
};

// This struct holds the tiles of a form, and the modules that pack inputs and weights for it.
struct Modules {
    Tiles tiles;
    std::span<const Variant> inputs = modules::implicit_gemm_inputs;
    std::span<const Variant> weights = modules::implicit_gemm_weights;
};

Modules modules_of(Form form, ComputeType compute_type)
{
    switch (form) {
    case Form::shared_memory:
        return {through_shared_memory, shared_memory_inputs};
    case Form::cooperative_matrices:
        return {by_matrices, modules::implicit_gemm_inputs_half_texels1, modules::implicit_gemm_weights_half_texels1};
    case Form::unpacked_matrices:
        return {unpacked_by_matrices, modules::implicit_gemm_inputs_half_texels1, modules::implicit_gemm_weights_half_texels1};
    case Form::registers:
        break;
    }
    return {compute_type == ComputeType::f64 ? Tiles(doubles_in_registers) : Tiles(in_registers)};
}

constexpr int64_t float_limit = 1 << 24;  // a float holds all whole numbers up to this one

constexpr double rounding_work = 3;  // work units of rounding a sum to a half, or of adding a part

// Tells whether the product stores sums that a later step makes outputs of.
bool finishes(const Problem& problem, const Tile& tile)
{
    return (is_half(problem.compute_type) && !tile.x_as_it_lies) || tile.part_quads != 0;
}

int64_t sum_bytes(const Problem& problem, const Product& product, const Tile& tile)
{
    return saturated_product({problem.compute_type == ComputeType::f64 ? 8 : 4, parts_of(product, tile), problem.outputs});
}

// Returns the work of making outputs of sums. An invocation makes two, because two halves are a word.
Work finishing_work(const Problem& problem, const Product& product, const Tile& tile)
{
    return {finishes(problem, tile) ? divide_up(problem.outputs, 2) : 0, 2 * rounding_work * double(parts_of(product, tile))};
}

// This struct holds where the product's operands lie in scratch memory, in bytes. What is packed once has memory of its own.
struct Places {
    int64_t weights = 0;
    int64_t sums = 0;
    int64_t end = 0;  // the size of scratch memory
};

Places places_of(const Problem& problem, const Product& product, const Tile& tile)
{
    const int64_t alignment = std::max<int64_t>(
        {problem.capabilities.storage_buffer_alignment, problem.capabilities.texel_buffer_alignment, tile.texel_bytes});
    const auto aligned = [&](int64_t bytes) { return saturated_product(divide_up(bytes, alignment), alignment); };
    Places places = {.end = tile.x_as_it_lies ? 0 : bytes_of_texels(problem, tile, input_texels(product))};
    if (!problem.constant_weights) {
        places.weights = aligned(places.end);
        const int64_t texels = saturated_product(product.groups, group_texels(product, tile));
        places.end = saturated_sum(places.weights, bytes_of_texels(problem, tile, texels));
    }
    if (finishes(problem, tile)) {
        places.sums = aligned(places.end);
        places.end = saturated_sum(places.sums, sum_bytes(problem, product, tile));
    }
    return places;
}

// Cuts the product into bands. Packed X gets what is left of PrepareOptions::scratch_budget.
Bands bands_of(const Problem& problem, const Modules& modules)
{
    Cut cut = cut_of(problem, modules.tiles);
    if (cut.tile.x_as_it_lies)
        return {std::move(cut.product), cut.tile};
    const int64_t others =
        places_of(problem, cut.product, cut.tile).end - bytes_of_texels(problem, cut.tile, input_texels(cut.product));
    const auto budget = int64_t(std::min<uint64_t>(problem.options.scratch_budget, INT64_MAX));
    return in_bands(problem, std::move(cut), std::max<int64_t>(0, budget - others));
}

// Returns how many quads of channels an invocation packs at one place. Software drivers take longer to find the place than to
// pack a texel.
int64_t quads_at_once(const Capabilities& capabilities)
{
    return capabilities.is_cpu ? 8 : 1;
}

// Returns the work of packing a band of X.
Work input_work(const Product& product, const Tile& tile, const Capabilities& capabilities)
{
    const int64_t planes = product.groups * product.packed_quads;
    if (tile.x_as_it_lies || planes == 0)
        return {};
    const int64_t packers = divide_up(planes, quads_at_once(capabilities));
    return {packers * (input_texels(product) / planes), packing_work * double(planes) / double(packers)};
}

push::GemmProblem uniform_of(const Problem& problem, const Product& product, const Tile& tile)
{
    const bool last = problem.layout == Layout::nxc;
    const int64_t channels_in = product.groups * product.x_channels();
    const int64_t channels_out = product.groups * product.channels_out;
    push::GemmProblem push = {};
    int64_t x_step = last ? channels_in : 1;
    int64_t y_step = last ? channels_out : 1;
    for (size_t a = GEMM_AXES; a-- > 0;) {
        const Axis& axis = product.axes[a];
        push.axes[a] = {.in_extent = uint32_t(axis.in),
                        .out_extent = uint32_t(axis.out),
                        .phases = uint32_t(axis.phase_count),
                        .begin = uint32_t(axis.begin),
                        .blocks = uint32_t(axis.blocks),
                        .block_step = uint32_t(axis.block_step),
                        .first = uint32_t(axis.first),
                        .extent = uint32_t(axis.extent),
                        .tap_step = int32_t(axis.tap_step),
                        .y_step = uint32_t(y_step),
                        .x_step = uint32_t(x_step),
                        .column_step = 0};
        x_step *= axis.in;
        y_step *= axis.out;
    }
    push.quads = uint32_t(product.quads);
    push.groups = uint32_t(product.groups);
    push.line = uint32_t(product.line);
    push.quads_at_once = uint32_t(quads_at_once(problem.capabilities));
    push.channels_in = uint32_t(product.channels_in);
    push.channels_out = uint32_t(product.channels_out);
    push.group_texels = uint32_t(group_texels(product, tile));
    push.x_channel = uint32_t(last ? 1 : x_step);
    push.y_channel = uint32_t(last ? 1 : y_step);
    push.x_image = uint32_t(last ? x_step : x_step * channels_in);
    push.y_image = uint32_t(last ? y_step : y_step * channels_out);
    push.images = uint32_t(product.images);
    push.column_tiles = uint32_t(column_tiles(product, tile));
    push.by_line = push::divisor_of(push.line);
    push.by_lines = push::divisor_of(push.images * push.line);
    push.by_quads = push::divisor_of(uint32_t(product.packed_quads));
    push.channel_places = uint32_t(product.channel_places);
    for (size_t a = 1; a < GEMM_AXES; ++a)
        push.by_extents[a - 1] = push::divisor_of(push.axes[a].extent);
    push.by_blocks[1] = push::divisor_of(push.axes[2].blocks);
    push.by_blocks[0] = push::divisor_of(push.axes[1].blocks * push.axes[2].blocks);
    push.by_image_blocks = push::divisor_of(push.axes[0].blocks * push.by_blocks[0].number);
    push.tiles = uint32_t(tiles_of(product, tile));
    push.outputs = uint32_t(problem.outputs);
    push.part_quads = uint32_t(quads_of(product, tile));
    push.by_y_channel = push::divisor_of(push.y_channel);
    push.by_channels = push::divisor_of(uint32_t(channels_out));
    if (problem.bias)
        push.bias = finishes(problem, tile) ? GEMM_BIAS_LATER : GEMM_BIAS_ADDED;
    push.stores_sums = finishes(problem, tile);
    push.column_step = uint32_t(tile.invocations > 1 ? tile.columns / invocation_share(tile).columns : tile.lanes);
    uint32_t rest = push.column_step;
    for (size_t a = GEMM_AXES; a-- > 0; rest /= push.axes[a].blocks)
        push.axes[a].column_step = rest % push.axes[a].blocks;
    push.image_step = rest;
    push.epilogue = numbers_of(problem.epilogue, problem.compute_type);
    return push;
}

// Returns why cooperative matrices can't keep the places of the inputs of all taps; "" where they can.
std::string unfit_for_taps(const Product& product, const Tile& tile)
{
    int64_t taps = 0, bits = 0;
    for (const PhaseClass& one : product.classes) {
        taps = std::max(taps, one.taps);
        bits = std::max(bits, one.axes[0].taps + one.axes[1].taps + one.axes[2].taps);
    }
    if (taps > MATRICES_MOST_TAPS)
        return "it takes windows of at most " + std::to_string(MATRICES_MOST_TAPS) + " taps, not " + std::to_string(taps);
    if (tile.x_as_it_lies && bits > MATRICES_WORD_BITS)
        return "a word has " + std::to_string(MATRICES_WORD_BITS) + " bits, and its windows have " + std::to_string(bits) +
               " taps on the axes together";
    return "";
}

std::vector<uint32_t> specialization_of_matrices(const Tile& tile, const Capabilities& capabilities, uint32_t epilogue)
{
    const auto [rows, columns, depth] = capabilities.cooperative_matrix;
    const Share share = *subgroup_share(tile, capabilities);
    return specialization::ImplicitGemmMatrices{.workgroup_size = uint32_t(tile.invocations),
                                                .matrix_rows = rows,
                                                .matrix_columns = columns,
                                                .matrix_depth = depth,
                                                .row_matrices = uint32_t(share.rows),
                                                .column_matrices = uint32_t(share.columns),
                                                .epilogue = epilogue}
        .values();
}

}  // namespace

bool computes(ComputeType compute_type, const PrepareOptions& options)
{
    return variant(modules::implicit_gemm_inputs, compute_type) && !options.reproducible;
}

Engine engine_for(Problem problem)
{
    Engine engine = {.problem = std::move(problem)};
    for (const Form form : {Form::registers, Form::shared_memory, Form::cooperative_matrices, Form::unpacked_matrices}) {
        const Modules modules = modules_of(form, engine.problem.compute_type);
        if (variant(modules.inputs, engine.problem.compute_type))
            engine.forms[size_t(form)] = bands_of(engine.problem, modules);
    }
    return engine;
}

std::string unfit_for(const Engine& engine, Form form)
{
    const Problem& problem = engine.problem;
    const Capabilities& c = problem.capabilities;
    if (std::string reason = unfit_for_blocks(c, sizeof(push::GemmProblem)); !reason.empty())
        return reason;
    const auto& [product, tile, axis, count] = *engine.forms[size_t(form)];
    if (product.classes.empty())
        return "its phases have more than " + std::to_string(max_classes) + " kinds of taps";
    if (tile.matrices && !subgroup_share(tile, c))
        return "the device has no cooperative matrices of halves, or none that fit its tiles";
    if (tile.registers > c.invocation_registers)
        return "its invocations need " + std::to_string(tile.registers) + " registers, and those of the device have " +
               std::to_string(c.invocation_registers);
    if (std::string reason = tile.matrices ? unfit_for_taps(product, tile) : ""; !reason.empty())
        return reason;
    if (tile.x_as_it_lies && !c.storage16)
        return "the device can't load and store single halves (storageBuffer16BitAccess)";
    if (tile.x_as_it_lies && !finishes(problem, tile) && is_function(problem.epilogue.kind))
        return "it rounds outputs right after the sum, and calls no functions there";
    if (spirv(tile.storage).empty())
        return "this build has no module of it: it takes glslang 13 or later";
    if (!fits_workgroup(tile, c))
        return "its workgroups have " + std::to_string(tile.invocations) + " invocations and " +
               std::to_string(shared_bytes(tile)) + " bytes of shared memory";
    if (iterations(product, tile, problem.options.epilogue.has_value()) > c.max_loop_iterations)
        return too_many_iterations("its loops", c);
    if (group_texels(product, tile) >= float_limit)
        return "its packed weights have " + std::to_string(group_texels(product, tile)) +
               " texels a group, and it counts to 16777216";
    const int64_t w_texels = saturated_product(product.groups, group_texels(product, tile));
    const int64_t width = problem.compute_type == ComputeType::f64 ? 8 : 4;
    // This counts all of scratch memory, too: a caller's may be one tensor (Device::bind), which must be bindable.
    const int64_t most = std::max({places_of(problem, product, tile).end, bytes_of_texels(problem, tile, w_texels),
                                   prologue_bytes(problem, product), saturated_product(width, problem.outputs),
                                   saturated_product(width, problem.x_elements), saturated_product(width, problem.w_elements)});
    if (most > int64_t(std::min<uint64_t>(c.max_storage_buffer_range, index_limit)))
        return too_many_bytes(uint64_t(most), c);
    return unfit_for_dispatches(problem, product, tile, count, input_work(product, tile, c),
                                finishing_work(problem, product, tile));
}

Result<Plan> planned(const Engine& engine, Form form)
{
    const Problem& problem = engine.problem;
    const Capabilities& c = problem.capabilities;
    const Modules modules = modules_of(form, problem.compute_type);
    const Bands& bands = *engine.forms[size_t(form)];
    const Product& product = bands.product;
    const Tile& tile = bands.tile;
    const bool packs_once = problem.constant_weights;
    const uint8_t output = operand_y(problem.bias, problem.options.prologue);
    const int64_t x_texels = input_texels(product);
    const int64_t w_texels = product.groups * group_texels(product, tile);
    const Places places = places_of(problem, product, tile);
    const bool finishes_sums = finishes(problem, tile);
    const int64_t x_bytes = bytes_of_texels(problem, tile, x_texels);
    const int64_t w_bytes = bytes_of_texels(problem, tile, w_texels);
    const bool texels =
        tile.texels != tile.storage && std::max(x_bytes, w_bytes) / tile.texel_bytes <= int64_t(c.max_texel_buffer_elements);
    const View view = texels ? View::texel_rgba32f : View::storage;

    Plan plan;
    const auto add = [&](PipelineKey key) {
        plan.pipelines.push_back(std::move(key));
        return uint32_t(plan.pipelines.size() - 1);
    };
    const auto pipeline = [&](Kernel kernel, int64_t workgroup, std::vector<View> views, bool uniform, size_t push,
                              uint32_t epilogue = constant_of(ops::Epilogue()), uint32_t prologue = 0) {
        return PipelineKey{.kernel = kernel,
                           .specialization = specialization::ImplicitGemm{.workgroup_size = uint32_t(workgroup),
                                                                          .epilogue = epilogue,
                                                                          .prologue = prologue,
                                                                          .taps = product.taps_are_channels()}
                                                 .values(),
                           .views = std::move(views),
                           .uses_uniform = uniform,
                           .push_bytes = uint32_t(push)};
    };
    const uint32_t pack_input = tile.x_as_it_lies
                                    ? 0
                                    : add(pipeline(*variant(modules.inputs, problem.compute_type), workgroup_size(c),
                                                   {View::storage, View::storage, View::storage}, true, sizeof(push::GemmInputs),
                                                   constant_of(ops::Epilogue()), constant_of(problem.options.prologue)));
    const uint32_t pack_weights = add(packing_pipeline(*variant(modules.weights, problem.compute_type), c));
    const uint32_t epilogue = shared_constant_of(finishes_sums ? ops::Epilogue() : problem.epilogue, c);
    const uint32_t multiply = add(pipeline(texels ? tile.texels : tile.storage, workgroup(tile, c),
                                           {view, view, View::storage, View::storage}, true, sizeof(push::GemmPart), epilogue));
    if (tile.matrices)
        plan.pipelines[multiply].specialization = specialization_of_matrices(tile, c, epilogue);
    const uint32_t finish_sums = finishes_sums ? add(pipeline(*variant(modules::implicit_gemm_outputs, problem.compute_type),
                                                              workgroup_size(c), {View::storage, View::storage, View::storage},
                                                              true, sizeof(push::GemmOutputs), constant_of(problem.epilogue)))
                                               : 0;
    plan.inputs = output;
    plan.tensor_bytes = tensor_bytes_of(problem, product);
    plan.uniform = bytes_of(uniform_of(problem, product, tile));
    plan.max_submit_seconds = problem.options.max_dispatch_seconds;
    plan.scratch_bytes = uint64_t(places.end);
    plan.packed_bytes = packs_once ? uint64_t(w_bytes) : 0;

    const Operand x = tile.x_as_it_lies ? Operand{.tensor = 0} : Operand{.place = Place::scratch, .bytes = uint64_t(x_bytes)};
    const Operand packed_w = {
        .place = packs_once ? Place::packed : Place::scratch, .offset = uint64_t(places.weights), .bytes = uint64_t(w_bytes)};
    const Operand y = {.tensor = output};
    const Operand sums = finishes_sums ? Operand{.place = Place::scratch,
                                                 .offset = uint64_t(places.sums),
                                                 .bytes = uint64_t(sum_bytes(problem, product, tile))}
                                       : y;
    const Operand bias = {.tensor = uint8_t(problem.bias ? 2 : 0)};  // where there is no bias, X is bound in its place

    const auto written = [](Operand operand) {
        operand.access = Access::write;
        return operand;
    };
    (packs_once ? plan.setup : plan.steps) = packing_steps(problem, product, tile, pack_weights, packed_w);
    const auto add_steps = [&](std::vector<Step> steps) {
        plan.steps.insert(plan.steps.end(), std::move_iterator(steps.begin()), std::move_iterator(steps.end()));
    };
    for (int64_t number = 0; number < bands.count; ++number) {
        std::array<uint32_t, GEMM_AXES> first_block = {};
        first_block[bands.axis] = uint32_t(number * product.axes[bands.axis].blocks);
        add_steps(steps_in_time(
            problem, input_work(product, tile, c),
            {.pipeline = pack_input, .operands = {{.tensor = 0}, written(x), prologue_operand(problem)}},
            push::GemmInputs{.first = 0, .end = 0, .first_block = {first_block[0], first_block[1], first_block[2]}}));
        add_steps(product_steps(problem, product, tile, {.pipeline = multiply, .operands = {x, packed_w, bias, written(sums)}},
                                first_block));
    }
    add_steps(steps_in_time(problem, finishing_work(problem, product, tile),
                            {.pipeline = finish_sums, .operands = {sums, bias, written(y)}}, push::GemmOutputs()));
    return plan;
}

}  // namespace vkonnx::plan::implicit_gemm
