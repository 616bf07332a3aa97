// This header times one case on one device, and says why it does so in this way.
//
// What is timed is the device's work for one run of the operator, between two timestamps in the command buffer: a submit and
// its wait cost 20 us and more on the host, a small operator 3 us on the device, and whoever records many operators into one
// submit pays only the latter. The cost of a timestamp pair with nothing between is measured on the same device and taken off.
// Where a device has no timestamps the host's clock around a submit is divided by the runs in it, and the result says so.
//
// One sample is one submit that holds `repeats` runs, each behind the barrier that its predecessor's output asks for; its value
// is their mean. Repeats make a sample long against the clock's tick and against clock-frequency ramps; runs within one submit
// are as an app's would be. The spread that counts is that between samples. The median is robust against a burst of other work,
// the least time is what the device can do, the mean (Google Benchmark's real_time) is what an hour of it costs: all are kept.
//
// Calibration decides the number of samples from the first, warming runs, before Google Benchmark is asked for exactly that
// many: left to itself it would add up only device time and go on for minutes where a submit is long and its operator short.
//
// Each case opens a device of its own: so its first prepare compiles what nothing compiled before, and a lost device, or one
// that never answers, costs one case. The driver's own disk cache may still help a "cold" prepare; that is not ours to clear.
//
// Weights and bias are constant, as in a model: what a kernel makes of them once is part of preparing, not of a run.
//
// Nothing is timed before the first run's output, over NaNs, was compared with the reference.
//
// Inputs are reals, not small integers: the power a multiplier draws, and with it the clock, depends on the bits that flip.
//
// It times what an application would see, through the public headers, and shares no loop with the library's own probes, which
// time plans (src/api/timing.h).
#pragma once

#include <memory>

#include "calibrate.h"
#include "kit/cases.h"
#include "work.h"

namespace vkonnx::bench {

struct Settings {
    PrepareOptions prepare = {};
    bool cold_cache = false;    // rotate buffers larger than any cache
    int64_t batch = 0;          // time so many independent runs in one submit, which may overlap
    double budget_seconds = 0;  // of samples
    int64_t samples = 0;        // an exact number instead
    uint64_t seed = 1;
    double model_tolerance = 0;  // of a model's outputs, relative to the greatest of each
};

// A clock is what times the runs.
struct Clock {
    bool on_device = false;    // timestamps, else the host's clock
    double empty_seconds = 0;  // two timestamps with nothing between
    double tick_seconds = 0;   // 0: not known
};
Result<Clock> measure_clock(const Device& device);

// These are seconds on the host. What could not be told from noise is absent.
struct HostCosts {
    double prepare = 0;  // nothing cached; with PrepareOptions::tune also what it timed
    double bind = 0;
    std::optional<double> record = {};  // of one run into a recording
    double submit = 0;                  // one run, submitted and waited for
    double first_run_cold = 0;          // prepare, bind and run, nothing cached
    double first_run_cached = 0;        // the same with the pipeline in the cache
};

// Returns how many inputs `bind` takes. Those behind them are constant, as weights, bias, scale and mean are in a model.
size_t varying_inputs(const kit::Case& problem);

class Measurement {
public:
    // Returns a measurement that is verified, warmed and calibrated. Code::unsupported or out_of_memory means that this device
    // can't run the case, which is not wrong. Code::driver_error with a sentence that names an output means that the result is
    // wrong.
    static Result<std::unique_ptr<Measurement>> create(const DeviceOptions& options, const kit::Case& problem,
                                                       const tools::Work& work, const Clock& clock, const Settings& settings);

    // Returns the seconds of one run, as the mean of one sample.
    Result<double> sample();

    // Returns the tunings of its device: what PrepareOptions::tune found, here or before.
    Result<std::string> tunings() const { return device_->tunings(); }
    const Explanation& explanation() const { return op_->explanation(); }
    const HostCosts& costs() const { return costs_; }
    int64_t verified() const { return verified_; }
    int64_t samples() const { return samples_; }
    int64_t repeats() const { return arrangement_.repeats; }

private:
    Measurement(const kit::Case& problem, const tools::Work& work, const Clock& clock, const Settings& settings)
        : problem_(problem), work_(work), clock_(clock), settings_(settings)
    {
    }
    Status open(const DeviceOptions& options);
    Status first_runs();
    Result<std::vector<Tensor>> upload_inputs() const;
    Status verify_output(std::span<const kit::RealTensor> inputs, const Tensor& output);
    Status time_submits();
    Status calibrate();
    Result<double> seconds_of_one_run();
    Status add_copies();
    Status make_recordings();
    Result<Op> prepare(std::span<const Tensor> inputs) const;
    Result<Binding> bind(const Op& op, std::span<const Tensor> inputs, const Tensor& output) const;
    Status warm_up();
    struct Timed {
        double run = 0;       // seconds of one run
        double wall = 0;      // of the submit and its wait
        double overhead = 0;  // wall less what the device took: the host's part
    };
    Result<Timed> timed_run(Recording& recording);

    const kit::Case& problem_;
    const tools::Work& work_;
    const Clock& clock_;
    const Settings& settings_;

    std::optional<Device> device_;
    std::optional<Op> op_;
    HostCosts costs_;
    int64_t verified_ = 0;
    int64_t samples_ = 1;
    Arrangement arrangement_;
    uint64_t filler_bytes_ = 0;
    std::vector<std::vector<std::byte>> values_;  // of the inputs, until all copies are made
    std::vector<Tensor> inputs_;                  // of the first copy
    std::vector<Binding> bindings_;               // one a copy
    std::optional<Binding> filler_;
    std::vector<Recording> recordings_;
    size_t next_ = 0;
};

}  // namespace vkonnx::bench
