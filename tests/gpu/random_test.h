// The tests of random problems are made at run time, one for each operator and device, as those of the case lists are.
#pragma once

#include <vector>

#include "case_devices.h"

namespace vkonnx::gpu_test {

// Registers RandomProblems.OPERATOR/DEVICE and RandomGuarded.OPERATOR/DEVICE.
void register_random_tests(const std::vector<PresentDevice>& devices);

}  // namespace vkonnx::gpu_test
