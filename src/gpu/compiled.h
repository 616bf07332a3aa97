// SPDX-License-Identifier: Apache-2.0
// What the driver's compiler made of a pipeline, by VK_KHR_pipeline_executable_properties.
#pragma once

#include "gpu/pipeline.h"

namespace vkonnx::gpu {

// Makes the pipeline as a Program would, asks the driver what its compiler made of it, and destroys it. The device must be one
// that tells of executables.
Result<std::vector<CompiledProgram>> compile(Device& device, const PipelineKey& key);

}  // namespace vkonnx::gpu
