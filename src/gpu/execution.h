// SPDX-License-Identifier: Apache-2.0
// Bindings in one command buffer, or in as many as their time estimate asks for: recorded once, submitted often, measured where
// that is asked for.
#pragma once

#include "gpu/recorder.h"
#include "gpu/timestamps.h"

namespace vkonnx::gpu {

// A copy of the first bytes of one buffer to the first bytes of another.
struct Copy {
    std::shared_ptr<const Buffer> from;
    std::shared_ptr<const Buffer> to;
    uint64_t bytes = 0;
};

class Execution {
public:
    static Result<std::unique_ptr<Execution>> create(Device& device);

    // The bindings, and what is copied before them, must live as long as this. `timed`: measure each binding, where the queue
    // can. An error while in flight.
    Status record(std::span<const Binding* const> bindings, bool timed, std::span<const Copy> copies = {});
    bool recorded() const { return recorded_; }
    // Whether `record` was asked to measure.
    bool timed() const { return timed_; }

    // Submits each command buffer once, for a Job to wait for; creates nothing, and allocates nothing without options. An error
    // while in flight.
    Status submit(const vulkan::SubmitOptions* options = nullptr);
    // Submits and waits, at most DeviceOptions::timeout_seconds; the device is given up when that runs out.
    Status run();

    // The number of the newest submit. All earlier ones have ended.
    uint64_t number() const { return number_; }
    // Waits for at most so long. Code::timeout says that the work goes on.
    Status wait_at_most(uint64_t nanoseconds);
    // Never waits.
    bool done();
    // GPU seconds of each binding; empty until the end was seen, and where they were not measured.
    std::span<const double> seconds() const;

private:
    explicit Execution(Device& device) : device_(device) {}
    Status settle();
    Status start(const vulkan::SubmitOptions* options);
    void record_copies(std::span<const Copy> copies);
    Status record_binding(const Binding& binding, Hazards& hazards, double most, double& planned);
    void read_seconds();

    Device& device_;
    bool recorded_ = false;
    bool timed_ = false;
    uint64_t number_ = 0;
    bool claimed_ = false;  // what is in flight is a Job's to wait for; else it is left over from a failure
    bool have_seconds_ = false;
    std::vector<double> seconds_;  // a binding each
    std::unique_ptr<Timestamps> timestamps_;
    std::unique_ptr<Commands> commands_;  // destroyed first: it waits for what still runs
};

}  // namespace vkonnx::gpu
