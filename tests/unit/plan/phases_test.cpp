// This file tests the product of phases against ConvTranspose on an axis, where i and tap k meet at i * stride + k * dilation -
// begin.
#include <gtest/gtest.h>

#include <iostream>
#include <set>
#include <utility>

#include "kit/draw.h"
#include "plan/core/arithmetic.h"
#include "plan/operators/conv_transpose/phases.h"
#include "plan/operators/operators.h"

namespace vkonnx::plan::conv_transpose {
namespace {

using implicit_gemm::PhaseClass;
using implicit_gemm::Phases;
using implicit_gemm::Product;
using ops::Axis;
using Meetings = std::set<std::pair<int64_t, int64_t>>;  // pairs of an input and a tap

Meetings meetings_of(const Axis& axis, int64_t output)
{
    Meetings meetings;
    for (int64_t i = 0; i < axis.in; ++i)
        for (int64_t k = 0; k < axis.kernel; ++k)
            if (i * axis.stride + k * axis.dilation - axis.begin == output)
                meetings.emplace(i, k);
    return meetings;
}

// Returns what tiles read for the output, as shaders/engines/implicit_gemm/implicit_gemm.h says. Zeros around the input belong to
// no meeting.
Meetings meetings_of(const Product& product, size_t a, int64_t output)
{
    const implicit_gemm::Axis& axis = product.axes[a];
    const int64_t block = (output + axis.begin) / axis.phase_count;
    const int64_t r = (output + axis.begin) % axis.phase_count;
    EXPECT_LT(block, axis.blocks);
    Meetings meetings;
    int classes = 0;
    for (const Phases& phases : axis.phases) {
        const int64_t number = (r - phases.first) / phases.step;
        if (r < phases.first || (r - phases.first) % phases.step != 0 || number >= phases.count)
            continue;
        ++classes;
        for (int64_t n = 0; n < phases.taps; ++n) {
            const int64_t place = block * axis.block_step + phases.place + n * axis.tap_step;
            EXPECT_TRUE(place >= 0 && place < axis.extent) << place << " of " << axis.extent;
            const int64_t tap = phases.tap + number * phases.tap_step + n * axis.kernel_step;
            EXPECT_TRUE(tap >= 0 && tap < axis.kernel) << tap << " of " << axis.kernel;
            const int64_t input = axis.first + place;
            if (input >= 0 && input < axis.in)
                meetings.emplace(input, tap);
        }
    }
    EXPECT_EQ(classes, 1) << "phase " << r;
    return meetings;
}

Axis drawn_axis(kit::Draw& draw)
{
    return {.in = draw.between(1, 7),
            .out = draw.between(1, 40),
            .kernel = draw.between(1, 8),
            .stride = draw.between(1, 8),
            .dilation = draw.one_in(2) ? 1 : draw.between(2, 6),
            .begin = draw.between(0, 12)};
}

TEST(Product, GivesEveryOutputItsInputsAndTapsOnce)
{
    kit::Draw draw(kit::test_seed(9));
    SCOPED_TRACE(draw.repeat());
    for (int trial = 0; trial < 3000 && !testing::Test::HasFailure(); ++trial) {
        ops::ConvTransposeGeometry g = {.batch = draw.between(1, 3), .channels_in = 12, .channels_out = 6, .group = 2};
        std::vector<push::ConvTransposeAxis> axes;
        for (int64_t a = draw.between(1, GEMM_AXES); a > 0; --a) {
            g.axes.push_back(drawn_axis(draw));
            axes.push_back(phased(g.axes.back()));
        }
        const Blocks blocks = draw.one_in(2) ? Blocks::of_inputs : Blocks::of_outputs;
        const Product product = product_of(g, axes, blocks);
        EXPECT_EQ(product.quads, 2);
        const size_t missing = GEMM_AXES - axes.size();
        int64_t line = 1;
        int64_t columns = g.batch;
        for (size_t a = 0; a < GEMM_AXES; ++a) {
            line *= product.axes[a].extent;
            columns *= product.axes[a].blocks;
            const Axis lacking;
            const Axis& axis = a < missing ? lacking : g.axes[a - missing];
            for (int64_t output = 0; output < axis.out; ++output)
                EXPECT_EQ(meetings_of(product, a, output), meetings_of(axis, output))
                    << "output " << output << " of in " << axis.in << " out " << axis.out << " kernel " << axis.kernel
                    << " stride " << axis.stride << " dilation " << axis.dilation << " begin " << axis.begin;
            if (blocks == Blocks::of_outputs) {
                EXPECT_EQ(product.axes[a].blocks, divide_up(product.axes[a].out, product.axes[a].phase_count));
            }
        }
        EXPECT_EQ(product.line, line);
        EXPECT_EQ(product.columns, columns);
    }
}

// The time of a dispatch is bounded by the first class.
TEST(Product, PutsThePhasesOfMostTapsFirst)
{
    const Axis axis = {.in = 9, .out = 19, .kernel = 3, .stride = 2};
    ops::ConvTransposeGeometry g = {.channels_in = 5, .channels_out = 7, .axes = {axis, axis}};
    const std::vector<push::ConvTransposeAxis> axes(2, phased(axis));
    const Product product = product_of(g, axes, Blocks::of_inputs);
    std::vector<std::pair<int64_t, int64_t>> taps_and_rows;
    for (const PhaseClass& one : product.classes)
        taps_and_rows.emplace_back(one.taps, one.rows);
    EXPECT_EQ(taps_and_rows, (std::vector<std::pair<int64_t, int64_t>>{{4, 7}, {2, 7}, {2, 7}, {1, 7}}));
}

TEST(Product, JoinsPhasesOfTheSameTaps)
{
    const Axis axis = {.in = 9, .out = 36, .kernel = 8, .stride = 4};
    ops::ConvTransposeGeometry g = {.channels_in = 4, .channels_out = 3, .axes = {axis}};
    const std::vector<push::ConvTransposeAxis> axes(1, phased(axis));
    const Product product = product_of(g, axes, Blocks::of_inputs);
    ASSERT_EQ(product.classes.size(), 1u);
    EXPECT_EQ(product.classes[0].rows, 12);
    EXPECT_EQ(product.classes[0].taps, 2);
}

// The axis has kernel 4, stride 2 and padding 1, as in every network that doubles its extents.
TEST(Product, OfInputsHasFewestClassesAndOfOutputsFewestBlocks)
{
    const Axis axis = {.in = 4, .out = 8, .kernel = 4, .stride = 2, .begin = 1};
    ops::ConvTransposeGeometry g = {.batch = 3, .channels_in = 4, .channels_out = 3, .axes = {axis, axis}};
    const std::vector<push::ConvTransposeAxis> axes(2, phased(axis));
    const Product of_inputs = product_of(g, axes, Blocks::of_inputs);
    EXPECT_EQ(of_inputs.classes.size(), 1u);
    EXPECT_EQ(of_inputs.columns, 3 * 5 * 5);
    const Product of_outputs = product_of(g, axes, Blocks::of_outputs);
    EXPECT_EQ(of_outputs.classes.size(), 4u);
    EXPECT_EQ(of_outputs.columns, 3 * 4 * 4);
    EXPECT_EQ(of_outputs.line, 6 * 6);
}

TEST(Product, OfTooManyKindsOfPhasesHasNone)
{
    const Axis axis = {.in = 3, .out = 40, .kernel = 9, .stride = 9, .dilation = 5};
    ops::ConvTransposeGeometry g = {.channels_in = 4, .channels_out = 3, .axes = {axis, axis, axis}};
    const std::vector<push::ConvTransposeAxis> axes(3, phased(axis));
    EXPECT_TRUE(product_of(g, axes, Blocks::of_inputs).classes.empty());
}

TEST(Product, IsNotPlannedForFewerPushConstantsThanItNeeds)
{
    const ops::ConvTransposeGeometry g = {
        .channels_in = 4, .channels_out = 3, .axes = {{.in = 9, .out = 19, .kernel = 3, .stride = 2}}};
    Capabilities few;
    few.max_push_constant_bytes = 112;
    const auto unfit = [&] {
        const Result<std::vector<KernelChoice>> choices = kernels_for(g, few, {});
        EXPECT_TRUE(choices) << choices.message();
        return choices->at(2).name == "conv_transpose_phases" ? choices->at(2).unfit : "no such kernel";
    };
    EXPECT_EQ(unfit(), "it needs 116 bytes of push constants");
    few.max_push_constant_bytes = 116;
    EXPECT_EQ(unfit(), "");
}

}  // namespace
}  // namespace vkonnx::plan::conv_transpose
