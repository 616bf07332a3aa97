// SPDX-License-Identifier: Apache-2.0
// What makes a device that was opened or adopted one to hand out: tiny dispatches that tell whether it computes at all, how it
// rounds and how fast plain kernels are, and the capabilities that the caller wants no more than.
#pragma once

#include "gpu/device.h"

namespace vkonnx::api {

// Runs the self-test, unless DeviceOptions::self_test declines it, and sets the device's capabilities. Before anybody else has
// the device. An error with Code::driver_error when it computes wrong.
Status settle_capabilities(gpu::Device& device, const DeviceOptions& options);

// The handle of an opened or adopted device, settled, with the tunings of the options.
Result<Device> made(std::shared_ptr<gpu::Device> opened, const DeviceOptions& options);

}  // namespace vkonnx::api
