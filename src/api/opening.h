// SPDX-License-Identifier: Apache-2.0
// This file makes a device that was opened or adopted one to hand out. Tiny dispatches tell whether it computes at all, how it
// rounds and how fast plain kernels are. Its capabilities are lowered to those that the caller wants.
#pragma once

#include "gpu/device.h"

namespace vkonnx::api {

// Runs the self-test, unless DeviceOptions::self_test declines it, and sets the device's capabilities. It must be called before
// anybody else has the device. It gives an error with Code::driver_error when the device computes wrong.
Status settle_capabilities(gpu::Device& device, const DeviceOptions& options);

// Returns the handle of an opened or adopted device, with its capabilities settled and the tunings of the options.
Result<Device> made(std::shared_ptr<gpu::Device> opened, const DeviceOptions& options);

}  // namespace vkonnx::api
