// This file tests how the JSON of Google Benchmark is read back.
#include "bench/results.h"

#include <gtest/gtest.h>

#include "fake_result.h"

namespace vkonnx::bench {
namespace {

std::string refusal(const std::string& text)
{
    const Result<RunResult> run = parse_result(text, "r.json");
    return run ? "accepted" : std::string(run.message());
}

TEST(Results, NamesLoseWhatGoogleBenchmarkAdds)
{
    EXPECT_EQ(plain_name("conv_transpose/ct03/f32/iterations:20/manual_time"), "conv_transpose/ct03/f32");
    EXPECT_EQ(plain_name("a/b/min_time:0.500/min_warmup_time:1.0/repeats:3/process_time/real_time/threads:2"), "a/b");
    EXPECT_EQ(plain_name("a/iterations:3/b"), "a/iterations:3/b") << "only at the end";
    EXPECT_EQ(plain_name("manual_time"), "manual_time");
}

TEST(Results, RepetitionsBecomeOneCaseWithMedianAndRange)
{
    const RunResult run = fake_run({{"op/one/f32", 1e9, 1e6, {3e-3, 1e-3, 2e-3, 9e-3}}, {"op/two/f32", 1, 1, {5e-6}}});
    ASSERT_EQ(run.cases.size(), 2u);
    const CaseResult& one = run.cases[0];
    EXPECT_EQ(one.name, "op/one/f32");
    EXPECT_EQ(one.kernel, "conv_transpose_direct");
    EXPECT_EQ(one.samples, 4u);
    EXPECT_DOUBLE_EQ(one.median_s, 2.5e-3);
    EXPECT_DOUBLE_EQ(one.low_s, 1e-3);
    EXPECT_DOUBLE_EQ(one.high_s, 9e-3);
    EXPECT_DOUBLE_EQ(one.counter(counter::flop).value(), 1e9);
    EXPECT_FALSE(one.counter("iterations")) << "Google Benchmark's own numbers are no counters";
    EXPECT_FALSE(one.counter("repetition_index"));
    EXPECT_DOUBLE_EQ(one.efficiency().value(), 1e-2 / 2.5e-3);  // at best 1e9 / 100e9 s
    EXPECT_EQ(run.cases[1].samples, 1u);
    EXPECT_DOUBLE_EQ(run.cases[1].low_s, 5e-6);
    EXPECT_DOUBLE_EQ(run.cases[1].high_s, 5e-6);
}

TEST(Results, ContextAndPeaks)
{
    const RunResult run = fake_run({});
    EXPECT_EQ(run.device(), "Fake GPU");
    EXPECT_EQ(run.text("num_cpus"), "2");
    EXPECT_EQ(run.text("no such key"), "");
    EXPECT_FALSE(run.number(context::driver)) << "\"fake 1.0\" is no number";
    ASSERT_TRUE(run.peak_f32());
    EXPECT_DOUBLE_EQ(run.peak_f32()->best(), 100);
    EXPECT_NEAR(run.peak_f32()->drift(), 0.01, 1e-12);
    EXPECT_DOUBLE_EQ((Peak{.before = 4, .after = 5.0}.best()), 5);
    EXPECT_DOUBLE_EQ((Peak{.before = 4}.drift()), 0);
    EXPECT_FALSE(run.peak_f16());
}

TEST(Results, AggregatesAloneGiveMedianAndTwiceTheDeviation)
{
    const auto aggregate = [](const char* kind, double time, double gflops) {
        return nlohmann::json{{"name", std::string("op/one/manual_time_") + kind},
                              {"run_name", "op/one/manual_time"},
                              {"run_type", "aggregate"},
                              {"aggregate_name", kind},
                              {"repetitions", 7},
                              {"real_time", time},
                              {"time_unit", "ms"},
                              {"GFLOP/s", gflops}};
    };
    nlohmann::json json = fake_json({});
    json["benchmarks"] = {aggregate("mean", 11, 1), aggregate("median", 10, 2), aggregate("stddev", 1, 3),
                          aggregate("cv", 0.1, 4)};
    const Result<RunResult> run = parse_result(json.dump(), "r.json");
    ASSERT_TRUE(run) << run.message();
    ASSERT_EQ(run->cases.size(), 1u);
    const CaseResult& one = run->cases[0];
    EXPECT_EQ(one.name, "op/one");
    EXPECT_EQ(one.samples, 7u);
    EXPECT_DOUBLE_EQ(one.median_s, 10e-3);
    EXPECT_DOUBLE_EQ(one.low_s, 8e-3);
    EXPECT_DOUBLE_EQ(one.high_s, 12e-3);
    EXPECT_DOUBLE_EQ(one.counter("GFLOP/s").value(), 2);
}

TEST(Results, ASingleRunBringsItsOwnQuartiles)
{
    nlohmann::json json = fake_json({{"op/one/f32", 1e9, 1e6, {2e-3}}});
    nlohmann::json& entry = json["benchmarks"][0];
    entry[counter::samples] = 21;
    entry[counter::p25_s] = 1.5e-3;
    entry[counter::median_s] = 1.75e-3;
    entry[counter::p75_s] = 1.9e-3;
    const Result<RunResult> run = parse_result(json.dump(), "r.json");
    ASSERT_TRUE(run) << run.message();
    EXPECT_EQ(run->cases[0].samples, 21u);
    EXPECT_DOUBLE_EQ(run->cases[0].median_s, 1.75e-3) << "our median, not the mean of real_time";
    EXPECT_DOUBLE_EQ(run->cases[0].low_s, 1.5e-3);
    EXPECT_DOUBLE_EQ(run->cases[0].high_s, 1.9e-3);
}

TEST(Results, ErrorsKeepTheirSentenceAndHaveNoNumbers)
{
    const RunResult run = fake_run({{"op/bad/f32"}, {"op/zero/f32", 1, 1, {0.0}}});
    ASSERT_EQ(run.cases.size(), 2u);
    EXPECT_EQ(run.cases[0].error, "output[3] = 5 must be 7");
    EXPECT_FALSE(run.cases[0].efficiency());
    EXPECT_EQ(run.cases[1].error, "its time is not greater than 0");
    EXPECT_TRUE(run.cases[1].counters.empty());

    // Google Benchmark 1.8 and later calls it "skipped".
    nlohmann::json json = fake_json({{"op/bad/f32"}});
    json["benchmarks"][0].erase("error_occurred");
    json["benchmarks"][0]["skipped"] = true;
    json["benchmarks"][0]["skip_message"] = "device lost";
    EXPECT_EQ(parse_result(json.dump(), "r.json")->cases[0].error, "device lost");

    // One repetition that failed makes the whole case an error.
    json = fake_json({{"op/one/f32", 1, 1, {1.0}}, {"op/one/f32"}});
    const Result<RunResult> mixed = parse_result(json.dump(), "r.json");
    ASSERT_EQ(mixed->cases.size(), 1u);
    EXPECT_EQ(mixed->cases[0].error, "output[3] = 5 must be 7");
}

TEST(Results, MalformedFilesAreRefusedWithASentence)
{
    EXPECT_EQ(refusal("{\"benchmarks\": [NaN]}"),
              "r.json: byte 17 is where it stops being JSON; expected a result of vkonnx-bench --benchmark_out=FILE "
              "--benchmark_out_format=json");
    EXPECT_NE(refusal("").find("stops being JSON"), std::string::npos);
    const std::string no_list = "r.json: there is no list \"benchmarks\"; expected a result of Google Benchmark";
    EXPECT_EQ(refusal("[]"), no_list);
    EXPECT_EQ(refusal("{}"), no_list);
    EXPECT_EQ(refusal(R"({"benchmarks": {}})"), no_list);
    EXPECT_EQ(refusal(R"({"benchmarks": [], "context": 3})"), "r.json: \"context\" must be an object");
    EXPECT_EQ(refusal(R"({"benchmarks": [7]})"), "r.json: benchmarks[0] must be an object");
    EXPECT_EQ(refusal(R"({"benchmarks": [{"real_time": 1}]})"), "r.json: benchmarks[0] must have a name");
    EXPECT_EQ(refusal(R"({"benchmarks": [{"name": "x"}]})"), "r.json: x: real_time must be a number");
    EXPECT_EQ(refusal(R"({"benchmarks": [{"name": "x", "real_time": 1, "time_unit": "h"}]})"),
              "r.json: x: time_unit \"h\" must be ns, us, ms or s");
    EXPECT_EQ(refusal(R"({"benchmarks": [{"name": "x", "real_time": 1}]})"), "accepted");
    EXPECT_EQ(load_result("no/such/file.json").code(), Code::io);
}

// A ratio of such numbers would be infinite, and drawing a plot of them would never end.
TEST(Results, NumbersThatMeasureNothingAreErrors)
{
    const auto error_of = [](const std::string& numbers) {
        const Result<RunResult> run =
            parse_result(R"({"benchmarks": [{"name": "a", "time_unit": "s", )" + numbers + "}]}", "f.json");
        EXPECT_TRUE(run) << run.message();
        return run ? run->cases[0].error : "";
    };
    EXPECT_EQ(error_of(R"("real_time": 1, "flop": 1e30, "bytes": 1e-30, "repeats": 0)"), "");
    EXPECT_EQ(error_of(R"("real_time": 1, "flop": 1e308)"), "flop = 1e+308 is no measurement");
    EXPECT_EQ(error_of(R"("real_time": 1, "bytes": -5e-324)"), "bytes = -5e-324 is no measurement");
    EXPECT_EQ(error_of(R"("real_time": 1e31)"), "real_time = 1e+31 is no measurement");
    const Result<RunResult> many = parse_result(R"({"benchmarks": [{"name": "a", "real_time": 1, "samples": 1e20}]})", "f.json");
    ASSERT_TRUE(many) << many.message();
    EXPECT_EQ(many->cases[0].samples, 1u);
    const Result<RunResult> peaks = parse_result(
        R"({"benchmarks": [], "context": {"peak_gflops_f32_before": "1e300", "peak_gbps_before": "1e-300"}})", "f.json");
    ASSERT_TRUE(peaks) << peaks.message();
    EXPECT_FALSE(peaks->peak_f32());
    EXPECT_FALSE(peaks->peak_copy());
    EXPECT_EQ(parse_result(R"({"benchmarks": [{"name": "a", "real_time": 1e999}]})", "f.json").message(),
              "f.json: a number in it is beyond what 64 bits hold");
}

TEST(Results, Means)
{
    EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
    EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
    const double values[] = {2, 8};
    EXPECT_DOUBLE_EQ(geometric_mean(values), 4);
}

}  // namespace
}  // namespace vkonnx::bench
