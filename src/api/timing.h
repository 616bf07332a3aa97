// SPDX-License-Identifier: Apache-2.0
// This file tells how long a plan takes on a device: for the self-test, the peaks, and whatever else chooses by measuring.
#pragma once

#include "gpu/execution.h"

namespace vkonnx::api {

using Buffers = std::vector<std::shared_ptr<gpu::Buffer>>;

enum class Clock : uint8_t {
    host,    // the time around a submit and its wait
    device,  // by timestamps, or by the host's clock where there are none
};

// Returns the seconds of the best of `runs` runs: the first one may compile, and on a busy machine others may be held up.
Result<double> seconds_of(const std::shared_ptr<const gpu::Program>& program, const Buffers& operands, int runs, Clock clock);

}  // namespace vkonnx::api
