// This file tests which axes merge and which don't, and that the merged problem has the same answer as the kit's reference gives
// for the problem as it was given.
#include "plan/engines/merge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "kit/draw.h"
#include "kit/operators.h"
#include "replay.h"

namespace vkonnx::plan {
namespace {

using kit::Draw;
using kit::RealTensor;
using onednn::FilterFormat;
using ops::AveragePoolGeometry;
using ops::Axis;
using ops::ConvTransposeGeometry;

// ------------------------------------------------------------------------------------------ which do and which don't

Axis passing(int64_t extent)
{
    return {.in = extent, .out = extent};
}

// Returns an axis with one window over the whole input.
Axis global(int64_t extent)
{
    return {.in = extent, .kernel = extent};
}

// Returns an axis of one input position whose taps are the outputs.
Axis spread(int64_t extent)
{
    return {.out = extent, .kernel = extent};
}

const Axis window = {.in = 9, .out = 4, .kernel = 3, .stride = 2};

PoolProblem pooled(std::vector<Axis> axes, Layout layout = Layout::ncx)
{
    AveragePoolGeometry g;
    g.batch = 2;
    g.channels = 3;
    g.layout = layout;
    g.axes = std::move(axes);
    return merged(g);
}

// Checks outer, axes and inner.
void expect_pool(const PoolProblem& problem, int64_t outer, const std::vector<Axis>& axes, int64_t inner)
{
    EXPECT_EQ(problem.outer, outer);
    EXPECT_EQ(problem.axes, axes);
    EXPECT_EQ(problem.inner, inner);
}

TEST(MergePool, BatchAndChannelsLieOutsideOrChannelsInside)
{
    expect_pool(pooled({window, window}), 6, {window, window}, 1);
    expect_pool(pooled({window, window}, Layout::nxc), 2, {window, window}, 3);
}

TEST(MergePool, AxesThatPassThroughBecomeOuterAndInner)
{
    expect_pool(pooled({passing(5), window}), 30, {window}, 1);
    expect_pool(pooled({window, passing(5)}), 6, {window}, 5);
    expect_pool(pooled({window, passing(5)}, Layout::nxc), 2, {window}, 15);
    expect_pool(pooled({passing(2), passing(3), window, passing(5), passing(7)}, Layout::nxc), 12, {window}, 105);
    expect_pool(pooled({window, passing(2), passing(5), window}), 6, {window, passing(10), window}, 1);
}

TEST(MergePool, OneAxisStays)
{
    expect_pool(pooled({passing(5)}), 6, {passing(5)}, 1);
    expect_pool(pooled({passing(5), passing(7)}, Layout::nxc), 2, {passing(35)}, 3);
    expect_pool(pooled({Axis{}, Axis{}}), 6, {Axis{}}, 1);
}

TEST(MergePool, GlobalWindowsAreOne)
{
    expect_pool(pooled({global(4), global(5)}), 6, {global(20)}, 1);
    expect_pool(pooled({window, global(4), global(5), global(2)}), 6, {window, global(40)}, 1);
    expect_pool(pooled({global(4), passing(2), global(5)}), 6, {global(4), passing(2), global(5)}, 1);  // not neighbours
    expect_pool(pooled({global(4), Axis{}, global(5)}), 6, {global(20)}, 1);
}

// Where only one window reads, padding behind the input changes neither its taps nor what it counts, and strides move nothing.
TEST(MergePool, GlobalWindowsMergeWhateverTheirStrideAndEndPads)
{
    Axis strided = global(4);
    strided.stride = 3;
    strided.end = 2;
    expect_pool(pooled({strided, global(5)}), 6, {global(20)}, 1);
    Axis hole = global(1);  // one tap: its dilation doesn't count
    hole.dilation = 7;
    expect_pool(pooled({hole, global(5)}), 6, {global(5)}, 1);
}

TEST(MergePool, WhatIsNoGlobalWindowStays)
{
    const auto expect_stays = [](const Axis& axis) {
        expect_pool(pooled({axis, global(5)}), 6, {axis, global(5)}, 1);
        expect_pool(pooled({global(5), axis}), 6, {global(5), axis}, 1);
    };
    expect_stays({.in = 5, .kernel = 4});                           // the last position isn't read
    expect_stays({.in = 4, .kernel = 5, .begin = 1});               // its first tap is padding
    expect_stays({.in = 4, .kernel = 5, .end = 1});                 // its last tap is padding
    expect_stays({.in = 4, .out = 2, .kernel = 4, .end = 1});       // a second window
    expect_stays({.in = 4, .kernel = 4, .dilation = 2, .end = 3});  // every other position
    expect_stays({.in = 4, .kernel = 4, .stride = 2, .begin = 1, .end = 1});
}

TEST(MergePool, WhatDoesNotPassThroughStays)
{
    const auto expect_stays = [](const Axis& axis) {
        expect_pool(pooled({axis, window}), 6, {axis, window}, 1);
        expect_pool(pooled({window, axis}), 6, {window, axis}, 1);
    };
    expect_stays({.in = 5, .out = 3, .stride = 2});
    expect_stays({.in = 5, .out = 6, .begin = 1});
    expect_stays({.in = 5, .out = 6, .end = 1});    // a window without taps behind the input
    expect_stays({.in = 5, .out = 5, .begin = 1});  // ceil_mode's rule may drop it, and all are moved
    expect_stays({.in = 5, .out = 5, .kernel = 2, .end = 1});
    expect_stays({.in = 5, .out = 1, .stride = 5});
}

// Here out is in, with padding at the end, because ceil_mode drops the one window that would begin in the padding.
TEST(MergePool, AxesPassThroughWhoseEndPadsHoldNoWindow)
{
    Axis padded = passing(5);
    padded.end = 1;
    padded.dilation = 3;
    expect_pool(pooled({padded, window}), 30, {window}, 1);
    const std::vector<TensorDesc> x = {{DType::float32, {2, 3, 5, 9}}};
    const AveragePool attributes = {.kernel_shape = {1, 3}, .strides = {1, 2}, .pads = {0, 0, 1, 0}, .ceil_mode = 1};
    const auto geometry = ops::resolve(attributes, x);
    ASSERT_TRUE(geometry) << geometry.message();
    expect_pool(merged(*geometry), 30, {window}, 1);
}

std::vector<Axis> convolved(std::vector<Axis> axes, Layout layout = Layout::ncx)
{
    ConvTransposeGeometry g;
    g.batch = 2;
    g.layout = layout;
    g.axes = std::move(axes);
    const ConvTransposeGeometry result = merged(g);
    EXPECT_EQ(result.batch, layout == Layout::ncx ? 2 : result.batch);
    EXPECT_EQ(result.layout, layout);
    return result.axes;
}

TEST(MergeConvTranspose, NeighboursThatPassThroughOrSpreadAreOne)
{
    using Axes = std::vector<Axis>;
    EXPECT_EQ(convolved({passing(2), passing(3)}), Axes{passing(6)});
    EXPECT_EQ(convolved({spread(2), spread(3)}), Axes{spread(6)});
    EXPECT_EQ(convolved({window, passing(2), passing(3)}), (Axes{window, passing(6)}));
    EXPECT_EQ(convolved({passing(2), spread(3)}), (Axes{passing(2), spread(3)}));
    EXPECT_EQ(convolved({spread(2), Axis{}, spread(3)}), Axes{spread(6)}) << "across one of a single position";
    EXPECT_EQ(convolved({Axis{}, Axis{}, Axis{}}), Axes{Axis{}});
    EXPECT_EQ(convolved({Axis{.stride = 4, .dilation = 3}, window}), Axes{window});
    Axis strided = spread(2);
    strided.stride = 9;
    EXPECT_EQ(convolved({strided, spread(3)}), Axes{spread(6)}) << "one position: nothing is that far apart";
}

TEST(MergeConvTranspose, LeadingAxesBecomeBatchWhereChannelsAreLast)
{
    ConvTransposeGeometry g;
    g.batch = 2;
    g.axes = {passing(3), passing(5), window, passing(7)};
    const ConvTransposeGeometry first = merged(g);
    EXPECT_EQ(first.batch, 2);
    EXPECT_EQ(first.axes, (std::vector<Axis>{passing(15), window, passing(7)})) << "channels are between";
    g.layout = Layout::nxc;
    const ConvTransposeGeometry last = merged(g);
    EXPECT_EQ(last.batch, 30);
    EXPECT_EQ(last.axes, (std::vector<Axis>{window, passing(7)}));
    g.axes = {passing(3), passing(5)};
    EXPECT_EQ(merged(g).batch, 2);
    EXPECT_EQ(merged(g).axes, std::vector<Axis>{passing(15)}) << "one stays";
}

TEST(MergeConvTranspose, WhatIsNeitherStays)
{
    const auto expect_stays = [](const Axis& axis) {
        EXPECT_EQ(convolved({axis, spread(5)}), (std::vector<Axis>{axis, spread(5)}));
        EXPECT_EQ(convolved({passing(5), axis}), (std::vector<Axis>{passing(5), axis}));
    };
    expect_stays({.in = 1, .out = 4, .kernel = 3});                 // the positions behind the last tap hold B
    expect_stays({.in = 1, .out = 2, .kernel = 3});                 // cropped
    expect_stays({.in = 1, .out = 2, .kernel = 2, .begin = 1});     // shifted
    expect_stays({.in = 1, .out = 3, .kernel = 2, .dilation = 2});  // a hole
    expect_stays({.in = 2, .out = 4, .kernel = 2, .stride = 2});
    expect_stays({.in = 4, .out = 7, .stride = 2});
    expect_stays({.in = 4, .out = 5});
    expect_stays({.in = 4, .out = 3, .begin = 1});
    expect_stays({.in = 4, .out = 4, .begin = 1});
    expect_stays({.in = 0, .out = 1});
    expect_stays({.in = 1, .out = 1, .begin = 1});  // output_shape lies behind everything, so that there is no tap
}

TEST(MergeNote, TellsHowManyAxesAreLeft)
{
    EXPECT_EQ(merge_note(3, 3), "");
    EXPECT_EQ(merge_note(5, 2), "its 5 spatial axes are merged to 2; ");
}

// ------------------------------------------------------------------------------------------ random, against the definition

// Returns small integers with -0.0 among them: their sums are exact, and the signs of zeros show what was added.
RealTensor filled(Draw& draw, TensorDesc desc)
{
    RealTensor tensor{std::move(desc), {}};
    for (int64_t i = *element_count(tensor.desc); i > 0; --i)
        tensor.values.push_back(draw.one_in(2) ? -0.0 : double(draw.between(-3, 3)));
    return tensor;
}

bool same(double a, double b)
{
    return a == b && std::signbit(a) == std::signbit(b);
}

std::string text_of(const std::vector<int64_t>& numbers)
{
    std::string text;
    for (const int64_t number : numbers)
        text += (text.empty() ? "" : ",") + std::to_string(number);
    return text;
}

// This struct holds the attributes of one axis. Each kind of axis that merges is drawn, and any other.
struct Drawn {
    int64_t in = 1, kernel = 1, stride = 1, dilation = 1, begin = 0, end = 0;
};

Drawn draw_pool_axis(Draw& draw)
{
    const int64_t extent = draw.between(1, 3);
    switch (draw.between(0, 5)) {
    case 0:
        return {.in = extent, .dilation = draw.between(1, 3), .end = draw.between(0, 1)};
    case 1:
        return {.in = extent, .kernel = extent, .stride = draw.between(1, 4), .end = draw.between(0, 2)};
    case 2:
        return {.stride = draw.between(1, 3), .dilation = draw.between(1, 3), .end = draw.between(0, 2)};
    default:
        return {draw.between(1, 4), draw.between(1, 3), draw.between(1, 3),
                draw.between(1, 2), draw.between(0, 2), draw.between(0, 2)};
    }
}

// Returns the averages, output by output, from every tap of every axis and from what counts for the divisor.
std::vector<double> averages(const PoolProblem& problem, bool include_pad, const std::vector<double>& x, DType dtype)
{
    const Definition definition = define(problem, dtype);
    std::vector<double> result;
    for (size_t o = 0; o < definition.terms.size(); ++o) {
        double divisor = 1;
        for (size_t a = 0; a < problem.axes.size(); ++a) {
            const Axis& axis = problem.axes[a];
            int64_t counted = 0;
            for (int64_t tap = 0; tap < axis.kernel; ++tap) {
                const int64_t position = definition.positions[o][a] * axis.stride + tap * axis.dilation - axis.begin;
                counted += include_pad ? position < axis.in + axis.end : position >= 0 && position < axis.in;
            }
            divisor *= double(counted);
        }
        double sum = -0.0;  // -0.0 leaves the first term unchanged
        for (const Addend& term : definition.terms[o])
            sum += x[size_t(term.x)];
        result.push_back(definition.terms[o].empty() ? 0 : sum / divisor);
    }
    return result;
}

TEST(MergePool, LeavesEveryAnswerAsItWas)
{
    Draw draw(kit::test_seed(11));
    std::cout << draw.repeat() << "\n";
    int accepted = 0;
    int fewer = 0;
    int outer = 0;
    int inner = 0;
    for (int trial = 0; trial < 5000 && !HasFailure(); ++trial) {
        AveragePool a;
        a.ceil_mode = draw.between(0, 1);
        a.count_include_pad = draw.between(0, 1);
        TensorDesc x = {DType::float32, {draw.between(1, 2)}, draw.of({Layout::ncx, Layout::nxc})};
        std::vector<int64_t> ends;
        for (int64_t rank = draw.between(1, 5); rank > 0; --rank) {
            const Drawn axis = draw_pool_axis(draw);
            x.dims.push_back(axis.in);
            a.kernel_shape.push_back(axis.kernel);
            a.strides.push_back(axis.stride);
            a.dilations.push_back(axis.dilation);
            a.pads.push_back(axis.begin);
            ends.push_back(axis.end);
        }
        a.pads.insert(a.pads.end(), ends.begin(), ends.end());
        x.dims.insert(x.layout == Layout::nxc ? x.dims.end() : x.dims.begin() + 1, draw.between(1, 3));
        const auto geometry = ops::resolve(a, std::vector{x});
        if (!geometry)
            continue;  // the window is longer than the padded input
        ++accepted;
        const RealTensor input = filled(draw, x);
        const auto expected = kit::reference(a, std::vector{input}, kit::sample_of(ops::output_of(*geometry), INT64_MAX));
        ASSERT_TRUE(expected) << expected.message();
        const PoolProblem problem = merged(*geometry);
        const std::vector<double> got = averages(problem, *a.count_include_pad != 0, input.values, x.dtype);
        const std::string repeat = draw.repeat() + " trial " + std::to_string(trial) + ": x " + to_string(x) + " kernel " +
                                   text_of(a.kernel_shape) + " strides " + text_of(a.strides) + " dilations " +
                                   text_of(a.dilations) + " pads " + text_of(a.pads) + " ceil " + std::to_string(*a.ceil_mode) +
                                   " include " + std::to_string(*a.count_include_pad);
        ASSERT_EQ(got.size(), expected->size()) << repeat;
        for (size_t o = 0; o < got.size() && !HasFailure(); ++o)
            EXPECT_TRUE(same(got[o], double((*expected)[o].value)))
                << got[o] << " instead of " << double((*expected)[o].value) << " in output " << o << ": " << repeat;
        fewer += problem.axes.size() < geometry->axes.size();
        outer += problem.outer > (x.layout == Layout::nxc ? x.dims[0] : x.dims[0] * x.dims[1]);
        inner += problem.inner > (x.layout == Layout::nxc ? x.dims.back() : 1);
    }
    if (HasFailure())
        return;
    EXPECT_GT(accepted, 2500);
    for (const int times : {fewer, outer, inner})
        EXPECT_GT(times, 250);
}

Drawn draw_conv_axis(Draw& draw)
{
    const int64_t extent = draw.between(1, 3);
    switch (draw.between(0, 5)) {
    case 0:
        return {.in = extent, .dilation = draw.between(1, 3)};
    case 1:
        return {.kernel = extent, .stride = draw.between(1, 4)};
    case 2:
        return {.stride = draw.between(1, 3), .dilation = draw.between(1, 3)};
    default:
        return {draw.between(1, 3), draw.between(1, 3), draw.between(1, 3),
                draw.between(1, 3), draw.between(0, 1), draw.between(0, 1)};
    }
}

std::vector<double> sums(const ConvTransposeGeometry& geometry, const std::vector<RealTensor>& inputs)
{
    const Definition definition = define(geometry);
    std::vector<double> result;
    for (size_t o = 0; o < definition.terms.size(); ++o) {
        double sum = -0.0;
        for (const Addend& term : definition.terms[o])
            sum += inputs[0].values[size_t(term.x)] * inputs[1].values[size_t(term.w)];
        if (geometry.bias)
            sum += inputs[2].values[size_t(definition.bias[o])];
        result.push_back(definition.terms[o].empty() && !geometry.bias ? 0 : sum);
    }
    return result;
}

// Problems are ONNX's in both layouts, and oneDNN's in all formats.
TEST(MergeConvTranspose, LeavesEveryAnswerAsItWas)
{
    Draw draw(kit::test_seed(12));
    std::cout << draw.repeat() << "\n";
    int accepted = 0;
    int fewer = 0;
    int batched = 0;
    for (int trial = 0; trial < 5000 && !HasFailure(); ++trial) {
        const bool onnx = draw.one_in(2);
        const Layout layout = draw.of({Layout::ncx, Layout::nxc});
        onednn::ConvTranspose a;
        a.groups = draw.of<int64_t>({1, 1, 2});
        a.data_format = layout;
        a.filter_format = onnx ? FilterFormat::iox : draw.of({FilterFormat::xio, FilterFormat::oix, FilterFormat::iox});
        std::vector<int64_t> extents;
        std::vector<int64_t> kernel;
        for (int64_t rank = draw.between(1, 4); rank > 0; --rank) {
            const Drawn axis = draw_conv_axis(draw);
            extents.push_back(axis.in);
            kernel.push_back(axis.kernel);
            a.strides.push_back(axis.stride);
            a.dilations.push_back(axis.dilation);
            a.pads_begin.push_back(axis.begin);
            a.pads_end.push_back(axis.end);
        }
        const int64_t channels = a.groups * draw.between(1, 2);
        const int64_t columns = draw.between(1, 2);
        TensorDesc x = {DType::float32, extents, layout};
        x.dims.insert(layout == Layout::nxc ? x.dims.end() : x.dims.begin(), channels);
        x.dims.insert(x.dims.begin(), draw.between(1, 2));
        TensorDesc w = {DType::float32, kernel};
        const bool behind = a.filter_format == FilterFormat::xio;
        w.dims.insert(behind ? w.dims.end() : w.dims.begin(), a.filter_format == FilterFormat::oix
                                                                  ? std::initializer_list<int64_t>{columns, channels}
                                                                  : std::initializer_list<int64_t>{channels, columns});
        std::vector<TensorDesc> descs = {x, w};
        if (draw.one_in(2))
            descs.push_back({DType::float32, {columns * a.groups}});
        ConvTranspose same_in_onnx = {.strides = a.strides, .dilations = a.dilations, .pads = a.pads_begin, .group = a.groups};
        same_in_onnx.pads.insert(same_in_onnx.pads.end(), a.pads_end.begin(), a.pads_end.end());

        const auto geometry = onnx ? ops::resolve(same_in_onnx, descs) : ops::resolve(a, descs);
        if (!geometry)
            continue;  // the pads crop everything
        ++accepted;
        std::vector<RealTensor> inputs;
        for (const TensorDesc& desc : descs)
            inputs.push_back(filled(draw, desc));
        const std::vector<int64_t> all = kit::sample_of(ops::output_of(*geometry), INT64_MAX);
        const auto expected = onnx ? kit::reference(same_in_onnx, inputs, all) : kit::reference(a, inputs, all);
        ASSERT_TRUE(expected) << expected.message();
        const ConvTransposeGeometry problem = merged(*geometry);
        const std::vector<double> got = sums(problem, inputs);
        const std::string repeat = draw.repeat() + " trial " + std::to_string(trial) + ": x " + to_string(x) + " w " +
                                   to_string(w) + " filter " + std::to_string(int(a.filter_format)) + " strides " +
                                   text_of(a.strides) + " dilations " + text_of(a.dilations) + " pads " +
                                   text_of(same_in_onnx.pads);
        ASSERT_EQ(got.size(), expected->size()) << repeat;
        for (size_t o = 0; o < got.size() && !HasFailure(); ++o)
            EXPECT_TRUE(same(got[o], double((*expected)[o].value)))
                << got[o] << " instead of " << double((*expected)[o].value) << " in output " << o << ": " << repeat;
        fewer += problem.axes.size() < geometry->axes.size();
        batched += problem.batch > geometry->batch;
    }
    if (HasFailure())
        return;
    EXPECT_GT(accepted, 2500);
    EXPECT_GT(fewer, 250);
    EXPECT_GT(batched, 100);
}

}  // namespace
}  // namespace vkonnx::plan
