// This header makes up a result of vkonnx-bench, as Google Benchmark would write it, for the tests of what reads results.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/counters.h"
#include "bench/results.h"

namespace vkonnx::bench {

struct FakeCase {
    std::string name = {};
    double flop = 0, bytes = 0;
    std::vector<double> seconds = {};  // one of each repetition; empty: the case ended with an error
};

// Returns a result as JSON. Its peaks are 100 GFLOP/s and 10 GB/s, so that floors are easy to find by hand.
inline nlohmann::json fake_json(const std::vector<FakeCase>& cases)
{
    nlohmann::json context = {{"date", "2026-11-21T07:00:00+00:00"}, {"num_cpus", 2},
                              {context::device, "Fake GPU"},         {context::driver, "fake 1.0"},
                              {context::validation, "off"},          {context::peak_f32_before, "100"},
                              {context::peak_f32_after, "99"},       {context::peak_copy_before, "10"},
                              {context::peak_copy_after, "9.9"}};
    nlohmann::json benchmarks = nlohmann::json::array();
    for (const FakeCase& one : cases) {
        if (one.seconds.empty())
            benchmarks.push_back({{"name", one.name},
                                  {"run_name", one.name},
                                  {"run_type", "iteration"},
                                  {"error_occurred", true},
                                  {"error_message", "output[3] = 5 must be 7"}});
        for (size_t i = 0; i < one.seconds.size(); ++i) {
            const double seconds = one.seconds[i];
            const std::string name = one.name + "/iterations:" + std::to_string(10 + i) + "/manual_time";
            benchmarks.push_back({{"name", name},
                                  {"run_name", name},
                                  {"run_type", "iteration"},
                                  {"repetitions", one.seconds.size()},
                                  {"repetition_index", i},
                                  {"threads", 1},
                                  {"iterations", 10 + i},
                                  {"real_time", seconds * 1e6},
                                  {"cpu_time", 1.0},
                                  {"time_unit", "us"},
                                  {"label", "conv_transpose_direct"},
                                  {counter::flop, one.flop},
                                  {counter::bytes, one.bytes},
                                  {counter::floor_s, std::max(one.flop / 100e9, one.bytes / 10e9)},
                                  {counter::gflops, one.flop / seconds / 1e9},
                                  {counter::gbps, one.bytes / seconds / 1e9}});
        }
    }
    return {{"context", context}, {"benchmarks", benchmarks}};
}

inline RunResult fake_run(const std::vector<FakeCase>& cases, const std::string& path = "fake.json")
{
    Result<RunResult> run = parse_result(fake_json(cases).dump(), path);
    return run ? *run : RunResult{.path = std::string(run.message())};
}

}  // namespace vkonnx::bench
