// Tiny dispatches, run when a device is opened: does it compute at all, how does it round, and how fast are plain kernels?
#pragma once

#include "gpu/device.h"

namespace vkonnx::gpu {

struct Findings {
    bool rounds_to_nearest = false;
    // Where doubles are not those of IEEE 754, on a device that offers them; empty when all are.
    std::string wrong_doubles = {};
    // For Capabilities::work_per_second: a power of two, so that plans are the same from run to run, and rather too low.
    double work_per_second = 0;
};

// An error with Code::driver_error when the device computes wrong.
Result<Findings> self_test(Device& device);

// The greatest power of two that is not above the rate, and 2^20 at least. Pure.
double rounded_work_rate(double taps_per_second);

}  // namespace vkonnx::gpu
