#include <vkonnx/vkonnx.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace vkonnx {
namespace {

TEST(Capabilities, PresetsBearTheirNames)
{
    const auto names = Capabilities::preset_names();
    ASSERT_EQ(names.size(), 42u);
    EXPECT_EQ(std::vector<std::string_view>(names.begin(), names.begin() + 5),
              (std::vector<std::string_view>{"minimum", "lavapipe", "swiftshader", "desktop", "mobile"}));
    EXPECT_EQ(names[5], "adreno-618") << "the first of the chips";
    for (const std::string_view name : names) {
        const auto preset = Capabilities::preset(name);
        ASSERT_TRUE(preset) << preset.message();
        EXPECT_EQ(preset->name, name);
        EXPECT_EQ(preset->lowered_to(*preset), *preset);
    }
    EXPECT_EQ(*Capabilities::preset("minimum"), Capabilities());
    EXPECT_EQ(Capabilities::preset("lavapipe")->max_loop_iterations, 65535u);
    EXPECT_TRUE(Capabilities::preset("swiftshader")->is_cpu);
    EXPECT_FALSE(Capabilities::preset("mobile")->is_cpu);
    EXPECT_TRUE(Capabilities::preset("lavapipe")->float64);
    EXPECT_FALSE(Capabilities::preset("swiftshader")->float64);
    EXPECT_GT(Capabilities::preset("desktop")->work_per_second, Capabilities::preset("mobile")->work_per_second);
}

// Presets round to nearest so that a reproducible problem can be explained for any device that people have.
TEST(Capabilities, EveryPresetButTheMinimumRoundsToNearest)
{
    for (const std::string_view name : Capabilities::preset_names())
        EXPECT_EQ(Capabilities::preset(name)->rounds_to_nearest, name != "minimum") << name;
}

TEST(Capabilities, UnknownPresetsAreRefused)
{
    const auto preset = Capabilities::preset("toaster");
    EXPECT_EQ(preset.code(), Code::invalid_argument);
    EXPECT_EQ(preset.message(), "no capability preset is called 'toaster'; there are minimum, lavapipe, swiftshader, desktop, "
                                "mobile, and chips, such as amd-navi21");
}

TEST(Capabilities, EveryPresetOffersTheMinimum)
{
    const Capabilities minimum;
    for (const std::string_view name : Capabilities::preset_names()) {
        Capabilities lowered = Capabilities::preset(name)->lowered_to(minimum);
        lowered.name = minimum.name;
        lowered.max_loop_iterations = minimum.max_loop_iterations;  // no limit of Vulkan's, but lavapipe's own
        EXPECT_EQ(lowered, minimum) << name;
    }
}

// Lowers one field at a time, so that a field which lowered_to forgets is seen.
TEST(Capabilities, EveryFieldIsLowered)
{
    Capabilities full = *Capabilities::preset("desktop");
    full.is_cpu = true;
    full.storage16 = true;
    full.cooperative_matrices = true;
    full.cooperative_matrix = {16, 16, 16};
    const auto without_matrices = [](Capabilities& c) { c.cooperative_matrices = false, c.cooperative_matrix = {}; };
    const auto check = [&](const char* field, auto lower) {
        Capabilities limit = full;
        limit.name = "limit";
        lower(limit);
        Capabilities expected = full;
        lower(expected);
        EXPECT_EQ(full.lowered_to(limit), expected) << field;
        EXPECT_NE(full.lowered_to(limit), full) << field;
        Capabilities back = expected.lowered_to(full);  // what is lower already stays as it is
        EXPECT_EQ(back, expected) << field;
    };
    check("is_cpu", [](Capabilities& c) { c.is_cpu = false; });
    check("max_storage_buffer_range", [](Capabilities& c) { c.max_storage_buffer_range = 1000; });
    check("storage_buffer_alignment", [](Capabilities& c) { c.storage_buffer_alignment = 128; });
    check("max_texel_buffer_elements", [](Capabilities& c) { c.max_texel_buffer_elements = 70000; });
    check("texel_buffer_alignment", [](Capabilities& c) { c.texel_buffer_alignment = 128; });
    check("max_uniform_buffer_range", [](Capabilities& c) { c.max_uniform_buffer_range = 1000; });
    check("max_storage_buffers", [](Capabilities& c) { c.max_storage_buffers = 5; });
    check("max_push_constant_bytes", [](Capabilities& c) { c.max_push_constant_bytes = 130; });
    check("max_invocations", [](Capabilities& c) { c.max_invocations = 130; });
    check("max_workgroup_size", [](Capabilities& c) { c.max_workgroup_size[1] = 3; });
    check("max_group_count", [](Capabilities& c) { c.max_group_count[2] = 3; });
    check("max_shared_bytes", [](Capabilities& c) { c.max_shared_bytes = 17000; });
    check("max_loop_iterations", [](Capabilities& c) { c.max_loop_iterations = 10; });
    check("invocation_registers", [](Capabilities& c) { c.invocation_registers = 96; });
    check("subgroup_size", [&](Capabilities& c) { c.subgroup_size = 2, without_matrices(c); });  // matrices fix the device's size
    check("subgroup_shuffles", [](Capabilities& c) { c.subgroup_shuffles = false; });
    check("timestamps", [](Capabilities& c) { c.timestamps = false; });
    check("float16", [](Capabilities& c) { c.float16 = false; });
    check("float64", [](Capabilities& c) { c.float64 = false; });
    check("storage16", [](Capabilities& c) { c.storage16 = false; });
    check("cooperative_matrices", without_matrices);
    check("work_per_second", [](Capabilities& c) { c.work_per_second = 1e6; });
    check("rounds_to_nearest", [](Capabilities& c) { c.rounds_to_nearest = false; });
    check("keeps_signed_zero_inf_nan", [](Capabilities& c) { c.keeps_signed_zero_inf_nan = false; });
}

}  // namespace
}  // namespace vkonnx
