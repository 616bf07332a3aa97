// SPDX-License-Identifier: Apache-2.0
// Bindings and copies in one command buffer, or in as many as their time estimate asks for: recorded once, submitted often,
// measured where that is asked for.
#pragma once

#include <variant>

#include "gpu/recorder.h"
#include "gpu/timestamps.h"

namespace vkonnx::gpu {

// A copy of the first bytes of one buffer to the first bytes of another.
struct Copy {
    std::shared_ptr<const Buffer> from;
    std::shared_ptr<const Buffer> to;
    uint64_t bytes = 0;
};

// What is recorded, piece by piece. A binding, and what a copy is of, must live as long as the Execution.
using Piece = std::variant<const Binding*, Copy>;

class Execution {
public:
    static Result<std::unique_ptr<Execution>> create(Device& device);

    // `timed`: measure each piece, where the queue can. An error while in flight.
    Status record(std::span<const Piece> pieces, bool timed);
    bool recorded() const { return recorded_; }
    // Whether `record` was asked to measure.
    bool timed() const { return timed_; }

    // Makes sure that nothing is in flight. What a Job stands for is refused; what a failed run or submit left behind is waited
    // for, since nobody else can.
    Status settle();
    // Whether the newest submit was one of everything that is recorded.
    bool submitted() const { return submitted_; }

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
    // GPU seconds of each binding, and of each piece; empty until the end was seen, and where they were not measured.
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
    bool claimed_ = false;  // what is in flight is a Job's to wait for; else it is left over from a failure
    bool have_seconds_ = false;
    std::vector<double> piece_seconds_;
    std::vector<size_t> bindings_;  // by their places among the pieces
    std::vector<double> seconds_;   // a binding each
    std::unique_ptr<Timestamps> timestamps_;
    std::unique_ptr<Commands> commands_;  // destroyed first: it waits for what still runs
};

}  // namespace vkonnx::gpu
