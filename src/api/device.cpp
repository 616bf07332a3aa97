#include "api/state.h"

namespace vkonnx {

Result<std::vector<DeviceInfo>> Device::list(const DeviceOptions& options)
{
    return guarded([&]() -> Result<std::vector<DeviceInfo>> {
        const Result<std::shared_ptr<gpu::Instance>> instance = gpu::Instance::create(options);
        if (!instance)
            return instance.status();
        Result<std::vector<gpu::PhysicalDevice>> devices = (*instance)->devices();
        if (!devices)
            return devices.status();
        std::vector<DeviceInfo> infos;
        for (gpu::PhysicalDevice& device : *devices)
            infos.push_back(std::move(device.info));
        return infos;
    });
}

Result<Device> Device::open(const DeviceOptions& options)
{
    return guarded([&]() -> Result<Device> {
        Result<std::shared_ptr<gpu::Device>> opened = gpu::Device::open(options);
        if (!opened)
            return opened.status();
        Device device;
        device.state = std::make_shared<api::DeviceState>(api::DeviceState{std::move(*opened)});
        return device;
    });
}

const DeviceInfo& Device::info() const noexcept
{
    return state->gpu->physical().info;
}

const Capabilities& Device::capabilities() const noexcept
{
    return state->gpu->capabilities();
}

MemoryUse Device::memory() const noexcept
{
    return guarded_or(MemoryUse(), [&] { return state->gpu->pool().use(); });
}

}  // namespace vkonnx
