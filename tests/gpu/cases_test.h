#pragma once

#include <vector>

#include "case_devices.h"

namespace vkonnx::gpu_test {

// Registers "cases/OPERATOR.NAME/DEVICE" for every line of tests/cases and every device, and the smaller ones again under lowered
// limits: "cases_small_grid/...", "cases_few_loops/...".
void register_case_tests(const std::vector<PresentDevice>& devices);

}  // namespace vkonnx::gpu_test
