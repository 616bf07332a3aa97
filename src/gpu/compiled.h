// SPDX-License-Identifier: Apache-2.0
// What the driver's compiler made of a pipeline, by VK_KHR_pipeline_executable_properties.
#pragma once

#include "gpu/pipeline.h"

namespace vkonnx::gpu {

// Of a device that tells executables. Makes the pipeline as a Program would, asks, and lets it go.
Result<std::vector<CompiledProgram>> compile(Device& device, const PipelineKey& key);

}  // namespace vkonnx::gpu
