// SPDX-License-Identifier: Apache-2.0
// conv_transpose_columns is a kernel that only the tests have. It computes a product of matrices, and then sums its columns. It
// proves that plans can have weights that are packed once and read as texels, scratch memory, shared memory, workgroups of two
// dimensions, and a sum in an order of its own. It runs only where it is named, and is kept plain: f32, at most three axes, no
// cuts.
#ifdef VKONNX_TEST_KERNELS
#include <algorithm>

#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/gather.h"
#include "plan/operators/conv_transpose/problem.h"
#include "shaders/test/columns_constants.h"
#include "shaders/test/conv_transpose_columns.h"

namespace vkonnx::plan::conv_transpose {
namespace {

constexpr int64_t tile = 8;  // a tile has so many positions, rows and channels
constexpr uint64_t width = 4;
constexpr size_t weights = 1;  // the place of W among the inputs

// These sizes are computed before it is known whether the problem fits. So their products saturate.
struct Sizes {
    int64_t x = 0;
    int64_t w = 0;
    int64_t images = 0;     // N * G
    int64_t positions = 0;  // input positions of an image
    int64_t taps = 0;
    int64_t rows = 0;  // taps * M'
    int64_t columns = 0;
};

Sizes sizes_of(const Problem& problem)
{
    const ops::ConvTransposeGeometry& g = problem.geometry;
    Sizes sizes = {.x = *element_count(tensor_x(g)), .w = *element_count(tensor_w(g)), .positions = 1, .taps = 1};
    for (const ops::Axis& axis : g.axes) {
        sizes.positions = saturated_product(sizes.positions, axis.in);
        sizes.taps = saturated_product(sizes.taps, axis.kernel);
    }
    sizes.images = saturated_product(g.batch, g.group);
    sizes.rows = saturated_product(sizes.taps, g.channels_out / g.group);
    sizes.columns = saturated_product({sizes.images, sizes.rows, sizes.positions});
    return sizes;
}

double seconds_of(int64_t outputs, int64_t terms, const Problem& problem)
{
    return double(outputs) * double(terms + output_work) / problem.capabilities.work_per_second;
}

std::string unfit(const Problem& problem)
{
    const ops::ConvTransposeGeometry& g = problem.geometry;
    const Capabilities& c = problem.capabilities;
    const Sizes sizes = sizes_of(problem);
    const std::vector<ConstantInput>& constants = problem.options.constants;
    if (std::none_of(constants.begin(), constants.end(), [](const ConstantInput& one) { return one.input == weights; }))
        return "it packs its weights, which are not among PrepareOptions::constants";
    if (g.axes.size() > COLUMNS_AXES)
        return "it takes at most 3 spatial axes, not " + std::to_string(g.axes.size());
    if (g.layout != Layout::ncx || g.filter != onednn::FilterFormat::iox)
        return "it takes NCX data and IOX filters only";
    if (sizes.w == 0 || sizes.x == 0)
        return "there is nothing to multiply";
    if (tile * tile > c.max_invocations || tile > c.max_workgroup_size[0] || tile > c.max_workgroup_size[1] ||
        tile * tile * int64_t(width) > c.max_shared_bytes)
        return "its workgroups of 8 x 8 are too large for the device";
    const int64_t most = std::max({sizes.x, sizes.w, sizes.columns, problem.outputs});
    if (most > int64_t(c.max_storage_buffer_range / width) || std::max(sizes.x, sizes.w) > c.max_texel_buffer_elements)
        return "it binds all of its " + std::to_string(most) + " elements at once";
    if (divide_up(sizes.positions, tile) > c.max_group_count[0] || divide_up(sizes.rows, tile) > c.max_group_count[1] ||
        sizes.images > c.max_group_count[2])
        return "its grid is too large for the device";
    const int64_t grid = saturated_product({c.max_group_count[0], c.max_group_count[1], c.max_group_count[2]});
    if (divide_up(std::max(problem.outputs, sizes.w), workgroup_size(c)) > grid)
        return "its grid is too large for the device";
    const int64_t channels = g.channels_in / g.group;
    if (std::max(saturated_product(3, channels), saturated_product(3, sizes.taps)) + 8 > c.max_loop_iterations)
        return too_many_iterations("its loops", c);
    if (std::max(seconds_of(sizes.columns, channels, problem), seconds_of(problem.outputs, sizes.taps, problem)) >
        problem.options.max_dispatch_seconds)
        return "it would take longer than PrepareOptions::max_dispatch_seconds";
    return "";
}

push::Columns push_of(const Problem& problem, const Sizes& sizes)
{
    const ops::ConvTransposeGeometry& g = problem.geometry;
    push::Columns push = {};
    push.channels_in = uint32_t(g.channels_in / g.group);
    push.channels_out = uint32_t(g.channels_out / g.group);
    push.group = uint32_t(g.group);
    push.taps = uint32_t(sizes.taps);
    push.positions = uint32_t(sizes.positions);
    push.bias = g.bias;
    const ops::Axis lacking = {.in = 1, .out = 1, .kernel = 1};
    const size_t missing = COLUMNS_AXES - g.axes.size();
    for (size_t a = 0; a < COLUMNS_AXES; ++a) {
        const ops::Axis& axis = a < missing ? lacking : g.axes[a - missing];
        push.in_extent[a] = uint32_t(axis.in);
        push.out_extent[a] = uint32_t(axis.out);
        push.kernel[a] = uint32_t(axis.kernel);
        push.begin[a] = uint32_t(axis.begin);
        push.stride[a] = uint32_t(axis.stride);
        push.dilation[a] = uint32_t(axis.dilation);
    }
    return push;
}

PipelineKey pipeline(Kernel kernel, uint32_t columns, uint32_t rows, std::vector<View> views)
{
    return {.kernel = kernel,
            .specialization = specialization::Columns{columns, rows, uint32_t(tile)}.values(),
            .views = std::move(views),
            .push_bytes = sizeof(push::Columns)};
}

Result<Plan> planned(const Problem& problem)
{
    const ops::ConvTransposeGeometry& g = problem.geometry;
    const Capabilities& c = problem.capabilities;
    const Sizes sizes = sizes_of(problem);
    const uint32_t flat = workgroup_size(c);
    const uint8_t output = g.bias ? 3 : 2;
    Plan plan;
    plan.pipelines = {
        pipeline(Kernel::conv_transpose_columns_pack_f32, flat, 1, {View::storage, View::storage}),
        pipeline(Kernel::conv_transpose_columns_f32, tile, tile, {View::texel_r32f, View::texel_r32f, View::storage}),
        pipeline(Kernel::conv_transpose_columns_sum_f32, flat, 1, {View::storage, View::storage, View::storage})};
    plan.inputs = output;
    plan.tensor_bytes = {uint64_t(sizes.x) * width, uint64_t(sizes.w) * width};
    if (g.bias)
        plan.tensor_bytes.push_back(uint64_t(g.channels_out) * width);
    plan.tensor_bytes.push_back(uint64_t(problem.outputs) * width);
    plan.scratch_bytes = uint64_t(sizes.columns) * width;
    plan.packed_bytes = uint64_t(sizes.w) * width;
    plan.max_submit_seconds = problem.options.max_dispatch_seconds;

    // This has only what packing reads, so that problems of other extents share the packed memory.
    push::Columns pack = {};
    pack.count = uint32_t(sizes.w);
    pack.channels_out = uint32_t(g.channels_out / g.group);
    pack.taps = uint32_t(sizes.taps);
    plan.setup = {{.pipeline = 0,
                   .operands = {{.tensor = weights}, {.place = Place::packed, .access = Access::write}},
                   .push = bytes_of(pack),
                   .groups = groups_of(sizes.w, c),
                   .seconds = seconds_of(sizes.w, 0, problem)}};
    push::Columns push = push_of(problem, sizes);
    push.count = uint32_t(sizes.columns);
    plan.steps = {
        {.pipeline = 1,
         .operands = {{.tensor = 0}, {.place = Place::packed}, {.place = Place::scratch, .access = Access::write}},
         .push = bytes_of(push),
         .groups = {uint32_t(divide_up(sizes.positions, tile)), uint32_t(divide_up(sizes.rows, tile)), uint32_t(sizes.images)},
         .seconds = seconds_of(sizes.columns, g.channels_in / g.group, problem)}};
    push.count = uint32_t(problem.outputs);
    const uint8_t bias = g.bias ? 2 : 0;  // where there is no bias, X is bound in its place
    plan.steps.push_back({.pipeline = 2,
                          .operands = {{.place = Place::scratch}, {.tensor = bias}, {.tensor = output, .access = Access::write}},
                          .push = bytes_of(push),
                          .groups = groups_of(problem.outputs, c),
                          .seconds = seconds_of(problem.outputs, sizes.taps, problem)});
    return plan;
}

}  // namespace

constinit const KernelOf<Problem> columns = {.name = "conv_transpose_columns",
                                             .variants = modules::conv_transpose_columns,
                                             .keeps_order = false,
                                             .only_by_name = true,
                                             .unfit = unfit,
                                             .plan = planned};

}  // namespace vkonnx::plan::conv_transpose
#endif
