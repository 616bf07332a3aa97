// SPDX-License-Identifier: Apache-2.0
// This file asks, by VK_KHR_pipeline_executable_properties, what the driver's compiler made of a pipeline.
#pragma once

#include "gpu/pipeline.h"

namespace vkonnx::gpu {

// Makes the pipeline as a Program would, asks the driver what its compiler made of it, and destroys it. Device::tells_executables
// must hold.
Result<std::vector<CompiledProgram>> compile(Device& device, const PipelineKey& key);

}  // namespace vkonnx::gpu
