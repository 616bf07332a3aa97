// SPDX-License-Identifier: Apache-2.0
// This file records bindings and copies in one command buffer, or in as many as their time estimates ask for. They are recorded
// once, submitted often, and measured where that is asked for.
#pragma once

#include <variant>

#include "gpu/recorder.h"
#include "gpu/timestamps.h"

namespace vkonnx::gpu {

// A Copy is from the first bytes of one buffer to the first bytes of another.
struct Copy {
    std::shared_ptr<const Buffer> from;
    std::shared_ptr<const Buffer> to;
    uint64_t bytes = 0;
};

// A Piece is a part of what is recorded. A binding, and the buffers of a copy, must live as long as the Execution.
using Piece = std::variant<const Binding*, Copy>;

class Execution {
public:
    static Result<std::unique_ptr<Execution>> create(Device& device);

    // With `timed`, each piece is measured where the queue can do so. It is an error to record while in flight.
    Status record(std::span<const Piece> pieces, bool timed);
    bool recorded() const { return recorded_; }
    // Tells whether `record` was asked to measure.
    bool timed() const { return timed_; }

    // Makes sure that nothing is in flight. Work that a Job stands for is refused; what a failed run or submit left behind is
    // waited for, since nobody else can do so.
    Status settle();
    // Tells whether the newest submit was one of everything that is recorded, and succeeded.
    bool submitted() const { return submitted_; }

    // Submits each command buffer once, for a Job to wait for. It creates nothing, and allocates nothing without options. It is
    // an error while in flight.
    Status submit(const vulkan::SubmitOptions* options = nullptr);
    // Submits and waits for at most DeviceOptions::timeout_seconds. The device is given up when these run out.
    Status run();

    // Returns the number of the newest submit. All earlier ones have ended.
    uint64_t number() const { return number_; }
    // Waits for at most this long. Code::timeout says that the work goes on.
    Status wait_at_most(uint64_t nanoseconds);
    // Tells, without waiting, whether the work has ended.
    bool done();
    // These are the GPU seconds of each binding, and of each piece. They are empty until the end was seen, or if not measured.
    std::span<const double> seconds() const { return have_seconds_ ? seconds_ : std::span<const double>(); }
    std::span<const double> seconds_of_pieces() const { return have_seconds_ ? piece_seconds_ : std::span<const double>(); }

private:
    explicit Execution(Device& device) : device_(device) {}
    Status start(const vulkan::SubmitOptions* options);
    void record_copy(const Copy& copy, Hazards& hazards);
    Status record_binding(const Binding& binding, Hazards& hazards, double most, double& planned);
    void read_seconds();

    Device& device_;
    bool recorded_ = false;
    bool timed_ = false;
    uint64_t number_ = 0;
    bool submitted_ = false;
    bool claimed_ = false;  // a Job waits for what is in flight; else a failure left it behind
    bool have_seconds_ = false;
    std::vector<double> piece_seconds_;
    std::vector<size_t> bindings_;  // places of the bindings among the pieces
    std::vector<double> seconds_;   // one for each binding
    std::unique_ptr<Timestamps> timestamps_;
    std::unique_ptr<Commands> commands_;  // destroyed first: it waits for what still runs
};

}  // namespace vkonnx::gpu
