// One tiny dispatch with known answers, run when a device is opened: does it compute at all, and how does it round?
#pragma once

#include "gpu/device.h"

namespace vkonnx::gpu {

struct Findings {
    bool rounds_to_nearest = false;
};

// An error with Code::driver_error when the device computes wrong.
Result<Findings> self_test(Device& device);

}  // namespace vkonnx::gpu
