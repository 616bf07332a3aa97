// This file tests which passes reduce what, and how the plans of operators that reduce are put together.
#include "plan/engines/chain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "kit/cases.h"
#include "kit/source_path.h"
#include "plan/operators/operators.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/engines/reduction/reduction.h"
#include "shaders/operators/arg_extreme/arg_extreme.h"
#include "shaders/operators/cum_sum/cum_sum.h"

namespace vkonnx::plan {
namespace {

std::vector<Pass> passes(std::initializer_list<Rows> groups)
{
    return passes_of(std::vector<Rows>(groups));
}

TEST(Passes, ShortRowsAreOne)
{
    EXPECT_EQ(passes({{3, 127, 5}}), (std::vector<Pass>{{{3, 127, 5}, 1}}));
    EXPECT_EQ(passes({{1, 1, 7}}), (std::vector<Pass>{{{1, 1, 7}, 1}}));
    EXPECT_EQ(passes({{1 << 12, 1 << 10, 1 << 8}}).size(), 1u) << "many, side by side";
}

TEST(Passes, LongRowsAreCutIntoPartsOfThirtyTwoAndMore)
{
    EXPECT_EQ(
        passes({{1, 1 << 20, 1}}),
        (std::vector<Pass>{{{1, 1 << 20, 1}, 1 << 15}, {{1, 1 << 15, 1}, 1 << 10}, {{1, 1 << 10, 1}, 32}, {{1, 32, 1}, 1}}));
    EXPECT_EQ(passes({{1 << 20, 768, 1}}), (std::vector<Pass>{{{1 << 20, 768, 1}, 24}, {{1 << 20, 24, 1}, 1}}))
        << "neighbours read side by side";
    EXPECT_EQ(passes({{1, 5003, 3}}), (std::vector<Pass>{{{1, 5003, 3}, 156}, {{1, 156, 3}, 4}, {{1, 4, 3}, 1}}));
}

TEST(Passes, LastGroupsComeFirstAndThoseOfOneNotAtAll)
{
    EXPECT_EQ(passes({{1, 3, 5}, {15, 7, 1}}), (std::vector<Pass>{{{15, 7, 1}, 1}, {{1, 3, 5}, 1}}));
    EXPECT_EQ(passes({{1, 1, 5}, {5, 7, 1}}), (std::vector<Pass>{{{5, 7, 1}, 1}}));
    EXPECT_EQ(passes({{1, 3, 5}, {15, 1, 1}}), (std::vector<Pass>{{{1, 3, 5}, 1}}));
    EXPECT_EQ(passes({{1, 1, 5}, {5, 1, 1}}), (std::vector<Pass>{{{1, 1, 5}, 1}}));
}

// Returns the least and the greatest number of statistics that the elements have, by looking at one after the other.
Range statistics_one_by_one(const Range& flat, int64_t row, int64_t inner, int64_t count)
{
    int64_t least = count, most = -1;
    for (int64_t i = flat.first; i < flat.end(); ++i) {
        const int64_t number = (i / row * inner + i % inner) % count;
        least = std::min(least, number);
        most = std::max(most, number);
    }
    return {least, most - least + 1};
}

TEST(Statistics, OfARangeOfElementsAreInItsRange)
{
    for (const int64_t inner : {1, 2, 3, 7})
        for (const int64_t extent : {1, 2, 5})
            for (const int64_t outer : {1, 2, 3})
                for (const int64_t count : {outer * inner, inner}) {
                    const int64_t row = extent * inner;
                    for (int64_t first = 0; first < outer * row; ++first)
                        for (int64_t end = first + 1; end <= outer * row; ++end) {
                            const Range flat = {first, end - first};
                            const Range explained = statistics_of(flat, row, inner, count);
                            const Range needed = statistics_one_by_one(flat, row, inner, count);
                            EXPECT_LE(explained.first, needed.first);
                            EXPECT_GE(explained.end(), needed.end());
                            EXPECT_LE(explained.end(), count);
                            if (flat.count == 1) {
                                EXPECT_EQ(explained, needed);
                            }
                        }
                }
}

template <class Attributes>
Plan planned(std::string_view stem, std::string_view line, const Capabilities& capabilities = {})
{
    const Result<kit::Case> problem = kit::parse_case(stem, line);
    EXPECT_TRUE(problem) << problem.message();
    const auto geometry = ops::resolve(std::get<Attributes>(problem->attributes), problem->inputs);
    EXPECT_TRUE(geometry) << geometry.message();
    const Result<Plan> plan = plan_for(*geometry, capabilities, PrepareOptions());
    EXPECT_TRUE(plan) << plan.message();
    if (!plan)
        return {};
    const Status checked = check(*plan, capabilities);
    EXPECT_TRUE(checked) << checked.message();
    return *plan;
}

template <class Pass = push::ReductionPass>
Pass pass_of(const Step& step)
{
    Pass push = {};
    EXPECT_EQ(step.push.size(), sizeof(push::GatherPart) + sizeof(push));
    std::memcpy(&push, step.push.data() + sizeof(push::GatherPart), sizeof(push));
    return push;
}

TEST(ReductionPlan, GoesThroughScratchMemoryFromGroupToGroup)
{
    const Plan plan = planned<ReduceMean>("reduce_mean", "a x=2x3x5x1x7 axes=1,4 type=float16");
    ASSERT_EQ(plan.steps.size(), 2u);
    EXPECT_EQ(plan.scratch_bytes, 120u) << "floats";
    EXPECT_EQ(plan.steps[0].operands[0].place, Place::tensor);
    EXPECT_EQ(plan.steps[0].operands[1].place, Place::scratch);
    EXPECT_EQ(plan.steps[1].operands[0].place, Place::scratch);
    EXPECT_EQ(plan.steps[1].operands[1].tensor, 1);
    EXPECT_EQ(pass_of(plan.steps[0]).row, 7u);
    EXPECT_EQ(pass_of(plan.steps[1]).row, 15u);
    EXPECT_EQ(pass_of(plan.steps[1]).width, 5u);
    EXPECT_EQ(pass_of(plan.steps[1]).count, 21u) << "of all passes";
    EXPECT_EQ(pass_of(plan.steps[0]).divides, 0u);
    EXPECT_EQ(pass_of(plan.steps[1]).divides, 1u);
}

TEST(ReductionPlan, HasOnePipelineForAllItsPasses)
{
    const Plan mean = planned<ReduceMean>("reduce_mean", "a x=2x3x5x1x7 axes=1,4");
    ASSERT_EQ(mean.steps.size(), 2u);
    const Plan sum = planned<ReduceSum>("reduce_sum", "a x=3x5x7");
    EXPECT_EQ(pipeline_of(mean, mean.steps[0]), pipeline_of(mean, mean.steps[1]));
    EXPECT_EQ(pipeline_of(mean, mean.steps[0]), pipeline_of(sum, sum.steps[0]));
}

TEST(ReductionPlan, ReadsAWholeTensorOnce)
{
    const auto steps = [](std::string_view line) { return planned<ReduceSum>("reduce_sum", line).steps.size(); };
    EXPECT_EQ(steps("a x=3x5x7"), 1u);
    EXPECT_EQ(steps("a x=3x1x5x1x7 axes=0,2"), 1u) << "neighbours merge, extents of 1 apart";
    EXPECT_EQ(steps("a x=3x1x5x1x7 axes=1,3"), 1u) << "a copy";
    EXPECT_EQ(steps("a x=3x5x7x2x3x2 axes=0,2,4"), 3u);
    EXPECT_EQ(planned<ReduceSum>("reduce_sum", "a x=3x0 axes=0").why, "the output is empty");
}

// For a mean, integers of 32 bits are summed in 64, and a pass of its own cuts the result off to 32.
TEST(ReductionPlan, IntegersAreSummedInTwiceTheirBits)
{
    const Plan plan = planned<ReduceMean>("reduce_mean", "a x=3x5 axes=1 type=int32");
    ASSERT_EQ(plan.steps.size(), 2u);
    EXPECT_EQ(plan.scratch_bytes, 24u);
    EXPECT_EQ(plan.pipelines[0].kernel, Kernel::reduction_term0_i64);
    EXPECT_EQ(plan.pipelines[1].kernel, Kernel::reduction_term0_narrow1_i64);
}

// Each pass looks for a greatest element, but only the first one takes magnitudes, and only the last one a root or a logarithm.
TEST(ReductionPlan, TakesOnlyWhatAPassNeedsFromModulesThatHaveMore)
{
    const auto kernels = [](const Plan& plan) {
        std::vector<Kernel> list;
        for (const Step& step : plan.steps)
            list.push_back(plan.pipelines[step.pipeline].kernel);
        return list;
    };
    using K = Kernel;
    EXPECT_EQ(kernels(planned<ReduceMax>("reduce_max", "a x=2x3x5 axes=0,2")),
              (std::vector{K::reduction_chosen1_f32, K::reduction_chosen1_f32}));
    EXPECT_EQ(kernels(planned<ReduceMin>("reduce_min", "a x=2x3x5 axes=0,2 type=float16")),
              (std::vector{K::reduction_chosen1_sums1_f16, K::reduction_chosen1_f16}));
    EXPECT_EQ(kernels(planned<ReduceL1>("reduce_l1", "a x=2x3x5 axes=0,2")),
              (std::vector{K::reduction_chosen1_f32, K::reduction_term0_f32}));
    EXPECT_EQ(kernels(planned<ReduceL2>("reduce_l2", "a x=2x3x5x2x2 axes=0,2,4")),
              (std::vector{K::reduction_chosen1_f32, K::reduction_term0_f32, K::reduction_chosen1_f32}));
    EXPECT_EQ(kernels(planned<ReduceLogSum>("reduce_log_sum", "a x=2x3x5 axes=0,2")),
              (std::vector{K::reduction_term0_f32, K::reduction_logarithm1_f32}));
    EXPECT_EQ(kernels(planned<ReduceLogSumExp>("reduce_log_sum_exp", "a x=3x5 axes=1")),
              (std::vector{K::reduction_chosen1_f32, K::reduction_logarithm1_f32}));
}

// Elements of one byte share words between passes, too.
TEST(ReductionPlan, KeepsBytesAsBytes)
{
    const Plan plan = planned<ReduceMax>("reduce_max", "a x=2x3x5 axes=0,2 type=int8");
    ASSERT_EQ(plan.steps.size(), 2u);
    EXPECT_EQ(plan.scratch_bytes, 8u);
}

TEST(ReductionPlan, DependsOnTheDeviceByItsLimitsOnly)
{
    Capabilities few;
    few.max_group_count = {2, 1, 1};
    few.max_invocations = 16;
    const Plan plan = planned<ReduceSum>("reduce_sum", "a x=70001");
    const Plan cut = planned<ReduceSum>("reduce_sum", "a x=70001", few);
    EXPECT_GT(cut.steps.size(), plan.steps.size());
    EXPECT_EQ(cut.scratch_bytes, plan.scratch_bytes);
    std::set<uint32_t> widths, cut_widths;
    for (const Step& step : plan.steps)
        widths.insert(pass_of(step).width);
    for (const Step& step : cut.steps)
        cut_widths.insert(pass_of(step).width);
    EXPECT_EQ(widths, cut_widths) << "the same passes, and so the same bits";
}

TEST(ArgExtremePlan, GoesOverRowsInThePassesOfAReduction)
{
    const Plan plan = planned<ArgMax>("arg_max", "a x=5003x3");
    ASSERT_EQ(plan.steps.size(), 3u);
    EXPECT_EQ(plan.scratch_bytes, 15u * 256 + 4 * 3 * 8) << "156 * 3 pairs, and behind them 4 * 3 at a multiple of 256";
    const auto pass = [&](size_t i) { return pass_of<push::ArgExtremePass>(plan.steps[i]); };
    EXPECT_EQ(pass(0).row, 5003u * 3);
    EXPECT_EQ(pass(0).width, 156u * 3);
    EXPECT_EQ(pass(0).inner, 3u);
    EXPECT_EQ(pass(0).parts, 156u);
    EXPECT_EQ(pass(2).row, 4u * 3);
    EXPECT_EQ(pass(2).width, 3u);
    EXPECT_EQ(plan.steps[2].operands[1].tensor, 1);
    EXPECT_EQ(planned<ArgMin>("arg_min", "a x=2x21x9x11 axis=1").steps.size(), 1u) << "short rows are one pass";
    EXPECT_EQ(planned<ArgMin>("arg_min", "a x=3x0 axis=0").why, "the output is empty");
}

// A pair of a key of 64 bits is wider than a result, so that another pass makes results of pairs.
TEST(ArgExtremePlan, WideKeysAreInWidePairs)
{
    const Plan plan = planned<ArgMax>("arg_max", "a x=3x5 axis=1 type=int64");
    ASSERT_EQ(plan.steps.size(), 2u);
    EXPECT_EQ(plan.scratch_bytes, 3u * 16);
    EXPECT_EQ(plan.pipelines[0].kernel, Kernel::arg_extreme_u128);
    EXPECT_EQ(plan.pipelines[1].kernel, Kernel::arg_extreme_u64);
    EXPECT_EQ(plan.tensor_bytes, (std::vector<uint64_t>{3 * 5 * 8, 3 * 8}));
    EXPECT_EQ(planned<ArgMax>("arg_max", "a x=3x5 axis=1 type=float16").scratch_bytes, 0u);
}

// 2048 elements of 4 bytes, of which 1024 bytes can be bound at once.
TEST(ArgExtremePlan, RowsAreReadInPieces)
{
    Capabilities capabilities;
    capabilities.storage_buffer_alignment = 64;
    capabilities.max_storage_buffer_range = 1024;
    const Plan plan = planned<ArgMax>("arg_max", "a x=16x128", capabilities);
    ASSERT_GT(plan.steps.size(), 8u);
    uint64_t end = 0;
    for (const Step& step : plan.steps) {
        EXPECT_LE(step.operands[0].bytes, 1024u);
        end = std::max(end, step.operands[0].offset + step.operands[0].bytes);
    }
    EXPECT_EQ(end, 16u * 128 * 4);
}

TEST(CumSumPlan, AddsUpTheSumsOfBlocks)
{
    EXPECT_EQ(planned<CumSum>("cum_sum", "a x=3x32 axis=1").steps.size(), 1u) << "short rows are one pass";
    EXPECT_EQ(planned<CumSum>("cum_sum", "a x=3x0 axis=1").why, "the output is empty");
    const Plan plan = planned<CumSum>("cum_sum", "a x=2x600x3 axis=1");  // 38 blocks, and 3 of these
    ASSERT_EQ(plan.steps.size(), 5u);
    EXPECT_EQ(plan.scratch_bytes, 4u * 256 + 4 * 256 + 256 + 18 * 4)
        << "sums and prefixes of 228 and of 18 numbers, each at a multiple of 256";
    const auto pass = [&](size_t i) { return pass_of<push::CumSumPass>(plan.steps[i]); };
    const auto numbers = [&](size_t i) { return std::vector<uint32_t>{pass(i).extent, pass(i).count, pass(i).block}; };
    EXPECT_EQ(numbers(0), (std::vector<uint32_t>{600, 38, 16}));
    EXPECT_EQ(numbers(1), (std::vector<uint32_t>{38, 3, 16}));
    EXPECT_EQ(numbers(2), (std::vector<uint32_t>{3, 3, 3}));
    EXPECT_EQ(numbers(3), (std::vector<uint32_t>{38, 38, 16}));
    EXPECT_EQ(numbers(4), (std::vector<uint32_t>{600, 600, 16}));
    EXPECT_EQ(plan.steps[4].operands[0].tensor, 0);
    EXPECT_EQ(plan.steps[4].operands[0].place, Place::tensor);
    EXPECT_EQ(plan.steps[4].operands[1].place, Place::scratch);
    EXPECT_EQ(plan.steps[4].operands[2].tensor, 1);
    const Plan half = planned<CumSum>("cum_sum", "a x=3x33 axis=1 type=float16");
    ASSERT_EQ(half.steps.size(), 3u);
    EXPECT_EQ(half.pipelines[0].kernel, Kernel::cum_sum_sums1_f16);
    EXPECT_EQ(half.pipelines[1].kernel, Kernel::cum_sum_f32);
    EXPECT_EQ(half.pipelines[2].kernel, Kernel::cum_sum_f16);
}

// X has 4096 bytes, of which the device binds 640 at once. No part of the plan reads more than these, and all parts together read
// X whole.
TEST(CumSumPlan, RowsAreReadInPieces)
{
    Capabilities capabilities;
    capabilities.storage_buffer_alignment = 64;
    capabilities.max_storage_buffer_range = 640;
    for (const std::string_view line : {"a x=4x256 axis=1", "a x=4x256 axis=1 reverse=1 exclusive=1",
                                        "a x=256x4 axis=0 reverse=1", "a x=2x64x8 axis=1", "a x=2x64x8 axis=1 exclusive=1"}) {
        const Plan plan = planned<CumSum>("cum_sum", line, capabilities);
        ASSERT_GT(plan.steps.size(), 12u) << line;
        uint64_t end = 0;
        for (const Step& step : plan.steps)
            for (const Operand& operand : step.operands)
                if (operand.place == Place::tensor && operand.tensor == 0) {
                    EXPECT_LE(operand.bytes, 640u) << line;
                    end = std::max(end, operand.offset + operand.bytes);
                }
        EXPECT_EQ(end, 4096u) << line;
    }
}

TEST(LayerNormalizationPlan, IsOneDispatchWhereRowsFit)
{
    const auto picked = [](const LayerNormalization& op, DType dtype, int64_t extent, bool reproducible = false) {
        const std::vector<TensorDesc> inputs = {{dtype, {6, extent}}, {dtype, {extent}}, {dtype, {extent}}};
        Capabilities capabilities;
        capabilities.rounds_to_nearest = true;
        const Result<Explanation> plan = explain(op, inputs, capabilities, {.reproducible = reproducible});
        return plan ? plan->kernel + ", " + std::to_string(plan->grids.size()) : std::string(plan.message());
    };
    EXPECT_EQ(picked({}, DType::float32, 5), "layer_normalization_rows_f32, 1");
    EXPECT_EQ(picked({}, DType::float16, 6), "layer_normalization_rows_f16, 1");
    EXPECT_EQ(picked({}, DType::float16, 5), "layer_normalization_f16, 6") << "rows end amid a word";
    EXPECT_EQ(picked({.outputs = 2}, DType::float32, 5), "layer_normalization_f32, 6");
    EXPECT_EQ(picked({}, DType::float32, 5, true), "layer_normalization_f32, 6");
}

TEST(SoftmaxPlan, OverwritesItsInputLast)
{
    const Plan plan = planned<Softmax>("softmax", "a x=3x5 axis=0");
    ASSERT_EQ(plan.steps.size(), 3u);
    EXPECT_EQ(plan.in_place, std::vector<uint8_t>{0});
    for (size_t i = 0; i + 1 < plan.steps.size(); ++i)
        EXPECT_EQ(plan.steps[i].operands.back().place, Place::scratch);
    EXPECT_EQ(plan.steps[2].operands.back().tensor, 1);
    EXPECT_EQ(plan.steps[2].operands.size(), 4u);
}

TEST(SoftmaxPlan, IsOneDispatchWhereRowsFit)
{
    const auto picked = [](const Operator& op, DType dtype, int64_t extent, bool reproducible = false) {
        const std::vector<TensorDesc> inputs = {{dtype, {6, extent}}};
        Capabilities capabilities;
        capabilities.rounds_to_nearest = true;
        const Result<Explanation> plan = explain(op, inputs, capabilities, {.reproducible = reproducible});
        return plan ? plan->kernel + ", " + std::to_string(plan->grids.size()) : std::string(plan.message());
    };
    EXPECT_EQ(picked(Softmax{}, DType::float32, 5), "softmax_rows_f32, 1");
    EXPECT_EQ(picked(LogSoftmax{}, DType::float16, 6), "softmax_rows_f16, 1");
    EXPECT_EQ(picked(Softmax{}, DType::float16, 5), "softmax_f16, 3") << "rows end amid a word";
    EXPECT_EQ(picked(Softmax{.axis = 0}, DType::float32, 5), "softmax_f32, 3") << "rows lie apart";
    EXPECT_EQ(picked(Softmax{}, DType::float32, 5, true), "softmax_f32, 3");
}

// A row lies where it lay, and each invocation of a GPU has at least four elements of it.
TEST(SoftmaxPlan, SharesRowsAmongTheInvocationsOfAGpu)
{
    const Capabilities desktop = *Capabilities::preset("desktop");
    const auto lanes = [&](int64_t extent, const Capabilities& capabilities) {
        const Plan plan = planned<Softmax>("softmax", "a x=100x" + std::to_string(extent), capabilities);
        EXPECT_EQ(plan.in_place, std::vector<uint8_t>{0});
        EXPECT_EQ(plan.steps.size(), 1u);
        return plan.pipelines[0].specialization[1];
    };
    EXPECT_EQ(lanes(7, desktop), 1u);
    EXPECT_EQ(lanes(40, desktop), 8u);
    EXPECT_EQ(lanes(1000, desktop), 64u);
    EXPECT_EQ(lanes(1000, *Capabilities::preset("lavapipe")), 1u);
}

TEST(NormalizationPlan, ReadsStatisticsWhereTheyAre)
{
    const auto plan = [](std::string_view line) { return planned<BatchNormalization>("batch_normalization", line); };
    const Plan given = plan("a x=2x3x5 scale=3 b=3 mean=3 var=3");
    ASSERT_EQ(given.steps.size(), 2u);
    EXPECT_EQ(given.steps[0].operands[0].tensor, 3);
    EXPECT_EQ(given.steps[0].operands[1].tensor, 4);
    EXPECT_EQ(given.scratch_bytes, 24u) << "a mean and a factor a channel";
    const Plan trained = plan("a x=2x3x5 scale=3 b=3 mean=3 var=3 training_mode=1");
    ASSERT_EQ(trained.steps.size(), 6u) << "two passes for the mean, two for the variance";
    for (const Step& step : trained.steps)
        for (const Operand& operand : step.operands)
            EXPECT_FALSE(operand.place == Place::tensor && (operand.tensor == 3 || operand.tensor == 4));
    const Plan running = plan("a x=2x3x5 scale=3 b=3 mean=3 var=3 training_mode=1 outputs=3");
    ASSERT_EQ(running.steps.size(), 8u);
    EXPECT_EQ(running.steps[4].operands[0].tensor, 3);
    EXPECT_EQ(running.steps[4].operands[2].tensor, 6);
    EXPECT_EQ(running.steps[5].operands[0].tensor, 4);
    EXPECT_EQ(running.steps[5].operands[2].tensor, 7);
    EXPECT_EQ(running.steps[7].operands[3].tensor, 5);
    EXPECT_EQ(plan("a x=0x3x5 scale=3 b=3 mean=3 var=3 training_mode=1 outputs=3").steps.size(), 4u) << "no Y";
    EXPECT_EQ(plan("a x=0x3x5 scale=3 b=3 mean=3 var=3 training_mode=1").why, "the output is empty");
    EXPECT_EQ(plan("a x=2x0x5 scale=0 b=0 mean=0 var=0 training_mode=1 outputs=3").why, "the output is empty");
    const Plan last = planned<InstanceNormalization>("instance_normalization", "a x=2x5x3 scale=3 b=3 layout=NXC");
    EXPECT_EQ(last.steps.size(), 4u);
    EXPECT_EQ(last.in_place, std::vector<uint8_t>{0});
}

TEST(ChainPlans, FitEveryPresetAndReachEveryModule)
{
    std::set<std::string> found;
    const auto plan_each = [&](const kit::Case& problem) {
        for (const std::string_view preset : Capabilities::preset_names()) {
            const Capabilities capabilities = *Capabilities::preset(preset);
            const auto explained = explain(problem.attributes, problem.inputs, capabilities);
            ASSERT_TRUE(explained) << kit::to_string(problem) << ": " << explained.message();
            for (const PlannedPipeline& pipeline : explained->pipelines)
                found.emplace(pipeline.kernel());
        }
    };
    for (const std::string stem : {"arg_max",
                                   "topk",
                                   "arg_min",
                                   "cum_sum",
                                   "global_average_pool",
                                   "global_max_pool",
                                   "max_pool",
                                   "reduce_l1",
                                   "reduce_l2",
                                   "reduce_log_sum",
                                   "reduce_log_sum_exp",
                                   "reduce_max",
                                   "reduce_mean",
                                   "reduce_min",
                                   "reduce_prod",
                                   "reduce_sum",
                                   "softmax",
                                   "instance_normalization",
                                   "batch_normalization",
                                   "layer_normalization",
                                   "lrn"}) {
        const Result<std::vector<kit::Case>> cases = kit::load_cases(kit::source_path("tests/cases/" + stem + ".txt"));
        ASSERT_TRUE(cases) << cases.message();
        for (const kit::Case& problem : *cases)
            plan_each(problem);
    }
    std::set<std::string> modules;
    const std::string applies_prologue = "_term" + std::to_string(REDUCTION_PROLOGUE);  // only for who asks for one
    for (size_t k = 0; k < kernel_count(); ++k) {
        const std::string_view module = kernel_name(Kernel(k));
        for (const std::string_view stem : {"arg_extreme", "cum_sum", "layer_normalization", "lrn", "max_pool", "normalization",
                                            "reduction", "softmax", "topk"})
            if (module.starts_with(stem) && module.find(applies_prologue) == std::string_view::npos)
                modules.emplace(module);
    }
    EXPECT_EQ(found, modules) << "a module has no case";
}

TEST(ChainPlans, RefuseWhatNoKernelCanNumber)
{
    const std::vector<TensorDesc> inputs = {{DType::float32, {65536, 32768}}};
    EXPECT_EQ(
        explain(ReduceSum{}, inputs, Capabilities()).message(),
        "ReduceSum: the input float[65536,32768] has 2147483648 elements, more than the 2147483647 that kernels can number");
    EXPECT_EQ(explain(Softmax{}, inputs, Capabilities()).message(),
              "Softmax: the output float[65536,32768] has 2147483648 elements, more than the 2147483647 that kernels can number");
    EXPECT_EQ(explain(ArgMin{}, inputs, Capabilities()).message(),
              "ArgMin: data float[65536,32768] has 2147483648 elements, more than the 2147483647 that kernels can number");
    Capabilities few;
    few.max_loop_iterations = 100;
    const std::vector<TensorDesc> small = {{DType::float32, {3}}};
    EXPECT_EQ(explain(ReduceSum{}, small, few).message(),
              "ReduceSum: no kernel fits, because the device's 100 loop iterations are too few for its window");
    EXPECT_EQ(explain(ArgMax{}, small, few).message(),
              "ArgMax: no kernel fits, because the device's 100 loop iterations are too few for its window");
    EXPECT_EQ(explain(ReduceSum{}, small, Capabilities(), {.epilogue = Elementwise{.kind = ElementwiseKind::relu}}).message(),
              "ReduceSum: PrepareOptions::epilogue = Relu must not be given: it follows Conv, ConvTranspose, Gemm or MatMul");
}

// A buffer ends with a whole word, so that three bytes can't hold an output of one.
TEST(ChainPlans, RefuseMemoryThatHoldsNoWholeWordOfBytes)
{
    const TensorDesc inputs[] = {{DType::int8, {0}}};
    Capabilities capabilities;
    capabilities.max_storage_buffer_range = 3;
    EXPECT_EQ(explain(ReduceMax{}, inputs, capabilities).message(),
              "ReduceMax: the device's max_storage_buffer_range = 3 is too small for any part of its tensors");
    capabilities.max_storage_buffer_range = 4;
    EXPECT_TRUE(explain(ReduceMax{}, inputs, capabilities));
}

}  // namespace
}  // namespace vkonnx::plan
