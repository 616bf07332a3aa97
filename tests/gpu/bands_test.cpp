// This file tests PrepareOptions::scratch_budget and max_dispatch_seconds. Convolutions pack what they read in bands, one after
// the other, and cut packing, multiplying and rounding into short dispatches. Both must give the same bits as all at once,
// whatever the kernel, the type and the axis that is cut.
#include <gtest/gtest.h>

#include <algorithm>

#include "case_devices.h"
#include "kit/compare.h"
#include "kit/elements.h"
#include "run_case.h"

namespace vkonnx::gpu_test {
namespace {

using kit::Case;
using kit::Fill;
using Bytes = std::vector<std::byte>;

// The number of outputs along the first axis that has more than one is no multiple of any band's.
constexpr std::pair<const char*, const char*> lines[] = {
    {"conv", "two_axes x=2x7x53x13 w=6x7x3x3 b pads=1,1,2,1"},
    {"conv", "strides x=1x5x197x24 w=17x5x5x3 strides=2,1 dilations=2,2 pads=4,1,4,1"},
    {"conv", "one_axis x=2x6x1301 w=5x6x7 b pads=3,3"},
    {"conv", "three_axes x=2x3x37x9x8 w=5x3x3x2x3 b pads=1,0,1,1,1,1"},
    {"conv", "first_axis_is_one x=1x3x1x61x14 w=4x3x1x3x2 pads=0,1,0,0,1,1"},
    {"conv", "groups x=1x67x11x12 w=8x6x3x2 b group=2 layout=NXC pads=1,0,1,1"},
    {"conv", "halves x=1x9x61x11 w=5x9x3x3 b type=float16 pads=1,1,1,1"},
    {"conv", "doubles x=2x6x47x10 w=7x6x3x1 b type=double"},
    {"conv_transpose", "phases x=1x7x61x9 w=7x3x9x9 b strides=3,3 pads=4,4,4,4 output_padding=2,1"},
    {"conv_transpose", "one_axis x=2x6x811 w=6x5x4 strides=2 pads=1,1"},
    {"conv_transpose", "dilations x=1x5x71x8 w=5x4x3x3 strides=2,1 dilations=2,3 group=1"},
    {"conv_transpose", "three_axes x=1x4x41x7x6 w=4x3x2x3x3 strides=2,1,2 type=bfloat16"},
    {"onednn_conv_transpose", "last x=1x59x12x6 w=4x4x6x5 b strides=2,2 pads_begin=1,1 pads_end=1,0 dilations=1,1"},
    {"matmul", "rows a=1301x9 b=9x12"},
    {"matmul", "columns a=257x9 b=9x1100"},
};

constexpr const char* engines[] = {"conv_gemm",   "conv_gemm_shared",  "conv_transpose_phases", "conv_transpose_phases_shared",
                                   "matmul_gemm", "matmul_gemm_shared"};

bool is_engine(std::string_view kernel)
{
    return std::find(std::begin(engines), std::end(engines), kernel) != std::end(engines);
}

// This struct is a problem, a device and a kernel of the engine that fits both.
struct Engine {
    const Case& problem;
    const PresentDevice& present;
    CaseDevice& on;
    std::string kernel;

    Result<Explanation> explained(PrepareOptions options) const
    {
        options.kernel = kernel;
        return explain(problem.attributes, problem.inputs, on.device().capabilities(), options);
    }
};

// Demands the bits of the whole problem from the problem as the options cut it.
void expect_same_bits(const Engine& engine, PrepareOptions options)
{
    options.kernel = engine.kernel;
    for (const Fill fill : {Fill::reals, Fill::specials}) {
        const std::vector<kit::RealTensor> inputs = fill_inputs(engine.problem, fill);
        const Result<Bytes> expected = computed(engine.on.device(), engine.problem, inputs, {.kernel = engine.kernel});
        const Result<Bytes> got = computed(engine.on.device(), engine.problem, inputs, options);
        ASSERT_TRUE(expected && got) << expected.message() << got.message();
        EXPECT_TRUE(kit::same_bits(engine.problem.inputs[0].dtype, *got, *expected));
    }
}

class Bands : public testing::TestWithParam<std::pair<const char*, const char*>> {
public:
    // Calls the function for every engine of the problem, on one of the devices, or on each in a full run.
    template <typename Function>
    static void for_each_engine(Function expect)
    {
        const Result<Case> problem = kit::parse_case(GetParam().first, GetParam().second);
        ASSERT_TRUE(problem) << problem.message();
        size_t engines_met = 0;
        const size_t turn = size_t(std::find(std::begin(lines), std::end(lines), GetParam()) - std::begin(lines));
        for (const PresentDevice& present : devices_in_turn(turn)) {
            const Result<std::shared_ptr<CaseDevice>> on = CaseDevice::shared(present.index);
            ASSERT_TRUE(on) << on.message();
            const auto listed = kernels(problem->attributes, problem->inputs, (*on)->device().capabilities(), {});
            ASSERT_TRUE(listed) << listed.message();
            for (const KernelInfo& kernel : *listed) {
                if (!is_engine(kernel.name) || !kernel.unfit.empty())
                    continue;
                SCOPED_TRACE(present.label + ", " + kernel.name);
                expect(Engine{*problem, present, **on, kernel.name});
                ++engines_met;
            }
            EXPECT_EQ((*on)->shim().guard_report(), "");
            EXPECT_EQ((*on)->take_messages(), "");
        }
        EXPECT_GT(engines_met, 0u);
    }
};

INSTANTIATE_TEST_SUITE_P(Scratch, Bands, testing::ValuesIn(lines), [](const auto& info) {
    const std::string_view line = info.param.second;
    return info.param.first + ("_" + std::string(line.substr(0, line.find(' '))));
});

TEST_P(Bands, TakeLessMemoryAndGiveTheSameBits)
{
    for_each_engine([](const Engine& engine) {
        const auto whole = engine.explained({});
        const auto bands = engine.explained({.scratch_budget = 0});
        ASSERT_TRUE(whole && bands) << whole.message() << bands.message();
        // Other devices are kept busy by larger bands than these problems have.
        if (engine.on.device().capabilities().is_cpu) {
            ASSERT_GE(bands->grids.size(), whole->grids.size() + 2) << "a band more has X packed and multiplied";
            EXPECT_LT(bands->scratch_bytes, whole->scratch_bytes);
        }
        expect_same_bits(engine, {.scratch_budget = 0});
    });
}

TEST_P(Bands, AreCutIntoShortDispatchesAndGiveTheSameBits)
{
    for_each_engine([](const Engine& engine) {
        const auto whole = engine.explained({});
        ASSERT_TRUE(whole) << whole.message();
        PrepareOptions options = {.max_dispatch_seconds = 1};  // the shortest, as a power of two, that the kernel can keep to
        for (PrepareOptions shorter = options; engine.explained(shorter); shorter.max_dispatch_seconds /= 2)
            options = shorter;
        const auto cut = engine.explained(options);
        ASSERT_TRUE(cut) << cut.message();
        EXPECT_GT(cut->grids.size(), whole->grids.size());
        expect_same_bits(engine, options);
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
