// This file tests kernels of AveragePool with several outputs an invocation: which one runs what, and any cut of any problem on
// paper.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <map>
#include <set>

#include "constant_of.h"
#include "kit/draw.h"
#include "plan/core/limits.h"
#include "plan/engines/gather.h"
#include "plan/operators/operators.h"
#include "replay.h"
#include "shaders/engines/pool/pool_tiles.h"

namespace vkonnx::plan {
namespace {

using kit::Draw;
using ops::AveragePoolGeometry;
using ops::Axis;

AveragePoolGeometry pool(std::vector<Axis> axes, Layout layout = Layout::ncx)
{
    AveragePoolGeometry g;
    g.channels = 4;
    g.layout = layout;
    g.axes = std::move(axes);
    return g;
}

// Returns the axis with as many windows as fit into its input and pads.
Axis axis_of(Axis axis)
{
    axis.out = (axis.in + axis.begin + axis.end - axis.dilated_kernel()) / axis.stride + 1;
    return axis;
}

// Returns the kernel for many images, since a few would leave a device idle whatever the kernel is.
std::string kernel_of(AveragePoolGeometry g, const Capabilities& capabilities = {}, const PrepareOptions& options = {})
{
    g.batch = 1000;
    const Result<Plan> plan = plan_for(g, capabilities, options);
    return plan ? std::string(kernel_name(plan->pipelines.at(0).kernel)) : std::string(plan.message());
}

std::string unfit_of(const AveragePoolGeometry& g, std::string_view kernel, const Capabilities& capabilities = {})
{
    const Result<std::vector<KernelChoice>> choices = kernels_for(g, capabilities, {});
    for (const KernelChoice& choice : *choices)
        if (choice.name == kernel)
            return choice.unfit;
    return "there is no such kernel";
}

const Axis halving = axis_of({.in = 8, .kernel = 2, .stride = 2});
const Axis smoothing = axis_of({.in = 9, .kernel = 3, .begin = 1, .end = 1});

TEST(Tiles, CommonWindowsTakeTheRowsOfOneForm)
{
    EXPECT_EQ(kernel_of(pool({halving})), "average_pool_rows_kernel2_stride2_dilation1_clipped0_outputs4_f32");
    EXPECT_EQ(kernel_of(pool({halving, smoothing})), "average_pool_rows_kernel3_stride1_dilation1_clipped1_outputs8_f32");
    const Axis dilated = axis_of({.in = 9, .kernel = 3, .dilation = 2});
    EXPECT_EQ(kernel_of(pool({dilated})), "average_pool_rows_kernel3_stride1_dilation2_clipped1_outputs8_f32");
    const Axis overlapping = axis_of({.in = 9, .kernel = 3, .stride = 2});
    EXPECT_EQ(kernel_of(pool({overlapping})), "average_pool_rows_kernel3_stride2_dilation1_clipped1_outputs4_f32");
    const Axis quartering = axis_of({.in = 40, .kernel = 5, .stride = 4, .begin = 2, .end = 2});
    EXPECT_EQ(kernel_of(pool({quartering})), "average_pool_rows_kernel5_stride4_dilation1_clipped1_outputs4_axes1_f32");
    EXPECT_EQ(unfit_of(pool({halving, quartering}), "average_pool_rows"), "its module for that window takes one axis, not 2");
    EXPECT_EQ(unfit_of(pool({axis_of({.in = 9, .kernel = 4})}), "average_pool_rows"),
              "it has no module for kernel 4, stride 1 and dilation 1 of the last axis");
    const Axis padded = axis_of({.in = 8, .kernel = 2, .stride = 2, .begin = 1});
    EXPECT_EQ(unfit_of(pool({padded}), "average_pool_rows"), "its module for that window takes none beyond the input");
    EXPECT_EQ(unfit_of(pool({halving}, Layout::nxc), "average_pool_rows"), "it takes nothing behind the axes, not 4 elements");
    AveragePoolGeometry halves = pool({axis_of({.in = 10, .kernel = 2, .stride = 2})});
    EXPECT_EQ(unfit_of(halves, "average_pool_rows"), "");
    halves.dtype = DType::float16;
    EXPECT_EQ(unfit_of(halves, "average_pool_rows"), "rows of 5 halves end amid a word");
    AveragePoolGeometry odd = pool({smoothing});
    odd.channels = 3;
    EXPECT_EQ(unfit_of(odd, "average_pool_rows"), "it reads 4 elements at a time, and X has 27");
}

TEST(Tiles, WindowsOfThreeByThreeSlide)
{
    const Axis image = axis_of({.in = 20, .kernel = 3, .begin = 1, .end = 1});
    const auto is_plain = [](const std::string& kernel) {
        return kernel == "average_pool_sliding_kernel3_stride1_dilation1_clipped1_outputs4_f32";
    };
    EXPECT_PRED1(is_plain, kernel_of(pool({image, image})));
    EXPECT_PRED1(is_plain, kernel_of(pool({image, image, image})));
    const Axis dilated = axis_of({.in = 20, .kernel = 3, .dilation = 2});
    EXPECT_PRED1(is_plain, kernel_of(pool({dilated, image})));
    EXPECT_EQ(kernel_of(pool({image, dilated})), "average_pool_sliding_kernel3_stride1_dilation2_clipped1_outputs4_f32");
    const std::string other =
        "it takes kernels of 3 and strides of 1 along the last two axes, and there dilations of 1 or 2 along the last";
    const Axis fast = axis_of({.in = 20, .kernel = 3, .stride = 2});
    const Axis wide = axis_of({.in = 20, .kernel = 5});
    const Axis far = axis_of({.in = 20, .kernel = 3, .dilation = 3});
    for (const std::vector<Axis>& axes : {std::vector{image, fast}, std::vector{fast, image}, std::vector{image, wide},
                                          std::vector{wide, image}, std::vector{image, far}})
        EXPECT_EQ(unfit_of(pool(axes), "average_pool_sliding"), other);
    EXPECT_EQ(unfit_of(pool({image}), "average_pool_sliding"), "it takes 2 or 3 spatial axes, not 1");
    EXPECT_EQ(unfit_of(pool({image, image}, Layout::nxc), "average_pool_sliding"),
              "it takes nothing behind the axes, not 4 elements");
    AveragePoolGeometry halves = pool({image, smoothing});
    EXPECT_EQ(unfit_of(halves, "average_pool_sliding"), "");
    halves.dtype = DType::float16;
    EXPECT_EQ(unfit_of(halves, "average_pool_sliding"), "rows of 9 halves end amid a word");
    Capabilities few_loops;
    few_loops.max_loop_iterations = 17;
    EXPECT_EQ(unfit_of(pool({image, image}), "average_pool_sliding", few_loops),
              "its loops over a window would exceed the device's 17 iterations");
    few_loops.max_loop_iterations = 18;  // 9 rows of input for 7 of outputs, of one plane each
    EXPECT_EQ(unfit_of(pool({image, image}), "average_pool_sliding", few_loops), "");
    AveragePoolGeometry few_rows = pool({axis_of({.in = 3, .kernel = 3}), image});
    EXPECT_EQ(kernel_of(few_rows), "average_pool_rows_kernel3_stride1_dilation1_clipped1_outputs8_f32") << "nothing is shared";
}

TEST(Tiles, LongWindowsTakeRunsAndChannelsInFoursTakeThose)
{
    const Axis global = axis_of({.in = 49, .kernel = 49});
    EXPECT_EQ(kernel_of(pool({global})), "average_pool_runs_clipped0_f32");
    EXPECT_EQ(kernel_of(pool({axis_of({.in = 49, .kernel = 49, .begin = 1})})), "average_pool_runs_clipped1_f32");
    EXPECT_EQ(kernel_of(pool({global}, Layout::nxc)), "average_pool_channels_clipped1_f32");
    EXPECT_EQ(unfit_of(pool({axis_of({.in = 49, .kernel = 15})}), "average_pool_runs"),
              "it takes windows from 16 along the last axis on, not of 15");
    EXPECT_EQ(unfit_of(pool({axis_of({.in = 49, .kernel = 16, .dilation = 2})}), "average_pool_runs"),
              "it takes no dilation of the last axis, not 2");
    AveragePoolGeometry five = pool({global}, Layout::nxc);
    five.channels = 20;
    EXPECT_EQ(unfit_of(five, "average_pool_channels"), "");
    five.batch = 4;
    five.channels = 5;
    EXPECT_EQ(unfit_of(five, "average_pool_channels"), "it takes multiples of 4 elements behind the axes, not 5");
    Capabilities few_loops;
    few_loops.max_loop_iterations = 17;
    EXPECT_EQ(unfit_of(pool({global}), "average_pool_runs", few_loops), "");
    few_loops.max_loop_iterations = 16;
    EXPECT_EQ(unfit_of(pool({global}), "average_pool_runs", few_loops),
              "its loops over a window would exceed the device's 16 iterations");
}

TEST(Tiles, WindowsThatOverlapAlongAnOnlyAxisShareTheirSums)
{
    const auto moving = [](int64_t kernel, int64_t stride = 1) {
        return axis_of({.in = 400, .kernel = kernel, .stride = stride});
    };
    for (const int64_t kernel : {2, 3, 8})
        EXPECT_EQ(kernel_of(pool({moving(kernel)})), "average_pool_moving_stride1_clipped1_outputs8_taps8_f32") << kernel;
    for (const int64_t kernel : {9, 15})
        EXPECT_EQ(kernel_of(pool({moving(kernel)})), "average_pool_moving_stride1_clipped1_outputs8_taps0_f32") << kernel;
    for (const int64_t kernel : {16, 99, 300})
        EXPECT_EQ(kernel_of(pool({moving(kernel)})), "average_pool_moving_stride1_clipped1_outputs16_taps0_f32") << kernel;
    for (const int64_t kernel : {7, 99})
        EXPECT_EQ(kernel_of(pool({moving(kernel, 2)})), "average_pool_moving_stride2_clipped1_outputs4_taps0_f32") << kernel;
    for (const int64_t kernel : {10, 99})
        EXPECT_EQ(kernel_of(pool({moving(kernel, 3)})), "average_pool_moving_stride3_clipped1_outputs4_taps0_f32") << kernel;
    EXPECT_EQ(kernel_of(pool({axis_of({.in = 5, .kernel = 1}), moving(25)})),
              "average_pool_moving_stride1_clipped1_outputs16_taps0_f32")
        << "two axes that are one";

    EXPECT_EQ(unfit_of(pool({moving(25), moving(25)}), "average_pool_moving"), "it takes 1 spatial axis, not 2");
    EXPECT_EQ(unfit_of(pool({moving(25)}, Layout::nxc), "average_pool_moving"),
              "it takes nothing behind the axes, not 4 elements");
    EXPECT_EQ(unfit_of(pool({moving(6, 2)}), "average_pool_moving"), "it has no module for kernel 6, stride 2 and dilation 1");
    EXPECT_EQ(unfit_of(pool({axis_of({.in = 400, .kernel = 25, .dilation = 2})}), "average_pool_moving"),
              "it has no module for kernel 25, stride 1 and dilation 2");
    AveragePoolGeometry halves = pool({moving(25)});
    EXPECT_EQ(unfit_of(halves, "average_pool_moving"), "");
    halves.dtype = DType::float16;
    EXPECT_EQ(unfit_of(halves, "average_pool_moving"), "");
    halves.axes = {moving(26)};
    EXPECT_EQ(unfit_of(halves, "average_pool_moving"), "rows of 375 halves end amid a word");
    Capabilities few_loops;
    few_loops.max_loop_iterations = 9;
    EXPECT_EQ(unfit_of(pool({moving(25)}), "average_pool_moving", few_loops), "");
    few_loops.max_loop_iterations = 8;
    EXPECT_EQ(unfit_of(pool({moving(25)}), "average_pool_moving", few_loops),
              "its loops over a window would exceed the device's 8 iterations");
}

TEST(Tiles, LargeWindowsThatOverlapGoAxisByAxis)
{
    const Axis large = axis_of({.in = 40, .kernel = 9, .begin = 4, .end = 4});
    const AveragePoolGeometry g = pool({large, large});
    const Result<Plan> plan = plan_for(g, Capabilities{}, {});
    ASSERT_TRUE(plan) << plan.message();
    ASSERT_EQ(plan->steps.size(), 2u);
    EXPECT_EQ(kernel_name(plan->pipelines.at(0).kernel), "average_pool_separable_columns_clipped1_last0_f32");
    EXPECT_EQ(kernel_name(plan->pipelines.at(1).kernel), "average_pool_moving_stride1_clipped1_outputs8_taps0_f32");
    EXPECT_EQ(plan->scratch_bytes, 4u * 40 * 40 * 4);
    EXPECT_EQ(plan->steps[0].operands[1].place, Place::scratch);
    EXPECT_EQ(plan->steps[1].operands[0].place, Place::scratch);

    EXPECT_EQ(unfit_of(pool({large}), "average_pool_separable"), "it takes 2 or 3 spatial axes, not 1");
    EXPECT_EQ(unfit_of(pool({large, axis_of({.in = 40, .kernel = 7})}), "average_pool_separable"),
              "it takes kernels and outputs from 8 on along each axis");
    EXPECT_EQ(unfit_of(pool({large, axis_of({.in = 40, .kernel = 9, .stride = 2})}), "average_pool_separable"),
              "it takes strides and dilations of 1 only");
    EXPECT_EQ(unfit_of(pool({large, axis_of({.in = 41, .kernel = 9})}), "average_pool_separable"),
              "it reads 4 elements at a time, and the last axis has 41");
    Capabilities small;
    small.max_storage_buffer_range = 2 * 40 * 40 * 4 + 1024;
    const Result<Plan> by_two = plan_for(g, small, {});
    ASSERT_TRUE(by_two) << by_two.message();
    EXPECT_EQ(by_two->scratch_bytes, 2u * 40 * 40 * 4) << "two images at a time";
    EXPECT_EQ(plan::check(*by_two, small).message(), "");
    small.max_storage_buffer_range = 40 * 40 * 4;
    EXPECT_EQ(unfit_of(g, "average_pool_separable", small),
              "the sums of one image exceed the device's max_storage_buffer_range = 6400");
}

TEST(Tiles, NoneDividesExactly)
{
    Capabilities exact;
    exact.rounds_to_nearest = true;
    for (const std::vector<Axis>& axes : {std::vector{halving}, std::vector{axis_of({.in = 49, .kernel = 49})}})
        EXPECT_EQ(kernel_of(pool(axes), exact, {.reproducible = true}), "average_pool_direct_f32");
    EXPECT_EQ(kernel_of(pool({halving}, Layout::nxc), exact, {.reproducible = true}), "average_pool_direct_f32");
}

TEST(Tiles, DivisorsReplaceEveryDivision)
{
    for (const uint32_t number :
         {1u, 2u, 3u, 5u, 7u, 10u, 641u, 65535u, 65537u, (1u << 30) - 1, (1u << 30) + 1, (1u << 31) - 1}) {
        const push::Divisor divisor = push::divisor_of(number);
        const auto divided = [&](uint32_t n) { return uint32_t((uint64_t(n << 1) * divisor.multiplier >> 32) >> divisor.shift); };
        for (uint64_t n = 0; n < (uint64_t(1) << 31); n += 1 + n / 1000) {
            for (const uint64_t near : {n, n / number * number, n / number * number + number - 1}) {
                const uint32_t dividend = uint32_t(std::min<uint64_t>(near, (1u << 31) - 1));
                ASSERT_EQ(divided(dividend), dividend / number) << dividend << " / " << number;
            }
        }
        EXPECT_EQ(divided((1u << 31) - 1), ((1u << 31) - 1) / number);
    }
}

// ---- any cut

AveragePoolGeometry draw_pool(Draw& draw)
{
    AveragePoolGeometry g;
    g.dtype = draw.of({DType::float32, DType::float16, DType::bfloat16, DType::float64});
    g.batch = draw.between(1, 3);
    g.channels = draw.of<int64_t>({1, 3, 4, 4, 8});
    g.count_include_pad = draw.one_in(2);
    g.layout = draw.of({Layout::ncx, Layout::nxc});
    const size_t rank = size_t(draw.between(1, 3));
    for (size_t a = 0; a < rank; ++a) {
        Axis axis = {.in = draw.between(1, rank < 3 ? 12 : 6),
                     .kernel = draw.between(1, 3),
                     .stride = draw.between(1, 3),
                     .dilation = draw.between(1, 2),
                     .begin = draw.between(0, 2),
                     .end = draw.between(0, 3)};
        if (a + 1 == rank && draw.one_in(3))
            axis = {.in = draw.between(2, 12) * 2, .kernel = 2, .stride = 2};
        else if (a + 1 == rank && draw.one_in(2))
            axis = {.in = draw.between(17, 40), .kernel = draw.between(16, 20), .stride = draw.between(1, 9)};
        else if (a + 2 >= rank && draw.one_in(2)) {
            axis.kernel = 3;
            axis.stride = 1;
        }
        axis.end = std::max(axis.end, axis.dilated_kernel() - axis.in - axis.begin);  // at least one window
        g.axes.push_back(axis_of(axis));
    }
    return g;
}

Capabilities draw_capabilities(Draw& draw)
{
    Capabilities c;
    c.storage_buffer_alignment = draw.of<uint32_t>({4, 16, 64, 256});
    if (!draw.one_in(3))
        c.max_storage_buffer_range = uint64_t(draw.between(300, 5000));
    if (draw.one_in(2))
        c.max_group_count = {uint32_t(draw.between(1, 4)), uint32_t(draw.between(1, 4)), uint32_t(draw.between(1, 4))};
    if (draw.one_in(3))
        c.max_invocations = uint32_t(draw.between(1, 16));
    c.float64 = true;
    c.is_cpu = draw.one_in(2);
    if (draw.one_in(3))
        c.work_per_second = double(draw.of<int64_t>({100, 300, 3000}));
    return c;
}

// Returns the outputs of a tile of average_pool_sliding, which are parts of rows.
std::vector<Range> sliding_outputs(const PoolProblem& problem, int64_t rows, int64_t tile)
{
    const Axis& axis = problem.axes[problem.axes.size() - 2];
    const int64_t row = problem.axes.back().out;
    const int64_t tiles_of_row = (row + 3) / 4;
    const int64_t begin = tile % tiles_of_row * 4;
    const int64_t step = std::min(axis.dilation, axis.out);
    const int64_t blocks = (((axis.out + axis.dilation - 1) / axis.dilation + rows - 1) / rows) * step;
    const int64_t block = tile / tiles_of_row % blocks;
    const int64_t plane = tile / tiles_of_row / blocks;
    std::vector<Range> outputs;
    for (int64_t i = 0; i < rows; ++i) {
        const int64_t line = block / step * rows * step + block % step + i * axis.dilation;
        if (line < axis.out)
            outputs.push_back({(plane * axis.out + line) * row + begin, std::min<int64_t>(4, row - begin)});
    }
    return outputs;
}

// Returns the outputs of a tile of another kernel.
Range outputs_of(const std::string& kernel, const PoolProblem& problem, DType dtype, int64_t outputs, int64_t tile)
{
    if (kernel.find("_rows_") != std::string::npos || kernel.find("_moving_") != std::string::npos) {
        const auto has = [&](const char* word) { return kernel.find(word) != std::string::npos; };
        const int64_t count = has("outputs16") ? 16 : has("outputs8") ? 8 : 4;
        const int64_t row = problem.axes.back().out;
        const int64_t tiles = (row + count - 1) / count;
        return {tile / tiles * row + tile % tiles * count, std::min(count, row - tile % tiles * count)};
    }
    const int64_t count = kernel.find("_channels_") != std::string::npos ? 4 : bits(dtype) == 16 ? 2 : 1;
    return {tile * count, std::min(count, outputs - tile * count)};
}

// Returns "", or what is wrong with the cut: that no step covers a tile, or binds too little of what a tile reads and writes.
std::string wrong_with(const Definition& definition, const PoolProblem& problem, const Plan& plan,
                       const Capabilities& capabilities)
{
    if (const Status status = plan::check(plan, capabilities); !status)
        return std::string(status.message());
    const std::string kernel(kernel_name(plan.pipelines.at(0).kernel));
    const bool slides = kernel.find("_sliding_") != std::string::npos;
    const int64_t width = bits(definition.dtype) / 8;
    std::vector<bool> written(size_t(definition.outputs()));
    int64_t next = 0;
    for (const Step& step : plan.steps) {
        push::TileRange push = {};
        std::memcpy(&push, step.push.data(), std::min(step.push.size(), sizeof(push)));
        const int64_t group = constant_of(pipeline_of(plan, step), "workgroup_size");
        if (int64_t(push.first_tile) != next || push.tile_count == 0)
            return "tiles go on at " + std::to_string(push.first_tile);
        next += push.tile_count;
        if (int64_t(step.groups[0]) * step.groups[1] * step.groups[2] * group < push.tile_count)
            return "groups do not cover the tiles";
        if (step.seconds > plan.max_submit_seconds * (1 + 1e-9))
            return "it takes " + std::to_string(step.seconds) + " s";
        const auto bound = [&](size_t operand, int64_t base, int64_t element, int64_t unit) {  // whole units of elements
            const uint64_t begin = step.operands[operand].offset;
            const uint64_t end = begin + bound_bytes(plan, step.operands[operand]);
            const int64_t first = element / unit * unit;
            return uint64_t(base * width) == begin && uint64_t(first * width) >= begin &&
                   uint64_t((first + unit) * width) <= std::max<uint64_t>(end, 4);
        };
        if ((uint64_t(push.x_last_quad) + 1) * 4 * uint64_t(width) > bound_bytes(plan, step.operands[0]))
            return "the last quad of X is not bound";
        for (int64_t tile = push.first_tile; tile < next; ++tile) {
            std::vector<int64_t> outputs;
            for (const Range& some : slides
                                         ? sliding_outputs(problem, constant_of(pipeline_of(plan, step), "rows"), tile)
                                         : std::vector{outputs_of(kernel, problem, definition.dtype, definition.outputs(), tile)})
                for (int64_t output = some.first; output < some.end(); ++output)
                    outputs.push_back(output);
            for (const int64_t output : outputs) {
                if (output >= definition.outputs() || written[size_t(output)])
                    return "output " + std::to_string(output) + " is written twice, or there is none";
                written[size_t(output)] = true;
                if (!bound(1, push.y_base, output, 1))
                    return "output " + std::to_string(output) + " is not bound";
                for (const Addend& term : definition.terms[size_t(output)])
                    if (!bound(0, push.x_base, term.x, 4) || term.x / 4 > int64_t(push.x_base) / 4 + push.x_last_quad)
                        return "element " + std::to_string(term.x) + " of X is not bound";
            }
        }
    }
    return std::find(written.begin(), written.end(), false) == written.end() ? "" : "an output is not written";
}

TEST(Tiles, AnyCutCoversEveryOutputOnce)
{
    Draw draw(kit::test_seed(6));
    std::cout << draw.repeat() << "\n";
    std::map<std::string, int> planned, cut, windows;
    constexpr int least_windows = 11;
    const auto lacks_windows = [&] {
        return std::any_of(windows.begin(), windows.end(), [](const auto& one) { return one.second < least_windows; });
    };
    // Windows are rare, most of all with average_pool_sliding. More problems are drawn where 6000 happen to have too few.
    for (int trial = 0; (trial < 6000 || (trial < 60'000 && lacks_windows())) && !HasFailure(); ++trial) {
        const AveragePoolGeometry g = draw_pool(draw);
        const Capabilities c = draw_capabilities(draw);
        for (const char* kernel :
             {"average_pool_rows", "average_pool_sliding", "average_pool_runs", "average_pool_channels", "average_pool_moving"}) {
            const PrepareOptions options = {.kernel = kernel, .max_dispatch_seconds = 1};
            const Result<Plan> plan = plan_for(g, c, options);
            if (!plan) {
                EXPECT_EQ(plan.code(), Code::unsupported) << plan.message();
                continue;
            }
            EXPECT_EQ(wrong_with(define(merged(g), g.dtype), merged(g), *plan, c), "")
                << kernel << ", " << draw.repeat() << " trial " << trial;
            ++planned[kernel];
            cut[kernel] += plan->steps.size() > 1;
            windows[kernel] += plan->steps.front().operands[0].bytes != 0;
        }
    }
    for (const auto& [kernel, times] : planned) {
        EXPECT_GT(times, 100) << kernel;
        EXPECT_GT(cut[kernel], 30) << kernel;
        EXPECT_GE(windows[kernel], least_windows) << kernel;
    }
    EXPECT_EQ(planned.size(), 5u);
}

// Each pass of the separable kernel goes over all of what the pass before it wrote.
TEST(Tiles, AnyCutOfPassesCoversEveryTileOnce)
{
    Draw draw(kit::test_seed(7));
    std::cout << draw.repeat() << "\n";
    int planned = 0, cut = 0, by_images = 0;
    for (int trial = 0; trial < 1000 && !HasFailure(); ++trial) {
        AveragePoolGeometry g = pool({}, draw.of({Layout::ncx, Layout::nxc}));
        g.batch = draw.between(1, 3);
        g.dtype = draw.of({DType::float32, DType::float64});
        for (int64_t rank = draw.between(2, 3); rank > 0; --rank)
            g.axes.push_back(axis_of({.in = 4 * draw.between(2, 4), .kernel = 8, .begin = draw.between(0, 9), .end = 9}));
        Capabilities c = draw_capabilities(draw);
        c.max_storage_buffer_range *= uint64_t(draw.of({4, 10, 40}));
        const Result<Plan> plan = plan_for(g, c, {.kernel = "average_pool_separable", .max_dispatch_seconds = 1});
        if (!plan)
            continue;
        const std::string repeat = draw.repeat() + " trial " + std::to_string(trial);
        ASSERT_EQ(plan::check(*plan, c).message(), "") << repeat;
        ++planned;
        cut += plan->steps.size() > g.axes.size();
        const PoolProblem problem = merged(g);
        int64_t last_tiles = 0;         // of the last pass, which goes through all images
        std::set<uint32_t> beginnings;  // where steps begin in scratch memory, which has some images at a time
        for (const Step& step : plan->steps) {
            push::TileRange push = {};
            std::memcpy(&push, step.push.data(), sizeof(push));
            EXPECT_LE(step.seconds, 1 + 1e-9);
            EXPECT_EQ(step.operands[1].access, Access::write);
            if (step.operands[1].place != Place::tensor) {
                if (step.operands[0].place == Place::tensor)
                    beginnings.insert(push.y_base);
                continue;
            }
            EXPECT_EQ(int64_t(push.first_tile), last_tiles) << repeat;
            last_tiles += push.tile_count;
        }
        int64_t tiles = problem.outer * ((problem.axes.back().out + 7) / 8) * std::max<int64_t>(1, problem.inner / 4);
        for (size_t a = 0; a + 1 < problem.axes.size(); ++a)
            tiles *= problem.axes[a].out;
        EXPECT_EQ(last_tiles, tiles) << repeat;
        by_images += beginnings.size() > 1;
    }
    EXPECT_GT(planned, 100);
    EXPECT_GT(cut, 30);
    EXPECT_GT(by_images, 10);
}

}  // namespace
}  // namespace vkonnx::plan
