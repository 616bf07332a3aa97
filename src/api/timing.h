// SPDX-License-Identifier: Apache-2.0
// How long a plan takes on a device: for the self-test, the peaks, and whatever else chooses by measuring.
#pragma once

#include "gpu/execution.h"

namespace vkonnx::api {

using Buffers = std::vector<std::shared_ptr<gpu::Buffer>>;

enum class Clock : uint8_t {
    host,    // around a submit and its wait
    device,  // by timestamps; the host's where there are none
};

// Seconds of the best of so many runs: the first one may compile, and on a busy machine others may be held up.
Result<double> seconds_of(const std::shared_ptr<const gpu::Program>& program, const Buffers& operands, int runs, Clock clock);

}  // namespace vkonnx::api
