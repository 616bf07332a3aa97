// This file tests how the runs of Google Benchmark are gathered into one result.
#include "bench/reporter.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace vkonnx::bench {
namespace {

TEST(Reporter, NamesAreTheSameWhateverCalibrationSays)
{
    Collector collector(Collector::Display::none, 10);
    for (const auto& [name, iterations] : {std::pair("a/first/f32", 3), std::pair("a/second/f32", 7)}) {
        benchmark::RegisterBenchmark(name,
                                     [](benchmark::State& state) {
                                         for (auto _ : state)
                                             state.SetIterationTime(0.25);
                                         state.counters["flop"] = 12;
                                         state.SetLabel("a_kernel");
                                     })
            ->Iterations(iterations)
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
        benchmark::RunSpecifiedBenchmarks(&collector);
        benchmark::ClearRegisteredBenchmarks();
        EXPECT_FALSE(collector.last_failed());
    }
    const auto json = nlohmann::json::parse(collector.json());
    ASSERT_EQ(json.at("benchmarks").size(), 2u);
    const auto& second = json.at("benchmarks").at(1);
    EXPECT_EQ(second.at("name"), "a/second/f32");
    EXPECT_EQ(second.at("run_name"), "a/second/f32");
    EXPECT_EQ(second.at("iterations"), 7);
    EXPECT_EQ(second.at("real_time"), 250);
    EXPECT_EQ(second.at("time_unit"), "ms");
    EXPECT_EQ(second.at("flop"), 12);
    EXPECT_EQ(second.at("label"), "a_kernel");
}

TEST(Reporter, ErrorsAreKeptAndTold)
{
    Collector collector(Collector::Display::none, 10);
    benchmark::RegisterBenchmark("a/wrong/f32", [](benchmark::State& state) {
        state.SkipWithError("wrong result");
    })->Iterations(1);
    benchmark::RunSpecifiedBenchmarks(&collector);
    benchmark::ClearRegisteredBenchmarks();
    EXPECT_TRUE(collector.last_failed());
    const auto json = nlohmann::json::parse(collector.json());
    EXPECT_EQ(json.at("benchmarks").at(0).at("error_occurred"), true);
    EXPECT_EQ(json.at("benchmarks").at(0).at("error_message"), "wrong result");
}

}  // namespace
}  // namespace vkonnx::bench
