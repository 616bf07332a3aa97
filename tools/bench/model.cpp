#include "model.h"

#include <algorithm>
#include <limits>

#include "stopwatch.h"

namespace vkonnx::bench {

Result<std::unique_ptr<ModelMeasurement>> ModelMeasurement::create(const DeviceOptions& options, const tools::TestCase& test,
                                                                   const Clock& clock, const Settings& settings)
{
    Result<tools::LoadedCase> loaded = tools::load_case(test);
    if (!loaded)
        return loaded.status();
    std::unique_ptr<ModelMeasurement> made(new ModelMeasurement(std::move(*loaded), clock, settings));
    if (Status status = made->open(options); !status)
        return status;
    if (Status status = made->first_runs(); !status)
        return status;
    if (Status status = made->time_submits(); !status)
        return status;
    return made;
}

Status ModelMeasurement::open(const DeviceOptions& options)
{
    Result<Device> device = Device::open(options);
    if (!device)
        return device.status();
    device_ = std::move(*device);
    for (const onnx::HostTensor& input : loaded_.inputs) {
        Result<Tensor> tensor = device_->tensor(input.desc, input.data);
        if (!tensor)
            return tensor.status();
        inputs_.push_back(std::move(*tensor));
    }
    return Status();
}

// Returns outputs with all bits set, which is a NaN in every floating-point type.
Result<std::vector<Tensor>> ModelMeasurement::unwritten_outputs(const onnx::Session& session) const
{
    std::vector<Tensor> outputs;
    for (const TensorDesc& desc : session.outputs()) {
        Result<Tensor> output = device_->tensor(desc, std::vector<std::byte>(size_t(*byte_size(desc)), std::byte{0xff}));
        if (!output)
            return output.status();
        outputs.push_back(std::move(*output));
    }
    return outputs;
}

// Prepares, binds and runs the model. What was prepared before is given up first, so that the device need not hold two.
Result<ModelMeasurement::Start> ModelMeasurement::start()
{
    recording_.reset();
    session_.reset();
    Start start;
    const Stopwatch preparing;
    Result<onnx::Session> session =
        onnx::Session::prepare(*device_, loaded_.model, loaded_.descs, {.prepare = settings_.prepare});
    start.prepare = preparing.seconds();
    if (!session)
        return session.status();
    Result<std::vector<Tensor>> outputs = unwritten_outputs(*session);
    if (!outputs)
        return outputs.status();

    const Stopwatch binding;
    Result<Recording> recording = session->bind(inputs_, *outputs);
    start.bind = binding.seconds();
    if (!recording)
        return recording.status();
    const Stopwatch running;
    if (Status status = recording->run(); !status)
        return status;
    start.run = running.seconds();
    session_ = std::move(*session);
    recording_ = std::move(*recording);
    outputs_ = std::move(*outputs);
    return start;
}

Status ModelMeasurement::first_runs()
{
    const Result<Start> cold = start();
    if (!cold)
        return cold.status();
    costs_.prepare = cold->prepare;
    costs_.bind = cold->bind;
    costs_.first_run_cold = cold->all();
    if (Status status = verify_outputs(); !status)
        return status;
    const Result<Start> cached = start();
    if (!cached)
        return cached.status();
    costs_.first_run_cached = cached->all();
    return Status();
}

Status ModelMeasurement::verify_outputs()
{
    std::vector<onnx::HostTensor> outputs;
    for (size_t i = 0; i < outputs_.size(); ++i) {
        const TensorDesc& desc = session_->outputs()[i];
        outputs.push_back({.desc = desc, .data = std::vector<std::byte>(size_t(*byte_size(desc)))});
        if (Status status = outputs_[i].download(outputs[i].data); !status)
            return status;
        verified_ += *element_count(desc);
    }
    const tools::Comparison comparison =
        tools::compare_outputs(loaded_, outputs, {.relative = 0, .absolute = 0, .of_greatest = settings_.model_tolerance});
    if (!comparison.mismatch.empty())
        return Status(Code::driver_error, "wrong result: " + comparison.mismatch);
    return Status();
}

// Times one run, submitted and waited for. The least of a few counts, as many as fit a fifth of the budget.
Status ModelMeasurement::time_submits()
{
    const Stopwatch all;
    costs_.submit = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 10 && (i == 0 || all.seconds() < settings_.budget_seconds / 5); ++i) {
        const Stopwatch one;
        if (Status status = recording_->run(); !status)
            return status;
        costs_.submit = std::min(costs_.submit, one.seconds());
    }
    samples_ = settings_.samples > 0 ? settings_.samples : samples_for(costs_.submit, settings_.budget_seconds);
    return Status();
}

Result<double> ModelMeasurement::sample()
{
    const Stopwatch watch;
    if (Status status = recording_->run(); !status)
        return status;
    if (!clock_.on_device)
        return watch.seconds();
    double seconds = 0;
    for (const double node : recording_->seconds())
        seconds += node - clock_.empty_seconds;
    if (!(seconds > 0))
        return Status(Code::unsupported, "one run is shorter than the timestamps around its nodes");
    return seconds;
}

}  // namespace vkonnx::bench
