#include "command_line.h"

#include <gtest/gtest.h>

namespace vkonnx::tools {
namespace {

TEST(Dims, AreSizesJoinedByX)
{
    EXPECT_EQ(*parse_dims("1x3x64x65"), (std::vector<int64_t>{1, 3, 64, 65}));
    EXPECT_EQ(*parse_dims("7"), std::vector<int64_t>{7});
    EXPECT_EQ(*parse_dims("0x2"), (std::vector<int64_t>{0, 2}));
    EXPECT_EQ(*parse_dims(""), std::vector<int64_t>{});
    EXPECT_EQ(dims_text(*parse_dims("1x3x64x65")), "1x3x64x65");
}

TEST(Dims, RefuseEverythingElse)
{
    for (const char* text : {"x", "1x", "x1", "1xx2", "-1x2", "1.5", "1,3", "a", "1x3 ", "99999999999999999999"}) {
        const Result<std::vector<int64_t>> dims = parse_dims(text);
        ASSERT_FALSE(dims) << text;
        EXPECT_EQ(dims.message(), "\"" + std::string(text) + "\" is no list of sizes such as 1x3x64x64");
    }
}

TEST(Assignment, SplitsAtTheFirstEqualsSign)
{
    EXPECT_EQ(*parse_assignment("X=a=b.npy"), std::pair(std::string("X"), std::string("a=b.npy")));
    for (const char* text : {"X", "X=", "=file", ""})
        EXPECT_EQ(parse_assignment(text).code(), Code::invalid_argument) << text;
}

TEST(Milliseconds, SayNothingWhereNothingWasTimed)
{
    EXPECT_EQ(milliseconds_text(0.0012345), "1.234 ms");
    EXPECT_EQ(milliseconds_text(0), "-");
}

TEST(Table, AlignsColumnsAndEndsLinesWithoutSpaces)
{
    Table table;
    table.add({"a", "1", "x"});
    table.add({"bbb", "22", ""});
    EXPECT_EQ(table.text("  ", {1}), "  a     1  x\n  bbb  22\n");
}

TEST(FiniteNumber, IsANumberAndFinite)
{
    const CLI::Validator check = finite_number();
    for (std::string text : {"0", "-1.5", "1e308", " 7"})
        EXPECT_EQ(check(text), "") << text;
    for (std::string text : {"nan", "-nan", "inf", "-infinity", "1e309", "", "5x"})
        EXPECT_EQ(check(text), "\"" + text + "\" is no finite number");
}

TEST(ExitCode, OfAnAmbiguousDeviceIsUsage)
{
    EXPECT_EQ(exit_code_without_device(Status(Code::invalid_argument, "")), 2);
    EXPECT_EQ(exit_code_without_device(Status(Code::no_device, "")), 3);
    EXPECT_EQ(exit_code_without_device(Status(Code::no_loader, "")), 3);
}

TEST(CommandLine, KnowsThreeExitCodes)
{
    CLI::App app("about", "tool");
    std::string device;
    add_device_option(app, device);
    const auto parse = [&](std::vector<const char*> arguments) {
        arguments.insert(arguments.begin(), "tool");
        testing::internal::CaptureStdout();
        testing::internal::CaptureStderr();
        const std::optional<int> code = parse_command_line(app, int(arguments.size()), arguments.data());
        testing::internal::GetCapturedStdout();
        testing::internal::GetCapturedStderr();
        return code;
    };
    EXPECT_EQ(parse({"--device", "gpu:1"}), std::nullopt);
    EXPECT_EQ(device, "gpu:1");
    EXPECT_EQ(parse({"--help"}), exit_done);
    EXPECT_EQ(parse({"--version"}), exit_done);
    EXPECT_EQ(parse({"--no-such-flag"}), exit_usage);
}

}  // namespace
}  // namespace vkonnx::tools
