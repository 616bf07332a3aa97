// This header times a whole model on one device: an ONNX backend test folder, as vkonnx-test takes it.
//
// It is what an application does: onnx::Session::prepare with the inputs' descriptions, Session::bind to device tensors, and one
// submit a run. As in measure.h each case opens a device of its own, and nothing is timed before the first run's outputs, over
// NaNs, were compared, here with those of the folder.
//
// One sample is one submit. Its value is the device's time for all nodes: the sum of what lies between the timestamps around
// each, less an empty pair each. Nodes that overlap on a device would be counted twice; barriers between them leave few that
// could. Where a device has no timestamps it is the host's clock around the submit.
#pragma once

#include <memory>

#include "measure.h"
#include "test_case.h"

namespace vkonnx::bench {

class ModelMeasurement {
public:
    // Returns a measurement that is verified and warmed. The codes are as Measurement's. Others mean that the folder's files
    // can't be read.
    static Result<std::unique_ptr<ModelMeasurement>> create(const DeviceOptions& options, const tools::TestCase& test,
                                                            const Clock& clock, const Settings& settings);

    // Returns the seconds of one run.
    Result<double> sample();

    Result<std::string> tunings() const { return device_->tunings(); }
    const onnx::GraphReport& report() const { return session_->report(); }
    const HostCosts& costs() const { return costs_; }
    int64_t verified() const { return verified_; }  // elements of all outputs
    int64_t samples() const { return samples_; }

private:
    ModelMeasurement(tools::LoadedCase loaded, const Clock& clock, const Settings& settings)
        : loaded_(std::move(loaded)), clock_(clock), settings_(settings)
    {
    }
    Status open(const DeviceOptions& options);
    // These are seconds on the host.
    struct Start {
        double prepare = 0, bind = 0, run = 0;

        double all() const { return prepare + bind + run; }
    };
    Result<Start> start();
    Result<std::vector<Tensor>> unwritten_outputs(const onnx::Session& session) const;
    Status first_runs();
    Status verify_outputs();
    Status time_submits();

    const tools::LoadedCase loaded_;
    const Clock& clock_;
    const Settings& settings_;

    std::optional<Device> device_;
    std::vector<Tensor> inputs_, outputs_;
    std::optional<onnx::Session> session_;
    std::optional<Recording> recording_;
    HostCosts costs_;
    int64_t verified_ = 0;
    int64_t samples_ = 1;
};

}  // namespace vkonnx::bench
