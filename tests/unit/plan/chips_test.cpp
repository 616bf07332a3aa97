// This file plans the whole case lists for each chip of src/api/chips, as its driver describes it.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "kit/cases.h"
#include "kit/source_path.h"
#include "plan/operators/operators.h"

namespace vkonnx::plan {
namespace {

using Names = std::set<std::string>;

// Returns the vendor, by which the name of a chip begins: "amd-navi21".
std::string vendor_of(std::string_view name)
{
    const size_t end = name.find('-');
    return end == name.npos ? "" : std::string(name.substr(0, end));
}

std::vector<Capabilities> chips()
{
    std::vector<Capabilities> all;
    for (const std::string_view name : Capabilities::preset_names())
        if (!vendor_of(name).empty())
            all.push_back(*Capabilities::preset(name));
    return all;
}

TEST(Chips, EachFileIsAPreset)
{
    Names files;
    for (const auto& entry : std::filesystem::directory_iterator(kit::source_path("src/api/chips")))
        files.insert(entry.path().stem().string());
    Names names;
    Names vendors;
    for (const Capabilities& chip : chips()) {
        names.insert(chip.name);
        vendors.insert(vendor_of(chip.name));
        EXPECT_FALSE(chip.is_cpu) << chip.name;
        // What Vulkan 1.1 guarantees is the least of all limits; the greatest alignment is the worst.
        const Capabilities least;
        Capabilities lowered = chip.lowered_to(least);
        lowered.name = least.name;
        lowered.invocation_registers = least.invocation_registers;  // no limit of Vulkan's: NVIDIA's oldest chips have 63
        lowered.work_per_second = least.work_per_second;
        EXPECT_EQ(lowered, least) << chip.name;
    }
    EXPECT_EQ(names, files);
    EXPECT_EQ(vendors, (Names{"adreno", "amd", "apple", "broadcom", "intel", "mali", "nvidia", "powervr"}));
}

// Tells whether a module of products multiplies, by its name. Others pack what they read.
bool multiplies(std::string_view module)
{
    return module.starts_with("implicit_gemm_") && module.find("_rows") != module.npos;
}

// This struct holds the modules of products that keep no more sums than the registers hold. Software drivers are given others
// that keep more, or that share by shuffles what they load, which costs a GPU more than it saves.
struct Products {
    uint32_t registers;  // of an invocation, at most
    Names modules;
};

const Products products[] = {
    {64,
     {"implicit_gemm_points_rows8_columns4_texels1_f32", "implicit_gemm_rows4_columns4_texels0_f64",
      "implicit_gemm_rows4_columns4_texels0_few_registers1_f32", "implicit_gemm_shared_rows32_columns64_sums16_f32"}},
    {128,
     {"implicit_gemm_points_rows8_columns4_texels1_f32", "implicit_gemm_rows4_columns4_texels0_f32",
      "implicit_gemm_rows4_columns4_texels0_f64", "implicit_gemm_shared_rows64_columns64_sums32_f32"}},
    {256,
     {"implicit_gemm_points_rows16_columns4_texels1_f32", "implicit_gemm_rows16_columns4_texels0_f32",
      "implicit_gemm_rows4_columns4_texels0_f64", "implicit_gemm_rows4_columns8_texels0_f64",
      "implicit_gemm_shared_rows64_columns128_f32"}},
};

// Halves are multiplied in float32 where a chip has no cooperative matrices of a shape that kernels use.
const Names matrix_products = {"implicit_gemm_matrices_rows128_columns128_x_packed0_f16"};

size_t family_of(const Capabilities& chip)
{
    size_t i = 0;
    while (chip.invocation_registers > products[i].registers)
        ++i;
    return i;
}

TEST(Chips, EveryCaseIsPlannedWithinTheirLimitsByNoFormForCpus)
{
    const Result<std::vector<kit::Case>> cases = kit::load_all_cases();
    ASSERT_TRUE(cases) << cases.message();
    std::array<Names, std::size(products)> planned;
    Names by_matrices;
    for (const Capabilities& chip : chips())
        for (const kit::Case& problem : *cases) {
            const Result<Plan> plan = std::visit(
                [&](const auto& attributes) -> Result<Plan> {
                    const auto geometry = ops::resolve(attributes, problem.inputs);
                    return geometry ? plan_for(*geometry, chip, {}) : Result<Plan>(geometry.status());
                },
                problem.attributes);
            ASSERT_TRUE(plan) << chip.name << ": " << kit::to_string(problem) << ": " << plan.message();
            const Status status = check(*plan, chip);
            EXPECT_TRUE(status) << chip.name << ": " << kit::to_string(problem) << ": " << status.message();
            for (const PipelineKey& pipeline : plan->pipelines) {
                const std::string module(kernel_name(pipeline.kernel));
                if (!multiplies(module))
                    continue;
                if (module.starts_with("implicit_gemm_matrices"))
                    by_matrices.insert(module);
                else
                    planned[family_of(chip)].insert(module);
            }
        }
    for (size_t i = 0; i < planned.size(); ++i)
        EXPECT_EQ(planned[i], products[i].modules) << "of up to " << products[i].registers << " registers";
    EXPECT_EQ(by_matrices, matrix_products);
}

}  // namespace
}  // namespace vkonnx::plan
