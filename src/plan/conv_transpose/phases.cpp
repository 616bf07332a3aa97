// SPDX-License-Identifier: Apache-2.0
// conv_transpose_phases and conv_transpose_phases_shared: all phases as rows of one product of matrices, in registers or through
// shared memory. X and W are packed for it: X in each run, W once where it is constant.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "plan/arithmetic.h"
#include "plan/bytes.h"
#include "plan/conv_transpose/problem.h"
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

constexpr Variant variants[] = {{Number::f32, Kernel::conv_transpose_phases_input_f32}};

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
constexpr uint8_t weights = 1;       // place of W among the inputs
// Whole numbers that a float holds, and that half a word does.
constexpr int64_t float_limit = 1 << 24;
constexpr int64_t half_limit = 1 << 16;
constexpr size_t max_classes = 64;  // a dispatch of packing each

// Phases of an axis that have the same taps, as shared/conv_transpose_phases.h tells: r = first + i * step for i below count.
struct Phases {
    int64_t first = 0;
    int64_t step = 1;
    int64_t count = 1;
    int64_t taps = 0;
    int64_t reach = 0;     // t of their first tap
    int64_t tap = 0;       // number of the first one's first tap, and from phase to phase
    int64_t tap_step = 0;
};

// Those that have outputs. `begin` is what is left of the padding behind whole blocks.
std::vector<Phases> phases_of(const push::ConvTransposeAxis& axis, int64_t begin)
{
    const int64_t stride = int64_t(axis.stride) * axis.gcd;
    std::vector<Phases> all;
    for (int64_t r = 0; r < stride && all.size() <= max_classes; ++r) {
        if ((r < begin ? stride : 0) + r - begin >= axis.out_extent)
            continue;
        Phases next = {.first = r};
        if (r % axis.gcd == 0) {
            next.step = axis.gcd;
            next.tap = r / axis.gcd * axis.inverse % axis.stride;
            next.tap_step = axis.inverse;
            if (next.tap < axis.kernel)
                next.taps = divide_up(axis.kernel - next.tap, axis.stride);
        }
        if (next.taps > 0)
            next.reach = (next.tap * axis.dilation * axis.gcd - r) / stride;
        else
            next.tap = next.tap_step = 0;
        const auto goes_on = [&](const Phases& before) {
            return before.step == next.step && before.first + before.count * before.step == r && before.taps == next.taps &&
                   before.reach == next.reach && before.tap + before.count * before.tap_step == next.tap;
        };
        const auto joined = std::find_if(all.begin(), all.end(), goes_on);
        if (joined != all.end())
            ++joined->count;
        else
            all.push_back(next);
    }
    return all;
}

// The line along one axis.
struct Line {
    std::vector<Phases> phases = {};
    int64_t blocks = 0;
    int64_t extent = 0;
    int64_t first = 0;   // input position where it begins
    int64_t begin = 0;   // what is left of the padding
    int64_t farthest = 0;  // t of the farthest tap of any phase
};

Line line_of(const Axis& axis, const push::ConvTransposeAxis& phased)
{
    Line line = {.phases = phases_of(phased, axis.begin % axis.stride)};
    int64_t nearest = INT64_MAX;
    for (const Phases& phases : line.phases) {
        if (phases.taps == 0)
            continue;
        nearest = std::min(nearest, phases.reach);
        line.farthest = std::max(line.farthest, phases.reach + (phases.taps - 1) * phased.dilation);
    }
    const int64_t skipped = axis.begin / axis.stride;  // blocks that lie before the first output
    line.begin = axis.begin % axis.stride;
    line.blocks = divide_up(axis.out + line.begin, axis.stride);
    line.extent = line.blocks + line.farthest - nearest;
    line.first = skipped - line.farthest;
    return line;
}

// A choice of phases on each axis.
struct Class {
    std::array<Phases, PHASES_AXES> axes = {};
    int64_t rows = 0;
    int64_t taps = 0;
};

// All that is computed before anything is known to fit; products saturate.
struct Sizes {
    std::array<Axis, PHASES_AXES> axes = {};  // those that the rank lacks in front
    std::array<push::ConvTransposeAxis, PHASES_AXES> phased = {};
    std::array<Line, PHASES_AXES> lines = {};
    std::vector<Class> classes = {};  // those of many taps first
    int64_t images = 0;
    int64_t groups = 0;
    int64_t channels_in = 0;          // of one group
    int64_t channels_out = 0;
    int64_t quads = 0;
    int64_t line = 0;
    int64_t columns = 0;
};

// One input has any stride: with its kernel's, no tap is multiplied by the zeros around it.
void step_over_the_kernel(Axis& axis, push::ConvTransposeAxis& phased)
{
    axis.stride = axis.kernel;
    phased.gcd = phased.dilation = 1;
    phased.stride = phased.kernel;
    phased.inverse = axis.kernel == 1 ? 0 : 1;
}

Sizes sizes_of(const Problem& problem)
{
    const ConvTransposeGeometry& g = problem.geometry;
    constexpr push::ConvTransposeAxis lacking = {
        .in_extent = 1, .out_extent = 1, .kernel = 1, .begin = 0, .gcd = 1, .stride = 1, .dilation = 1, .inverse = 0};
    Sizes sizes = {.images = g.batch,
                   .groups = g.group,
                   .channels_in = g.channels_in / g.group,
                   .channels_out = g.channels_out / g.group,
                   .quads = divide_up(g.channels_in / g.group, 4),
                   .line = 1,
                   .columns = g.batch - 1};
    const size_t missing = PHASES_AXES - g.axes.size();
    for (size_t a = 0; a < PHASES_AXES; ++a) {
        sizes.axes[a] = a < missing ? Axis() : g.axes[a - missing];
        sizes.phased[a] = a < missing ? lacking : problem.axes[a - missing];
        if (sizes.axes[a].in == 1 && sizes.axes[a].dilation == 1)
            step_over_the_kernel(sizes.axes[a], sizes.phased[a]);
        sizes.lines[a] = line_of(sizes.axes[a], sizes.phased[a]);
        sizes.columns = saturated_sum(saturated_product(sizes.columns, sizes.lines[a].extent), sizes.lines[a].blocks - 1);
        sizes.line = saturated_product(sizes.line, sizes.lines[a].extent);
    }
    ++sizes.columns;
    const auto& [outer, middle, inner] = sizes.lines;
    if (outer.phases.size() * middle.phases.size() * inner.phases.size() > max_classes)
        return sizes;
    for (const Phases& a : outer.phases)
        for (const Phases& b : middle.phases)
            for (const Phases& c : inner.phases)
                sizes.classes.push_back({{a, b, c},
                                         saturated_product({sizes.channels_out, a.count, b.count, c.count}),
                                         saturated_product({a.taps, b.taps, c.taps})});
    std::sort(sizes.classes.begin(), sizes.classes.end(), [](const Class& a, const Class& b) {
        const auto place = [](const Class& one) {
            return std::tuple(-one.taps, one.axes[0].first, one.axes[1].first, one.axes[2].first);
        };
        return place(a) < place(b);
    });
    return sizes;
}

// Texels that a tile and all of its class's take, and a group's.
int64_t weight_texels(const Sizes& sizes, const Class& one, const Tile& tile)
{
    return saturated_product({sizes.quads, one.taps, tile.rows});
}

int64_t tiles_of(const Class& one, const Tile& tile)
{
    return divide_up(one.rows, tile.rows);
}

int64_t tiles_of(const Sizes& sizes, const Tile& tile)
{
    int64_t count = 0;
    for (const Class& one : sizes.classes)
        count = saturated_sum(count, tiles_of(one, tile));
    return count;
}

int64_t class_texels(const Sizes& sizes, const Class& one, const Tile& tile)
{
    return saturated_product(tiles_of(one, tile), saturated_sum(PHASES_TILE_TEXELS + tile.rows, weight_texels(sizes, one, tile)));
}

int64_t group_texels(const Sizes& sizes, const Tile& tile)
{
    int64_t texels = 0;
    for (const Class& one : sizes.classes)
        texels = saturated_sum(texels, class_texels(sizes, one, tile));
    return texels;
}

// Columns read a few places beyond the last line.
int64_t input_texels(const Sizes& sizes, const Tile& tile)
{
    return saturated_sum(saturated_product({sizes.groups, sizes.quads, sizes.images, sizes.line}), tile.columns * tile.lanes);
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

// What a dispatch takes beside its work, and the barrier before it: there are some where the other kernels have one.
constexpr double dispatch_seconds = 1e-5;

int64_t column_tiles(const Sizes& sizes, const Tile& tile)
{
    return divide_up(sizes.columns, tile.columns * tile.lanes) * tile.lanes;
}

int64_t tiles_of_product(const Sizes& sizes, const Tile& tile)
{
    return saturated_product({sizes.groups, tiles_of(sizes, tile), column_tiles(sizes, tile)});
}

// Of one tile.
double work_of(const Sizes& sizes, const Class& one, const Tile& tile, bool is_cpu)
{
    const double cells = double(tile.columns * tile.rows);
    double step = double(tile.columns + tile.rows) * load_work + 4 * cells * product_work;
    if (tile.invocations > 1)
        step += cells / 4 * (is_cpu ? load_work : staged_work) + (is_cpu ? barrier_work * double(tile.invocations) : 0);
    return double(sizes.quads) * double(one.taps) * step + cells * output_work_here;
}

double work_of(const Sizes& sizes, const Tile& tile, bool is_cpu)
{
    double work = 0;
    for (const Class& one : sizes.classes)
        work += double(tiles_of(one, tile)) * work_of(sizes, one, tile, is_cpu);
    return work * double(sizes.groups) * double(column_tiles(sizes, tile));
}

// Where columns of neighbours lie side by side, they load and store side by side. Not where many would be none.
int64_t lanes_of(const Sizes& sizes, const Tile& tile, const Capabilities& capabilities)
{
    if (tile.invocations > 1)
        return 1;
    for (int64_t lanes = workgroup(tile, capabilities); lanes >= 8; lanes /= 2)
        if (sizes.lines.back().extent >= lanes && sizes.columns >= 4 * tile.columns * lanes)
            return lanes;
    return 1;
}

// The tile that takes least; small ones also let small problems fill a device.
Tile tile_of(const Problem& problem, const Sizes& sizes, Tiles tiles)
{
    const Capabilities& c = problem.capabilities;
    const double wanted = c.is_cpu ? 16 : 16384;
    Tile best = tiles.front();
    double least = HUGE_VAL;
    for (Tile tile : tiles) {
        // 128 sums are more than some GPUs have registers for (RDNA 3, by Mesa 22.3); software drivers keep them in memory anyhow
        if (!c.is_cpu && tile.invocations == 1 && tile.rows * tile.columns > 64)
            continue;
        tile.lanes = lanes_of(sizes, tile, c);
        const double idle = std::max(1.0, wanted / double(tiles_of_product(sizes, tile) * tile.invocations));
        const double work = work_of(sizes, tile, c.is_cpu) * idle;
        if (work < least) {
            least = work;
            best = tile;
        }
    }
    return best;
}

// Of an invocation that sums each of its columns once more.
int64_t iterations(const Sizes& sizes, const Tile& tile, bool has_epilogue)
{
    int64_t most = 0;
    for (const Class& one : sizes.classes)
        most = std::max(most, saturated_product(sizes.quads, one.taps));
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

// Where packed weights begin behind packed inputs, in scratch memory.
int64_t weights_offset(const Problem& problem, const Sizes& sizes, const Tile& tile)
{
    const int64_t alignment = std::max<int64_t>(
        {problem.capabilities.storage_buffer_alignment, problem.capabilities.texel_buffer_alignment, texel_width});
    return is_constant(problem.options, weights)
               ? 0
               : saturated_product(divide_up(saturated_product(input_texels(sizes, tile), texel_width), alignment), alignment);
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
    if (sizeof(push::PhasesProblem) > c.max_uniform_buffer_range)
        return "it needs " + std::to_string(sizeof(push::PhasesProblem)) + " bytes of uniforms";
    const Sizes sizes = sizes_of(problem);
    if (sizes.classes.empty())
        return "its phases have more than " + std::to_string(max_classes) + " kinds of taps";
    const Tile tile = tile_of(problem, sizes, tiles);
    if (tile.invocations > 1) {
        const int64_t shared_bytes = 2 * texel_width * (tile.rows + tile.columns);
        if (tile.invocations > std::min<int64_t>(c.max_invocations, c.max_workgroup_size[0]) || shared_bytes > c.max_shared_bytes)
            return "its workgroups have " + std::to_string(tile.invocations) + " invocations and " + std::to_string(shared_bytes) +
                   " bytes of shared memory";
    }
    if (iterations(sizes, tile, problem.options.epilogue.has_value()) > c.max_loop_iterations)
        return "its loops would exceed the device's " + std::to_string(c.max_loop_iterations) + " iterations";
    if (group_texels(sizes, tile) >= float_limit)
        return "its packed weights have " + std::to_string(group_texels(sizes, tile)) + " texels a group, and it counts to 16777216";
    const int64_t w_texels = saturated_product(g.group, group_texels(sizes, tile));
    const int64_t x_bytes = saturated_product(texel_width, input_texels(sizes, tile));
    const int64_t most = std::max({x_bytes, saturated_sum(weights_offset(problem, sizes, tile), saturated_product(texel_width, w_texels)),
                                   saturated_product(4, problem.outputs), saturated_product(4, *element_count(tensor_x(g))),
                                   saturated_product(4, *element_count(tensor_w(g)))});
    if (most > int64_t(std::min<uint64_t>(c.max_storage_buffer_range, index_limit)))
        return "it binds " + std::to_string(most) + " bytes at once, and the device's max_storage_buffer_range is " +
               std::to_string(c.max_storage_buffer_range);
    const double seconds = std::max(double(std::max(w_texels, input_texels(sizes, tile))) * packing_work,
                                    work_of(sizes, sizes.classes.front(), tile, c.is_cpu) *
                                        double(tiles_of_workgroup(tile, c))) /
                           c.work_per_second;
    if (seconds + dispatch_seconds > problem.options.max_dispatch_seconds)
        return "its shortest dispatches would take longer than PrepareOptions::max_dispatch_seconds";
    const int64_t grid = saturated_product({c.max_group_count[0], c.max_group_count[1], c.max_group_count[2]});
    const int64_t groups = divide_up(tiles_of_product(sizes, tile), tiles_of_workgroup(tile, c));
    if (std::max(w_texels, input_texels(sizes, tile)) > std::min(index_limit - 1, saturated_product(grid, workgroup_size(c))) ||
        tiles_of_product(sizes, tile) >= index_limit || groups > grid)
        return "its grid is too large for the device";
    return "";
}

push::PhasesProblem uniform_of(const Problem& problem, const Sizes& sizes, const Tile& tile)
{
    const ConvTransposeGeometry& g = problem.geometry;
    const bool last = g.layout == Layout::nxc;
    push::PhasesProblem push = {};
    int64_t x_step = last ? g.channels_in : 1;
    int64_t y_step = last ? g.channels_out : 1;
    for (size_t a = PHASES_AXES; a-- > 0;) {
        const Axis& axis = sizes.axes[a];
        const Line& line = sizes.lines[a];
        push.axes[a] = {.in_extent = uint32_t(axis.in),
                        .out_extent = uint32_t(axis.out),
                        .stride = uint32_t(axis.stride),
                        .begin = uint32_t(line.begin),
                        .blocks = uint32_t(line.blocks),
                        .extent = uint32_t(line.extent),
                        .first = uint32_t(line.first),
                        .tap_step = sizes.phased[a].dilation,
                        .y_step = uint32_t(y_step),
                        .x_step = uint32_t(x_step),
                        .padding0_ = 0,
                        .padding1_ = 0};
        x_step *= axis.in;
        y_step *= axis.out;
    }
    push.quads = uint32_t(sizes.quads);
    push.groups = uint32_t(g.group);
    push.line = uint32_t(sizes.line);
    push.texels = uint32_t(input_texels(sizes, tile));
    push.channels_in = uint32_t(sizes.channels_in);
    push.channels_out = uint32_t(sizes.channels_out);
    push.group_texels = uint32_t(group_texels(sizes, tile));
    push.x_channel = uint32_t(last ? 1 : x_step);
    push.y_channel = uint32_t(last ? 1 : y_step);
    push.x_image = uint32_t(last ? x_step : x_step * g.channels_in);
    push.y_image = uint32_t(last ? y_step : y_step * g.channels_out);
    push.images = uint32_t(sizes.images);
    push.column_tiles = uint32_t(column_tiles(sizes, tile));
    push.by_line = push::divisor_of(push.line);
    push.by_images = push::divisor_of(push.images);
    push.by_quads = push::divisor_of(push.quads);
    for (size_t a = 1; a < PHASES_AXES; ++a)
        push.by_extents[a - 1] = push::divisor_of(push.axes[a].extent);
    push.tiles = uint32_t(tiles_of(sizes, tile));
    push.epilogue = numbers_of(problem.epilogue, problem.number);
    return push;
}

uint32_t pair(int64_t low, int64_t high)
{
    return uint32_t(low) | uint32_t(high) << 16;
}

// All but what depends on the class's place.
push::PhasesWeights push_of(const Problem& problem, const Sizes& sizes, const Class& one, const Tile& tile)
{
    const ConvTransposeGeometry& g = problem.geometry;
    push::PhasesWeights push = {};
    for (size_t a = 0; a < PHASES_AXES; ++a) {
        const Phases& phases = one.axes[a];
        push.kernel_and_stride[a] = pair(sizes.axes[a].kernel, sizes.phased[a].stride);
        push.phase_and_step[a] = pair(phases.first, phases.step);
        push.phases_and_taps[a] = pair(phases.count, phases.taps);
        push.first_and_tap[a] = pair(sizes.lines[a].farthest - phases.reach, phases.tap);
        push.tap_step[a] = uint32_t(phases.tap_step);
    }
    push.tiles = uint32_t(tiles_of(one, tile));
    push.texels = uint32_t(g.group * class_texels(sizes, one, tile));
    push.group_texels = uint32_t(group_texels(sizes, tile));
    push.all_tiles = uint32_t(tiles_of(sizes, tile));
    push.channels_in = uint32_t(sizes.channels_in);
    push.channels_out = uint32_t(sizes.channels_out);
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
    const Sizes sizes = sizes_of(problem);
    const Tile tile = tile_of(problem, sizes, tiles);
    const bool packs_once = is_constant(problem.options, weights);
    const uint8_t output = g.bias ? 3 : 2;
    const int64_t x_texels = input_texels(sizes, tile);
    const int64_t w_texels = g.group * group_texels(sizes, tile);
    const uint64_t w_offset = uint64_t(weights_offset(problem, sizes, tile));
    const bool texels = tile.texels != tile.storage && std::max(x_texels, w_texels) <= int64_t(c.max_texel_buffer_elements);
    const View view = texels ? View::texel_rgba32f : View::storage;

    enum : uint32_t { pack_input, pack_weights, multiply };
    const auto pipeline = [&](Kernel kernel, int64_t workgroup, std::vector<View> views, bool uniform, size_t push,
                              ElementwiseKind epilogue = ElementwiseKind::identity, int64_t lanes = 1) {
        return PipelineKey{.kernel = kernel,
                           .specialization = specialization::ConvTransposePhases{.workgroup_size = uint32_t(workgroup),
                                                                                 .tile_rows = uint32_t(tile.rows),
                                                                                 .bias = g.bias,
                                                                                 .lanes = uint32_t(lanes),
                                                                                 .epilogue = uint32_t(epilogue)}
                                                 .values(),
                           .views = std::move(views),
                           .uses_uniform = uniform,
                           .push_bytes = uint32_t(push)};
    };
    Plan plan;
    plan.pipelines = {
        pipeline(Kernel::conv_transpose_phases_input_f32, workgroup_size(c), {View::storage, View::storage}, true, 0),
        pipeline(Kernel::conv_transpose_phases_weights_f32, workgroup_size(c), {View::storage, View::storage}, false,
                 sizeof(push::PhasesWeights)),
        pipeline(texels ? tile.texels : tile.storage, workgroup(tile, c), {view, view, View::storage, View::storage}, true,
                 sizeof(push::PhasesPart), problem.epilogue.kind, tile.lanes)};
    plan.inputs = output;
    plan.tensor_bytes = {uint64_t(*element_count(tensor_x(g))) * 4, uint64_t(*element_count(tensor_w(g))) * 4};
    if (g.bias)
        plan.tensor_bytes.push_back(uint64_t(g.channels_out) * 4);
    plan.tensor_bytes.push_back(uint64_t(problem.outputs) * 4);
    plan.uniform = bytes_of(uniform_of(problem, sizes, tile));
    plan.max_submit_seconds = problem.options.max_dispatch_seconds;
    plan.scratch_bytes = uint64_t(x_texels * texel_width);

    const Place w_place = packs_once ? Place::packed : Place::scratch;
    const uint64_t w_bytes = uint64_t(w_texels * texel_width);
    const Operand packed_x = {.place = Place::scratch, .bytes = uint64_t(x_texels * texel_width)};
    const Operand packed_w = {.place = w_place, .offset = w_offset, .bytes = w_bytes};
    (packs_once ? plan.packed_bytes : plan.scratch_bytes) = w_offset + w_bytes;

    const auto written = [](Operand operand) {
        operand.access = Access::write;
        return operand;
    };
    std::vector<Step>& packing = packs_once ? plan.setup : plan.steps;
    int64_t first_tile = 0;
    int64_t first_weight = tiles_of(sizes, tile) * (PHASES_TILE_TEXELS + tile.rows);
    for (const Class& one : sizes.classes) {
        push::PhasesWeights push = push_of(problem, sizes, one, tile);
        push.first_tile = uint32_t(first_tile);
        push.first_weight = uint32_t(first_weight);
        first_tile += tiles_of(one, tile);
        first_weight += tiles_of(one, tile) * weight_texels(sizes, one, tile);
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
    const int64_t count = tiles_of_product(sizes, tile);
    const double heaviest = work_of(sizes, sizes.classes.front(), tile, c.is_cpu) / c.work_per_second;
    const double mean = work_of(sizes, tile, c.is_cpu) / double(count) / c.work_per_second;
    const int64_t in_time =
        int64_t(std::clamp((problem.options.max_dispatch_seconds - dispatch_seconds) / heaviest, 0.0, 0x1p31));
    const int64_t together = tiles_of_workgroup(tile, c);
    const int64_t at_once = std::max<int64_t>(1, in_time / together) * together;
    const uint8_t bias = g.bias ? 2 : 0;  // X stands in where there is none
    for (int64_t first = 0; first < count; first += at_once) {
        const int64_t some = std::min(at_once, count - first);
        plan.steps.push_back({.pipeline = multiply,
                              .operands = {packed_x, packed_w, {.tensor = bias}, {.tensor = output, .access = Access::write}},
                              .push = bytes_of(push::PhasesPart{uint32_t(first), uint32_t(some)}),
                              .groups = groups_of(some * tile.invocations, workgroup(tile, c), c),
                              .seconds = double(some) * mean + dispatch_seconds});
    }
    return plan;
}

}  // namespace

constinit const KernelOf<Problem> phases = {
    .name = "conv_transpose_phases",
    .variants = variants,
    .keeps_order = false,
    .takes_epilogue = true,
    .unfit = [](const Problem& problem) { return unfit_for(problem, in_registers); },
    .plan = [](const Problem& problem) { return planned(problem, in_registers); }};

constinit const KernelOf<Problem> phases_shared = {
    .name = "conv_transpose_phases_shared",
    .variants = variants,
    .keeps_order = false,
    .takes_epilogue = true,
    .unfit = [](const Problem& problem) { return unfit_for(problem, through_shared_memory); },
    .plan = [](const Problem& problem) { return planned(problem, through_shared_memory); }};

}  // namespace vkonnx::plan::conv_transpose
