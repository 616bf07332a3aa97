// SPDX-License-Identifier: Apache-2.0
#include "api/opening.h"
#include "api/state.h"
#include "return_if_error.h"

namespace vkonnx {

Status api::check_callbacks(const DeviceOptions& options)
{
    const VkAllocationCallbacks* given = options.allocation_callbacks;
    if (!given)
        return {};
    const char* missing = !given->pfnAllocation     ? "pfnAllocation"
                          : !given->pfnReallocation ? "pfnReallocation"
                          : !given->pfnFree         ? "pfnFree"
                                                    : nullptr;
    if (missing)
        return Status(Code::invalid_argument, std::string("DeviceOptions::allocation_callbacks: ") + missing + " is null");
    if (!given->pfnInternalAllocation != !given->pfnInternalFree)
        return Status(Code::invalid_argument, "DeviceOptions::allocation_callbacks: one of pfnInternalAllocation and "
                                              "pfnInternalFree is null, but not the other");
    return {};
}

Result<std::vector<DeviceInfo>> Device::list(const DeviceOptions& options)
{
    return guarded([&]() -> Result<std::vector<DeviceInfo>> {
        VKONNX_RETURN_IF_ERROR(api::check_callbacks(options));
        const Result<std::shared_ptr<gpu::Instance>> instance = gpu::Instance::create(options);
        VKONNX_RETURN_IF_ERROR(instance.status());
        Result<std::vector<gpu::PhysicalDevice>> devices = (*instance)->devices();
        VKONNX_RETURN_IF_ERROR(devices.status());
        std::vector<DeviceInfo> infos;
        for (gpu::PhysicalDevice& device : *devices)
            infos.push_back(std::move(device.info));
        return infos;
    });
}

Result<Device> Device::open(const DeviceOptions& options)
{
    return guarded([&]() -> Result<Device> {
        VKONNX_RETURN_IF_ERROR(api::check_callbacks(options));
        Result<std::shared_ptr<gpu::Device>> opened = gpu::Device::open(options);
        VKONNX_RETURN_IF_ERROR(opened.status());
        return api::made(std::move(*opened), options);
    });
}

Result<Device> api::made(std::shared_ptr<gpu::Device> opened, const DeviceOptions& options)
{
    VKONNX_RETURN_IF_ERROR(settle_capabilities(*opened, options));
    auto state = std::make_shared<DeviceState>(std::move(opened));
    take_kept_tunings(*state);
    VKONNX_RETURN_IF_ERROR(state->tuner.tunings.parse(options.tunings));
    return Access::handle<Device>(std::move(state));
}

Result<std::string> Device::tunings() const
{
    return guarded([&]() -> Result<std::string> {
        VKONNX_RETURN_IF_ERROR(api::check_handles("Device::tunings", {api::handle(*this)}));
        return state_->tuner.tunings.text();
    });
}

const DeviceInfo& Device::info() const noexcept
{
    static const DeviceInfo none;
    return state_ ? state_->gpu->physical().info : none;
}

const Capabilities& Device::capabilities() const noexcept
{
    static const Capabilities none;
    return state_ ? state_->gpu->capabilities() : none;
}

MemoryUse Device::memory() const noexcept
{
    return guarded_or(MemoryUse(), [&] { return state_ ? state_->gpu->pool().use() : MemoryUse(); });
}

}  // namespace vkonnx
