#include "calibrate.h"

#include <algorithm>
#include <cmath>

namespace vkonnx::bench {
namespace {

constexpr int64_t most_samples = 1000;
constexpr int64_t most_copies = 64;

int64_t divided_up(int64_t value, int64_t by)
{
    return (value + by - 1) / by;
}

}  // namespace

int64_t repeats_for(double seconds_a_run, double tick_seconds)
{
    if (seconds_a_run <= 0)
        return most_repeats;
    const auto runs_in = [&](double seconds) { return int64_t(std::min(std::ceil(seconds / seconds_a_run), 1e6)); };
    const int64_t wanted = std::clamp<int64_t>(runs_in(sample_seconds), 1, most_repeats);
    return std::max(wanted, runs_in(sample_ticks * tick_seconds));
}

int64_t samples_for(double seconds_a_sample, double budget_seconds)
{
    constexpr int64_t for_a_spread = 5;
    if (seconds_a_sample <= 0)
        return most_samples;
    if (seconds_a_sample * for_a_spread > budget_seconds * 30)
        return 1;
    const double fit = std::min(budget_seconds / seconds_a_sample, double(most_samples));
    return std::max(for_a_spread, int64_t(fit));
}

Spread spread_of(std::vector<double> samples)
{
    if (samples.empty())
        return {};
    std::sort(samples.begin(), samples.end());
    const auto at = [&](double share) {
        const double place = share * double(samples.size() - 1);
        const size_t below = size_t(place);
        const size_t above = std::min(below + 1, samples.size() - 1);
        return std::lerp(samples[below], samples[above], place - double(below));
    };
    return {samples.front(), at(0.25), at(0.5), at(0.75), samples.back()};
}

double tick_of(std::span<const double> durations)
{
    std::vector<double> sorted(durations.begin(), durations.end());
    sorted.push_back(0);
    std::sort(sorted.begin(), sorted.end());
    double tick = 0;
    for (size_t i = 1; i < sorted.size(); ++i) {
        const double step = sorted[i] - sorted[i - 1];
        // Differences of a part in a million come from rounding ticks to seconds and are no ticks.
        if (step > sorted[i] * 1e-6 && (tick == 0 || step < tick))
            tick = step;
    }
    return tick;
}

Rotation rotation_for(uint64_t case_bytes, uint64_t cache_bytes)
{
    case_bytes = std::max<uint64_t>(case_bytes, 1);
    Rotation rotation;
    // There are at least two copies, because the others alone must exceed the cache while one is in use.
    const uint64_t others = (cache_bytes + case_bytes - 1) / case_bytes;
    rotation.copies = int64_t(std::min<uint64_t>(std::max<uint64_t>(others, 1) + 1, most_copies));
    const uint64_t passing = uint64_t(rotation.copies - 1) * case_bytes;
    rotation.filler_bytes = passing < cache_bytes ? cache_bytes - passing : 0;
    return rotation;
}

Arrangement arrangement_for(int64_t repeats, int64_t copies)
{
    if (repeats >= copies)
        return {1, divided_up(repeats, copies) * copies, copies};
    const int64_t recordings = divided_up(copies, repeats);
    return {recordings, repeats, recordings * repeats};
}

}  // namespace vkonnx::bench
