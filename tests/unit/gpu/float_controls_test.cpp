// This file tests what is declared in a module, by what a device offers. spirv-val judges the modules where the machine has it.
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "gpu/float_controls.h"
#include "spirv_val.h"

namespace vkonnx::gpu {
namespace {

using Words = std::vector<uint32_t>;

constexpr uint32_t shader = 1, float16 = 9, float64 = 10;  // capabilities

// Returns an empty compute shader with these capabilities, and with an extension that has nothing to do with floats.
Words module_with(std::initializer_list<uint32_t> capabilities, bool extension = false)
{
    Words words = {0x07230203, 0x00010300, 0, 5, 0};
    const auto add = [&](uint32_t op, std::initializer_list<uint32_t> operands) {
        words.push_back(uint32_t(operands.size() + 1) << 16 | op);
        words.insert(words.end(), operands);
    };
    for (const uint32_t capability : capabilities)
        add(17, {capability});
    if (extension)  // SPV_KHR_storage_buffer_storage_class
        add(10, {0x5f565053, 0x5f52484b, 0x726f7473, 0x5f656761, 0x66667562, 0x735f7265, 0x61726f74, 0x635f6567, 0x7373616c, 0});
    add(14, {0, 1});                 // logical addressing, GLSL450
    add(15, {5, 1, 0x6e69616d, 0});  // GLCompute %1 "main"
    add(16, {1, 17, 1, 1, 1});       // %1 LocalSize 1 1 1
    add(19, {2});                    // %2 = void
    add(33, {3, 2});                 // %3 = %2()
    add(54, {2, 1, 0, 3});           // %1 = function
    add(248, {4});
    add(253, {});
    add(56, {});
    return words;
}

// Returns a module's instructions as "capability 17", "extension SPV_...", "mode 4461 32", and others as their number.
std::vector<std::string> instructions(const Words& module)
{
    std::vector<std::string> list;
    for (size_t at = 5; at < module.size(); at += module[at] >> 16) {
        const uint32_t op = module[at] & 0xffff;
        if (op == 17)
            list.push_back("capability " + std::to_string(module[at + 1]));
        else if (op == 10)
            list.push_back("extension " + std::string(reinterpret_cast<const char*>(&module[at + 1])));
        else if (op == 16 && module[at + 1] == 1)
            list.push_back("mode " + std::to_string(module[at + 2]) + " " + std::to_string(module[at + 3]));
        else
            list.push_back(std::to_string(op));
    }
    return list;
}

// Returns the instructions that were added, in their order. Fails the test if anything else changed.
std::vector<std::string> added(const Words& before, const Words& after)
{
    std::vector<std::string> old = instructions(before), left;
    size_t kept = 0;
    for (const std::string& line : instructions(after))
        if (kept < old.size() && line == old[kept])
            ++kept;
        else
            left.push_back(line);
    EXPECT_EQ(kept, old.size());
    EXPECT_TRUE(std::equal(before.begin(), before.begin() + 5, after.begin()));
    return left;
}

constexpr FloatControls everything = {.preserves32 = true,
                                      .preserves64 = true,
                                      .to_nearest32 = true,
                                      .to_nearest64 = true,
                                      .rounds32_apart = false,
                                      .rounds_all_apart = true};

const std::string extension = "extension SPV_KHR_float_controls";
const std::vector<std::string> nothing = {};

std::vector<std::string> declared(std::initializer_list<uint32_t> capabilities, const FloatControls& offered)
{
    const Words before = module_with(capabilities);
    return added(before, with_float_controls(before, offered));
}

TEST(FloatControls, DeclaresTheWidthsThatAModuleUses)
{
    EXPECT_EQ(declared({shader}, everything),
              (std::vector<std::string>{"capability 4466", "capability 4467", extension, "mode 4461 32", "mode 4462 32"}));
    EXPECT_EQ(declared({shader, float64}, everything),
              (std::vector<std::string>{"capability 4466", "capability 4467", extension, "mode 4461 32", "mode 4461 64",
                                        "mode 4462 32", "mode 4462 64"}));
    EXPECT_EQ(declared({float16, shader}, everything),
              (std::vector<std::string>{"capability 4466", "capability 4467", extension, "mode 4461 32", "mode 4462 32"}));
}

TEST(FloatControls, DeclaresNoMoreThanIsOffered)
{
    EXPECT_EQ(declared({shader, float64}, {}), nothing);
    EXPECT_EQ(declared({shader}, {.preserves64 = true, .to_nearest64 = true, .rounds_all_apart = true}), nothing);
    EXPECT_EQ(declared({shader, float64}, {.preserves32 = true}),
              (std::vector<std::string>{"capability 4466", extension, "mode 4461 32"}));
    EXPECT_EQ(declared({shader, float64}, {.preserves64 = true, .to_nearest32 = true, .rounds_all_apart = true}),
              (std::vector<std::string>{"capability 4466", "capability 4467", extension, "mode 4461 64", "mode 4462 32"}));
}

TEST(FloatControls, DeclaresDependentWidthsTogether)
{
    FloatControls offered = {.to_nearest32 = true, .to_nearest64 = true};
    const std::vector<std::string> both = {"capability 4467", extension, "mode 4462 32", "mode 4462 64"};
    const std::vector<std::string> only32 = {"capability 4467", extension, "mode 4462 32"};
    EXPECT_EQ(declared({shader, float64}, offered), both);
    EXPECT_EQ(declared({shader}, offered), only32);
    EXPECT_EQ(declared({shader, float16}, offered), nothing) << "halves have no declaration";

    offered.to_nearest64 = false;
    EXPECT_EQ(declared({shader}, offered), only32);
    EXPECT_EQ(declared({shader, float64}, offered), nothing);
    offered.rounds32_apart = true;
    EXPECT_EQ(declared({shader, float64}, offered), only32);
    offered.to_nearest64 = true;
    EXPECT_EQ(declared({shader, float64}, offered), both);
    EXPECT_EQ(declared({shader, float64, float16}, offered), only32) << "64 bits must round as 16 do";
    offered = {.to_nearest64 = true};
    EXPECT_EQ(declared({shader, float64}, offered), nothing);
    offered.rounds_all_apart = true;
    EXPECT_EQ(declared({shader, float64}, offered), (std::vector<std::string>{"capability 4467", extension, "mode 4462 64"}));
}

TEST(FloatControls, LeavesAloneWhatIsNoModule)
{
    const Words good = module_with({shader});
    Words swapped = good, long_instruction = good, empty_instruction = good, two_entry_points = good;
    swapped[0] = 0x03022307;
    long_instruction[5] |= 0x7fff0000;
    empty_instruction[5] &= 0xffff;
    const std::vector<uint32_t> entry_point = {5u << 16 | 15, 5, 1, 0x6f6e7477, 0};
    two_entry_points.insert(two_entry_points.begin() + 10, entry_point.begin(), entry_point.end());
    for (const Words& odd : {Words(), Words(3, 7), Words(good.begin(), good.begin() + 5), swapped, long_instruction,
                             empty_instruction, two_entry_points})
        EXPECT_EQ(with_float_controls(odd, everything), odd);
    EXPECT_NE(with_float_controls(good, everything), good);
}

#ifndef _WIN32
TEST(FloatControls, MakesValidModules)
{
    if (!has_judge(module_with({shader})))
        GTEST_SKIP() << "no spirv-val on this machine";
    for (const bool extended : {false, true}) {
        EXPECT_TRUE(is_valid(module_with({shader}, extended)));
        EXPECT_TRUE(is_valid(with_float_controls(module_with({shader}, extended), everything)));
        EXPECT_TRUE(is_valid(with_float_controls(module_with({shader, float64}, extended), everything)));
    }
    Words wrong = with_float_controls(module_with({shader}), everything);
    wrong[8] = shader;  // instead of a capability that an execution mode needs
    EXPECT_FALSE(is_valid(wrong)) << "spirv-val judges";
}
#endif

}  // namespace
}  // namespace vkonnx::gpu
