#include "measure.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kit/elements.h"
#include "stopwatch.h"
#include "verify.h"

namespace vkonnx::bench {
namespace {

// These exceed the last-level caches of today's GPUs, and of most hosts that run a software driver.
constexpr uint64_t cache_bytes = uint64_t{256} << 20;
constexpr uint64_t cache_bytes_of_cpu = uint64_t{128} << 20;

// Binds a 1x1 pool, which copies its input: it only moves bytes, half of them read and half written.
Result<Binding> pool_binding(const Device& device, const std::vector<int64_t>& dims)
{
    const TensorDesc desc = {DType::float32, dims};
    Result<Op> op = device.prepare(AveragePool{.kernel_shape = {1, 1}}, {desc});
    if (!op)
        return op.status();
    Result<Tensor> x = device.tensor(desc);
    Result<Tensor> y = device.tensor(desc);
    if (!x || !y)
        return x ? y.status() : x.status();
    return device.bind(*op, std::span<const Tensor>(&*x, 1), std::span<const Tensor>(&*y, 1));
}

Result<Binding> filler_binding(const Device& device, uint64_t bytes)
{
    constexpr int64_t columns = 4096;
    const auto rows = int64_t(bytes / (2 * sizeof(float) * columns)) + 1;
    return pool_binding(device, {1, 1, rows, columns});
}

}  // namespace

Result<Clock> measure_clock(const Device& device)
{
    Clock clock = {.on_device = device.capabilities().timestamps};
    if (!clock.on_device)
        return clock;
    // A pool of no images dispatches nothing, so what remains between its timestamps is their own cost.
    Result<Binding> nothing = pool_binding(device, {0, 1, 1, 1});
    Result<Recording> recording = device.recording();
    if (!nothing || !recording)
        return nothing ? recording.status() : nothing.status();
    for (int i = 0; i < 256; ++i)
        if (Status status = recording->add(*nothing); !status)
            return status;
    std::vector<double> seconds;
    for (int run = 0; run < 4; ++run) {
        if (Status status = recording->run(); !status)
            return status;
        seconds.insert(seconds.end(), recording->seconds().begin(), recording->seconds().end());
    }
    clock.on_device = !seconds.empty();
    clock.empty_seconds = spread_of(seconds).median;
    clock.tick_seconds = tick_of(seconds);
    return clock;
}

size_t varying_inputs(const kit::Case& problem)
{
    const bool all =
        std::holds_alternative<Elementwise>(problem.attributes) || std::holds_alternative<Concat>(problem.attributes);
    return all ? problem.inputs.size() : 1;
}

Result<std::unique_ptr<Measurement>> Measurement::create(const DeviceOptions& options, const kit::Case& problem,
                                                         const tools::Work& work, const Clock& clock, const Settings& settings)
{
    std::unique_ptr<Measurement> made(new Measurement(problem, work, clock, settings));
    if (Status status = made->open(options); !status)
        return status;
    if (Status status = made->first_runs(); !status)
        return status;
    if (Status status = made->time_submits(); !status)
        return status;
    if (Status status = made->calibrate(); !status)
        return status;
    return made;
}

Status Measurement::open(const DeviceOptions& options)
{
    Result<Device> device = Device::open(options);
    if (!device)
        return device.status();
    device_ = std::move(*device);
    return Status();
}

Result<Op> Measurement::prepare(std::span<const Tensor> inputs) const
{
    PrepareOptions options = settings_.prepare;
    for (size_t i = varying_inputs(problem_); i < inputs.size(); ++i)
        options.constants.push_back({i, inputs[i]});
    return device_->prepare(problem_.attributes, problem_.inputs, options);
}

Result<Binding> Measurement::bind(const Op& op, std::span<const Tensor> inputs, const Tensor& output) const
{
    return device_->bind(op, inputs.first(varying_inputs(problem_)), std::span<const Tensor>(&output, 1));
}

Status Measurement::first_runs()
{
    std::vector<kit::RealTensor> values = kit::fill_inputs(problem_, kit::Fill::reals);
    for (const kit::RealTensor& value : values)
        values_.push_back(kit::encoded(value));
    const std::vector<double> unwritten(size_t(work_.outputs), std::numeric_limits<double>::quiet_NaN());
    Result<std::vector<Tensor>> inputs = upload_inputs();
    if (!inputs)
        return inputs.status();

    const Stopwatch preparing;
    Result<Op> op = prepare(*inputs);
    costs_.prepare = preparing.seconds();
    if (!op)
        return op.status();
    op_ = *op;
    Result<Tensor> output = device_->tensor(op->outputs()[0], kit::encoded(op->outputs()[0].dtype, unwritten));
    if (!output)
        return output.status();

    const Stopwatch binding_it;
    Result<Binding> binding = bind(*op, *inputs, *output);
    costs_.bind = binding_it.seconds();
    if (!binding)
        return binding.status();
    const Stopwatch running;
    if (Status status = device_->run(*binding); !status)
        return status;
    costs_.first_run_cold = costs_.prepare + costs_.bind + running.seconds();
    if (Status status = verify_output(values, *output); !status)
        return status;

    const Stopwatch again;
    Result<Op> second = prepare(*inputs);
    if (!second)
        return second.status();
    Result<Binding> second_binding = bind(*second, *inputs, *output);
    if (!second_binding)
        return second_binding.status();
    if (Status status = device_->run(*second_binding); !status)
        return status;
    costs_.first_run_cached = again.seconds();

    inputs_ = std::move(*inputs);
    bindings_.push_back(std::move(*binding));
    return Status();
}

Result<std::vector<Tensor>> Measurement::upload_inputs() const
{
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < values_.size(); ++i) {
        Result<Tensor> input = device_->tensor(problem_.inputs[i], values_[i]);
        if (!input)
            return input.status();
        inputs.push_back(std::move(*input));
    }
    return inputs;
}

Status Measurement::verify_output(std::span<const kit::RealTensor> inputs, const Tensor& output)
{
    const TensorDesc& desc = op_->outputs()[0];
    std::vector<std::byte> bytes(size_t(work_.outputs) * bits(desc.dtype) / 8);
    if (Status status = output.download(bytes); !status)
        return status;
    const kit::FloatRules rules = kit::FloatRules::of(device_->capabilities(), explanation().kernel);
    const Result<Verification> verification =
        verify(problem_, inputs, desc.dtype, bytes, work_.taps_per_output, rules, settings_.seed);
    if (!verification)
        return verification.status();
    verified_ = verification->compared;
    if (!verification->mismatch.empty())
        return Status(Code::driver_error, "wrong result of " + explanation().kernel + ": " + verification->mismatch);
    return Status();
}

// Times one run, submitted and waited for. The least of a few counts, as many as fit a fifth of the budget.
Status Measurement::time_submits()
{
    const Stopwatch all;
    costs_.submit = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 10 && (i == 0 || all.seconds() < settings_.budget_seconds / 5); ++i) {
        const Stopwatch one;
        if (Status status = device_->run(bindings_[0]); !status)
            return status;
        costs_.submit = std::min(costs_.submit, one.seconds());
    }
    return Status();
}

Result<double> Measurement::seconds_of_one_run()
{
    if (!clock_.on_device || costs_.submit > sample_seconds)
        return costs_.submit;
    Result<Recording> recording = device_->recording();
    if (!recording)
        return recording.status();
    if (Status status = recording->add(bindings_[0]); !status)
        return status;
    for (int i = 0; i < 2; ++i)
        if (Status status = recording->run(); !status)
            return status;
    return recording->seconds()[0] - clock_.empty_seconds;
}

Status Measurement::calibrate()
{
    if (settings_.batch > 0) {
        arrangement_ = {1, settings_.batch, settings_.batch};
    } else {
        const Result<double> seconds = seconds_of_one_run();
        if (!seconds)
            return seconds.status();
        Rotation rotation;
        if (settings_.cold_cache)
            rotation = rotation_for(uint64_t(work_.bytes), device_->capabilities().is_cpu ? cache_bytes_of_cpu : cache_bytes);
        filler_bytes_ = rotation.filler_bytes;
        // Fillers take longer than the runs between them, so one round of copies must do for a sample.
        const int64_t repeats = repeats_for(*seconds, clock_.tick_seconds);
        arrangement_ = arrangement_for(filler_bytes_ > 0 ? std::min(repeats, rotation.copies) : repeats, rotation.copies);
    }
    if (filler_bytes_ > 0 && !clock_.on_device)
        return Status(Code::unsupported, "a case this small can't be timed with cold caches without timestamps");
    if (Status status = add_copies(); !status)
        return status;
    values_ = {};
    return make_recordings();
}

// Copies of a batch share their inputs, as branches of a model do; those of a rotation share nothing.
Status Measurement::add_copies()
{
    while (int64_t(bindings_.size()) < arrangement_.copies) {
        const Result<std::vector<Tensor>> inputs = settings_.batch > 0 ? inputs_ : upload_inputs();
        const Result<Tensor> output = device_->tensor(op_->outputs()[0]);
        if (!inputs || !output)
            return inputs ? output.status() : inputs.status();
        const Result<Op> op = settings_.batch > 0 ? Result<Op>(*op_) : prepare(*inputs);
        if (!op)
            return op.status();
        Result<Binding> binding = bind(*op, *inputs, *output);
        if (!binding)
            return binding.status();
        bindings_.push_back(std::move(*binding));
    }
    if (filler_bytes_ == 0)
        return Status();
    Result<Binding> filler = filler_binding(*device_, filler_bytes_);
    if (!filler)
        return filler.status();
    filler_ = std::move(*filler);
    return Status();
}

Status Measurement::make_recordings()
{
    int64_t run = 0;
    for (int64_t i = 0; i < arrangement_.recordings; ++i) {
        Result<Recording> recording = device_->recording();
        if (!recording)
            return recording.status();
        for (int64_t repeat = 0; repeat < arrangement_.repeats; ++repeat, ++run) {
            if (Status status = recording->add(bindings_[size_t(run % arrangement_.copies)]); !status)
                return status;
            if (filler_ && (run + 1) % arrangement_.copies == 0)
                if (Status status = recording->add(*filler_); !status)
                    return status;
        }
        recordings_.push_back(std::move(*recording));
    }
    return warm_up();
}

// Finds the cost of recording and the number of samples that fit, with runs that warm the device up.
Status Measurement::warm_up()
{
    std::vector<Timed> runs;
    // Three runs do it, or one that alone is long enough to warm the device up and to hide what recording costs.
    while (runs.size() < 3 && (runs.empty() || runs[0].wall < sample_seconds * 5)) {
        const Result<Timed> timed = timed_run(recordings_[0]);
        if (!timed)
            return timed.status();
        runs.push_back(*timed);
    }
    // The host's clock must not count the recording of the others, so they are recorded now.
    for (size_t i = 1; i < recordings_.size() && !clock_.on_device; ++i)
        if (Status status = recordings_[i].run(); !status)
            return status;
    if (runs.size() == 3 && clock_.on_device) {
        const double record = runs[0].overhead - runs[1].overhead;
        if (record > 2 * std::fabs(runs[1].overhead - runs[2].overhead))
            costs_.record = record / double(arrangement_.repeats);
    }
    samples_ = settings_.samples > 0 ? settings_.samples : samples_for(runs.back().wall, settings_.budget_seconds);
    return Status();
}

Result<Measurement::Timed> Measurement::timed_run(Recording& recording)
{
    const Stopwatch watch;
    if (Status status = recording.run(); !status)
        return status;
    const double runs = double(arrangement_.repeats);
    Timed timed = {.wall = watch.seconds()};
    timed.run = timed.wall / runs;
    if (!clock_.on_device)
        return timed;
    // The filler stands behind each `copies` runs and is not counted.
    const std::span<const double> seconds = recording.seconds();
    const size_t round = size_t(filler_ && arrangement_.recordings == 1 ? arrangement_.copies + 1 : arrangement_.repeats + 1);
    double counted = 0, all = 0;
    for (size_t i = 0; i < seconds.size(); ++i) {
        all += seconds[i];
        if ((i + 1) % round != 0)
            counted += seconds[i];
    }
    timed.overhead = timed.wall - all;
    timed.run = counted / runs - clock_.empty_seconds;
    if (!(timed.run > 0))
        return Status(Code::unsupported, "one run is shorter than the timestamps around it");
    return timed;
}

Result<double> Measurement::sample()
{
    Recording& recording = recordings_[next_];
    next_ = (next_ + 1) % recordings_.size();
    const Result<Timed> timed = timed_run(recording);
    return timed ? Result<double>(timed->run) : Result<double>(timed.status());
}

}  // namespace vkonnx::bench
