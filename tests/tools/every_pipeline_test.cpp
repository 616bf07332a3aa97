// This file compiles the pipelines that the plans of the suites and case lists use with Mesa's compiler for AMD: every third of
// each kernel, and all in a full run. Each must compile, and no kernel but those of doubles may spill registers. Nothing runs:
// see kit/radv.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "compiled.h"
#include "kit/cases.h"
#include "kit/draw.h"
#include "kit/radv.h"
#include "kit/source_path.h"

namespace vkonnx::tools {
namespace {

Result<std::vector<kit::Case>> all_cases()
{
    Result<std::vector<kit::Case>> all = kit::load_all_cases();
    for (const char* list : {"suite", "quick"})
        for (const char* stem : {"conv_transpose", "average_pool"}) {
            auto cases = kit::load_cases(kit::source_path("tests/cases/" + std::string(list) + "/" + stem + ".txt"));
            if (!all || !cases)
                return all ? cases : all;
            all->insert(all->end(), cases->begin(), cases->end());
        }
    return all;
}

// Returns the device's capabilities, and what they would be without doubles and without texels in buffers.
std::vector<Capabilities> all_capabilities(const Capabilities& device)
{
    std::vector<Capabilities> all(3, device);
    all[1].float64 = false;
    all[2].max_texel_buffer_elements = 1;
    return all;
}

// Adds the plans of every kernel that fits, with inputs that vary and with constant weights, in the operator's order and in any.
void add_plans(const kit::Case& problem, const Capabilities& capabilities, PipelineList& list)
{
    PrepareOptions varying, constant;
    for (size_t i = 1; i < problem.inputs.size(); ++i)
        constant.constants.push_back({.input = i});
    for (PrepareOptions options : {varying, constant})
        for (const bool reproducible : {false, true}) {
            options.reproducible = reproducible;
            options.kernel.clear();
            const auto listed = kernels(problem.attributes, problem.inputs, capabilities, options);
            ASSERT_TRUE(listed) << kit::to_string(problem) << ": " << listed.message();
            for (const KernelInfo& kernel : *listed) {
                if (!kernel.unfit.empty())
                    continue;
                options.kernel = kernel.name;
                const auto explained = explain(problem.attributes, problem.inputs, capabilities, options);
                ASSERT_TRUE(explained) << kit::to_string(problem) << ": " << explained.message();
                list.add(kit::to_string(problem), explained->pipelines);
            }
        }
}

bool is_of_doubles(std::string_view kernel)
{
    return kernel.ends_with("_f64") || kernel.ends_with("_f64_soft");
}

class EveryPipeline : public testing::TestWithParam<const char*> {};

TEST_P(EveryPipeline, CompilesWithoutSpills)
{
    if (const std::string why = kit::pretend(GetParam()); !why.empty())
        GTEST_SKIP() << why;
    const Result<Compiler> compiler = open_compiler("");
    ASSERT_TRUE(compiler) << compiler.message();
    ASSERT_FALSE(compiler->capabilities.is_cpu);
    const auto cases = all_cases();
    ASSERT_TRUE(cases) << cases.message();
    PipelineList list;
    for (const Capabilities& capabilities : all_capabilities(compiler->capabilities))
        for (const kit::Case& problem : *cases)
            ASSERT_NO_FATAL_FAILURE(add_plans(problem, capabilities, list));

    std::map<std::string, size_t> kernels;
    size_t with_products = 0;
    for (const PipelineList::Entry& entry : list.entries()) {
        const std::string kernel(entry.pipeline.kernel());
        if (kernels[kernel]++ % 3 != 0 && !kit::full_run())  // all of them take a minute and a half
            continue;
        const std::string what = kernel + ", " + specialization_text(entry.pipeline.specialization()) + ", for " + entry.user;
        const auto programs = compiler->device.compile(entry.pipeline);
        ASSERT_TRUE(programs) << what << ": " << programs.message();
        ASSERT_EQ(programs->size(), 1u) << what;
        const auto vgprs = statistic(programs->front(), "VGPRs");
        const auto spilled_vgprs = statistic(programs->front(), "Spilled VGPRs");
        const auto spilled_sgprs = statistic(programs->front(), "Spilled SGPRs");
        ASSERT_TRUE(vgprs && spilled_vgprs && spilled_sgprs) << what;
        EXPECT_GT(*vgprs, 0) << what;
        with_products += busiest_block(programs->front()).value_or(Block()).multiply_adds > 0;
        const double spilled = *spilled_vgprs + *spilled_sgprs;
        if (!is_of_doubles(kernel))
            EXPECT_EQ(spilled, 0) << what << " spills " << *spilled_vgprs << " VGPRs and " << *spilled_sgprs << " SGPRs";
        else if (spilled > 0)
            std::printf("%s spills %.0f VGPRs and %.0f SGPRs\n", what.c_str(), *spilled_vgprs, *spilled_sgprs);
    }
    for (const auto& [kernel, pipelines] : kernels)
        std::printf("%s: %zu\n", kernel.c_str(), pipelines);
    EXPECT_GT(with_products, 0u);
}

// The library must refuse in sentences, before a driver sees what it may not survive.
TEST(Compile, RefusesWhatTheDeviceDoesNotOffer)
{
    if (const std::string why = kit::pretend("navi21"); !why.empty())
        GTEST_SKIP() << why;
    const std::vector<TensorDesc> floats = {{DType::float32, {1, 1, 64}}};
    const std::vector<TensorDesc> doubles = {{DType::float64, {1, 1, 64}}};
    const Capabilities desktop = *Capabilities::preset("desktop");
    const auto of_floats = explain(AveragePool{.kernel_shape = {2}}, floats, desktop, {.kernel = "average_pool_direct"});
    const auto of_doubles = explain(AveragePool{.kernel_shape = {2}}, doubles, desktop, {.kernel = "average_pool_direct"});
    ASSERT_TRUE(of_floats && of_doubles);
    const auto said = [](const DeviceOptions& options, const Explanation& explanation) {
        const auto device = Device::open(options);
        if (!device)
            return std::string(device.message());
        const auto programs = device->compile(explanation.pipelines.at(0));
        return programs ? "ok" : std::string(programs.message());
    };
    DeviceOptions options = {.self_test = false};
    EXPECT_EQ(said(options, *of_floats), "Device::compile: average_pool_direct_f32: the device was not opened with "
                                         "DeviceOptions::compiler_statistics");
    options.compiler_statistics = true;
    EXPECT_EQ(said(options, *of_floats), "ok");
    EXPECT_EQ(said(options, *of_doubles), "ok");
    options.capabilities = desktop;
    options.capabilities->float64 = false;
    options.capabilities->max_invocations = 16;
    EXPECT_EQ(said(options, *of_floats),
              "Device::compile: average_pool_direct_f32 was planned for more than the device offers: a "
              "plan breaks its own rules: pipeline 0: a workgroup of 64 invocations");
    EXPECT_EQ(said(options, *of_doubles), "Device::compile: average_pool_direct_f64: the device has no shaderFloat64");
}

INSTANTIATE_TEST_SUITE_P(Radv, EveryPipeline, testing::Values("vega10", "navi10", "navi21", "gfx1100"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace vkonnx::tools
