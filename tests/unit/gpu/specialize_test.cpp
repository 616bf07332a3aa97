// This file tests modules whose specialization constants became constants. spirv-val judges them where the machine has it.
#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "gpu/specialize.h"
#include "kernels.h"
#include "spirv_val.h"

namespace vkonnx::gpu {
namespace {

using Words = std::vector<uint32_t>;

enum : uint32_t { void_type = 2, function_type, bool_type, uint_type, float_type, first_constant = 10 };

void add(Words& words, uint32_t op, std::initializer_list<uint32_t> operands)
{
    words.push_back(uint32_t(operands.size() + 1) << 16 | op);
    words.insert(words.end(), operands);
}

// Returns an empty compute shader with these constants, of which `decorations` say more.
Words module_with(const Words& decorations, const Words& constants)
{
    Words words = {0x07230203, 0x00010300, 0, 40, 0};
    add(words, 17, {1});                    // Shader
    add(words, 14, {0, 1});                 // logical addressing, GLSL450
    add(words, 15, {5, 1, 0x6e69616d, 0});  // GLCompute %1 "main"
    add(words, 16, {1, 17, 1, 1, 1});       // LocalSize 1 1 1
    words.insert(words.end(), decorations.begin(), decorations.end());
    add(words, 19, {void_type});
    add(words, 33, {function_type, void_type});
    add(words, 20, {bool_type});
    add(words, 21, {uint_type, 32, 0});
    add(words, 22, {float_type, 32});
    words.insert(words.end(), constants.begin(), constants.end());
    add(words, 54, {void_type, 1, 0, function_type});
    add(words, 248, {9});
    add(words, 253, {});
    add(words, 56, {});
    return words;
}

// Returns what became of each constant by its id: "5", "true", or the number of an instruction that is left.
std::map<uint32_t, std::string> constants_in(const Words& module)
{
    std::map<uint32_t, std::string> constants;
    for (size_t at = 5; at < module.size(); at += module[at] >> 16) {
        const uint32_t op = module[at] & 0xffff;
        if (op == 41 || op == 42)
            constants[module[at + 2]] = op == 41 ? "true" : "false";
        else if (op == 43)
            constants[module[at + 2]] = std::to_string(module[at + 3]);
        else if (op >= 44 && op <= 52)
            constants[module[at + 2]] = "op " + std::to_string(op);
    }
    return constants;
}

std::vector<uint32_t> spec_ids_in(const Words& module)
{
    std::vector<uint32_t> ids;
    for (size_t at = 5; at < module.size(); at += module[at] >> 16)
        if ((module[at] & 0xffff) == 71 && module[at + 2] == 1)
            ids.push_back(module[at + 3]);
    return ids;
}

TEST(Specialize, PutsInWhatIsGivenAndLeavesTheRest)
{
    Words decorations, constants;
    for (uint32_t i = 0; i < 4; ++i)
        add(decorations, 71, {first_constant + i, 1, 3 - i});  // SpecIds 3, 2, 1, 0
    add(constants, 50, {uint_type, 10, 100});
    add(constants, 50, {uint_type, 11, 101});
    add(constants, 48, {bool_type, 12});
    add(constants, 49, {bool_type, 13});
    const Words module = module_with(decorations, constants);
    const Words made = specialized(module, Words{1, 0, 7});
    EXPECT_EQ(spec_ids_in(made), std::vector<uint32_t>{3});
    EXPECT_EQ(constants_in(made), (std::map<uint32_t, std::string>{{10, "op 50"}, {11, "7"}, {12, "false"}, {13, "true"}}));
    EXPECT_TRUE(spec_ids_in(specialized(module, Words{1, 0, 7, 9})).empty());
    EXPECT_EQ(specialized(module, {}), module);
}

TEST(Specialize, LeavesWhatIsComputedOfTheRest)
{
    Words decorations, constants;
    add(decorations, 71, {10, 1, 0});
    add(decorations, 71, {11, 1, 1});
    add(constants, 50, {uint_type, 10, 3});
    add(constants, 50, {uint_type, 11, 4});
    add(constants, 52, {uint_type, 12, 128, 10, 11});
    add(constants, 51, {uint_type, 13, 10, 10});
    add(constants, 51, {uint_type, 14, 10, 11});
    add(constants, 51, {uint_type, 15, 10, 12});
    EXPECT_EQ(
        constants_in(specialized(module_with(decorations, constants), Words{5})),
        (std::map<uint32_t, std::string>{{10, "5"}, {11, "op 50"}, {12, "op 52"}, {13, "op 44"}, {14, "op 51"}, {15, "op 51"}}));
}

TEST(Specialize, ComputesWithThem)
{
    struct Row {
        uint32_t op;
        std::string expected;  // for 12 and 5, which are ids 10 and 11
    };
    const Row rows[] = {{128, "17"},   {130, "7"},    {132, "60"},   {134, "2"},     {137, "2"},     {170, "false"},
                        {171, "true"}, {172, "true"}, {174, "true"}, {176, "false"}, {178, "false"}, {194, "0"},
                        {196, "384"},  {197, "13"},   {198, "9"},    {199, "4"}};
    Words decorations, constants;
    add(decorations, 71, {10, 1, 0});
    add(constants, 50, {uint_type, 10, 0});
    add(constants, 43, {uint_type, 11, 5});
    std::map<uint32_t, std::string> expected = {{10, "12"}, {11, "5"}};
    uint32_t id = 12;
    for (const Row& row : rows) {
        const bool truth = row.expected == "true" || row.expected == "false";
        add(constants, 52, {truth ? bool_type : uint_type, id, row.op, 10, 11});
        expected[id++] = row.expected;
    }
    EXPECT_EQ(constants_in(specialized(module_with(decorations, constants), Words{12})), expected);
}

TEST(Specialize, ComputesWithTruthValuesAndSelects)
{
    Words decorations, constants;
    add(decorations, 71, {12, 1, 0});
    add(constants, 41, {bool_type, 10});
    add(constants, 42, {bool_type, 11});
    add(constants, 50, {uint_type, 12, 3});
    add(constants, 43, {uint_type, 13, 4});
    add(constants, 52, {bool_type, 14, 166, 10, 11});      // or
    add(constants, 52, {bool_type, 15, 167, 10, 11});      // and
    add(constants, 52, {bool_type, 16, 168, 11});          // not
    add(constants, 52, {bool_type, 17, 164, 10, 11});      // equal
    add(constants, 52, {bool_type, 18, 165, 10, 11});      // not equal
    add(constants, 52, {uint_type, 19, 169, 15, 12, 13});  // select by what was just computed
    add(constants, 52, {uint_type, 20, 169, 14, 12, 13});
    const std::map<uint32_t, std::string> made = constants_in(specialized(module_with(decorations, constants), Words{9}));
    EXPECT_EQ(made, (std::map<uint32_t, std::string>{{10, "true"},
                                                     {11, "false"},
                                                     {12, "9"},
                                                     {13, "4"},
                                                     {14, "true"},
                                                     {15, "false"},
                                                     {16, "true"},
                                                     {17, "false"},
                                                     {18, "true"},
                                                     {19, "4"},
                                                     {20, "9"}}));
}

TEST(Specialize, LeavesWhatHasNoResultOrIsNoInteger)
{
    Words decorations, constants;
    add(decorations, 71, {11, 1, 0});
    add(decorations, 71, {12, 11, 25});  // BuiltIn, which is no SpecId
    add(constants, 50, {float_type, 11, 0x3f800000});
    add(constants, 43, {uint_type, 10, 0});
    add(constants, 43, {uint_type, 12, 40});
    add(constants, 52, {uint_type, 13, 134, 12, 10});  // by 0
    add(constants, 52, {uint_type, 14, 196, 12, 12});  // by more bits than there are
    add(constants, 52, {uint_type, 15, 110, 11});      // of a float
    const Words made = specialized(module_with(decorations, constants), Words{77});
    const std::map<uint32_t, std::string> expected = {
        {10, "0"}, {11, std::to_string(0x3f800000)}, {12, "40"}, {13, "op 52"}, {14, "op 52"}, {15, "op 52"}};
    EXPECT_EQ(constants_in(made), expected);
    size_t built_in = 0;
    for (size_t at = 5; at < made.size(); at += made[at] >> 16)
        built_in += (made[at] & 0xffff) == 71 && made[at + 2] == 11;
    EXPECT_EQ(built_in, 1u);
    const Words none = {1, 2, 3};
    EXPECT_EQ(specialized(none, {}), none);
}

TEST(Specialize, LeavesEveryKernelValid)
{
    for (size_t i = 0; i < kernel_count(); ++i) {
        const auto kernel = Kernel(i);
        if (spirv(kernel).empty())
            continue;
        SCOPED_TRACE(kernel_name(kernel));
        Words values(specialization_of(kernel).size(), 1);
        values[0] = 64;
        const Words made = specialized(spirv(kernel), values);
        for (const uint32_t id : spec_ids_in(made))
            EXPECT_GE(id, values.size()) << "it is in the list";
        for (const auto& [id, constant] : constants_in(made))
            EXPECT_TRUE((constant != "op 48" || !spec_ids_in(made).empty()) && constant != "op 49" && constant != "op 50" &&
                        constant != "op 51")
                << constant;
        EXPECT_TRUE(!has_judge(made) || is_valid(made));
    }
}

}  // namespace
}  // namespace vkonnx::gpu
