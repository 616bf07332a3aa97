// This file tests the tools against full disks, closed pipes, wrong files, sizes that nobody has, and names that would command a
// terminal.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "console.h"
#include "file.h"
#include "kit/onnx_builder.h"
#include "process.h"

namespace vkonnx::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view evil = "\x1b[31m\xc2\x9b\x07\xff";
constexpr std::string_view evil_shown = "\\x1b[31m\\xc2\\x9b\\x07\\xff";

class Hostile : public ToolTest {
protected:
    bool has(const Finished& finished, std::string_view word) const { return finished.text.find(word) != std::string::npos; }

    // Returns the name of a file whose content goes to a disk without room.
    std::string full(const std::string& name) const
    {
        fs::create_symlink("/dev/full", folder_ / name);
        return path(name);
    }

    // Returns one command for every kind of output that the tools have.
    std::vector<std::string> commands() const
    {
        const std::string model = write("m.onnx", pool_model());
        const std::string test = vkonnx_test_tool + " --device 0 " + write_pool_case("case");
        return {vkonnx_tool + " --help",
                vkonnx_tool + " --version",
                vkonnx_tool + " devices",
                vkonnx_tool + " devices --json",
                vkonnx_tool + " operators",
                vkonnx_tool + " operators --json",
                vkonnx_tool + " run " + model + " --input X=random:1x1x4",
                vkonnx_tool + " explain " + model + " --input X=1x1x4 --capabilities minimum",
                test,
                test + " --isolate",
                test + " --gtest_list_tests",
                vkonnx_test_tool + " --help",
                VKONNX_PROBLEMS_TOOL " " + path("problems") + " 1 7",
                VKONNX_DEMO_TOOL " --help"};
    }
};

TEST_F(Hostile, LostOutputIsOne)
{
    for (const std::string& command : commands()) {
        fs::remove_all(folder_ / "problems");
        EXPECT_EQ(shell(command).code, 0) << command;
        fs::remove_all(folder_ / "problems");
        const Finished finished = shell(command + " > /dev/full");
        EXPECT_EQ(finished.code, 1) << command << "\n" << finished.text;
        EXPECT_TRUE(has(finished, "standard output can't be written")) << command << "\n" << finished.text;
    }
    EXPECT_EQ(shell(vkonnx_tool + " frobnicate > /dev/full").code, 2) << "a usage error stays one";
}

// A reader that is gone ends the process by a signal. Where the signal is ignored, it is an error as above.
TEST_F(Hostile, ClosedPipeIsNotZero)
{
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    close(ends[0]);
    ASSERT_EQ(dup2(ends[1], 9), 9);  // a number of a shell has one digit
    close(ends[1]);
    for (const std::string& command : {vkonnx_tool + " --help", vkonnx_tool + " devices"}) {
        EXPECT_EQ(shell(command + " >&9").code, 128 + SIGPIPE) << command;
        const Finished ignored = shell("trap '' PIPE; " + command + " >&9");
        EXPECT_EQ(ignored.code, 1) << command;
        EXPECT_TRUE(has(ignored, "standard output can't be written")) << ignored.text;
    }
    close(9);
}

TEST_F(Hostile, FullDiskIsOne)
{
    const std::string model = write("m.onnx", pool_model());
    for (const std::string& command :
         {vkonnx_tool + " run " + model + " --input X=random:1x1x4 --output Y=" + full("y.npy"),
          vkonnx_tool + " run " + model + " --input X=random:1x1x4 --output Y=" + full("y.pb"),
          vkonnx_test_tool + " --device 0 " + write_pool_case("case") + " --report " + full("r.html"),
          vkonnx_test_tool + " --device 0 " + path("case") + " --report " + full("r.json"),
          VKONNX_MODELS_TOOL " " + fs::path(full("antialias_half.onnx")).parent_path().string()}) {
        const Finished finished = shell(command);
        EXPECT_EQ(finished.code, 1) << command << "\n" << finished.text;
        EXPECT_TRUE(has(finished, "can't be written") || has(finished, "cannot write")) << command << "\n" << finished.text;
    }
}

TEST_F(Hostile, WhatIsNoFileIsRefused)
{
    const std::string model = write("m.onnx", pool_model());
    for (const char* name : {"x.npy", "x.pb", "x.png"})
        ASSERT_EQ(mkfifo(path(name).c_str(), 0600), 0);
    fs::create_symlink("/dev/zero", folder_ / "zero.npy");
    for (const std::string name : {"x.npy", "x.pb", "x.png", "zero.npy"}) {
        const Finished finished =
            shell("ulimit -v 8000000; timeout 300 " + vkonnx_tool + " run " + model + " --input X=" + path(name));
        EXPECT_EQ(finished.code, 2) << finished.text;
        EXPECT_EQ(finished.text, path(name) + ": is no regular file\n");
    }
    ASSERT_EQ(mkfifo(path("pipe.onnx").c_str(), 0600), 0);
    EXPECT_EQ(shell("timeout 300 " + vkonnx_tool + " explain " + path("pipe.onnx") + " --capabilities minimum").code, 1);

    write_pool_case("case");
    fs::remove(folder_ / "case/test_data_set_0/input_0.pb");
    ASSERT_EQ(mkfifo(path("case/test_data_set_0/input_0.pb").c_str(), 0600), 0);
    const Finished test = shell("timeout 300 " + vkonnx_test_tool + " --device 0 " + path("case"));
    EXPECT_EQ(test.last_line(), "0 passed, 1 failed, 0 skipped");
    EXPECT_TRUE(has(test, "input_0.pb: is no regular file")) << test.text;
}

// The sizes in a command or file are only claims. Nothing of that size may be made before they are known to be sensible.
TEST_F(Hostile, RandomInputsAreBounded)
{
    const auto pool = [&](const std::vector<kit::Dim>& dims) {
        return write("m.onnx", kit::ModelBuilder()
                                   .opset(17)
                                   .input("X", DType::float32, dims)
                                   .node("AveragePool", {"X"}, {"Y"}, {kit::ints_attribute("kernel_shape", {2, 2})})
                                   .output("Y", DType::float32, {1, 1, "h", "w"})
                                   .build());
    };
    const std::string run = "ulimit -v 6000000; " + vkonnx_tool + " run ";
    const Finished declared = shell(run + pool({1, 1, 92000, 92000}) + " --input X=random");
    EXPECT_EQ(declared.code, 2) << declared.text;
    EXPECT_EQ(declared.text,
              "input \"X\", float[1,1,92000,92000], is 33856000000 bytes of random numbers; all inputs together may "
              "have 4294967296\n");
    const Finished asked = shell(run + pool({1, 1, "h", "w"}) + " --input X=random:1x1x32769x32768");
    EXPECT_EQ(asked.code, 2) << asked.text;
    EXPECT_TRUE(has(asked, "is 4295098368 bytes of random numbers")) << asked.text;
    // The size is within the bound, but the model does not take it. So the input must not be made: there is not memory enough.
    const Finished refused =
        shell("ulimit -v 3000000; " + vkonnx_tool + " run " + pool({1, 3, "h", "w"}) + " --input X=random:1x1x32768x32768");
    EXPECT_EQ(refused.code, 1) << refused.text;
    EXPECT_TRUE(has(refused, "input 'X': dims[1] = 1, but the model declares float[1,3,?,?]")) << refused.text;
}

TEST_F(Hostile, RandomInputsAreBoundedTogether)
{
    kit::ModelBuilder builder;
    builder.opset(17).node("Identity", {"A"}, {"Y"}).output("Y");
    for (const char* name : {"A", "B", "C"})
        builder.input(name, DType::uint8, {1, 1500000000});
    const Finished finished = shell("ulimit -v 6000000; " + vkonnx_tool + " run " + write("m.onnx", builder.build()) +
                                    " --input A=random --input B=random --input C=random");
    EXPECT_EQ(finished.code, 2) << finished.text;
    EXPECT_TRUE(has(finished, "input \"C\", uint8[1,1500000000], is 1500000000 bytes")) << finished.text;
}

TEST_F(Hostile, NumbersOfFlagsAreFinite)
{
    const std::string test = vkonnx_test_tool + " --device 0 " + write_pool_case("case");
    for (const char* flags : {" --rtol nan", " --atol nan", " --rtol inf", " --isolate --timeout nan", " --isolate --timeout inf",
                              " --isolate --timeout 0", " --isolate --timeout -1", " --isolate --timeout 1e400"}) {
        const Finished finished = shell(test + flags);
        EXPECT_EQ(finished.code, 2) << flags << "\n" << finished.text;
    }
    const Finished nan = shell(test + " --isolate --timeout nan");
    EXPECT_TRUE(has(nan, "--timeout: \"nan\" is no finite number")) << nan.text;
    EXPECT_EQ(shell(test + " --isolate --timeout 1e308").last_line(), "1 passed, 0 failed, 0 skipped");
    for (const char* rest : {" 5x", " -1", " 0", " nan", " 5 x", " 5 -1", " 5 99999999999"})
        EXPECT_EQ(shell(VKONNX_PROBLEMS_TOOL " " + path("problems") + rest).code, 2) << rest;
}

// Whoever made the file chose its names, and they may hold control characters.
TEST_F(Hostile, NamesCannotCommandATerminal)
{
    const std::string x = "X" + std::string(evil), y = "Y" + std::string(evil), node = "node" + std::string(evil);
    const auto model = [&](const std::string& op_type, const std::string& domain) {
        return write("m" + std::string(evil) + ".onnx",
                     kit::ModelBuilder()
                         .opset(17)
                         .opset(1, "d" + std::string(evil))
                         .input(x, DType::float32, {1, 1, 4})
                         .node(op_type, {x}, {y}, {kit::ints_attribute("kernel_shape", {2})}, node, domain)
                         .output(y, DType::float32, {1, 1, 3})
                         .build());
    };
    const auto quoted = [](const std::string& text) { return " '" + text + "'"; };
    const std::string good = quoted(model("AveragePool", ""));
    const std::string out = path("y" + std::string(evil) + ".npy");
    const std::string shown(evil_shown);
    const auto expect = [&](const std::string& command, int code, const std::vector<std::string>& words) {
        const Finished finished = shell(command);
        EXPECT_EQ(finished.code, code) << finished.text;
        EXPECT_EQ(finished.text, visible_lines(finished.text)) << command;
        for (const std::string& word : words)
            EXPECT_TRUE(has(finished, word)) << word << " is not in\n" << finished.text;
    };
    expect(vkonnx_tool + " run" + good + " --profile --input" + quoted(x + "=random") + " --output" + quoted(y + "=" + out), 0,
           {"  node" + shown + "  AveragePool", "output Y" + shown + "  float[1,1,3]", "-> ", "y" + shown + ".npy"});
    expect(vkonnx_tool + " explain" + good + " --capabilities minimum", 0, {"node" + shown + "  AveragePool, opset 17"});
    expect(vkonnx_tool + " run" + good, 2, {"input \"X" + shown + "\", float[1,1,4], is missing"});
    expect(vkonnx_tool + " run" + good + " --input" + quoted(std::string(evil) + "=random"), 2, {"it has \"X" + shown + "\""});
    expect(vkonnx_tool + " run" + quoted(path(std::string(evil))), 2, {shown});
    const std::string bad = quoted(model("Op" + std::string(evil), "d" + std::string(evil)));
    expect(vkonnx_tool + " explain" + bad + " --capabilities minimum", 1,
           {"node 'node" + shown + "': operator 'Op" + shown + "' of domain 'd" + shown + "'"});
}

// Names of folders may be hostile, too. A verdict must not get lost because of bytes that JSON does not know.
TEST_F(Hostile, CaseFoldersOfAnyName)
{
    const std::string name = "case" + std::string(evil), shown = "case" + std::string(evil_shown);
    const std::string folder = write_pool_case(name);
    fs::remove(folder + "/test_data_set_0/output_0.pb");
    const std::string test = vkonnx_test_tool + " --device 0 '" + folder + "'";
    EXPECT_TRUE(has(shell(test + " --gtest_list_tests"), "  " + shown + "\n"));
    for (const char* flags : {"", " --isolate"}) {
        const Finished finished = shell(test + flags + " --report " + path("r.json"));
        EXPECT_EQ(finished.code, 1) << finished.text;
        EXPECT_EQ(finished.last_line(), "0 passed, 1 failed, 0 skipped") << finished.text;
        EXPECT_EQ(finished.text, visible_lines(finished.text));
        EXPECT_TRUE(has(finished, "output_0.pb: can't be opened: No such file")) << finished.text;
        const Result<std::vector<std::byte>> report = read_file(path("r.json"));
        ASSERT_TRUE(report) << report.message();
        const auto* text = reinterpret_cast<const char*>(report->data());
        const nlohmann::json json = nlohmann::json::parse(text, text + report->size(), nullptr, false);
        ASSERT_FALSE(json.is_discarded());
        EXPECT_EQ(json["results"][0]["case"], shown);
    }
    write_pool_case(name, {1, 2});
    const Finished failed = shell(test);
    const size_t at = failed.text.find("repeat: ");
    ASSERT_NE(at, std::string::npos) << failed.text;
    const std::string command = failed.text.substr(at + 8, failed.text.find('\n', at) - at - 8);
    write("repeat.sh", command + "\n");
    const Finished again = shell("bash " + path("repeat.sh"));
    EXPECT_EQ(again.last_line(), "0 passed, 1 failed, 0 skipped") << command << "\n" << again.text;
    EXPECT_TRUE(has(again, "2 of 2 elements differ")) << again.text;
}

}  // namespace
}  // namespace vkonnx::tools
