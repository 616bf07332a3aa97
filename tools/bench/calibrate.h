// This header decides how often to run. It is the arithmetic of calibration, apart from any device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vkonnx::bench {

// A sample lasts this long in seconds, unless that takes more repeats than a recording should hold.
inline constexpr double sample_seconds = 0.02;
inline constexpr int64_t most_repeats = 1024;
// It lasts at least so many timestamp ticks, so that rounding to ticks is below 1 %.
inline constexpr double sample_ticks = 100;

// Returns the runs of the operator in one sample.
int64_t repeats_for(double seconds_a_run, double tick_seconds);

// Returns the samples that fit the budget: at least 5, for a spread, unless those would take more than 30 budgets, then 1. It is
// at most 1000.
int64_t samples_for(double seconds_a_sample, double budget_seconds);

// A spread is order statistics, with quartiles by linear interpolation. All are 0 for no samples.
struct Spread {
    double min = 0, p25 = 0, median = 0, p75 = 0, max = 0;
};
Spread spread_of(std::vector<double> samples);

// Returns the step of a clock, as far as these durations show it: the smallest positive difference among them and 0, or 0 if all
// are 0.
double tick_of(std::span<const double> durations);

// A rotation is buffers for cold caches: several copies of the case's tensors, used one after the other. Where those are too
// small it has a filler. Between two runs on the same copy at least `cache_bytes` of other data pass.
struct Rotation {
    int64_t copies = 1;
    uint64_t filler_bytes = 0;
};
Rotation rotation_for(uint64_t case_bytes, uint64_t cache_bytes);

// An arrangement spreads a rotation over recordings, each of which is one sample: `recordings` of `repeats` runs. In all they run
// every copy once or, where a recording holds more runs than there are copies, equally often.
struct Arrangement {
    int64_t recordings = 1;
    int64_t repeats = 1;
    int64_t copies = 1;
};
Arrangement arrangement_for(int64_t repeats, int64_t copies);

}  // namespace vkonnx::bench
