#pragma once

#include <vector>

#include "case_devices.h"

namespace vkonnx::gpu_test {

// Registers "cases/OPERATOR.NAME/DEVICE" for every line of tests/cases and every device, and smaller ones again under lowered
// limits: "cases_small_grid/...", "cases_few_loops/...". A full run takes all cases that are planned otherwise under the limits;
// else the first case stands for those of its operator and type that go from the same kernel to the same kernel.
void register_case_tests(const std::vector<PresentDevice>& devices);

}  // namespace vkonnx::gpu_test
