// This file tests Device::measure_peaks on every device present. The test plays the device's clock, so that the peaks are known,
// and looks at what the probes left in memory, so that the work they count is the work they did.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "small_problem.h"

namespace vkonnx::gpu_test {
namespace {

// A pattern is a buffer that holds the same four floats over and over.
struct Pattern {
    double repetitions = 0;
    std::array<float, 4> vector = {};
};

std::optional<Pattern> pattern_of(std::span<const std::byte> bytes)
{
    Pattern pattern;
    constexpr size_t size = sizeof pattern.vector;
    if (bytes.size() < size || bytes.size() % size != 0 ||
        std::memcmp(bytes.data(), bytes.data() + size, bytes.size() - size) != 0)
        return std::nullopt;
    std::memcpy(pattern.vector.data(), bytes.data(), size);
    pattern.repetitions = double(bytes.size() / size);
    return pattern;
}

// This class opens a device, decides what its clock says, and looks into its buffers after each run.
class PlayedClock {
public:
    explicit PlayedClock(const PresentDevice& present) : device_(Device::open(through(shim_, present)))
    {
        // A GPU's memory takes minutes to read, and the library does not map all that is meant.
        looks_at_buffers_ = device_ && device_->capabilities().is_cpu;
    }

    const Result<Device>& device() const { return device_; }

    // Each of the next runs takes as long as this list says. All other runs take 1,000 ticks.
    void play(std::vector<int> milliseconds, double seconds_per_tick)
    {
        milliseconds_ = std::move(milliseconds);
        seconds_per_tick_ = seconds_per_tick;
        left_.clear();
    }
    // Returns what the buffers held after each run that was played.
    const std::vector<std::vector<Pattern>>& left() const { return left_; }

private:
    void after_timestamps(std::span<uint64_t> ticks)
    {
        ASSERT_EQ(ticks.size(), 2u);
        uint64_t duration = 1000;
        if (left_.size() < milliseconds_.size())
            duration = uint64_t(std::llround(1e-3 * milliseconds_[left_.size()] / seconds_per_tick_));
        ticks[0] = 123;
        ticks[1] = ticks[0] + duration;
        left_.push_back(std::move(buffers_));
        buffers_ = {};
    }
    void after_wait(std::span<const std::byte> buffer)
    {
        if (!looks_at_buffers_)
            return;
        if (const std::optional<Pattern> pattern = pattern_of(buffer))
            buffers_.push_back(*pattern);
    }

    bool looks_at_buffers_ = false;
    std::vector<int> milliseconds_;
    double seconds_per_tick_ = 0;
    std::vector<Pattern> buffers_;
    std::vector<std::vector<Pattern>> left_;
    kit::VulkanShim shim_{{.after_timestamps = [this](std::span<uint64_t> ticks) { after_timestamps(ticks); },
                           .after_wait = [this](std::span<std::byte> buffer) { after_wait(buffer); }}};
    Result<Device> device_;
};

double seconds_per_tick(const Device& device)
{
    const SmallRun small(device);
    const auto binding = device.bind(small.op, {&small.x, 1}, {&small.y, 1});
    auto recording = device.recording();
    EXPECT_TRUE(recording->add(*binding));
    EXPECT_TRUE(recording->run());
    return recording->seconds()[0] / 1000;
}

// A trial of 64 iterations takes 10 ms, which is too short; one of 128 takes 30 ms, which is long enough. Of the runs that
// follow, the best one counts.
const std::vector<int> flops_milliseconds = {30, 10, 40, 30, 90, 80, 50, 60, 70, 90};
constexpr int flops_iterations = 128;
constexpr double flops_best = 50e-3;
const std::vector<int> copy_milliseconds = {90, 80, 70, 30, 60, 80};
constexpr double copy_best = 30e-3;

// Returns what an invocation of probe_flops.comp leaves in each component: the sum of eight chains, which begin at 1 to 8 terms,
// and have two multiply-adds each in an iteration.
double sum_of_chains(double factor, double term)
{
    double sum = 0;
    for (int begin = 1; begin <= 8; ++begin) {
        double value = begin * term;
        for (int i = 0; i < 2 * flops_iterations; ++i)
            value = value * factor + term;
        sum += value;
    }
    return sum;
}

// Returns the number of invocations that computed all iterations.
double invocations_in(const std::vector<Pattern>& buffers, double tolerance)
{
    for (const Pattern& buffer : buffers) {
        bool right = true;
        for (size_t i = 0; i < 4; ++i) {
            const double expected = sum_of_chains(1 - std::ldexp(1, -7 - int(i)), 0.25 * double(i + 1));
            right = right && std::abs(buffer.vector[i] - expected) <= tolerance * expected;
        }
        if (right)
            return buffer.repetitions;
    }
    ADD_FAILURE() << "no buffer holds what 128 iterations leave";
    return 0;
}

TEST(Peaks, AreTheWorkThatWasDoneBySecondsOfTheBestRun)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        PlayedClock clock(present);
        const Result<Device>& device = clock.device();
        ASSERT_TRUE(device) << device.message();
        if (!device->capabilities().timestamps)
            continue;
        std::vector<int> milliseconds = flops_milliseconds;
        if (device->capabilities().float16)
            milliseconds.insert(milliseconds.end(), flops_milliseconds.begin(), flops_milliseconds.end());
        const size_t flops_runs = milliseconds.size();
        milliseconds.insert(milliseconds.end(), copy_milliseconds.begin(), copy_milliseconds.end());
        clock.play(milliseconds, seconds_per_tick(*device));

        const Result<Peaks> peaks = device->measure_peaks();
        ASSERT_TRUE(peaks) << peaks.message();
        ASSERT_EQ(clock.left().size(), milliseconds.size());
        if (!device->capabilities().is_cpu)
            continue;

        constexpr double operations = 16 * 4 * 2;  // multiply-adds of four components in an iteration
        const double invocations = invocations_in(clock.left()[flops_milliseconds.size() - 1], 1e-4);
        const double flops = invocations * flops_iterations * operations / flops_best;
        EXPECT_NEAR(peaks->flops_f32, flops, 1e-5 * flops);
        if (device->capabilities().float16) {
            // Halves round each of the steps. A tenth of the iterations less would leave 2 to 6 % less.
            EXPECT_EQ(invocations_in(clock.left()[flops_runs - 1], 1e-2), invocations);
            EXPECT_NEAR(peaks->flops_f16, flops, 1e-5 * flops);
        } else {
            EXPECT_EQ(peaks->flops_f16, 0);
        }

        const auto ones = [](const Pattern& buffer) {
            std::array<std::byte, 16> expected;
            expected.fill(std::byte{1});
            return std::memcmp(buffer.vector.data(), expected.data(), 16) == 0;
        };
        const std::vector<Pattern>& copied = clock.left().back();
        ASSERT_EQ(std::count_if(copied.begin(), copied.end(), ones), 2) << "source and destination";
        const Pattern& source = *std::find_if(copied.begin(), copied.end(), ones);
        const double rate = 2 * 16 * source.repetitions / copy_best;
        EXPECT_NEAR(peaks->copy_bytes_per_second, rate, 1e-5 * rate);
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
