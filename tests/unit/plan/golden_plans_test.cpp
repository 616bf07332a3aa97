// This file compares what would run for a list of problems, on general presets and a chip of each vendor, with golden_plans.txt.
// A change of kernels, cuts or memory shows there as lines of a diff, and is made on purpose. VKONNX_UPDATE_GOLDEN=1 writes the
// file anew.
#include <vkonnx/vkonnx.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "kit/cases.h"
#include "kit/source_path.h"

namespace vkonnx::plan {
namespace {

using kit::Case;

const std::string folder = kit::source_path("tests/");

constexpr std::string_view presets[] = {"minimum",       "lavapipe",    "swiftshader", "desktop",  "mobile",
                                        "nvidia-turing", "amd-navi21",  "intel-dg2",   "apple-m1", "adreno-740",
                                        "mali-g610",     "powervr-bxs", "broadcom-pi4"};

struct Line {
    std::string_view operator_name;
    std::string_view text;
};

// clang-format off
// These problems are not in the benchmark suite: one layer each in other types, layouts and the other dialect, and what is large
// or odd.
const Line lines[] = {
    {"conv_transpose", "f16              x=64x128x16x16 w=128x64x4x4 type=float16 strides=2,2 pads=1,1,1,1"},
    {"conv_transpose", "bf16             x=64x128x16x16 w=128x64x4x4 type=bfloat16 strides=2,2 pads=1,1,1,1"},
    {"conv_transpose", "double           x=64x128x16x16 w=128x64x4x4 type=double strides=2,2 pads=1,1,1,1"},
    {"conv_transpose", "nxc              x=64x16x16x128 w=128x64x4x4 layout=NXC strides=2,2 pads=1,1,1,1"},
    {"conv_transpose", "nxc_f16          x=64x16x16x128 w=128x64x4x4 type=float16 layout=NXC strides=2,2 pads=1,1,1,1"},
    {"onednn_conv_transpose", "xio       x=64x16x16x128 w=4x4x128x64 strides=2,2 pads_begin=1,1 pads_end=1,1 dilations=1,1"},
    {"onednn_conv_transpose", "oix_bf16  x=64x16x16x128 w=64x128x4x4 type=bfloat16 strides=2,2 pads_begin=1,1 pads_end=1,1 dilations=1,1 filter_format=OIX"},
    {"onednn_conv_transpose", "frames    x=8x16x128x128x64 w=1x4x4x64x32 b strides=1,2,2 pads_begin=0,1,1 pads_end=0,1,1 dilations=1,1,1"},
    {"conv_transpose", "axes_4           x=1x8x6x10x12x14 w=8x4x2x3x3x3 b strides=2,1,2,1"},
    {"conv_transpose", "axes_6           x=1x2x3x4x5x6x7x8 w=2x3x2x3x2x3x2x3"},
    {"conv_transpose", "axes_4_to_2      x=2x7x1x30x1x40 w=7x5x1x3x1x3"},
    {"conv_transpose", "spread_3_d       x=2x64x1x1x1 w=64x32x4x4x4 type=float16"},
    {"conv_transpose", "no_channels      x=2x0x30x50 w=0x3x3x3 b strides=2,2"},
    {"conv_transpose", "no_batch         x=0x2x5x7 w=2x3x3x3"},
    {"conv_transpose", "long_phase       x=1x1x3 w=1x1x5 strides=70001 dilations=35000"},
    {"conv_transpose", "many_channels    x=1x70001x2 w=70001x1x1 b"},
    {"conv_transpose", "many_channels_h  x=1x70001x2 w=70001x1x1 b type=float16"},
    {"conv_transpose", "many_taps        x=1x1x70003 w=1x1x70001 pads=70000,70000"},
    {"conv_transpose", "x_600_mib        x=1x150x1024x1024 w=150x1x1x1 group=150"},
    {"conv_transpose", "w_600_mib        x=1x15360x1x1 w=15360x10240x1x1"},
    {"conv_transpose", "y_600_mib        x=1x150x512x512 w=150x1x2x2 strides=2,2 group=150 type=bfloat16"},
    {"conv_transpose", "x_8_gib          x=1x2x32768x32768 w=2x1x1x1"},
    {"average_pool", "f16                x=32x256x56x56 kernel_shape=2,2 strides=2,2 type=float16"},
    {"average_pool", "bf16               x=32x256x56x56 kernel_shape=2,2 strides=2,2 type=bfloat16"},
    {"average_pool", "double             x=32x256x56x56 kernel_shape=2,2 strides=2,2 type=double"},
    {"average_pool", "nxc                x=32x56x56x256 kernel_shape=2,2 strides=2,2 layout=NXC"},
    {"average_pool", "nxc_f16            x=32x56x56x256 kernel_shape=2,2 strides=2,2 layout=NXC type=float16"},
    {"average_pool", "frames             x=2x16x30x112x112 kernel_shape=1,3,3 pads=0,1,1,0,1,1"},
    {"average_pool", "last_axis          x=2x16x30x112 kernel_shape=5,1 strides=5,1"},
    {"average_pool", "moving             x=1x16x20000 kernel_shape=25 pads=12,12"},
    {"average_pool", "axes_5             x=1x4x6x7x8x9x10 kernel_shape=2,3,2,3,2 strides=2,2,2,2,2"},
    {"average_pool", "identity           x=2x3x50x70 kernel_shape=1,1"},
    {"average_pool", "global_3_d         x=1x64x40x41x42 kernel_shape=40,41,42"},
    {"average_pool", "global_half        x=1x64x40x41x42 kernel_shape=40,41,42 type=float16"},
    {"average_pool", "global_double      x=1x64x40x41x42 kernel_shape=40,41,42 type=double"},
    {"average_pool", "window_16_k        x=1x3x256x256 kernel_shape=128,128"},
    {"average_pool", "x_600_mib          x=1x150x1024x1024 kernel_shape=2,2 strides=2,2"},
    {"average_pool", "one_sum_of_2_31    x=1x1x2147483647 kernel_shape=2147483647"},
    {"average_pool", "no_channels        x=2x0x5x5 kernel_shape=2,2"},
    {"max_pool", "f32                    x=32x64x112x112 kernel_shape=3,3 strides=2,2 pads=1,1,1,1"},
    {"max_pool", "f16                    x=32x256x56x56 kernel_shape=2,2 strides=2,2 type=float16"},
    {"max_pool", "uint8                  x=32x56x56x256 kernel_shape=2,2 strides=2,2 layout=NXC type=uint8"},
    {"max_pool", "frames                 x=2x16x30x112x112 kernel_shape=1,3,3 pads=0,1,1,0,1,1"},
    {"max_pool", "indices                x=2x16x30x112x112 kernel_shape=1,3,3 pads=0,1,1,0,1,1 outputs=2"},
    {"max_pool", "indices_double         x=32x256x56x56 kernel_shape=2,2 strides=2,2 outputs=2 type=double"},
    {"max_pool", "window_16_k            x=1x3x256x256 kernel_shape=128,128 outputs=2"},
    {"max_pool", "x_600_mib              x=1x150x1024x1024 kernel_shape=2,2 strides=2,2 outputs=2"},
    {"max_pool", "no_channels            x=2x0x5x5 kernel_shape=2,2 outputs=2"},
    {"shape", "shape                     x=2x3x5x7 start=1"},
    {"reduce_sum", "columns              x=1048576x3 axes=0 type=float16"},
    {"reduce_max", "bytes                x=3x640x480 axes=0,2 type=uint8"},
    {"cum_sum", "rows                    x=64x1000 axis=1"},
    {"cum_sum", "columns_600_mib         x=1x150x1024x1024 axis=1 type=float16"},
    {"scatter_elements", "rows           x=1000x64 indices=5000x64 updates=5000x64 reduction=add"},
    {"scatter_elements", "shorter        x=64x1000x32 indices=64x5000x8 updates=64x5000x8 axis=1 type=float16"},
    {"scatter_nd", "cache                x=8x2048x128 indices=8x2 updates=8x128"},
    {"scatter_nd", "image                x=3x224x224 indices=3x224x112x3 updates=3x224x112"},
    {"scatter_nd", "sums_600_mib         x=150x1024x1024 indices=64x1 updates=64x1024x1024 reduction=max"},
    {"arg_max", "classes                 x=1x21x512x512 axis=1"},
    {"arg_max", "classes_600_mib         x=1x150x1024x1024 axis=1"},
    {"topk", "detections             x=1x25200 k=300"},
    {"topk", "tokens                 x=8x50257 k=50 type=float16"},
    {"topk", "columns                x=1x1000x3x5 k=100 axis=1 type=int64 outputs=1"},
    {"arg_max", "tokens                  x=8x50257 axis=-1 type=float16 keepdims=0"},
    {"arg_min", "doubles                 x=64x1000 axis=1 type=double"},
    {"reduce_l2", "rows                  x=32x50000 axes=1"},
    {"reduce_log_sum_exp", "groups       x=31x3x41 axes=0,2 type=float16"},
    {"elementwise", "flat                op=Relu a=64x256x56x56"},
    {"elementwise", "flat_half           op=Relu a=64x256x56x56 type=float16"},
    {"elementwise", "bias                op=Add a=64x256x56x56 b=256x1x1"},
    {"elementwise", "scalar              op=Mul a=32x1000 b=scalar type=double"},
    {"elementwise", "alternating         op=Add a=9x1x8x1x7x1x6 b=1x5x1x6x1x7x1"},
    {"elementwise", "many                op=Sum a=64x56x56 b=56x1 c=64x1x1 d=56 e=64x56x56 f=56x56 g=scalar"},
    {"elementwise", "many_halves         op=Sum a=64x56x56 b=56x1 c=64x1x1 d=56 e=64x56x56 f=56x56 g=scalar type=bfloat16"},
    {"elementwise", "bytes               op=Max a=640x480x3 b=3 type=uint8"},
    {"elementwise", "y_600_mib           op=Add a=150x1024x1024 b=1024"},
    {"elementwise", "steps               op=Mul a=64x256x56x56 b=256x1x1 c=256x1x1 steps=Add,Relu"},
    {"elementwise", "steps_half          op=Identity a=64x256x56x56 steps=Add:3,Clip:min=0:max=6 type=float16"},
    {"elementwise", "empty               op=Add a=3x0 b=1"},
    {"cast", "half                       x=64x256x56x56 to=10"},
    {"cast", "bytes                      x=640x480x3 type=uint8 to=1"},
    {"cast", "y_600_mib                  x=150x1024x1024 to=7 type=int32"},
    {"resize", "twice                    x=1x64x128x128 scales=1,1,2,2"},
    {"resize", "fraction                 x=1x64x128x128 scales=1,1,1.5,0.7 type=uint8"},
    {"resize", "linear                   x=1x64x128x128 scales=1,1,2,2 mode=linear"},
    {"resize", "linear_half              x=1x64x128x128 scales=1,1,2,2 mode=linear type=float16"},
    {"resize", "cubic_double             x=1x8x128x128 scales=1,1,2,2 mode=cubic type=double"},
    {"resize", "antialias                x=1x3x1024x768 sizes=1,3,32,24 mode=linear antialias=1"},
    {"resize", "four_axes                x=4x6x8x10 scales=2,2,2,2 mode=linear"},
    {"resize", "empty                    x=3x0 scales=2,2"},
};
// clang-format on

std::vector<Case> problems()
{
    std::vector<Case> result;
    for (const std::string_view file : {"cases/suite/conv_transpose.txt", "cases/suite/average_pool.txt"}) {
        const Result<std::vector<Case>> suite = kit::load_cases(folder + std::string(file));
        EXPECT_TRUE(suite) << suite.message();
        if (suite)
            result.insert(result.end(), suite->begin(), suite->end());
    }
    for (const Line& line : lines) {
        const Result<Case> problem = kit::parse_case(line.operator_name, line.text);
        EXPECT_TRUE(problem) << problem.message();
        if (problem)
            result.push_back(*problem);
    }
    return result;
}

// Returns "conv_transpose_direct_f32, 3 dispatches, the first of 1024x1x1 groups, scratch 8 bytes: the first choice for this
// problem", with the modules where they bear other names.
std::string explained(const Case& problem, std::string_view preset)
{
    const Result<Explanation> explained = explain(problem.attributes, problem.inputs, *Capabilities::preset(preset));
    std::ostringstream text;
    if (!explained) {
        text << "refused: " << explained.message();
        return text.str();
    }
    text << explained->kernel;
    const char* before = " by ";
    for (const PlannedPipeline& pipeline : explained->pipelines)
        if (pipeline.kernel() != explained->kernel)
            text << std::exchange(before, ", ") << pipeline.kernel();
    if (!explained->grids.empty()) {
        const std::array<uint32_t, 3>& first = explained->grids.front();
        const size_t dispatches = explained->grids.size();
        text << ", " << dispatches << (dispatches == 1 ? " dispatch of " : " dispatches, the first of ") << first[0] << "x"
             << first[1] << "x" << first[2] << " groups";
    }
    if (explained->scratch_bytes != 0)
        text << ", scratch " << explained->scratch_bytes << " bytes";
    text << ": " << explained->why;
    return text.str();
}

// Returns the problem and what is told of it. Presets that agree share a line.
std::string block_of(const Case& problem)
{
    std::vector<std::pair<std::string, std::string>> outcomes;  // presets, and what is told for them
    for (const std::string_view preset : presets) {
        const std::string outcome = explained(problem, preset);
        const auto same = std::find_if(outcomes.begin(), outcomes.end(), [&](const auto& o) { return o.second == outcome; });
        if (same == outcomes.end())
            outcomes.emplace_back(preset, outcome);
        else
            same->first += " " + std::string(preset);
    }
    std::string block = std::string(kit::operator_of(problem)) + " " + to_string(problem) + "\n";
    for (const auto& [names, outcome] : outcomes)
        block += "  " + (outcomes.size() == 1 ? "all" : names) + " -> " + outcome + "\n";
    return block;
}

constexpr std::string_view head =
    "# What runs for a problem, by presets of Capabilities. Written by VKONNX_UPDATE_GOLDEN=1 unit_plan "
    "--gtest_filter=GoldenPlans.*\n";

// Returns the file's blocks by their first line.
std::map<std::string, std::string> blocks_in(std::istream& file)
{
    std::map<std::string, std::string> blocks;
    std::string heading;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#')
            continue;
        if (line[0] != ' ')
            heading = line;
        blocks[heading] += line + "\n";
    }
    return blocks;
}

// Returns the lines of `text` that `other` lacks, each behind a sign.
std::string lines_without(const std::string& text, const std::string& other, char sign)
{
    std::string result;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        if (("\n" + other).find("\n" + line + "\n") == std::string::npos)
            result += std::string(1, sign) + line + "\n";
    return result;
}

TEST(GoldenPlans, AreThoseWrittenDown)
{
    const std::string path = folder + "unit/plan/golden_plans.txt";
    if (std::getenv("VKONNX_UPDATE_GOLDEN")) {
        std::ofstream file(path);
        file << head;
        for (const Case& problem : problems())
            file << "\n" << block_of(problem);
        ASSERT_TRUE(file.good()) << path;
    }
    std::ifstream file(path);
    ASSERT_TRUE(file.is_open()) << path;
    std::map<std::string, std::string> expected = blocks_in(file);
    for (const Case& problem : problems()) {
        const std::string block = block_of(problem);
        const std::string heading = block.substr(0, block.find('\n'));
        const std::string written = expected[heading];
        EXPECT_TRUE(written == block) << heading << "\n"
                                      << lines_without(written, block, '-') << lines_without(block, written, '+')
                                      << "(VKONNX_UPDATE_GOLDEN=1 writes golden_plans.txt anew)";
        expected.erase(heading);
    }
    for (const auto& [heading, block] : expected)
        ADD_FAILURE() << "golden_plans.txt has a problem that is gone: " << heading;
}

}  // namespace
}  // namespace vkonnx::plan
