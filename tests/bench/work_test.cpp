// This file tests the count of useful work against numbers that were worked out elsewhere.
#include "work.h"

#include <gtest/gtest.h>

#include "bench/suite.h"
#include "cli.h"

namespace vkonnx::tools {
namespace {

// A row holds what the suite's table says, rounded as there. A figure may be off by half a unit of its last digit.
struct Row {
    const char* name;
    const char* output;
    double flop, flop_rounding;
    double bytes, bytes_rounding;
};

const Row rows[] = {
    {"ct01", "64x512x4x4", 104.9e6, 0.5e5, 5.4e6, 0.5e5},
    {"ct02", "64x256x8x8", 3.29e9, 0.5e7, 14.7e6, 0.5e5},
    {"ct03", "64x64x32x32", 4.03e9, 0.5e7, 25.7e6, 0.5e5},
    {"ct04", "64x3x64x64", 390.2e6, 0.5e5, 19.9e6, 0.5e5},
    {"ct05", "1x4096x65x65", 38.65e9, 0.5e7, 161.5e6, 0.5e5},
    {"ct06", "1x32x1025x1025", 9.66e9, 0.5e7, 201.7e6, 0.5e5},
    {"ct07", "1x512x2x2", 2.1e6, 0.5e5, 16.8e6, 0.5e5},
    {"ct08", "1x512x32x32", 4.03e9, 0.5e7, 36.7e6, 0.5e5},
    {"ct10", "1x512x64x64", 4.29e9, 0.5e7, 21.0e6, 0.5e5},
    {"ct11", "1x64x512x512", 4.29e9, 0.5e7, 100.8e6, 0.5e5},
    {"ct13", "2x32x128x128x128", 17.18e9, 0.5e7, 671.2e6, 0.5e5},
    {"ct14", "1x64x64x64x64", 14.05e9, 0.5e7, 84.8e6, 0.5e5},
    {"ct15", "32x256x8x8x8", 23.02e9, 0.5e7, 54.5e6, 0.5e5},
    {"ct16", "1x21x560x560", 1.09e9, 0.5e7, 27.2e6, 0.5e5},
    {"ct17", "1x21x560x560", 51.9e6, 0.5e5, 26.8e6, 0.5e5},
    {"ct18", "1x1x540x960", 519.0e6, 0.5e5, 15.0e6, 0.5e5},
    {"ct19", "16x256x256", 2.11e9, 0.5e7, 13.6e6, 0.5e5},
    {"ct20", "16x32x8192", 1.07e9, 0.5e7, 33.6e6, 0.5e5},
    {"ct21", "1x80x103168", 5.24e9, 0.5e7, 59.4e6, 0.5e5},
    {"ct22", "8x1x448512", 116.83e9, 0.5e7, 138.5e6, 0.5e5},
    {"ct24", "1x128x440000", 28.84e9, 0.5e7, 338.2e6, 0.5e5},
    {"ct25", "4x64x180x240", 3.16e9, 0.5e7, 55.4e6, 0.5e5},
    {"ct26", "100x256x28x28", 10.28e9, 0.5e7, 101.4e6, 0.5e5},
    {"ct29", "8x256x64x64", 65.0e6, 0.5e5, 42.0e6, 0.5e5},
    {"ct30", "4x64x128x128", 4.73e9, 0.5e7, 33.7e6, 0.5e5},
    {"ct31", "4x64x112x112", 223.0e6, 0.5e5, 16.1e6, 0.5e5},
    {"ct32", "32x3x128x128", 1.59e9, 0.5e7, 73.4e6, 0.5e5},
    {"ct33", "8x64x222x222", 822.1e6, 0.5e5, 107.4e6, 0.5e5},
    {"ap01", "32x128x28x28", 12.8e6, 0.5e5, 64.2e6, 0.5e5},
    {"ap02", "32x512x7x7", 3.2e6, 0.5e5, 16.1e6, 0.5e5},
    {"ap03", "32x288x35x35", 101.6e6, 0.5e5, 90.3e6, 0.5e5},
    {"ap04", "32x288x35x35", 101.6e6, 0.5e5, 90.3e6, 0.5e5},
    {"ap06", "32x2048x1x1", 3.2e6, 0.5e5, 13.1e6, 0.5e5},
    {"ap07", "32x256x28x28", 25.7e6, 0.5e5, 128.5e6, 0.5e5},
    {"ap08", "4x64x1x1", 16.8e6, 0.5e5, 67.1e6, 0.5e5},
    {"ap09", "1x64x225x225", 3.32e9, 0.5e7, 29.7e6, 0.5e5},
    {"ap10", "1x3x2048x2048", 12.09e9, 0.5e7, 100.7e6, 0.5e5},
    {"ap11a", "1x2048x1x1", 7.4e6, 0.5e5, 29.5e6, 0.5e5},
    {"ap11b", "1x2048x2x2", 7.4e6, 0.5e5, 29.5e6, 0.5e5},
    {"ap11d", "1x2048x6x6", 7.4e6, 0.5e5, 29.8e6, 0.5e5},
    {"ap12", "8x2048x1x1x1", 6.4e6, 0.5e5, 25.8e6, 0.5e5},
    {"ap13", "1x32x8x28x28", 1.6e6, 0.5e5, 7.2e6, 0.5e5},
    {"ap14", "2x64x16x112x112", 693.6e6, 0.5e5, 205.5e6, 0.5e5},
    {"ap15", "8x64x8000", 20.5e6, 0.5e5, 81.9e6, 0.5e5},
    {"ap17", "32x64x500x32", 131.1e6, 0.5e5, 655.4e6, 0.5e5},
    {"ap18", "8x64x112x112", 57.8e6, 0.5e5, 51.4e6, 0.5e5},
    {"ap19", "1x64x4x4", 0.0e6, 0.5e5, 20e3, 0.5e3},
};

Work work(const std::string& op, const std::string& line)
{
    const Result<kit::Case> problem = kit::parse_case(op, "c " + line);
    EXPECT_TRUE(problem) << problem.message();
    const Result<Work> counted = work_of(*problem);
    EXPECT_TRUE(counted) << counted.message();
    return *counted;
}

TEST(Work, SuiteIsTheTable)
{
    const Result<std::vector<kit::Case>> cases = bench::built_in_cases(bench::full_suite);
    ASSERT_TRUE(cases) << cases.message();
    ASSERT_EQ(cases->size(), std::size(rows));
    for (size_t i = 0; i < cases->size(); ++i) {
        const Row& row = rows[i];
        EXPECT_EQ((*cases)[i].name, row.name);
        const Result<Work> counted = work_of((*cases)[i]);
        ASSERT_TRUE(counted) << row.name << ": " << counted.message();
        EXPECT_EQ(dims_text(counted->output.dims), row.output) << row.name;
        EXPECT_NEAR(double(counted->flop), row.flop, row.flop_rounding) << row.name;
        EXPECT_NEAR(double(counted->bytes), row.bytes, row.bytes_rounding) << row.name;
    }
}

TEST(Work, CountsOnlyPairsInsideTheOutput)
{
    // 3 positions and 2 taps make 6 pairs, all of them inside the 4 outputs.
    EXPECT_EQ(work("conv_transpose", "x=1x1x3 w=1x1x2").flop, 2 * 6);
    // The pads cut off the first and the last output, each of which had one pair.
    EXPECT_EQ(work("conv_transpose", "x=1x1x3 w=1x1x2 pads=1,1").flop, 2 * 4);
    // output_padding adds outputs that no pair meets.
    EXPECT_EQ(work("conv_transpose", "x=1x1x3 w=1x1x2 strides=3 output_padding=1").flop, 2 * 6);
    // Each input channel meets the output channels of its group.
    EXPECT_EQ(work("conv_transpose", "x=2x4x3 w=4x5x2 group=2").flop, 2 * 6 * 2 * 4 * 5);
    // The same holds in oneDNN's dialect, wherever the channels lie.
    EXPECT_EQ(work("onednn_conv_transpose", "x=2x3x4 w=2x4x5 strides=1 pads_begin=0 pads_end=0 dilations=1 groups=2").flop,
              2 * 6 * 2 * 4 * 5);
    // The pairs of several axes multiply.
    EXPECT_EQ(work("conv_transpose", "x=1x1x3x5 w=1x1x2x3 pads=1,0,1,0").flop, 2 * 4 * 15);
    EXPECT_EQ(work("average_pool", "x=1x2x5 kernel_shape=3 pads=1,1").flop, 2 * 5 * 3);
    EXPECT_EQ(work("average_pool", "x=1x2x5 kernel_shape=3 pads=1,1").bytes, 4 * (10 + 10));
    EXPECT_EQ(work("conv_transpose", "x=1x1x3 w=1x2x2 b").bytes, 4 * (3 + 4 + 2 + 8));
    EXPECT_EQ(work("conv_transpose", "x=1x6x3 w=6x1x2").taps_per_output, 9);  // 36 pairs on 4 outputs
    EXPECT_EQ(work("conv_transpose", "x=1x6x3 w=6x1x2").terms, 36);
    EXPECT_EQ(work("average_pool", "x=1x2x5 kernel_shape=3 pads=1,1").terms, 2 * 5 * 3);
    EXPECT_EQ(work("shape", "x=2x3").terms, 0);  // answered without the elements
}

TEST(Work, CountsWhatIsMultipliedAddedOrCompared)
{
    // 3 outputs and 3 taps make 9 pairs. Each is a multiplication and an addition.
    EXPECT_EQ(work("conv", "x=1x1x5 w=1x1x3").flop, 2 * 9);
    // The pads add two outputs, and at each of them one tap meets nothing.
    EXPECT_EQ(work("conv", "x=1x1x5 w=1x1x3 pads=1,1").flop, 2 * 13);
    EXPECT_EQ(work("conv", "x=1x1x9 w=1x1x3 pads=2,2 strides=2 dilations=2").flop, 2 * (5 * 3 - 2));
    EXPECT_EQ(work("conv", "x=2x4x5 w=6x2x3 group=2").flop, 2 * 9 * 2 * 6 * 2);
    EXPECT_EQ(work("conv", "x=2x4x5 w=6x2x3 group=2").taps_per_output, 6);
    EXPECT_EQ(work("conv", "x=1x2x5 w=3x2x3 b").bytes, 4 * (10 + 18 + 3 + 9));
    EXPECT_EQ(work("gemm", "a=2x3 b=3x5 c=5").flop, 2 * 2 * 5 * 3);
    EXPECT_EQ(work("gemm", "a=3x2 b=5x3 transA=1 transB=1").flop, 2 * 2 * 5 * 3);
    EXPECT_EQ(work("matmul", "a=4x2x3 b=3x5").flop, 2 * 4 * 2 * 5 * 3);
    EXPECT_EQ(work("matmul", "a=7 b=7").flop, 2 * 7);
    EXPECT_EQ(work("max_pool", "x=1x2x5 kernel_shape=3 pads=1,1").flop, 2 * 5 * 3);
    EXPECT_EQ(work("global_average_pool", "x=2x3x5x7").flop, 210);
    EXPECT_EQ(work("global_average_pool", "x=2x3x5x7").taps_per_output, 35);
    EXPECT_EQ(work("reduce_sum", "x=4x5 axes=1").flop, 20);
}

TEST(Work, CountsOnlyTheBytesOfWhatComputesLittle)
{
    EXPECT_EQ(work("elementwise", "op=Add a=2x3 b=3 steps=Relu").flop, 0);
    EXPECT_EQ(work("elementwise", "op=Add a=2x3 b=3 steps=Relu").bytes, 4 * (6 + 3 + 6));
    EXPECT_EQ(work("batch_normalization", "x=2x3x5 scale=3 b=3 mean=3 var=3").flop, 0);
    EXPECT_EQ(work("resize", "x=1x1x4 scales=1,1,2").bytes, 4 * (4 + 8));
    EXPECT_EQ(work("transpose", "a=2x3 type=float16").bytes, 2 * 12);
    EXPECT_EQ(work("softmax", "x=2x3").taps_per_output, 1);
}

TEST(Work, FloorIsTheSlowerOfArithmeticAndMemory)
{
    const auto floor = [](const std::string& op, const std::string& line, double flops, double bytes) {
        const Result<kit::Case> problem = kit::parse_case(op, "c " + line);
        return floor_seconds(*problem, work(op, line), flops, bytes);
    };
    const std::string conv = "x=1x1x3 w=1x1x2";  // 12 operations, 36 bytes
    EXPECT_EQ(floor("conv_transpose", conv, 12, 1e9), 1);
    EXPECT_EQ(floor("conv_transpose", conv, 1e9, 36), 1);
    EXPECT_EQ(floor("conv", "x=1x1x3 w=1x1x2", 8, 1e9), 1);  // 4 pairs
    EXPECT_EQ(floor("gemm", "a=2x3 b=3x5", 60, 1e9), 1);
    EXPECT_EQ(floor("matmul", "a=2x3 b=3x5", 60, 1e9), 1);
    EXPECT_EQ(floor("max_pool", "x=1x1x8 kernel_shape=4 pads=2,1", 1, 64), 1);
    EXPECT_EQ(floor("elementwise", "op=Relu a=8", 1, 64), 1);
    // The additions of a pool may be shared between its windows, so that only bytes count.
    EXPECT_EQ(floor("average_pool", "x=1x1x8 kernel_shape=4 pads=2,1", 1, 64), 1);
}

TEST(Work, RefusesWhatTheOperatorRefuses)
{
    const Result<kit::Case> problem = kit::parse_case("average_pool", "c x=1x1x3 kernel_shape=5");
    ASSERT_TRUE(problem);
    EXPECT_FALSE(work_of(*problem));
}

// The problem must be refused before anything is counted or filled.
TEST(Work, RefusesWhatNoHostCanVerify)
{
    const auto refusal = [](const std::string& op, const std::string& line) {
        const Result<kit::Case> problem = kit::parse_case(op, "c " + line);
        EXPECT_TRUE(problem) << problem.message();
        const Result<Work> counted = work_of(*problem);
        EXPECT_EQ(counted.code(), Code::unsupported) << line;
        return std::string(counted.message());
    };
    EXPECT_EQ(refusal("average_pool", "x=1x1x600000000 kernel_shape=2"),
              "the elements of float[1,1,600000000] are more than 536870912, the most for a benchmark");
    EXPECT_EQ(refusal("conv_transpose", "x=1x1x500000000 w=1x1x1000"),
              "the pairs of 500000000 positions and 1000 taps are more than 2147483648, the most for a benchmark");
    EXPECT_EQ(refusal("average_pool", "x=1x1x1x1 kernel_shape=40000,40000 pads=39999,39999,39999,39999 strides=40000,40000"),
              "the taps of a window are more than 536870912, the most for a benchmark");
}

}  // namespace
}  // namespace vkonnx::tools
