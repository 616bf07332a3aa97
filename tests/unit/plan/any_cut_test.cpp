// This file cuts random problems to the limits of random devices, and replays the plans on paper.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <sstream>

#include "kit/draw.h"
#include "plan/core/limits.h"
#include "plan/engines/gather.h"
#include "plan/engines/merge.h"
#include "plan/operators/operators.h"
#include "replay.h"

namespace vkonnx::plan {
namespace {

using kit::Draw;
using onednn::FilterFormat;
using ops::AveragePoolGeometry;
using ops::Axis;
using ops::ConvTransposeGeometry;

DType draw_type(Draw& draw)
{
    return draw.of({DType::float32, DType::float16, DType::bfloat16, DType::float64});
}

Layout draw_layout(Draw& draw)
{
    return draw.of({Layout::ncx, Layout::nxc});
}

// Draws an axis, which often merges with its neighbours.
Axis draw_conv_axis(Draw& draw, size_t rank)
{
    const int64_t extent = draw.between(1, rank < 3 ? 7 : 3);
    if (draw.one_in(6))
        return {.in = extent, .out = extent};
    if (draw.one_in(8))
        return {.out = extent, .kernel = extent};
    return {.in = draw.between(0, rank < 3 ? 7 : 3),
            .out = draw.between(1, rank < 3 ? 12 : 4),
            .kernel = draw.between(1, rank < 3 ? 6 : 3),
            .stride = draw.between(1, 4),
            .dilation = draw.between(1, 3),
            .begin = draw.between(0, 3)};
}

Axis draw_pool_axis(Draw& draw, size_t rank)
{
    const int64_t extent = draw.between(1, rank < 3 ? 9 : 3);
    if (draw.one_in(6))
        return {.in = extent, .out = extent};
    if (draw.one_in(8))
        return {.in = extent, .kernel = extent};
    Axis axis = {.in = extent,
                 .kernel = draw.between(1, rank < 3 ? 6 : 3),
                 .stride = draw.between(1, 3),
                 .dilation = draw.between(1, 3),
                 .begin = draw.between(0, 3),
                 .end = draw.between(0, 3)};
    axis.end = std::max(axis.end, axis.dilated_kernel() - axis.in - axis.begin);  // at least one window
    axis.out = (axis.in + axis.begin + axis.end - axis.dilated_kernel()) / axis.stride + 1;
    return axis;
}

ConvTransposeGeometry draw_conv(Draw& draw)
{
    ConvTransposeGeometry g;
    g.dtype = draw_type(draw);
    g.batch = draw.between(1, 3);
    g.group = draw.of<int64_t>({1, 1, 2, 3});
    g.channels_in = g.group * draw.between(draw.one_in(20) ? 0 : 1, 5);
    g.channels_out = g.group * draw.between(1, 5);
    g.bias = draw.one_in(2);
    g.layout = draw_layout(draw);
    g.filter = draw.of({FilterFormat::xio, FilterFormat::oix, FilterFormat::iox});
    size_t rank = size_t(draw.between(1, 4));
    if (draw.one_in(8)) {  // so many that loops over channels are cut and B is read in windows
        rank = 1;
        (draw.one_in(2) ? g.channels_in : g.channels_out) = g.group * draw.between(40, 80);
    }
    for (size_t a = 0; a < rank; ++a)
        g.axes.push_back(draw_conv_axis(draw, rank));
    return g;
}

AveragePoolGeometry draw_pool(Draw& draw)
{
    AveragePoolGeometry g;
    g.dtype = draw_type(draw);
    g.batch = draw.between(1, 3);
    g.channels = draw.between(1, 7);
    g.count_include_pad = draw.one_in(2);
    g.layout = draw_layout(draw);
    const size_t rank = size_t(draw.between(1, 4));
    for (size_t a = 0; a < rank; ++a)
        g.axes.push_back(draw_pool_axis(draw, rank));
    return g;
}

Capabilities draw_capabilities(Draw& draw)
{
    Capabilities c;
    c.storage_buffer_alignment = draw.of<uint32_t>({4, 16, 64, 256});
    if (!draw.one_in(3))
        c.max_storage_buffer_range = uint64_t(draw.one_in(2) ? draw.between(300, 600) : draw.between(600, 5000));
    if (draw.one_in(2))
        c.max_group_count = {uint32_t(draw.between(1, 4)), uint32_t(draw.between(1, 4)), uint32_t(draw.between(1, 4))};
    if (draw.one_in(3))
        c.max_invocations = uint32_t(draw.between(1, 16));
    if (draw.one_in(2))
        c.max_loop_iterations = uint32_t(draw.one_in(2) ? draw.between(40, 200) : draw.between(540, 1200));
    c.float64 = draw.one_in(2);
    c.rounds_to_nearest = true;
    if (draw.one_in(3))
        c.work_per_second = double(draw.of<int64_t>({1, 2, 17, 20, 40, 60, 200, 3000}));
    return c;
}

std::string described(const std::vector<Axis>& axes)
{
    std::ostringstream text;
    for (const Axis& a : axes)
        text << "\n  {in " << a.in << ", out " << a.out << ", kernel " << a.kernel << ", stride " << a.stride << ", dilation "
             << a.dilation << ", begin " << a.begin << ", end " << a.end << "}";
    return text.str();
}

std::string described(const ConvTransposeGeometry& g)
{
    std::ostringstream text;
    text << name(g.dtype) << " batch " << g.batch << " channels " << g.channels_in << " to " << g.channels_out << " group "
         << g.group << " bias " << g.bias << " " << name(g.layout) << " filter " << int(g.filter) << described(g.axes);
    return text.str();
}

std::string described(const AveragePoolGeometry& g)
{
    std::ostringstream text;
    text << name(g.dtype) << " batch " << g.batch << " channels " << g.channels << " " << name(g.layout) << described(g.axes);
    return text.str();
}

std::string described(const Capabilities& c)
{
    std::ostringstream text;
    text << "\nrange " << c.max_storage_buffer_range << " alignment " << c.storage_buffer_alignment << " groups "
         << c.max_group_count[0] << "," << c.max_group_count[1] << "," << c.max_group_count[2] << " invocations "
         << c.max_invocations << " loops " << c.max_loop_iterations << " work " << c.work_per_second;
    return text.str();
}

// This struct counts what the draws have reached, so that nothing is left out unseen.
struct Reached {
    int planned = 0;
    int direct = 0;
    int general = 0;
    int slices = 0;
    int scratch = 0;
    int channels = 0;
    int boxes = 0;
    int bias = 0;
    std::array<int, 4> windows = {};  // by binding

    void count(const Plan& plan)
    {
        ++planned;
        const bool nd = kernel_name(plan.pipelines.at(0).kernel).find("_nd_") != std::string_view::npos;
        ++(nd ? general : direct);
        scratch += plan.scratch_bytes != 0;
        std::array<bool, 4> window = {};
        bool sliced = false, by_channel = false, boxed = false;
        const push::GatherPart front = part_of(plan.steps.front());
        for (const Step& step : plan.steps) {
            const push::GatherPart part = part_of(step);
            sliced |= part.first_output != 0;
            by_channel |= part.channel_count != 0 && part.first_channel != 0;
            boxed |= part.channel_count != 0 && std::memcmp(part.tap_end, front.tap_end, sizeof(part.tap_end)) != 0;
            for (size_t i = 0; i < step.operands.size(); ++i)
                window[i] |= step.operands[i].place == Place::tensor && step.operands[i].bytes != 0;
        }
        slices += sliced;
        channels += by_channel;
        boxes += boxed;
        for (size_t i = 0; i < 4; ++i)
            windows[i] += window[i];
        bias += window[2] && plan.steps.front().operands[2].tensor == 2;
    }
};

constexpr int trials = 4000;

// Tells whether the general kernel must find a plan. Only loops may be too short for single taps, since 300 bytes hold single
// elements.
bool must_plan(DType dtype, const Capabilities& capabilities)
{
    return loop_limit(*compute_type_of("", dtype, capabilities), capabilities) >= GATHER_ND_ITERATIONS + 16;
}

bool must_plan(const AveragePoolGeometry& g, const Capabilities& capabilities)
{
    return must_plan(g.dtype, capabilities);
}

// Two halves in a word may need the biases of the last and the first channel, so that all of B must be bound at once.
bool must_plan(const ConvTransposeGeometry& g, const Capabilities& capabilities)
{
    const uint64_t bytes = uint64_t(g.channels_out) * 2 + capabilities.storage_buffer_alignment + 4;
    const bool bias_fits = !g.bias || bits(g.dtype) != 16 || bytes <= capabilities.max_storage_buffer_range;
    return bias_fits && must_plan(g.dtype, capabilities);
}

int64_t channels_of(const ConvTransposeGeometry& g)
{
    return g.channels_in / g.group;
}

int64_t channels_of(const AveragePoolGeometry&)
{
    return 1;
}

// Returns the most dispatches of any cut: one for each term of each sum, and one that finishes the sum.
template <class Geometry>
int64_t most_dispatches(const Geometry& g)
{
    int64_t terms = channels_of(g);
    for (const Axis& axis : g.axes)
        terms *= axis.kernel;
    return *element_count(output_of(g)) * (terms + 1);
}

template <class Geometry, class Planner, class Define>
Reached replay_draws(Geometry (*drawn)(Draw&), Planner planner, Define definition_of)
{
    Draw draw(kit::test_seed(13));
    std::cout << draw.repeat() << "\n";
    Reached reached;
    for (int trial = 0; trial < trials && !testing::Test::HasFailure(); ++trial) {
        const Geometry geometry = drawn(draw);
        const Capabilities capabilities = draw_capabilities(draw);
        const PrepareOptions options = {.reproducible = draw.one_in(3), .max_dispatch_seconds = 1};
        const std::string repeat =
            draw.repeat() + " trial " + std::to_string(trial) + ": " + described(geometry) + described(capabilities);
        const Result<Plan> plan = planner(geometry, capabilities, options);
        if (!plan) {
            EXPECT_EQ(plan.code(), Code::unsupported) << plan.message() << "\n" << repeat;
            if (plan.message().find(" dispatches") != std::string_view::npos)
                EXPECT_GT(most_dispatches(geometry), max_dispatches) << plan.message() << "\n" << repeat;
            else
                EXPECT_FALSE(must_plan(geometry, capabilities)) << plan.message() << "\n" << repeat;
            continue;
        }
        EXPECT_EQ(replay(definition_of(geometry), *plan, capabilities, options), "") << repeat;
        reached.count(*plan);
    }
    return reached;
}

// Returns a function that plans with the kernels of the gather protocol only. tiles_test.cpp has others.
template <class Geometry>
auto by_gathering(const std::string& stem)
{
    return [=](const Geometry& g, const Capabilities& c, PrepareOptions options) {
        const std::string direct = stem + "_direct", nd = stem + "_nd";
        options.kernel = direct;
        if (Result<Plan> plan = plan_for(g, c, options); plan || plan.code() != Code::unsupported)
            return plan;
        options.kernel = nd;
        return plan_for(g, c, options);
    };
}

TEST(Cut, AnyConvTransposeToAnyLimits)
{
    const Reached reached = replay_draws(draw_conv, by_gathering<ConvTransposeGeometry>("conv_transpose"),
                                         [](const ConvTransposeGeometry& g) { return define(merged(g)); });
    if (HasFailure())
        return;
    EXPECT_GT(reached.planned, trials * 3 / 4);
    for (const int times : {reached.direct, reached.general, reached.slices, reached.scratch, reached.channels, reached.boxes})
        EXPECT_GT(times, trials / 50);
    for (const size_t binding : {0u, 1u, 3u})
        EXPECT_GT(reached.windows[binding], trials / 50);
    EXPECT_GT(reached.bias, 0);
}

TEST(Cut, AnyAveragePoolToAnyLimits)
{
    const Reached reached = replay_draws(draw_pool, by_gathering<AveragePoolGeometry>("average_pool"),
                                         [](const AveragePoolGeometry& g) { return define(merged(g), g.dtype); });
    if (HasFailure())
        return;
    EXPECT_GT(reached.planned, trials * 3 / 4);
    for (const int times : {reached.direct, reached.general, reached.slices, reached.scratch, reached.boxes})
        EXPECT_GT(times, trials / 50);
    for (const size_t binding : {0u, 1u})
        EXPECT_GT(reached.windows[binding], trials / 50);
}

}  // namespace
}  // namespace vkonnx::plan
