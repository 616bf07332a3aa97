// SPDX-License-Identifier: Apache-2.0
#include "plan/engines/implicit_gemm/steps.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/prologue.h"
#include "shaders/engines/implicit_gemm/implicit_gemm_constants.h"

namespace vkonnx::plan::implicit_gemm {
namespace {

uint32_t pair(int64_t low, int64_t high)
{
    return uint32_t(low) | uint32_t(high) << 16;
}

// Returns the push constants of a class, all but first_tile, first_weight and the texels of a dispatch.
push::GemmWeights push_of(const Problem& problem, const Product& product, const PhaseClass& one, const Tile& tile)
{
    push::GemmWeights push = {};
    for (size_t a = 0; a < GEMM_AXES; ++a) {
        const Phases& phases = one.axes[a];
        push.kernel_and_step[a] = pair(product.axes[a].kernel, product.axes[a].kernel_step);
        push.phase_and_step[a] = pair(phases.first, phases.step);
        push.phases_and_taps[a] = pair(phases.count, phases.taps);
        push.place_and_tap[a] = pair(phases.place, phases.tap);
        push.tap_step[a] = uint32_t(phases.tap_step);
    }
    push.tile_rows = uint32_t(tile.rows);
    push.tiles = uint32_t(tiles_of(one, tile));
    push.group_texels = uint32_t(group_texels(product, tile));
    push.all_tiles = uint32_t(tiles_of(product, tile));
    push.channels_in = uint32_t(product.channels_in);
    push.channels_out = uint32_t(product.channels_out);
    push.w_group = uint32_t(problem.w_group);
    const bool taps = product.taps_are_channels();
    push.w_channel = uint32_t(taps ? problem.w_tap : problem.w_channel);
    push.w_column = uint32_t(problem.w_column);
    push.w_tap = uint32_t(taps ? problem.w_tap * product.channels_in : problem.w_tap);
    return push;
}

// Returns how many seconds the invocations of a GPU wait for what they load. A step multiplies four channels of a tap, and begins
// when their loads are done. While one invocation's steps follow each other, a small product has no others to fill the GPU with.
// The numbers were measured on an NVIDIA H100.
double waiting_seconds(const Product& product, const Tile& tile, const Capabilities& capabilities)
{
    constexpr double registers_step = 4e-7;
    constexpr double shared_memory_step = 1.5e-7;  // loads are made a step ahead
    if (capabilities.is_cpu)
        return 0;
    return double(quads_of(product, tile)) * double(product.classes.front().taps) *
           (tile.invocations > 1 ? shared_memory_step : registers_step);
}

// Returns how many pieces of so many work units a dispatch may have that is short enough for the options: a multiple of
// `together`, and at least that.
int64_t pieces_in_time(const Problem& problem, double work, int64_t together)
{
    const double seconds = work / problem.capabilities.work_per_second;
    const auto in_time = int64_t(std::clamp((problem.options.max_dispatch_seconds - dispatch_seconds) / seconds, 0.0, 0x1p31));
    return std::max<int64_t>(1, in_time / together) * together;
}

// Does the same for tiles, as if each were of the class of most taps.
int64_t tiles_in_time(const Problem& problem, const Product& product, const Tile& tile)
{
    const Capabilities& c = problem.capabilities;
    return pieces_in_time(problem, work_of(product, product.classes.front(), tile, c.is_cpu), tiles_of_workgroup(tile, c));
}

}  // namespace

int64_t invocations_in_time(const Problem& problem, const Work& work)
{
    return pieces_in_time(problem, work.of_each, workgroup_size(problem.capabilities));
}

// lavapipe takes bits 8 to 15 of a texel buffer's size for the levels of an image. It compiles a module anew where they are all
// 0, or where the size becomes a power of two. This avoids such sizes.
int64_t bytes_of_texels(const Problem& problem, const Tile& tile, int64_t texels)
{
    int64_t bytes = saturated_product(tile.texel_bytes, texels);
    while (problem.capabilities.is_cpu && ((bytes & 0xff00) == 0 || std::has_single_bit(uint64_t(bytes))))
        bytes += 256;
    return bytes;
}

PipelineKey packing_pipeline(Kernel kernel, const Capabilities& capabilities)
{
    return {.kernel = kernel,
            .specialization = specialization::ImplicitGemm{.workgroup_size = uint32_t(workgroup_size(capabilities)),
                                                           .epilogue = uint32_t(ElementwiseKind::identity),
                                                           .prologue = 0,
                                                           .taps = 0}
                                  .values(),
            .views = {View::storage, View::storage},
            .push_bytes = sizeof(push::GemmWeights)};
}

std::vector<Step> packing_steps(const Problem& problem, const Product& product, const Tile& tile, uint32_t pipeline,
                                Operand packed)
{
    packed.access = Access::write;
    std::vector<Step> steps;
    int64_t first_tile = 0;
    int64_t first_weight = tiles_of(product, tile) * (GEMM_TILE_TEXELS + tile.rows) * description_texels(tile);
    for (const PhaseClass& one : product.classes) {
        push::GemmWeights push = push_of(problem, product, one, tile);
        push.first_tile = uint32_t(first_tile);
        push.first_weight = uint32_t(first_weight);
        first_tile += tiles_of(one, tile);
        first_weight += tiles_of(one, tile) * weight_texels(product, one, tile);
        const int64_t texels =
            product.groups * tiles_of(one, tile) * (GEMM_TILE_TEXELS + tile.rows + weight_texels(product, one, tile));
        for (Step& step : steps_in_time(problem, {texels, packing_work},
                                        {.pipeline = pipeline, .operands = {{.tensor = weights}, packed}}, push))
            steps.push_back(std::move(step));
    }
    return steps;
}

std::string unfit_for_blocks(const Capabilities& capabilities, size_t uniform_bytes)
{
    if (sizeof(push::GemmWeights) > capabilities.max_push_constant_bytes)
        return "it needs " + std::to_string(sizeof(push::GemmWeights)) + " bytes of push constants";
    if (uniform_bytes > capabilities.max_uniform_buffer_range)
        return "it needs " + std::to_string(uniform_bytes) + " bytes of uniforms";
    return "";
}

std::string unfit_for_dispatches(const Problem& problem, const Product& product, const Tile& tile, int64_t bands,
                                 const Work& packing, const Work& finishing)
{
    const Capabilities& c = problem.capabilities;
    const int64_t grid = saturated_product({c.max_group_count[0], c.max_group_count[1], c.max_group_count[2]});
    const int64_t count = tiles_of_product(product, tile);
    bool too_large = count >= index_limit || divide_up(count, tiles_of_workgroup(tile, c)) > grid;
    double longest = work_of(product, product.classes.front(), tile, c.is_cpu) * double(tiles_of_workgroup(tile, c));
    int64_t dispatches = saturated_product(bands, divide_up(count, tiles_in_time(problem, product, tile)));
    const Work packing_weights = {saturated_product(product.groups, group_texels(product, tile)), packing_work};
    for (const auto& [work, times] : {std::pair(packing_weights, int64_t(1)), {packing, bands}, {finishing, int64_t(1)}}) {
        too_large = too_large || work.invocations > std::min(index_limit - 1, saturated_product(grid, workgroup_size(c)));
        longest = std::max(longest, work.of_each * double(workgroup_size(c)));
        dispatches =
            saturated_sum(dispatches, saturated_product(times, divide_up(work.invocations, invocations_in_time(problem, work))));
    }
    if (longest / c.work_per_second + dispatch_seconds > problem.options.max_dispatch_seconds)
        return "its shortest dispatches would take longer than PrepareOptions::max_dispatch_seconds";
    if (too_large)
        return "its grid is too large for the device";
    if (dispatches > max_dispatches)
        return "it would take " + std::to_string(dispatches) + " dispatches, more than " + std::to_string(max_dispatches);
    return "";
}

int64_t prologue_bytes(const Problem& problem, const Product& product)
{
    const int64_t numbers = prologue_numbers(problem.options.prologue);
    return saturated_product({product.groups, product.x_channels(), numbers, bits(problem.dtype) / 8});
}

std::vector<uint64_t> tensor_bytes_of(const Problem& problem, const Product& product)
{
    const uint64_t width = bits(problem.dtype) / 8;
    std::vector<uint64_t> bytes = {buffer_bytes(uint64_t(problem.x_elements) * width),
                                   buffer_bytes(uint64_t(problem.w_elements) * width)};
    if (problem.bias)
        bytes.push_back(buffer_bytes(uint64_t(product.groups * product.channels_out) * width));
    if (const int64_t p = prologue_bytes(problem, product); p > 0) {
        bytes.resize(operand_p);
        bytes.push_back(buffer_bytes(uint64_t(p)));
    }
    bytes.push_back(buffer_bytes(uint64_t(problem.outputs) * width));
    return bytes;
}

Operand prologue_operand(const Problem& problem)
{
    return {.tensor = prologue_numbers(problem.options.prologue) > 0 ? operand_p : uint8_t(0)};
}

std::vector<Step> product_steps(const Problem& problem, const Product& product, const Tile& tile, const Step& whole,
                                const std::array<uint32_t, GEMM_AXES>& first_block)
{
    const Capabilities& c = problem.capabilities;
    const int64_t count = tiles_of_product(product, tile);
    const double mean = work_of(product, tile, c.is_cpu) / double(count) / c.work_per_second;
    const int64_t at_once = tiles_in_time(problem, product, tile);
    std::vector<Step> steps;
    for (int64_t first = 0; first < count; first += at_once) {
        const int64_t some = std::min(at_once, count - first);
        Step& step = steps.emplace_back(whole);
        step.push = bytes_of(push::GemmPart{uint32_t(first), uint32_t(some), {first_block[0], first_block[1], first_block[2]}});
        step.groups = groups_of(some * tile.invocations, workgroup(tile, c), c);
        step.seconds = double(some) * mean + waiting_seconds(product, tile, c) + dispatch_seconds;
    }
    return steps;
}

}  // namespace vkonnx::plan::implicit_gemm
