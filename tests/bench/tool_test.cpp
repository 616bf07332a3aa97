// This file tests vkonnx-bench as a user calls it: its flags, exit codes and files.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include <sys/stat.h>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "console.h"
#include "kit/onnx_builder.h"
#include "kit/radv.h"
#include "tools/process.h"

namespace vkonnx::tools {
namespace {

const std::string bench = VKONNX_BENCH_TOOL;
// This case is soon done, and still takes longer than the timestamps around it.
const std::string tiny_case = " --case 'average_pool x=1x8x4096 kernel_shape=4' --benchmark_min_time=2x";

class BenchTool : public ToolTest {
protected:
    void SetUp() override { has_device_ = Device::open().ok(); }
    nlohmann::json json(const std::string& name) const
    {
        std::ifstream file(path(name));
        return nlohmann::json::parse(file);
    }
    std::string text(const std::string& name) const
    {
        std::ifstream file(path(name));
        return {std::istreambuf_iterator<char>(file), {}};
    }
    bool has_device_ = false;
};

TEST_F(BenchTool, UsageIsTwo)
{
    for (const std::string rest : {" --frobnicate",
                                   " stray",
                                   " --type f64",
                                   " --tune --kernel average_pool_nd",
                                   " --benchmark_frobnicate=1",
                                   " --benchmark_min_time=soon",
                                   " --batch 0",
                                   " --benchmark_min_time=1.5x",
                                   " --benchmark_out_format=csv",
                                   " --benchmark_format=xml",
                                   " --cold-cache --batch 4",
                                   " --suite /no/such/average_pool.txt",
                                   " --case 'average_pool x=1x1x3 kernel_shape=4'",
                                   " --benchmark_filter='ap['",
                                   " --fail-on 5%",
                                   " --compare a.json",
                                   " --compare /no/such/a.json /no/such/b.json",
                                   " --report page.txt --quick",
                                   " --benchmark_out=/no/such/folder/r.json --quick",
                                   " --report /no/such/folder/r.html --quick"}) {
        const Finished finished = shell(bench + rest);
        EXPECT_EQ(finished.code, 2) << rest << "\n" << finished.text;
        EXPECT_NE(finished.text, "") << rest;
    }
    const std::string suite = " --suite " + write("average_pool.txt", "small x=1x1x8 kernel_shape=2\n");
    EXPECT_EQ(shell(bench + suite + suite).code, 2);  // the same name twice
    EXPECT_EQ(shell(bench + " --help").code, 0);
    EXPECT_EQ(shell(bench + " --version").text, std::string(version()) + "\n");
}

TEST_F(BenchTool, KeepsWhatItTunes)
{
    if (!has_device_)
        GTEST_SKIP() << "no device";
    const std::string halving = " --case 'average_pool x=2x8x16x16 kernel_shape=2,2 strides=2,2' --benchmark_min_time=2x";
    const std::string file = path("tunings.txt");
    const Finished first = shell(bench + halving + " --tune-file " + file);
    ASSERT_EQ(first.code, 0) << first.text;
    const std::string line = text("tunings.txt");
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;
    ASSERT_EQ(line.rfind("average_pool_", 0), 0u) << line;

    // A tuning that stands in the file already is used, and stays there.
    const std::string nd = "average_pool_nd" + line.substr(line.find('\t'));
    write("tunings.txt", nd);
    const Finished second = shell(bench + halving + " --tune-file " + file);
    ASSERT_EQ(second.code, 0) << second.text;
    EXPECT_NE(second.text.find("average_pool_nd_f32"), std::string::npos) << second.text;
    EXPECT_EQ(text("tunings.txt"), nd);

    write("tunings.txt", "average_pool_nd\n");
    const Finished wrong = shell(bench + halving + " --tune-file " + file);
    EXPECT_EQ(wrong.code, 2) << wrong.text;
    EXPECT_NE(wrong.text.find("line 1"), std::string::npos) << wrong.text;
    EXPECT_EQ(text("tunings.txt"), "average_pool_nd\n");
}

// vkonnx-bench tells how long a cold first run takes, which needs pipelines that no run before has kept. It also measures peaks
// before and after the cases, which kept peaks would replace.
TEST_F(BenchTool, KeepsNothing)
{
    if (!has_device_)
        GTEST_SKIP() << "no device";
    const Finished finished = shell("VKONNX_CACHE_DIR=" + path("kept") + " " + bench + tiny_case);
    EXPECT_EQ(finished.code, 0) << finished.text;
    EXPECT_FALSE(exists("kept"));
}

TEST_F(BenchTool, NothingToRunIsThree)
{
    EXPECT_EQ(shell(bench + " --benchmark_filter=nobodys").code, 3);
    EXPECT_EQ(shell(bench + " --kernel nobodys").code, 3);
    EXPECT_EQ(shell(no_driver + bench + tiny_case).code, 3);
    EXPECT_EQ(shell(bench + " --device nobodys" + tiny_case).code, 3);
    EXPECT_EQ(shell("VKONNX_DEVICE=nobodys " + bench + tiny_case).code, 3);
}

TEST_F(BenchTool, ListsWithoutADevice)
{
    const Finished finished = shell(no_driver + bench + " --benchmark_list_tests --benchmark_filter='ct0[12]'");
    EXPECT_EQ(finished.code, 0);
    EXPECT_EQ(finished.text, "conv_transpose/ct01/f32\nconv_transpose/ct02/f32\n");
    const Finished networks =
        shell(no_driver + bench + " --suite networks --benchmark_list_tests --benchmark_filter='stem|head'");
    EXPECT_EQ(networks.text,
              "conv/det_stem/f32\nconv/resnet_stem/f32\nmatmul/rec_head/f32\nmax_pool/resnet_stem/f32\nsoftmax/rec_head/f32\n");
}

TEST_F(BenchTool, TimesACaseAndASuiteFile)
{
    if (!has_device_)
        GTEST_SKIP() << "no device";
    const std::string suite = write("average_pool.mine.txt", "small x=1x1x8 kernel_shape=2  # mine\n");
    const Finished finished = shell(bench + tiny_case + " --suite " + suite + " --seed 9 --benchmark_out=" + path("r.json"));
    EXPECT_EQ(finished.code, 0) << finished.text;
    EXPECT_EQ(finished.last_line(), "2 timed, 0 failed, 0 skipped");
    const nlohmann::json result = json("r.json");
    const auto& context = result.at("context");
    EXPECT_EQ(context.at("case:average_pool/small/f32"), "x=1x1x8 kernel_shape=2  # mine");
    EXPECT_EQ(context.at("verify_seed"), "9");
    for (const char* key : {"vkonnx_version", "git_revision", "spirv_hash", "command", "device", "device_kind", "driver",
                            "api_version", "subgroup_size", "capabilities", "validation", "timed_by", "cpu",
                            "peak_gflops_f32_before", "peak_gflops_f32_after", "peak_gbps_before", "peak_gbps_after"})
        EXPECT_NE(context.value(key, ""), "") << key;
    ASSERT_EQ(result.at("benchmarks").size(), 2u);
    const auto& one = result.at("benchmarks").at(1);
    EXPECT_EQ(one.at("name"), "average_pool/case1/f32");
    EXPECT_EQ(one.at("label").get<std::string>().rfind("average_pool_", 0), 0u) << one;
    EXPECT_EQ(one.at("iterations"), 2);
    EXPECT_EQ(one.at("samples"), 2);
    EXPECT_EQ(one.at("flop"), 8 * 4093 * 4);
    EXPECT_EQ(one.at("bytes"), 4 * 8 * (4096 + 4093));
    for (const char* counter : {"GFLOP/s", "GB/s", "peak_percent", "floor_s", "wall_s", "prepare_s", "bind_s", "first_run_cold_s",
                                "first_run_cached_s", "estimated_s", "dispatches", "min_s", "median_s", "max_s", "repeats"})
        EXPECT_GT(one.at(counter), 0) << counter;
}

TEST_F(BenchTool, TimesWhatIsNoProduct)
{
    if (!has_device_)
        GTEST_SKIP() << "no device";
    const Finished finished =
        shell(bench + " --case 'conv x=1x8x32x32 w=8x8x3x3 b' --case 'max_pool x=1x8x64x64 kernel_shape=2,2 strides=2,2'" +
              " --case 'elementwise op=Add a=8x4096 b=8x4096 steps=Relu' --case 'transpose a=512x128'" +
              " --case 'batch_normalization x=1x8x4096 scale=8 b=8 mean=8 var=8' --benchmark_min_time=2x --benchmark_out=" +
              path("r.json") + " --report " + path("r.html"));
    EXPECT_EQ(finished.code, 0) << finished.text;
    EXPECT_EQ(finished.last_line(), "5 timed, 0 failed, 0 skipped");
    const nlohmann::json result = json("r.json");
    const auto& cases = result.at("benchmarks");
    ASSERT_EQ(cases.size(), 5u);
    EXPECT_EQ(cases[0].at("flop"), 2 * 30 * 30 * 9 * 8 * 8);
    EXPECT_EQ(cases[1].at("flop"), 8 * 32 * 32 * 4);
    EXPECT_EQ(cases[2].at("bytes"), 3 * 4 * 8 * 4096);
    for (size_t i = 0; i < cases.size(); ++i) {
        for (const char* counter : {"GB/s", "floor_s", "peak_percent", "wall_s", "median_s"})
            EXPECT_GT(cases[i].at(counter), 0) << cases[i].at("name") << counter;
        EXPECT_EQ(cases[i].contains("GFLOP/s"), i < 2) << cases[i].at("name");
        EXPECT_EQ(cases[i].contains("flop"), i < 2) << cases[i].at("name");
    }
    const std::string page = text("r.html");
    EXPECT_NE(page.find("transpose/case4/f32"), std::string::npos);
    EXPECT_EQ(page.find("data-case=\"transpose/case4/f32\""), std::string::npos) << "it has no place in the roofline plot";
}

constexpr int64_t length = 4096, pooled = length / 2, convolved = pooled - 2;

// The model averages ones in pairs, which gives ones. The convolution adds 8 channels by 3 taps of 0.5, which is 12.
std::string twelve_model()
{
    return kit::ModelBuilder()
        .opset(17)
        .input("X", DType::float32, {1, 8, length})
        .initializer(kit::float_tensor("W", {8, 8, 3}, std::vector<float>(8 * 8 * 3, 0.5f)))
        .node("AveragePool", {"X"}, {"P"}, {kit::ints_attribute("kernel_shape", {2}), kit::ints_attribute("strides", {2})})
        .node("Conv", {"P", "W"}, {"C"})
        .node("Relu", {"C"}, {"Y"})
        .output("Y", DType::float32, {1, 8, convolved})
        .build();
}

class BenchModels : public BenchTool {
protected:
    // `last` is the value that is expected of the last element.
    std::string write_twelves(const std::string& name, float last = 12) const
    {
        std::vector<float> y(8 * convolved, 12);
        y.back() = last;
        return write_case(name, twelve_model(), {DType::float32, {1, 8, length}}, std::vector<float>(8 * length, 1),
                          {DType::float32, {1, 8, convolved}}, y);
    }
    Finished time(const std::string& arguments) const
    {
        return shell(bench + " --benchmark_min_time=3x --benchmark_out=" + path("r.json") + " --model " + arguments);
    }
};

TEST_F(BenchModels, AreTimed)
{
    if (!has_device_)
        GTEST_SKIP() << "no device";
    const Finished finished =
        time(write_twelves("twelve") + " --case 'average_pool x=1x8x4096 kernel_shape=4' --report " + path("r.html"));
    EXPECT_EQ(finished.code, 0) << finished.text;
    EXPECT_EQ(finished.last_line(), "2 timed, 0 failed, 0 skipped");
    const nlohmann::json result = json("r.json");
    ASSERT_EQ(result.at("benchmarks").size(), 2u) << "the case beside it, and no suite";
    const auto& model = result.at("benchmarks").at(1);
    EXPECT_EQ(model.at("name"), "model/twelve");
    EXPECT_EQ(model.at("label"), "2 operators") << "Relu is computed by Conv";
    EXPECT_EQ(model.at("samples"), 3);
    EXPECT_EQ(model.at("verified"), 8 * convolved);
    EXPECT_EQ(model.at("outputs"), 8 * convolved);
    EXPECT_GE(model.at("arena_bytes"), 4 * 8 * pooled);
    EXPECT_LT(model.at("arena_bytes"), 3 * 4 * 8 * pooled) << "the value between, and scratch memory as large";
    EXPECT_GE(model.at("constant_bytes"), 4 * 8 * 8 * 3);
    EXPECT_GE(model.at("dispatches"), 2);
    for (const char* counter : {"real_time", "wall_s", "prepare_s", "bind_s", "first_run_cold_s", "first_run_cached_s",
                                "estimated_s", "min_s", "median_s", "max_s"})
        EXPECT_GT(model.at(counter), 0) << counter;
    EXPECT_GT(model.at("first_run_cold_s"), model.at("prepare_s").get<double>() + model.at("bind_s").get<double>());
    EXPECT_LE(model.at("min_s"), model.at("median_s"));
    EXPECT_LE(model.at("median_s"), model.at("max_s"));
    EXPECT_LT(model.at("min_s"), model.at("first_run_cold_s")) << "nothing is compiled any more";
    for (const char* counter : {"flop", "bytes", "GFLOP/s", "GB/s", "floor_s", "peak_percent"})
        EXPECT_FALSE(model.contains(counter)) << counter;
    const auto& context = result.at("context");
    EXPECT_EQ(context.at("case:model/twelve"), "--model " + path("twelve") + "  # test_data_set_0");
    EXPECT_EQ(context.at("suite"), "--case, --model");
    EXPECT_NE(text("r.html").find("<h2>Whole models</h2>"), std::string::npos);
}

TEST_F(BenchModels, AFolderOfThemIsAllOfThem)
{
    write_twelves("nets/one");
    write_twelves("nets/two");
    std::filesystem::copy(folder_ / "nets/two/test_data_set_0", folder_ / "nets/two/test_data_set_1");
    const std::string listed = bench + " --benchmark_list_tests --model " + path("nets") + " --model " + path("nets/one");
    EXPECT_EQ(shell(no_driver + listed).text, "model/one\nmodel/two/0\nmodel/two/1\n");
    EXPECT_EQ(shell(no_driver + listed + " --benchmark_filter=one").text, "model/one\n");
}

TEST_F(BenchModels, AWrongOneIsAnErrorAndNotANumber)
{
    if (!has_device_)
        GTEST_SKIP() << "no device";
    const Finished finished = time(write_twelves("wrong", 12.1f));
    EXPECT_EQ(finished.code, 1) << finished.text;
    EXPECT_EQ(finished.last_line(), "0 timed, 1 failed, 0 skipped");
    const nlohmann::json one = json("r.json").at("benchmarks").at(0);
    EXPECT_EQ(one.at("error_occurred"), true) << one;
    EXPECT_EQ(one.at("error_message"), "wrong result: output \"Y\" 1 of 16368 elements differ, first [0,7,2045] is 12, expected "
                                       "12.1000004");
    for (const char* counter : {"median_s", "wall_s", "dispatches"})
        EXPECT_FALSE(one.contains(counter)) << one;

    const std::string near = write_twelves("near", 12 + 12 * 0.9e-4f);
    EXPECT_EQ(time(near).code, 0);
    EXPECT_EQ(time(near + " --rtol 1e-6").code, 1);
    EXPECT_EQ(time(path("wrong") + " --rtol 0.1").code, 0);
    EXPECT_EQ(time(path("wrong") + " --model " + near).last_line(), "1 timed, 1 failed, 0 skipped");
    write("near/test_data_set_0/output_0.pb", "no tensor");
    EXPECT_EQ(time(near).code, 1);
}

TEST_F(BenchModels, WhatIsUnsupportedIsSkipped)
{
    if (!has_device_)
        GTEST_SKIP() << "no device";
    const TensorDesc desc = {DType::float32, {4}};
    const std::string model =
        kit::ModelBuilder().opset(17).input("X", DType::float32, {4}).node("Multinomial", {"X"}, {"Y"}).output("Y").build();
    const Finished finished = time(write_case("unsupported", model, desc, {1, 2, 3, 4}, desc, {1, 2, 3, 4}));
    EXPECT_EQ(finished.code, 3) << finished.text;
    EXPECT_NE(finished.text.find("Multinomial"), std::string::npos) << finished.text;
}

TEST_F(BenchModels, AFolderThatIsNoneIsTwo)
{
    std::filesystem::create_directories(folder_ / "empty");
    write("no_data/model.onnx", twelve_model());
    const std::string good = write_twelves("good");
    for (const auto& [arguments, sentence] : std::vector<std::pair<std::string, std::string>>{
             {path("nobodys"), path("nobodys") + ": is no folder"},
             {path("good/model.onnx"), path("good/model.onnx") + ": is no folder"},
             {path("empty"), path("empty") + ": neither it nor a folder in it has a model.onnx"},
             {good + " --model " + path("empty"), path("empty") + ": neither it nor a folder in it has a model.onnx"},
             {path("no_data"), path("no_data") + ": there is no test_data_set_* folder to verify the model with"},
             {good + " --rtol -1", "--rtol"},
             {good + " --kernel conv_nd", "--model"},
             {good + " --cold-cache", "--model"},
             {good + " --batch 2", "--model"},
             {good + " --compiled", "--model"},
             {good + " --compare a.json b.json", "--model"}}) {
        const Finished finished = shell(bench + " --model " + arguments);
        EXPECT_EQ(finished.code, 2) << arguments << "\n" << finished.text;
        EXPECT_NE(finished.text.find(sentence), std::string::npos) << finished.text;
    }
}

TEST_F(BenchTool, PrintsJsonAndCsv)
{
    if (!has_device_)
        GTEST_SKIP() << "no device";
    const Finished as_json = shell(bench + tiny_case + " --benchmark_format=json 2>/dev/null");
    EXPECT_EQ(nlohmann::json::parse(as_json.text, nullptr, false).value("benchmarks", nlohmann::json::array()).size(), 1u);
    const Finished as_csv = shell(bench + tiny_case + " --benchmark_format=csv 2>/dev/null");
    EXPECT_EQ(as_csv.text.rfind("name,iterations,real_time", 0), 0u) << as_csv.text;
    EXPECT_NE(as_csv.text.find("\"average_pool/case1/f32\",2,"), std::string::npos) << as_csv.text;
}

TEST_F(BenchTool, ModesAndKernels)
{
    if (!has_device_)
        GTEST_SKIP() << "no device";
    for (const std::string rest : {" --batch 5", " --cold-cache", " --kernel average_pool_nd", " --benchmark_repetitions=3"}) {
        const Finished finished = shell(bench + tiny_case + rest + " --benchmark_out=" + path("r.json"));
        EXPECT_EQ(finished.code, 0) << rest << "\n" << finished.text;
        const nlohmann::json result = json("r.json");
        const auto& one = result.at("benchmarks").at(0);
        EXPECT_GT(one.at("real_time"), 0) << rest;
        if (rest == " --batch 5") {
            EXPECT_EQ(one.at("repeats"), 5);
            EXPECT_EQ(one.at("name"), "average_pool/case1/f32/many5");
        }
        if (rest == " --kernel average_pool_nd") {
            EXPECT_EQ(one.at("label"), "average_pool_nd_f32");
        }
        if (rest == " --benchmark_repetitions=3") {
            EXPECT_EQ(result.at("benchmarks").size(), 3u + 4u);  // mean, median, stddev, cv
        }
    }
    EXPECT_EQ(shell(bench + tiny_case + " --kernel average_pool_nobodys").code, 2);

    const Finished all = shell(bench + tiny_case + " --kernel all --benchmark_out=" + path("all.json"));
    EXPECT_EQ(all.code, 0) << all.text;
    const nlohmann::json result = json("all.json");
    std::map<std::string, std::string> labels;
    for (const auto& one : result.at("benchmarks"))
        labels[one.at("name")] = one.at("label");
    EXPECT_EQ(labels,
              (std::map<std::string, std::string>{{"average_pool/case1/f32/average_pool_direct", "average_pool_direct_f32"},
                                                  {"average_pool/case1/f32/average_pool_moving", "average_pool_moving_f32"},
                                                  {"average_pool/case1/f32/average_pool_nd", "average_pool_nd_f32"}}));
    EXPECT_TRUE(result.at("context").contains("case:average_pool/case1/f32/average_pool_nd"));
}

TEST_F(BenchTool, CompilesTheSuiteOnAPretendedGpu)
{
    EXPECT_EQ(shell(bench + " --compiled --report " + path("r.html")).code, 2);
    const std::string on_radv = "env -u VK_DRIVER_FILES RADV_FORCE_FAMILY=navi21 VK_ICD_FILENAMES=" + kit::radv_manifest() + " ";
    if (kit::radv_manifest().empty() || shell(on_radv + vkonnx_tool + " devices").text.find("NAVI21") == std::string::npos)
        GTEST_SKIP() << "no RADV that RADV_FORCE_FAMILY makes a device of";
    const Finished quick = shell(on_radv + bench + " --quick --compiled");
    EXPECT_EQ(quick.code, 0) << quick.text;
    EXPECT_NE(quick.text.find("\n  conv_transpose_"), std::string::npos) << quick.text;
    EXPECT_NE(quick.text.find("\n  average_pool_"), std::string::npos) << quick.text;
    const Finished one = shell(on_radv + bench + " --compiled --case 'average_pool x=1x8x4096 kernel_shape=4' --kernel all");
    EXPECT_EQ(one.code, 0) << one.text;
    EXPECT_NE(one.text.find("average_pool/case1/f32/average_pool_nd\n"), std::string::npos) << one.text;
}

TEST_F(BenchTool, ReportsAndCompares)
{
    if (!has_device_)
        GTEST_SKIP() << "no device";
    const Finished run = shell(bench + tiny_case + " --report " + path("r.html") + " --benchmark_out=" + path("r.json"));
    EXPECT_EQ(run.code, 0) << run.text;
    EXPECT_TRUE(exists("r.html"));
    const Finished same =
        shell(bench + " --compare " + path("r.json") + " " + path("r.json") + " --fail-on 5% --report " + path("two.md"));
    EXPECT_EQ(same.code, 0) << same.text;
    EXPECT_NE(same.text.find("same"), std::string::npos) << same.text;
    EXPECT_TRUE(exists("two.md"));

    nlohmann::json slower = json("r.json");
    for (auto& one : slower.at("benchmarks"))
        for (const char* key : {"real_time", "min_s", "p25_s", "median_s", "p75_s", "max_s"})
            one[key] = one.at(key).get<double>() * 100;
    write("slower.json", slower.dump());
    EXPECT_EQ(shell(bench + " --compare " + path("r.json") + " " + path("slower.json")).code, 0);
    EXPECT_EQ(shell(bench + " --compare " + path("r.json") + " " + path("slower.json") + " --fail-on 5%").code, 1);
    EXPECT_EQ(shell(bench + " --compare " + path("slower.json") + " " + path("r.json") + " --fail-on 5%").code, 0);
}

TEST_F(BenchTool, LostOutputIsOne)
{
    std::filesystem::create_symlink("/dev/full", folder_ / "full.json");
    for (const std::string& rest : {std::string(" --help"), std::string(" --benchmark_list_tests"), tiny_case}) {
        if (rest == tiny_case && !has_device_)
            continue;
        const Finished finished = shell(bench + rest + " > /dev/full");
        EXPECT_EQ(finished.code, 1) << rest << "\n" << finished.text;
        EXPECT_NE(finished.text.find("standard output can't be written"), std::string::npos) << rest << "\n" << finished.text;
    }
    if (!has_device_)
        GTEST_SKIP() << "no device";
    for (const char* flag : {" --benchmark_out=", " --report="}) {
        const Finished finished = shell(bench + tiny_case + flag + path("full.json"));
        EXPECT_EQ(finished.code, 1) << flag << "\n" << finished.text;
        EXPECT_NE(finished.text.find("can't be written: No space left"), std::string::npos) << finished.text;
    }
}

TEST_F(BenchTool, FilesThatAreNoneAreRefused)
{
    ASSERT_EQ(mkfifo(path("average_pool.txt").c_str(), 0600), 0);
    for (const char* rest : {" --suite ", " --op average_pool --suite ", " --compare /dev/null "}) {
        const Finished finished = shell("timeout 300 " + bench + rest + path("average_pool.txt"));
        EXPECT_EQ(finished.code, 2) << rest << finished.text;
        EXPECT_NE(finished.text.find("is no regular file"), std::string::npos) << rest << finished.text;
    }
}

TEST_F(BenchTool, NamesCannotCommandATerminalNorBreakTheJson)
{
    const std::string suite = " --suite " + write("average_pool.txt", "a x=1x1x64 kernel_shape=2  # note \x1b\xc2\x9b\xfe\n");
    const std::string result = R"({"context": {"device": "gpu\u001b"}, "benchmarks": [{"name": "a\u001b\n", "real_time": 1}]})";
    const Finished compared = shell(bench + " --compare " + write("a.json", result) + " " + write("b.json", result));
    EXPECT_EQ(compared.code, 0) << compared.text;
    EXPECT_NE(compared.text.find("A: gpu\\x1b"), std::string::npos) << compared.text;
    EXPECT_NE(compared.text.find("a\\x1b\\x0a  "), std::string::npos) << compared.text;
    EXPECT_EQ(visible_lines(compared.text), compared.text);
    if (!has_device_)
        GTEST_SKIP() << "no device";
    const Finished run =
        shell(bench + suite + " --benchmark_min_time=2x --benchmark_out=" + path("r.json") + " --report " + path("r.md"));
    EXPECT_EQ(run.code, 0) << run.text;
    EXPECT_EQ(json("r.json").at("context").at("case:average_pool/a/f32"), "x=1x1x64 kernel_shape=2  # note \\x1b\\xc2\\x9b\\xfe");
}

}  // namespace
}  // namespace vkonnx::tools
