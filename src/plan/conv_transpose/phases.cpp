// SPDX-License-Identifier: Apache-2.0
// conv_transpose_phases and conv_transpose_phases_shared: all phases as rows of one product of matrices, in registers or through
// shared memory, in floats. X and W are packed for it: X in each run, W once where it is constant. Halves become floats there, and
// their sums halves again in a step of their own, which adds the bias: what shares a word is computed far apart.
#include <algorithm>
#include <cmath>

#include "plan/arithmetic.h"
#include "plan/bytes.h"
#include "plan/conv_transpose/product.h"
#include "plan/epilogue.h"
#include "plan/gather.h"
#include "plan/grid.h"
#include "plan/limits.h"
#include "shared/conv_transpose_phases.h"
#include "specialization/conv_transpose_phases.h"

namespace vkonnx::plan::conv_transpose {
namespace {

using ops::Axis;
using ops::ConvTransposeGeometry;

constexpr Variant inputs[] = {{Number::f32, Kernel::conv_transpose_phases_input_f32},
                              {Number::f16, Kernel::conv_transpose_phases_input_f16},
                              {Number::bf16, Kernel::conv_transpose_phases_input_bf16}};
constexpr Variant packed_weights[] = {{Number::f32, Kernel::conv_transpose_phases_weights_f32},
                                      {Number::f16, Kernel::conv_transpose_phases_weights_f16},
                                      {Number::bf16, Kernel::conv_transpose_phases_weights_bf16}};
// What makes outputs of sums; floats are outputs as they are.
constexpr Variant outputs[] = {{Number::f16, Kernel::conv_transpose_phases_output_f16},
                               {Number::bf16, Kernel::conv_transpose_phases_output_bf16}};

// What is computed together, and its modules: the one that reads texels, and the one that reads storage buffers.
struct Tile {
    int64_t rows;
    int64_t columns;
    Kernel texels;
    Kernel storage;
    int64_t invocations = 1;  // a workgroup's, through shared memory, where it is more than one
    int64_t lanes = 1;        // neighbouring invocations with each other's columns between their own
};
using Tiles = std::span<const Tile>;

constexpr Tile in_registers[] = {
    {16, 8, Kernel::conv_transpose_phases_rows16_columns8_texels1_f32, Kernel::conv_transpose_phases_rows16_columns8_texels0_f32},
    {16, 4, Kernel::conv_transpose_phases_rows16_columns4_texels1_f32, Kernel::conv_transpose_phases_rows16_columns4_texels0_f32},
    {4, 8, Kernel::conv_transpose_phases_rows4_columns8_texels1_f32, Kernel::conv_transpose_phases_rows4_columns8_texels0_f32},
};
constexpr Tile through_shared_memory[] = {
    {64, 128, Kernel::conv_transpose_phases_shared_rows64_columns128_f32,
     Kernel::conv_transpose_phases_shared_rows64_columns128_f32, 128},
    {64, 64, Kernel::conv_transpose_phases_shared_rows64_columns64_f32,
     Kernel::conv_transpose_phases_shared_rows64_columns64_f32, 64},
};

constexpr int64_t texel_width = 16;  // bytes
constexpr int64_t sum_width = 4;
constexpr uint8_t weights = 1;       // place of W among the inputs
// Whole numbers that a float holds, and that half a word does.
constexpr int64_t float_limit = 1 << 24;
constexpr int64_t half_limit = 1 << 16;

// Texels that a tile and all of its class's take, and a group's.
int64_t weight_texels(const Product& product, const PhaseClass& one, const Tile& tile)
{
    return saturated_product({product.quads, one.taps, tile.rows});
}

int64_t tiles_of(const PhaseClass& one, const Tile& tile)
{
    return divide_up(one.rows, tile.rows);
}

int64_t tiles_of(const Product& product, const Tile& tile)
{
    int64_t count = 0;
    for (const PhaseClass& one : product.classes)
        count = saturated_sum(count, tiles_of(one, tile));
    return count;
}

int64_t class_texels(const Product& product, const PhaseClass& one, const Tile& tile)
{
    return saturated_product(tiles_of(one, tile), saturated_sum(PHASES_TILE_TEXELS + tile.rows, weight_texels(product, one, tile)));
}

int64_t group_texels(const Product& product, const Tile& tile)
{
    int64_t texels = 0;
    for (const PhaseClass& one : product.classes)
        texels = saturated_sum(texels, class_texels(product, one, tile));
    return texels;
}

// Columns read a few places beyond the last line.
int64_t input_texels(const Product& product, const Tile& tile)
{
    return saturated_sum(saturated_product({product.groups, product.quads, product.images, product.line}), tile.columns * tile.lanes);
}

int64_t workgroup(const Tile& tile, const Capabilities& capabilities)
{
    if (tile.invocations > 1)
        return tile.invocations;
    // an invocation does much, and lanes of a software driver share a processor's registers
    return std::min<int64_t>(capabilities.is_cpu ? 8 : 32, workgroup_size(capabilities));
}

int64_t tiles_of_workgroup(const Tile& tile, const Capabilities& capabilities)
{
    return tile.invocations > 1 ? 1 : workgroup(tile, capabilities);
}

// In work units, of which a device does Capabilities::work_per_second: guesses, until they are fitted on an idle machine.
constexpr double load_work = 0.5;       // a texel
constexpr double staged_work = 0.1;     // a texel of shared memory, which on a software driver is memory like any other
constexpr double barrier_work = 8;      // of an invocation on a software driver
constexpr double product_work = 1. / 48;  // a multiply-add
constexpr double output_work_here = 1;  // an output, with its address
constexpr double packing_work = 6;      // a texel packed
constexpr double rounding_work = 3;     // a sum that becomes a half

// What a dispatch takes beside its work, and the barrier before it: there are some where the other kernels have one.
constexpr double dispatch_seconds = 1e-5;

int64_t column_tiles(const Product& product, const Tile& tile)
{
    return divide_up(product.columns, tile.columns * tile.lanes) * tile.lanes;
}

int64_t tiles_of_product(const Product& product, const Tile& tile)
{
    return saturated_product({product.groups, tiles_of(product, tile), column_tiles(product, tile)});
}

// Of one tile.
double work_of(const Product& product, const PhaseClass& one, const Tile& tile, bool is_cpu)
{
    const double cells = double(tile.columns * tile.rows);
    double step = double(tile.columns + tile.rows) * load_work + 4 * cells * product_work;
    if (tile.invocations > 1)
        step += cells / 4 * (is_cpu ? load_work : staged_work) + (is_cpu ? barrier_work * double(tile.invocations) : 0);
    return double(product.quads) * double(one.taps) * step + cells * output_work_here;
}

double work_of(const Product& product, const Tile& tile, bool is_cpu)
{
    double work = 0;
    for (const PhaseClass& one : product.classes)
        work += double(tiles_of(one, tile)) * work_of(product, one, tile, is_cpu);
    return work * double(product.groups) * double(column_tiles(product, tile));
}

// Where columns of neighbours lie side by side, they load and store side by side. Not where many would be none.
int64_t lanes_of(const Product& product, const Tile& tile, const Capabilities& capabilities)
{
    if (tile.invocations > 1)
        return 1;
    for (int64_t lanes = workgroup(tile, capabilities); lanes >= 8; lanes /= 2)
        if (product.lines.back().extent >= lanes && product.columns >= 4 * tile.columns * lanes)
            return lanes;
    return 1;
}

// The tile that takes least; small ones also let small problems fill a device.
Tile tile_of(const Problem& problem, const Product& product, Tiles tiles)
{
    const Capabilities& c = problem.capabilities;
    const double wanted = c.is_cpu ? 16 : 16384;
    Tile best = tiles.front();
    double least = HUGE_VAL;
    for (Tile tile : tiles) {
        // 128 sums are more than some GPUs have registers for (RDNA 3, by Mesa 22.3); software drivers keep them in memory anyhow
        if (!c.is_cpu && tile.invocations == 1 && tile.rows * tile.columns > 64)
            continue;
        tile.lanes = lanes_of(product, tile, c);
        const double idle = std::max(1.0, wanted / double(tiles_of_product(product, tile) * tile.invocations));
        const double work = work_of(product, tile, c.is_cpu) * idle;
        if (work < least) {
            least = work;
            best = tile;
        }
    }
    return best;
}

// Of an invocation that sums each of its columns once more.
int64_t iterations(const Product& product, const Tile& tile, bool has_epilogue)
{
    int64_t most = 0;
    for (const PhaseClass& one : product.classes)
        most = std::max(most, saturated_product(product.quads, one.taps));
    const bool shares = tile.invocations > 1;
    const int64_t columns = shares ? 8 : tile.columns;
    const int64_t rows = shares ? 8 : tile.rows;
    const int64_t walking = PHASES_AXES * columns * (shares ? 16 : 1);  // from column to column
    const int64_t storing = columns * (rows + 2) * (has_epilogue ? 3 : 2);
    return saturated_sum(saturated_product(columns + 1, saturated_sum(most, 2)), walking + storing);
}

bool is_constant(const PrepareOptions& options, size_t input)
{
    return std::any_of(options.constants.begin(), options.constants.end(),
                       [&](const ConstantInput& one) { return one.input == input; });
}

// Where the operands of the product are, in bytes; what is packed once is in memory of its own.
struct Places {
    int64_t weights = 0;
    int64_t sums = 0;
    int64_t end = 0;  // of scratch memory
};

Places places_of(const Problem& problem, const Product& product, const Tile& tile)
{
    const int64_t alignment = std::max<int64_t>(
        {problem.capabilities.storage_buffer_alignment, problem.capabilities.texel_buffer_alignment, texel_width});
    const auto aligned = [&](int64_t bytes) { return saturated_product(divide_up(bytes, alignment), alignment); };
    Places places = {.end = saturated_product(texel_width, input_texels(product, tile))};
    if (!is_constant(problem.options, weights)) {
        places.weights = aligned(places.end);
        const int64_t texels = saturated_product(product.groups, group_texels(product, tile));
        places.end = saturated_sum(places.weights, saturated_product(texel_width, texels));
    }
    if (is_half(problem.number)) {
        places.sums = aligned(places.end);
        places.end = saturated_sum(places.sums, saturated_product(sum_width, problem.outputs));
    }
    return places;
}

std::string unfit_for(const Problem& problem, Tiles tiles)
{
    const ConvTransposeGeometry& g = problem.geometry;
    const Capabilities& c = problem.capabilities;
    if (g.axes.size() > PHASES_AXES)
        return "it takes at most 3 spatial axes, not " + std::to_string(g.axes.size());
    if (*element_count(tensor_x(g)) == 0 || *element_count(tensor_w(g)) == 0)
        return "there is nothing to multiply";
    for (const push::ConvTransposeAxis& axis : problem.axes)
        if (int64_t(axis.stride) * axis.gcd >= half_limit || axis.kernel >= half_limit ||
            int64_t(axis.kernel) * axis.dilation >= half_limit)
            return "a stride or window of 65536 or more does not fit half a word";
    if (sizeof(push::PhasesWeights) > c.max_push_constant_bytes)
        return "it needs " + std::to_string(sizeof(push::PhasesWeights)) + " bytes of push constants";
    if (sizeof(push::PhasesProblem) > c.max_uniform_buffer_range)
        return "it needs " + std::to_string(sizeof(push::PhasesProblem)) + " bytes of uniforms";
    const Product product = product_of(g, problem.axes);
    if (product.classes.empty())
        return "its phases have more than " + std::to_string(max_classes) + " kinds of taps";
    const Tile tile = tile_of(problem, product, tiles);
    if (tile.invocations > 1) {
        const int64_t shared_bytes = 2 * texel_width * (tile.rows + tile.columns);
        if (tile.invocations > std::min<int64_t>(c.max_invocations, c.max_workgroup_size[0]) || shared_bytes > c.max_shared_bytes)
            return "its workgroups have " + std::to_string(tile.invocations) + " invocations and " + std::to_string(shared_bytes) +
                   " bytes of shared memory";
    }
    if (iterations(product, tile, problem.options.epilogue.has_value()) > c.max_loop_iterations)
        return "its loops would exceed the device's " + std::to_string(c.max_loop_iterations) + " iterations";
    if (group_texels(product, tile) >= float_limit)
        return "its packed weights have " + std::to_string(group_texels(product, tile)) + " texels a group, and it counts to 16777216";
    const int64_t w_texels = saturated_product(g.group, group_texels(product, tile));
    // all of scratch memory, too: a caller's may be one tensor (Device::bind), which must be bindable
    const int64_t most = std::max({places_of(problem, product, tile).end, saturated_product(texel_width, w_texels),
                                   saturated_product(4, problem.outputs), saturated_product(4, *element_count(tensor_x(g))),
                                   saturated_product(4, *element_count(tensor_w(g)))});
    if (most > int64_t(std::min<uint64_t>(c.max_storage_buffer_range, index_limit)))
        return "it binds " + std::to_string(most) + " bytes at once, and the device's max_storage_buffer_range is " +
               std::to_string(c.max_storage_buffer_range);
    const double seconds = std::max({double(std::max(w_texels, input_texels(product, tile))) * packing_work,
                                     is_half(problem.number) ? double(problem.outputs) * rounding_work : 0,
                                     work_of(product, product.classes.front(), tile, c.is_cpu) *
                                         double(tiles_of_workgroup(tile, c))}) /
                           c.work_per_second;
    if (seconds + dispatch_seconds > problem.options.max_dispatch_seconds)
        return "its shortest dispatches would take longer than PrepareOptions::max_dispatch_seconds";
    const int64_t grid = saturated_product({c.max_group_count[0], c.max_group_count[1], c.max_group_count[2]});
    const int64_t groups = divide_up(tiles_of_product(product, tile), tiles_of_workgroup(tile, c));
    if (std::max({w_texels, input_texels(product, tile), is_half(problem.number) ? divide_up(problem.outputs, 2) : 0}) >
            std::min(index_limit - 1, saturated_product(grid, workgroup_size(c))) ||
        tiles_of_product(product, tile) >= index_limit || groups > grid)
        return "its grid is too large for the device";
    return "";
}

push::PhasesProblem uniform_of(const Problem& problem, const Product& product, const Tile& tile)
{
    const ConvTransposeGeometry& g = problem.geometry;
    const bool last = g.layout == Layout::nxc;
    push::PhasesProblem push = {};
    int64_t x_step = last ? g.channels_in : 1;
    int64_t y_step = last ? g.channels_out : 1;
    for (size_t a = PHASES_AXES; a-- > 0;) {
        const Axis& axis = product.axes[a];
        const Line& line = product.lines[a];
        push.axes[a] = {.in_extent = uint32_t(axis.in),
                        .out_extent = uint32_t(axis.out),
                        .stride = uint32_t(axis.stride),
                        .begin = uint32_t(line.begin),
                        .blocks = uint32_t(line.blocks),
                        .extent = uint32_t(line.extent),
                        .first = uint32_t(line.first),
                        .tap_step = product.phased[a].dilation,
                        .y_step = uint32_t(y_step),
                        .x_step = uint32_t(x_step),
                        .padding0_ = 0,
                        .padding1_ = 0};
        x_step *= axis.in;
        y_step *= axis.out;
    }
    push.quads = uint32_t(product.quads);
    push.groups = uint32_t(g.group);
    push.line = uint32_t(product.line);
    push.texels = uint32_t(input_texels(product, tile));
    push.channels_in = uint32_t(product.channels_in);
    push.channels_out = uint32_t(product.channels_out);
    push.group_texels = uint32_t(group_texels(product, tile));
    push.x_channel = uint32_t(last ? 1 : x_step);
    push.y_channel = uint32_t(last ? 1 : y_step);
    push.x_image = uint32_t(last ? x_step : x_step * g.channels_in);
    push.y_image = uint32_t(last ? y_step : y_step * g.channels_out);
    push.images = uint32_t(product.images);
    push.column_tiles = uint32_t(column_tiles(product, tile));
    push.by_line = push::divisor_of(push.line);
    push.by_images = push::divisor_of(push.images);
    push.by_quads = push::divisor_of(push.quads);
    for (size_t a = 1; a < PHASES_AXES; ++a)
        push.by_extents[a - 1] = push::divisor_of(push.axes[a].extent);
    push.tiles = uint32_t(tiles_of(product, tile));
    push.outputs = uint32_t(problem.outputs);
    push.by_y_channel = push::divisor_of(push.y_channel);
    push.by_channels = push::divisor_of(uint32_t(g.channels_out));
    push.epilogue = numbers_of(problem.epilogue, problem.number);
    return push;
}

uint32_t pair(int64_t low, int64_t high)
{
    return uint32_t(low) | uint32_t(high) << 16;
}

// All but what depends on the class's place.
push::PhasesWeights push_of(const Problem& problem, const Product& product, const PhaseClass& one, const Tile& tile)
{
    const ConvTransposeGeometry& g = problem.geometry;
    push::PhasesWeights push = {};
    for (size_t a = 0; a < PHASES_AXES; ++a) {
        const Phases& phases = one.axes[a];
        push.kernel_and_stride[a] = pair(product.axes[a].kernel, product.phased[a].stride);
        push.phase_and_step[a] = pair(phases.first, phases.step);
        push.phases_and_taps[a] = pair(phases.count, phases.taps);
        push.first_and_tap[a] = pair(product.lines[a].farthest - phases.reach, phases.tap);
        push.tap_step[a] = uint32_t(phases.tap_step);
    }
    push.tiles = uint32_t(tiles_of(one, tile));
    push.texels = uint32_t(g.group * class_texels(product, one, tile));
    push.group_texels = uint32_t(group_texels(product, tile));
    push.all_tiles = uint32_t(tiles_of(product, tile));
    push.channels_in = uint32_t(product.channels_in);
    push.channels_out = uint32_t(product.channels_out);
    const WeightSteps steps = weight_steps(g);
    push.w_channel = uint32_t(steps.channel);
    push.w_column = uint32_t(steps.column);
    push.w_tap = uint32_t(steps.tap);
    return push;
}

Result<Plan> planned(const Problem& problem, Tiles tiles)
{
    const ConvTransposeGeometry& g = problem.geometry;
    const Capabilities& c = problem.capabilities;
    const Product product = product_of(g, problem.axes);
    const Tile tile = tile_of(problem, product, tiles);
    const bool packs_once = is_constant(problem.options, weights);
    const uint8_t output = g.bias ? 3 : 2;
    const int64_t x_texels = input_texels(product, tile);
    const int64_t w_texels = g.group * group_texels(product, tile);
    const Places places = places_of(problem, product, tile);
    const bool rounds = is_half(problem.number);
    const uint64_t width = bits(g.dtype) / 8;
    const bool texels = tile.texels != tile.storage && std::max(x_texels, w_texels) <= int64_t(c.max_texel_buffer_elements);
    const View view = texels ? View::texel_rgba32f : View::storage;

    enum : uint32_t { pack_input, pack_weights, multiply, round_sums };
    const auto pipeline = [&](Kernel kernel, int64_t workgroup, std::vector<View> views, bool uniform, size_t push,
                              uint32_t bias = PHASES_BIAS_NONE, ElementwiseKind epilogue = ElementwiseKind::identity,
                              int64_t lanes = 1) {
        return PipelineKey{.kernel = kernel,
                           .specialization = specialization::ConvTransposePhases{.workgroup_size = uint32_t(workgroup),
                                                                                 .tile_rows = uint32_t(tile.rows),
                                                                                 .bias = bias,
                                                                                 .lanes = uint32_t(lanes),
                                                                                 .epilogue = uint32_t(epilogue)}
                                                 .values(),
                           .views = std::move(views),
                           .uses_uniform = uniform,
                           .push_bytes = uint32_t(push)};
    };
    const uint32_t added = g.bias ? PHASES_BIAS_ADDED : PHASES_BIAS_NONE;
    Plan plan;
    plan.pipelines = {
        pipeline(*variant(inputs, problem.number), workgroup_size(c), {View::storage, View::storage}, true, 0),
        pipeline(*variant(packed_weights, problem.number), workgroup_size(c), {View::storage, View::storage}, false,
                 sizeof(push::PhasesWeights)),
        pipeline(texels ? tile.texels : tile.storage, workgroup(tile, c), {view, view, View::storage, View::storage}, true,
                 sizeof(push::PhasesPart), rounds && g.bias ? PHASES_BIAS_LATER : added,
                 rounds ? ElementwiseKind::identity : problem.epilogue.kind, tile.lanes)};
    if (rounds)
        plan.pipelines.push_back(pipeline(*variant(outputs, problem.number), workgroup_size(c),
                                          {View::storage, View::storage, View::storage}, true, 0, added, problem.epilogue.kind));
    plan.inputs = output;
    plan.tensor_bytes = {buffer_bytes(uint64_t(*element_count(tensor_x(g))) * width),
                         buffer_bytes(uint64_t(*element_count(tensor_w(g))) * width)};
    if (g.bias)
        plan.tensor_bytes.push_back(buffer_bytes(uint64_t(g.channels_out) * width));
    plan.tensor_bytes.push_back(buffer_bytes(uint64_t(problem.outputs) * width));
    plan.uniform = bytes_of(uniform_of(problem, product, tile));
    plan.max_submit_seconds = problem.options.max_dispatch_seconds;
    plan.scratch_bytes = uint64_t(places.end);
    const uint64_t w_bytes = uint64_t(w_texels * texel_width);
    plan.packed_bytes = packs_once ? w_bytes : 0;

    const Operand packed_x = {.place = Place::scratch, .bytes = uint64_t(x_texels * texel_width)};
    const Operand packed_w = {
        .place = packs_once ? Place::packed : Place::scratch, .offset = uint64_t(places.weights), .bytes = w_bytes};
    const Operand y = {.tensor = output};
    const Operand sums = rounds ? Operand{.place = Place::scratch,
                                          .offset = uint64_t(places.sums),
                                          .bytes = uint64_t(problem.outputs * sum_width)}
                                : y;
    const Operand bias = {.tensor = uint8_t(g.bias ? 2 : 0)};  // X stands in where there is none

    const auto written = [](Operand operand) {
        operand.access = Access::write;
        return operand;
    };
    std::vector<Step>& packing = packs_once ? plan.setup : plan.steps;
    int64_t first_tile = 0;
    int64_t first_weight = tiles_of(product, tile) * (PHASES_TILE_TEXELS + tile.rows);
    for (const PhaseClass& one : product.classes) {
        push::PhasesWeights push = push_of(problem, product, one, tile);
        push.first_tile = uint32_t(first_tile);
        push.first_weight = uint32_t(first_weight);
        first_tile += tiles_of(one, tile);
        first_weight += tiles_of(one, tile) * weight_texels(product, one, tile);
        packing.push_back({.pipeline = pack_weights,
                           .operands = {{.tensor = weights}, written(packed_w)},
                           .push = bytes_of(push),
                           .groups = groups_of(push.texels, c),
                           .seconds = double(push.texels) * packing_work / c.work_per_second + dispatch_seconds});
    }
    plan.steps.push_back({.pipeline = pack_input,
                          .operands = {{.tensor = 0}, written(packed_x)},
                          .groups = groups_of(x_texels, c),
                          .seconds = double(x_texels) * packing_work / c.work_per_second + dispatch_seconds});

    // by time, as if each invocation were of the class of most taps
    const int64_t count = tiles_of_product(product, tile);
    const double heaviest = work_of(product, product.classes.front(), tile, c.is_cpu) / c.work_per_second;
    const double mean = work_of(product, tile, c.is_cpu) / double(count) / c.work_per_second;
    const int64_t in_time =
        int64_t(std::clamp((problem.options.max_dispatch_seconds - dispatch_seconds) / heaviest, 0.0, 0x1p31));
    const int64_t together = tiles_of_workgroup(tile, c);
    const int64_t at_once = std::max<int64_t>(1, in_time / together) * together;
    for (int64_t first = 0; first < count; first += at_once) {
        const int64_t some = std::min(at_once, count - first);
        plan.steps.push_back({.pipeline = multiply,
                              .operands = {packed_x, packed_w, bias, written(sums)},
                              .push = bytes_of(push::PhasesPart{uint32_t(first), uint32_t(some)}),
                              .groups = groups_of(some * tile.invocations, workgroup(tile, c), c),
                              .seconds = double(some) * mean + dispatch_seconds});
    }
    if (rounds)
        plan.steps.push_back({.pipeline = round_sums,
                              .operands = {sums, bias, written(y)},
                              .groups = groups_of(divide_up(problem.outputs, 2), c),
                              .seconds = double(problem.outputs) * rounding_work / c.work_per_second + dispatch_seconds});
    return plan;
}

}  // namespace

constinit const KernelOf<Problem> phases = {
    .name = "conv_transpose_phases",
    .variants = inputs,
    .keeps_order = false,
    .takes_epilogue = true,
    .unfit = [](const Problem& problem) { return unfit_for(problem, in_registers); },
    .plan = [](const Problem& problem) { return planned(problem, in_registers); }};

constinit const KernelOf<Problem> phases_shared = {
    .name = "conv_transpose_phases_shared",
    .variants = inputs,
    .keeps_order = false,
    .takes_epilogue = true,
    .unfit = [](const Problem& problem) { return unfit_for(problem, through_shared_memory); },
    .plan = [](const Problem& problem) { return planned(problem, through_shared_memory); }};

}  // namespace vkonnx::plan::conv_transpose
