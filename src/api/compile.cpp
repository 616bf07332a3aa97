// SPDX-License-Identifier: Apache-2.0
// This file tells what a driver's compiler makes of planned pipelines.
#include "api/planned.h"
#include "api/state.h"
#include "gpu/compiled.h"
#include "plan/core/planned_pipeline.h"
#include "return_if_error.h"

namespace vkonnx {
namespace {

// Checks that the device can have the pipeline made, because it may have been planned for another device.
Status check_pipeline(const gpu::Device& device, const plan::PipelineKey& key)
{
    const std::string what = "Device::compile: " + std::string(kernel_name(key.kernel));
    const Capabilities& offered = device.capabilities();
    if (!device.tells_executables())
        return Status(Code::unsupported, what + ": the device was not opened with DeviceOptions::compiler_statistics");
    const gpu::spirv_words::Places places = gpu::spirv_words::places_in(spirv(key.kernel));
    if ((places.float16 && !offered.float16) || (places.float64 && !offered.float64))
        return Status(Code::unsupported, what + ": the device has no " + (places.float16 ? "shaderFloat16" : "shaderFloat64"));
    if (places.storage16 && !offered.storage16)
        return Status(Code::unsupported, what + ": the device has no storageBuffer16BitAccess");
    if (places.cooperative_matrices && !device.physical().info.capabilities.cooperative_matrices)
        return Status(Code::unsupported, what + ": the device has no cooperative matrices");
    plan::Plan alone = {.pipelines = {key}};
    alone.uniform.resize(key.uses_uniform ? 4 : 0);
    if (const Status status = plan::check(alone, offered); !status)
        return Status(Code::unsupported, what + " was planned for more than the device offers: " + std::string(status.message()));
    return {};
}

}  // namespace

Result<std::vector<CompiledProgram>> Device::compile(const PlannedPipeline& pipeline) const
{
    return guarded([&]() -> Result<std::vector<CompiledProgram>> {
        VKONNX_RETURN_IF_ERROR(api::check_handles("Device::compile", {api::handle(*this)}));
        if (!pipeline)
            return refuse_empty("Device::compile", "the PlannedPipeline");
        const plan::PipelineKey& key = api::state_of(pipeline)->key;
        VKONNX_RETURN_IF_ERROR(check_pipeline(*state_->gpu, key));
        return gpu::compile(*state_->gpu, key);
    });
}

}  // namespace vkonnx
