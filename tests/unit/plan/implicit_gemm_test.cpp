// This file tests how products are cut into tiles, and those by cooperative matrices into matrices, for ConvTranspose and for
// convolutions.
#include "plan/engines/implicit_gemm/implicit_gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "constant_of.h"
#include "plan/engines/implicit_gemm/tiles.h"
#include "plan/operators/operators.h"

namespace vkonnx::plan::implicit_gemm {
namespace {

constexpr Tile by_matrices(int64_t rows, int64_t columns)
{
    return {.rows = rows, .columns = columns, .invocations = rows * columns / 64, .texel_bytes = 8, .matrices = true};
}

Capabilities with_matrices(std::array<uint32_t, 3> matrix, uint32_t subgroup)
{
    Capabilities c;
    c.cooperative_matrices = true;
    c.cooperative_matrix = matrix;
    c.subgroup_size = subgroup;
    return c;
}

TEST(MatrixShare, OfAllSubgroupsIsTheTile)
{
    for (const Tile& tile : {by_matrices(64, 64), by_matrices(128, 128)})
        for (const uint32_t rows : {8u, 16u})
            for (const uint32_t columns : {8u, 16u})
                for (const uint32_t subgroup : {8u, 16u, 32u, 64u}) {
                    SCOPED_TRACE(std::to_string(tile.rows) + ": " + std::to_string(rows) + "x" + std::to_string(columns) +
                                 " by " + std::to_string(subgroup));
                    const auto share = subgroup_share(tile, with_matrices({rows, columns, 16}, subgroup));
                    ASSERT_TRUE(share);
                    EXPECT_EQ(share->rows * rows * share->columns * columns * (tile.invocations / subgroup),
                              tile.rows * tile.columns);
                    EXPECT_EQ(tile.rows % (share->rows * rows), 0);
                    EXPECT_EQ(tile.columns % (share->columns * columns), 0);
                }
}

TEST(MatrixShare, IsAsSquareAsItGoes)
{
    const auto share = subgroup_share(by_matrices(128, 128), with_matrices({16, 16, 16}, 32));
    ASSERT_TRUE(share);
    EXPECT_EQ(share->rows * share->columns, 8);
    EXPECT_EQ(std::max(share->rows, share->columns), 4);
}

TEST(MatrixShare, IsNoneWhereTheDevicesMatricesAreNoPartsOfTheTile)
{
    const Tile tile = by_matrices(64, 64);
    Capabilities none = with_matrices({16, 16, 16}, 32);
    none.cooperative_matrices = false;
    EXPECT_FALSE(subgroup_share(tile, none));
    for (const std::array<uint32_t, 3> matrix :
         {std::array{0u, 16u, 16u}, {16u, 0u, 16u}, {16u, 16u, 0u}, {32u, 32u, 16u}, {16u, 16u, 12u}})
        EXPECT_FALSE(subgroup_share(tile, with_matrices(matrix, 32))) << matrix[0] << "x" << matrix[1] << "x" << matrix[2];
    for (const uint32_t subgroup : {0u, 24u, 128u})
        EXPECT_FALSE(subgroup_share(tile, with_matrices({16, 16, 16}, subgroup))) << subgroup;
}

// Returns a problem of 4 channels and 4 columns, which is one tile.
ops::ConvTransposeGeometry few_outputs(int64_t channels_in)
{
    ops::ConvTransposeGeometry g;
    g.channels_in = channels_in;
    g.channels_out = 4;
    g.axes.assign(2, {.in = 2, .out = 2, .kernel = 1, .stride = 1});
    return g;
}

TEST(ConvTransposePlan, SumsInPartsWhereOutputsAreFewAndChannelsMany)
{
    Capabilities c = *Capabilities::preset("lavapipe");
    const auto planned = [&](int64_t channels, PrepareOptions options = {}) {
        options.kernel = "conv_transpose_phases";
        const Result<Plan> plan = plan_for(few_outputs(channels), c, options);
        EXPECT_TRUE(plan) << plan.message();
        return *plan;
    };
    const Plan whole = planned(252);  // 63 quads
    EXPECT_EQ(whole.pipelines.size(), 3u);

    const Plan parts = planned(4 * 130, {.epilogue = Elementwise{.kind = ElementwiseKind::relu}});
    ASSERT_EQ(parts.pipelines.size(), 4u);
    EXPECT_EQ(parts.pipelines[3].kernel, Kernel::implicit_gemm_outputs_f32);
    EXPECT_EQ(constant_of(parts.pipelines[2], "epilogue"), EPILOGUE_AT_RUN_TIME);
    EXPECT_EQ(block_of<push::GemmProblem>(parts.uniform).stores_sums, 1u) << "and no outputs, which alone have an epilogue";
    EXPECT_EQ(block_of<push::GemmProblem>(whole.uniform).stores_sums, 0u);
    EXPECT_EQ(constant_of(parts.pipelines[3], "epilogue"), uint32_t(ElementwiseKind::relu));
    const Step& product = parts.steps.at(parts.steps.size() - 2);
    EXPECT_EQ(product.operands.back().place, Place::scratch);
    EXPECT_EQ(product.operands.back().bytes, 4u * 4 * 4 * sizeof(float)) << "four parts of 33, 33, 33 and 31 quads";
    EXPECT_EQ(parts.steps.back().operands.back().place, Place::tensor);
}

// Returns ResNet-50's 3x3 of 56x56. It has 25 tiles of 128 columns and 16 quads of channels: 144 steps of 4 channels of a tap.
ops::ConvGeometry resnet_3x3(DType dtype = DType::float32)
{
    ops::ConvGeometry g;
    g.dtype = dtype;
    g.channels_in = g.channels_out = 64;
    g.axes.assign(2, {.in = 56, .out = 56, .kernel = 3, .begin = 1, .end = 1});
    return g;
}

TEST(ConvPlan, SumsInAsManyPartsAsFillTheGpu)
{
    const auto part_quads = [](const ops::ConvGeometry& g, double work_per_second) {
        Capabilities c = *Capabilities::preset("desktop");
        c.work_per_second = work_per_second;
        const Result<Plan> plan = plan_for(g, c, {.kernel = "conv_gemm_shared", .constants = {{.input = 1}}});
        EXPECT_TRUE(plan) << plan.message();
        return block_of<push::GemmProblem>(plan->uniform).part_quads;
    };
    EXPECT_EQ(part_quads(resnet_3x3(), 1e10), 4u) << "four parts";
    EXPECT_EQ(part_quads(resnet_3x3(), 0x1p39), 2u) << "eight, as an H200 hides more waiting";
    ops::ConvGeometry one_place;
    one_place.channels_in = 4 * 96;
    one_place.channels_out = 96;
    one_place.axes.assign(2, {.in = 1, .out = 1, .kernel = 1});
    EXPECT_EQ(part_quads(one_place, 1e10), 16u) << "a part has at least 16 steps";
}

Capabilities gpu_with_matrices()
{
    Capabilities c = *Capabilities::preset("desktop");
    c.cooperative_matrices = true;
    c.cooperative_matrix = {16, 16, 16};
    return c;
}

TEST(ConvPlan, PacksNoInputsForMatricesWhereHalvesAreLoadedOneByOne)
{
    if (spirv(Kernel::implicit_gemm_matrices_rows64_columns64_f16).empty())
        GTEST_SKIP() << "the build has no such module: it takes glslang 13 or later";
    ops::ConvGeometry g = resnet_3x3(DType::float16);
    g.channels_in = 4;  // only one part
    const auto planned = [&](const char* kernel) {
        const Result<Plan> plan = plan_for(g, gpu_with_matrices(), {.kernel = kernel, .constants = {{.input = 1}}});
        EXPECT_TRUE(plan) << plan.message();
        return *plan;
    };
    const Plan packed = planned("conv_matrices"), unpacked = planned("conv_matrices_unpacked");
    EXPECT_EQ(packed.steps.size(), 3u) << "packs X, multiplies, rounds";
    ASSERT_EQ(unpacked.steps.size(), 1u);
    EXPECT_EQ(unpacked.steps[0].operands.front().place, Place::tensor);
    EXPECT_EQ(unpacked.steps[0].operands.back().place, Place::tensor);
    EXPECT_EQ(unpacked.scratch_bytes, 0u);
    EXPECT_GT(packed.scratch_bytes, 0u);
    EXPECT_EQ(planned("").kernel, "conv_matrices_unpacked_f16");
}

TEST(ConvPlan, SaysWhatMatricesCantDoWithoutPacking)
{
    const auto unfit = [](const ops::ConvGeometry& g, const Capabilities& c, const PrepareOptions& options,
                          std::string_view kernel = "conv_matrices_unpacked") {
        const Result<std::vector<KernelChoice>> all = kernels_for(g, c, options);
        EXPECT_TRUE(all) << all.message();
        for (const KernelChoice& one : *all)
            if (one.name == kernel)
                return one.unfit;
        return std::string("is not among them");
    };
    const Capabilities c = gpu_with_matrices();
    Capabilities without = c;
    without.storage16 = false;
    ops::ConvGeometry g = resnet_3x3(DType::float16);
    g.channels_in = 4;
    EXPECT_EQ(unfit(g, without, {}), "the device can't load and store single halves (storageBuffer16BitAccess)");
    EXPECT_EQ(unfit(g, c, {.epilogue = Elementwise{.kind = ElementwiseKind::sigmoid}}),
              "it rounds outputs right after the sum, and calls no functions there");
    EXPECT_EQ(unfit(g, c, {.prologue = Prologue{.kind = ElementwiseKind::relu}}),
              "it reads X as it is, without PrepareOptions::prologue");
    const auto with_kernel = [&](int64_t first, int64_t second) {
        ops::ConvGeometry wide = g;
        wide.axes[0].kernel = first;
        wide.axes[1].kernel = second;
        return wide;
    };
    EXPECT_EQ(unfit(with_kernel(3, 43), c, {}), "it takes windows of at most 128 taps, not 129");
    EXPECT_EQ(unfit(with_kernel(3, 43), c, {}, "conv_matrices"), "it takes windows of at most 128 taps, not 129");
    EXPECT_EQ(unfit(with_kernel(2, 30), c, {}), "a word has 32 bits, and its windows have 33 taps on the axes together");
    const std::string fits = spirv(Kernel::implicit_gemm_matrices_rows64_columns64_f16).empty()
                                 ? "this build has no module of it: it takes glslang 13 or later"
                                 : "";
    EXPECT_EQ(unfit(with_kernel(2, 29), c, {}), fits);
    EXPECT_EQ(unfit(with_kernel(2, 30), c, {}, "conv_matrices"), fits);
}

// Returns a layer that doubles its extents, such as DCGAN's second and last one.
ops::ConvTransposeGeometry doubling(int64_t batch, int64_t channels_in, int64_t channels_out, int64_t in)
{
    ops::ConvTransposeGeometry g;
    g.batch = batch;
    g.channels_in = channels_in;
    g.channels_out = channels_out;
    g.axes.assign(2, {.in = in, .out = 2 * in, .kernel = 4, .stride = 2, .begin = 1});
    return g;
}

TEST(ConvTransposePlan, BeginsBlocksWhereTheyTakeLeast)
{
    const auto blocks = [](const ops::ConvTransposeGeometry& g) {
        const Result<Plan> plan = plan_for(g, *Capabilities::preset("lavapipe"), {.kernel = "conv_transpose_phases"});
        EXPECT_TRUE(plan) << plan.message();
        return block_of<push::GemmProblem>(plan->uniform).axes[2].blocks;
    };
    EXPECT_EQ(blocks(doubling(4, 128, 64, 4)), 4u) << "16 columns an image and not 25";
    EXPECT_EQ(blocks(doubling(1, 128, 3, 32)), 33u) << "one tile of 12 rows and not four of 3";
}

TEST(ConvTransposePlan, ReadsWeightsFromEachOtherInSubgroupsOfEight)
{
    Capabilities c = *Capabilities::preset("lavapipe");
    const auto product = [&](const ops::ConvTransposeGeometry& g) {
        const Result<Plan> plan = plan_for(g, c, {.kernel = "conv_transpose_phases"});
        EXPECT_TRUE(plan) << plan.message();
        return *plan;
    };
    const Plan shuffled = product(doubling(1, 64, 32, 16));
    EXPECT_EQ(shuffled.pipelines[2].kernel, Kernel::implicit_gemm_rows16_columns8_texels1_shuffles1_f32);
    EXPECT_EQ(constant_of(shuffled.pipelines[2], "workgroup_size"), 8u);
    EXPECT_EQ(block_of<push::GemmProblem>(shuffled.uniform).column_step, 8u);
    EXPECT_EQ(product(doubling(1, 256, 256, 1)).pipelines[2].kernel, Kernel::implicit_gemm_rows16_columns4_texels1_f32)
        << "of eight invocations seven would have no column";

    const auto plain = [&] { return product(doubling(1, 64, 32, 16)).pipelines[2].kernel; };
    c.subgroup_size = 4;
    EXPECT_EQ(plain(), Kernel::implicit_gemm_rows16_columns8_texels1_f32);
    c.subgroup_size = 8;
    c.subgroup_shuffles = false;
    EXPECT_EQ(plain(), Kernel::implicit_gemm_rows16_columns8_texels1_f32);
    c.subgroup_shuffles = true;
    c.max_texel_buffer_elements = 1000;
    EXPECT_EQ(plain(), Kernel::implicit_gemm_rows16_columns8_texels0_f32);
}

// A software driver takes half a second to compile a pipeline, and a large model has many that differ only in what comes last.
TEST(ConvTransposePlan, HasOnePipelineForAllEpiloguesThatCallNothing)
{
    Capabilities c = *Capabilities::preset("lavapipe");
    const auto product = [&](std::optional<Elementwise> epilogue, bool bias, int64_t in) {
        ops::ConvTransposeGeometry g = doubling(1, 64, 32, in);
        g.bias = bias;
        const Result<Plan> plan = plan_for(g, c, {.kernel = "conv_transpose_phases", .epilogue = epilogue});
        EXPECT_TRUE(plan) << plan.message();
        return *plan;
    };
    const Plan plain = product({}, false, 16);
    const Plan relu = product(Elementwise{.kind = ElementwiseKind::relu}, true, 20);
    EXPECT_EQ(relu.pipelines[2], plain.pipelines[2]);
    EXPECT_EQ(block_of<push::GemmProblem>(plain.uniform).epilogue.constant, uint32_t(ElementwiseKind::identity));
    EXPECT_EQ(block_of<push::GemmProblem>(plain.uniform).bias, uint32_t(GEMM_BIAS_NONE));
    EXPECT_EQ(block_of<push::GemmProblem>(relu.uniform).epilogue.constant, uint32_t(ElementwiseKind::relu));
    EXPECT_EQ(block_of<push::GemmProblem>(relu.uniform).bias, uint32_t(GEMM_BIAS_ADDED));
    for (const ElementwiseKind kind : {ElementwiseKind::sigmoid, ElementwiseKind::tanh})
        EXPECT_EQ(constant_of(product(Elementwise{.kind = kind}, true, 16).pipelines[2], "epilogue"), uint32_t(kind));
    c.is_cpu = false;
    EXPECT_EQ(constant_of(product(Elementwise{.kind = ElementwiseKind::relu}, true, 16).pipelines.back(), "epilogue"),
              uint32_t(ElementwiseKind::relu));
}

TEST(ConvTransposePlan, HasNoTexelBuffersForWhichLavapipeCompilesAnew)
{
    Capabilities c = *Capabilities::preset("lavapipe");
    const auto sizes = [&](int64_t channels_in, int64_t channels_out, int64_t in) {
        const Result<Plan> plan = plan_for(doubling(1, channels_in, channels_out, in), c,
                                           {.kernel = "conv_transpose_phases", .constants = {{.input = 1}}});
        EXPECT_TRUE(plan) << plan.message();
        const Step& product =
            *std::find_if(plan->steps.begin(), plan->steps.end(), [](const Step& step) { return step.pipeline == 2; });
        return std::pair(product.operands[0].bytes, product.operands[1].bytes);
    };
    for (const bool is_cpu : {true, false}) {
        c.is_cpu = is_cpu;
        bool any_adverse = false;
        for (int64_t in = 1; in < 80; ++in)
            for (int64_t channels = 4; channels <= 64; channels *= 2) {
                const auto [x, w] = sizes(channels, 16, in);
                for (const uint64_t bytes : {x, w})
                    any_adverse = any_adverse || std::has_single_bit(bytes) || (bytes & 0xff00) == 0;
            }
        EXPECT_EQ(any_adverse, !is_cpu);
    }
}

TEST(ConvTransposePlan, StepsFromColumnToColumnByDigits)
{
    const Capabilities c = *Capabilities::preset("lavapipe");
    ops::ConvTransposeGeometry g;
    g.batch = 40;
    g.channels_in = g.channels_out = 64;
    g.axes.assign(3, {.in = 3, .out = 3, .kernel = 3, .stride = 1, .begin = 1});
    g.axes[0].in = g.axes[0].out = 2;
    const Result<Plan> plan = plan_for(g, c, {.kernel = "conv_transpose_phases"});
    ASSERT_TRUE(plan) << plan.message();
    const auto problem = block_of<push::GemmProblem>(plan->uniform);
    uint32_t step = problem.image_step;
    for (const push::GemmAxis& axis : problem.axes) {
        EXPECT_LT(axis.column_step, axis.blocks);
        step = step * axis.blocks + axis.column_step;
    }
    EXPECT_EQ(step, problem.column_step);
    EXPECT_EQ(step, 8u);
    EXPECT_EQ(problem.axes[2].column_step, 2u) << "two rows of three, and two blocks";
}

// On GPUs of few registers the compilers move sums to memory where an invocation has more than these modules have.
TEST(ConvPlan, KeepsAsManySumsAsADeviceHasRegistersFor)
{
    const auto product = [](DType dtype, const char* kernel, uint32_t registers) {
        ops::ConvGeometry g;
        g.dtype = dtype;
        g.channels_in = g.channels_out = 256;
        g.axes.assign(2, {.in = 56, .out = 56, .kernel = 1});
        Capabilities c = *Capabilities::preset("desktop");
        c.invocation_registers = registers;
        const Result<Plan> plan = plan_for(g, c, {.kernel = kernel, .constants = {{.input = 1}}});
        EXPECT_TRUE(plan) << plan.message();
        return plan ? plan->pipelines.at(plan->steps.back().pipeline).kernel : Kernel(0);
    };
    struct {
        uint32_t registers;
        Kernel shared;
        Kernel in_registers;
        Kernel points;
        Kernel doubles;
    } const devices[] = {
        {256, Kernel::implicit_gemm_shared_rows64_columns128_f32, Kernel::implicit_gemm_rows16_columns4_texels0_f32,
         Kernel::implicit_gemm_points_rows16_columns4_texels1_f32, Kernel::implicit_gemm_rows4_columns8_texels0_f64},
        {255, Kernel::implicit_gemm_shared_rows64_columns128_f32, Kernel::implicit_gemm_rows16_columns4_texels0_f32,
         Kernel::implicit_gemm_points_rows16_columns4_texels1_f32, Kernel::implicit_gemm_rows4_columns4_texels0_f64},
        {136, Kernel::implicit_gemm_shared_rows64_columns128_f32, Kernel::implicit_gemm_rows4_columns4_texels0_f32,
         Kernel::implicit_gemm_points_rows16_columns4_texels1_f32, Kernel::implicit_gemm_rows4_columns4_texels0_f64},
        {128, Kernel::implicit_gemm_shared_rows64_columns64_sums32_f32, Kernel::implicit_gemm_rows4_columns4_texels0_f32,
         Kernel::implicit_gemm_points_rows8_columns4_texels1_f32, Kernel::implicit_gemm_rows4_columns4_texels0_f64},
        {96, Kernel::implicit_gemm_shared_rows64_columns64_sums32_f32, Kernel::implicit_gemm_rows4_columns4_texels0_f32,
         Kernel::implicit_gemm_points_rows8_columns4_texels1_f32, Kernel::implicit_gemm_rows4_columns4_texels0_f64},
        {64, Kernel::implicit_gemm_shared_rows32_columns64_sums16_f32,
         Kernel::implicit_gemm_rows4_columns4_texels0_few_registers1_f32, Kernel::implicit_gemm_points_rows8_columns4_texels1_f32,
         Kernel::implicit_gemm_rows4_columns4_texels0_f64},
    };
    for (const auto& device : devices) {
        SCOPED_TRACE(device.registers);
        EXPECT_EQ(product(DType::float32, "conv_gemm_shared", device.registers), device.shared);
        EXPECT_EQ(product(DType::float32, "conv_gemm", device.registers), device.in_registers);
        EXPECT_EQ(product(DType::float32, "conv_points", device.registers), device.points);
        EXPECT_EQ(product(DType::float64, "conv_gemm", device.registers), device.doubles);
    }
}

// Intel's GPUs have cooperative matrices, but only 128 registers.
TEST(ConvPlan, LeavesCooperativeMatricesToDevicesWithRegistersForThem)
{
    ops::ConvGeometry g;
    g.dtype = DType::float16;
    g.channels_in = g.channels_out = 256;
    g.axes.assign(2, {.in = 56, .out = 56, .kernel = 1});
    const auto unfit = [&](bool has_matrices, uint32_t registers) {
        Capabilities c = *Capabilities::preset("desktop");
        c.cooperative_matrices = has_matrices;
        c.cooperative_matrix = {16, 16, 16};
        c.invocation_registers = registers;
        const Result<std::vector<KernelChoice>> all = kernels_for(g, c, {});
        for (const KernelChoice& one : *all)
            if (one.name == "conv_matrices")
                return one.unfit;
        return std::string("is not among them");
    };
    const std::string none = "the device has no cooperative matrices of halves, or none that fit its tiles";
    // An older glslang can't compile a module of this kernel.
    const std::string fits = spirv(Kernel::implicit_gemm_matrices_rows64_columns64_f16).empty()
                                 ? "this build has no module of it: it takes glslang 13 or later"
                                 : "";
    EXPECT_EQ(unfit(true, 200), fits);
    EXPECT_EQ(unfit(true, 199), "its invocations need 200 registers, and those of the device have 199");
    EXPECT_EQ(unfit(false, 255), none);
    EXPECT_EQ(unfit(false, 128), none);
}

TEST(ConvPlan, TakesPointsAsTheyLie)
{
    ops::ConvGeometry g;
    g.channels_in = 8;
    g.channels_out = 24;
    g.axes.assign(2, {.in = 6, .out = 6, .kernel = 1});
    const auto unfit = [](const ops::ConvGeometry& geometry) {
        const Result<std::vector<KernelChoice>> all = kernels_for(geometry, *Capabilities::preset("desktop"), {});
        for (const KernelChoice& one : *all)
            if (one.name == "conv_points")
                return one.unfit;
        return std::string("is not among them");
    };
    EXPECT_EQ(unfit(g), "");
    const Result<Plan> plan = plan_for(g, *Capabilities::preset("desktop"), {.constants = {{.input = 1}}});
    ASSERT_TRUE(plan) << plan.message();
    EXPECT_EQ(plan->kernel, "conv_points_f32");
    EXPECT_EQ(plan->scratch_bytes, 0u);
    EXPECT_EQ(plan->steps.size(), 1u);
    EXPECT_EQ(plan->setup.size(), 1u);
    ops::ConvGeometry other = g;
    other.channels_in = 6;
    EXPECT_EQ(unfit(other), "it reads 4 channels and 4 positions at a time, and a group has 6 channels of 36 positions");
    other = g;
    other.axes.assign(2, {.in = 5, .out = 5, .kernel = 1});
    EXPECT_EQ(unfit(other), "it reads 4 channels and 4 positions at a time, and a group has 8 channels of 25 positions");
    Capabilities few_loops = *Capabilities::preset("desktop");
    few_loops.max_loop_iterations = 2 + 2 * 4 * 3 - 1;  // two quads of channels; rows, for two quads of columns and once more
    const Result<std::vector<KernelChoice>> few = kernels_for(g, few_loops, {});
    const auto found = std::find_if(few->begin(), few->end(), [](const KernelChoice& one) { return one.name == "conv_points"; });
    EXPECT_EQ(found->unfit, "its loops would exceed the device's 25 iterations");
    const std::string points = "it takes windows of one point, without padding, and strides of 1";
    other = g;
    other.axes[1] = {.in = 6, .out = 3, .kernel = 1, .stride = 2};
    EXPECT_EQ(unfit(other), points);
    other.axes[1] = {.in = 6, .out = 8, .kernel = 1, .begin = 1, .end = 1};
    EXPECT_EQ(unfit(other), points);
    other.axes[1] = {.in = 6, .out = 4, .kernel = 3};
    EXPECT_EQ(unfit(other), points);
    other = g;
    other.layout = Layout::nxc;
    EXPECT_EQ(unfit(other), "it takes positions behind channels, and layout NXC has channels there");
}

TEST(ConvTransposePlan, MultipliesHalvesByMatricesWhereTheDeviceHasThem)
{
    ops::ConvTransposeGeometry g;
    g.dtype = DType::float16;
    g.channels_in = g.channels_out = 256;
    g.axes.assign(2, {.in = 64, .out = 128, .kernel = 4, .stride = 2, .begin = 1});
    Capabilities c = *Capabilities::preset("desktop");
    const Result<Plan> without = plan_for(g, c, {.kernel = "conv_transpose_matrices"});
    EXPECT_NE(without.message().find("the device has no cooperative matrices of halves"), std::string::npos) << without.message();

    c.cooperative_matrices = true;
    c.cooperative_matrix = {16, 16, 16};
    const Result<Plan> plan = plan_for(g, c, {});
    ASSERT_TRUE(plan) << plan.message();
    if (spirv(Kernel::implicit_gemm_matrices_rows128_columns128_f16).empty()) {
        const Result<Plan> forced = plan_for(g, c, {.kernel = "conv_transpose_matrices"});
        EXPECT_NE(forced.message().find("this build has no module of it"), std::string::npos) << forced.message();
        GTEST_SKIP() << "built by a glslang without cooperative matrices";
    }
    const auto expect_matrices = [](const PipelineKey& product, Kernel kernel) {
        EXPECT_EQ(product.kernel, kernel);
        EXPECT_EQ(constant_of(product, "workgroup_size"), 256u);
        EXPECT_EQ(constant_of(product, "matrix_depth"), 16u);
        EXPECT_EQ(constant_of(product, "row_matrices") * constant_of(product, "column_matrices"), 8u);
    };
    ASSERT_EQ(plan->pipelines.size(), 2u);
    EXPECT_EQ(plan->pipelines[0].kernel, Kernel::implicit_gemm_weights_half_texels1_f16);
    expect_matrices(plan->pipelines[1], Kernel::implicit_gemm_matrices_rows128_columns128_x_packed0_f16);

    c.storage16 = false;
    const Result<Plan> packed = plan_for(g, c, {});
    ASSERT_TRUE(packed) << packed.message();
    ASSERT_EQ(packed->pipelines.size(), 4u);
    EXPECT_EQ(packed->pipelines[0].kernel, Kernel::implicit_gemm_inputs_half_texels1_f16);
    EXPECT_EQ(packed->pipelines[1].kernel, Kernel::implicit_gemm_weights_half_texels1_f16);
    expect_matrices(packed->pipelines[2], Kernel::implicit_gemm_matrices_rows128_columns128_f16);

    g.dtype = DType::bfloat16;
    EXPECT_FALSE(plan_for(g, c, {.kernel = "conv_transpose_matrices"}).ok());
}

// A convolution has the engine compute blocks of one output, with taps that go forward.
TEST(ImplicitGemm, CarriesAConvolution)
{
    const Capabilities c = *Capabilities::preset("desktop");
    const PrepareOptions options;
    // The axis has 9 inputs, a kernel of 3 with holes, a stride of 2 and padding of 1.
    const Axis axis = {.in = 9,
                       .out = 4,
                       .kernel = 3,
                       .blocks = 4,
                       .block_step = 2,
                       .tap_step = 2,
                       .first = -1,
                       .extent = 3 * 2 + 2 * 2 + 1,
                       .phases = {{.taps = 3}}};
    Product conv = {.images = 2, .groups = 3, .channels_in = 6, .channels_out = 5};
    conv.axes[1] = conv.axes[2] = axis;
    conv = completed(conv);
    EXPECT_EQ(conv.quads, 2);
    EXPECT_EQ(conv.columns, 2 * 4 * 4);
    EXPECT_EQ(conv.line, 11 * 11);
    ASSERT_EQ(conv.classes.size(), 1u);
    EXPECT_EQ(conv.classes[0].rows, 5) << "a row a channel";
    EXPECT_EQ(conv.classes[0].taps, 9);

    Problem problem = {.capabilities = c, .options = options, .constant_weights = true};
    problem.x_elements = 2 * 18 * 9 * 9;
    problem.w_elements = 15 * 6 * 3 * 3;
    problem.outputs = 2 * 15 * 4 * 4;
    problem.w_channel = 9;
    problem.w_column = 6 * 9;
    problem.w_tap = 1;
    problem.products.push_back(conv);
    const Engine engine = engine_for(problem);
    for (const Form form : {Form::registers, Form::shared_memory}) {
        EXPECT_EQ(unfit_for(engine, form), "");
        const Result<Plan> plan = planned(engine, form);
        ASSERT_TRUE(plan) << plan.message();
        const Status checked = check(*plan, c);
        EXPECT_TRUE(checked) << checked.message();
        EXPECT_EQ(plan->scratch_bytes, 3u * 2 * 2 * 11 * 11 * 16) << "packed X: groups, quads of channels, images, places";
        const push::GemmProblem block = block_of<push::GemmProblem>(plan->uniform);
        EXPECT_EQ(block.axes[0].block_step, 1u);
        for (const size_t a : {1u, 2u}) {
            EXPECT_EQ(block.axes[a].block_step, 2u);
            EXPECT_EQ(block.axes[a].tap_step, 2);
            EXPECT_EQ(block.axes[a].phases, 1u);
            EXPECT_EQ(int32_t(block.axes[a].first), -1);
        }
    }
}

}  // namespace
}  // namespace vkonnx::plan::implicit_gemm
