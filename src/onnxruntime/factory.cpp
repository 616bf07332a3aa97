// SPDX-License-Identifier: Apache-2.0
// This file is what ONNX Runtime calls when the plug-in is registered: it tells the Vulkan devices, and makes providers on them.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

#include "onnxruntime/provider.h"

#ifdef _WIN32
#define VKONNX_PLUGIN_API __declspec(dllexport)
#else
#define VKONNX_PLUGIN_API __attribute__((visibility("default")))
#endif

namespace vkonnx::onnxruntime {

namespace {

struct ReleasePairs {
    const OrtApi* api;
    void operator()(OrtKeyValuePairs* pairs) const { api->ReleaseKeyValuePairs(pairs); }
};
using Pairs = std::unique_ptr<OrtKeyValuePairs, ReleasePairs>;

// Drivers that compute on a CPU are slower than ONNX Runtime's own kernels. They are of use to tests, and told of where this
// variable is 1.
bool software_is_wanted()
{
    const char* const text = std::getenv("VKONNX_ONNXRUNTIME_SOFTWARE");
    return text && std::string_view(text) == "1";
}

class Factory : public OrtEpFactory {
public:
    explicit Factory(const Runtime& runtime);

private:
    size_t get_devices(std::span<const OrtHardwareDevice* const> hardware, std::span<OrtEpDevice*> places);
    OrtEpDevice* make_device(const DeviceInfo& info, const OrtHardwareDevice* hardware);
    OrtEp* make_provider(const OrtSessionOptions* session);
    Device open(const DeviceOptions& options);
    Pairs make_pairs(const OptionPairs& pairs) const;

    Runtime runtime_;
    // Open devices, by device_key. They stay open, so that the next session begins at once.
    std::mutex mutex_ = {};
    std::map<std::string, Device> devices_ = {};
};

Factory& factory_of(OrtEpFactory* self)
{
    return *static_cast<Factory*>(self);
}

Factory::Factory(const Runtime& runtime) : OrtEpFactory{}, runtime_(runtime)
{
    ort_version_supported = ORT_API_VERSION;
    GetName = [](const OrtEpFactory*) noexcept { return provider_name; };
    GetVendor = [](const OrtEpFactory*) noexcept { return "vkonnx"; };
    GetVendorId = [](const OrtEpFactory*) noexcept { return uint32_t(0); };  // none of PCI's
    GetVersion = [](const OrtEpFactory*) noexcept { return VKONNX_VERSION; };
    GetSupportedDevices = [](OrtEpFactory* self, const OrtHardwareDevice* const* hardware, size_t hardware_count,
                             OrtEpDevice** devices, size_t room, size_t* count) noexcept -> OrtStatus* {
        return factory_of(self).runtime_.answer([&] {
            *count = factory_of(self).get_devices({hardware, hardware_count}, {devices, room});
        });
    };
    CreateEp = [](OrtEpFactory* self, const OrtHardwareDevice* const*, const OrtKeyValuePairs* const*, size_t count,
                  const OrtSessionOptions* session, const OrtLogger*, OrtEp** provider) noexcept -> OrtStatus* {
        return factory_of(self).runtime_.answer([&] {
            if (count > 1)
                throw Failure{
                    Status(Code::invalid_argument, "a session takes one device, " + std::to_string(count) + " are given")};
            *provider = factory_of(self).make_provider(session);
        });
    };
    ReleaseEp = [](OrtEpFactory*, OrtEp* provider) noexcept { delete static_cast<Provider*>(provider); };
    // Tensors lie in host memory, in which ONNX Runtime makes them by itself.
    CreateAllocator = [](OrtEpFactory*, const OrtMemoryInfo*, const OrtKeyValuePairs*,
                         OrtAllocator** allocator) noexcept -> OrtStatus* {
        *allocator = nullptr;
        return nullptr;
    };
    ReleaseAllocator = [](OrtEpFactory*, OrtAllocator*) noexcept {};
    CreateDataTransfer = [](OrtEpFactory*, OrtDataTransferImpl** transfer) noexcept -> OrtStatus* {
        *transfer = nullptr;
        return nullptr;
    };
    IsStreamAware = [](const OrtEpFactory*) noexcept { return false; };
}

Pairs Factory::make_pairs(const OptionPairs& pairs) const
{
    OrtKeyValuePairs* made = nullptr;
    runtime_.api().CreateKeyValuePairs(&made);
    for (const auto& [key, value] : pairs)
        runtime_.api().AddKeyValuePair(made, key.c_str(), value.c_str());
    return Pairs(made, {&runtime_.api()});
}

OrtEpDevice* Factory::make_device(const DeviceInfo& info, const OrtHardwareDevice* hardware)
{
    const auto& [major, minor, patch] = info.api_version;
    const Pairs metadata = make_pairs({
        {"vulkan_device", info.name},
        {"vulkan_driver", info.driver},
        {"vulkan_version", std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch)},
        {"vulkan_uuid", info.uuid},
        {"software", info.kind == DeviceKind::cpu ? "1" : "0"},
    });
    const Pairs options = make_pairs({{"device", "uuid:" + info.uuid}});
    OrtEpDevice* device = nullptr;
    runtime_.check(runtime_.ep().CreateEpDevice(this, hardware, metadata.get(), options.get(), &device));
    return device;
}

// Each Vulkan device becomes one device of ONNX Runtime: with the GPU of its vendor and its kind that ONNX Runtime has found, or
// else with the CPU, because ONNX Runtime finds no GPU in many containers, and none that is not on a PCI bus.
size_t Factory::get_devices(std::span<const OrtHardwareDevice* const> hardware, std::span<OrtEpDevice*> places)
{
    const Result<std::vector<DeviceInfo>> listed = Device::list();
    if (!listed) {
        runtime_.log(ORT_LOGGING_LEVEL_WARNING, "no device: " + std::string(listed.message()));
        return 0;
    }
    const OrtApi& api = runtime_.api();
    std::vector<const OrtHardwareDevice*> left(hardware.begin(), hardware.end());
    size_t count = 0;
    for (const DeviceInfo& info : *listed) {
        const bool is_software = info.kind == DeviceKind::cpu;
        if (!info.rejected.empty()) {
            runtime_.log(ORT_LOGGING_LEVEL_INFO, "leaves out the device " + info.name + ": " + info.rejected);
            continue;
        }
        if (is_software && !software_is_wanted()) {
            runtime_.log(ORT_LOGGING_LEVEL_INFO, "leaves out the device " + info.name +
                                                     ": it computes on a CPU, and VKONNX_ONNXRUNTIME_SOFTWARE is not 1");
            continue;
        }
        if (count == places.size()) {
            runtime_.log(ORT_LOGGING_LEVEL_WARNING, "leaves out the device " + info.name + ": there is no room for more devices");
            continue;
        }
        const auto match = std::find_if(left.begin(), left.end(), [&](const OrtHardwareDevice* one) {
            return !is_software && api.HardwareDevice_Type(one) == OrtHardwareDeviceType_GPU &&
                   api.HardwareDevice_VendorId(one) == info.vendor_id && api.HardwareDevice_DeviceId(one) == info.device_id;
        });
        const auto cpu = std::find_if(hardware.begin(), hardware.end(), [&](const OrtHardwareDevice* one) {
            return api.HardwareDevice_Type(one) == OrtHardwareDeviceType_CPU;
        });
        if (match != left.end()) {
            places[count++] = make_device(info, *match);
            left.erase(match);
        } else if (cpu != hardware.end()) {
            places[count++] = make_device(info, *cpu);
        }
    }
    return count;
}

Device Factory::open(const DeviceOptions& options)
{
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = devices_.try_emplace(device_key(options));
    if (is_new) {
        Result<Device> device = Device::open(options);
        if (!device) {
            devices_.erase(place);
            throw Failure{device.status()};
        }
        place->second = *device;
    }
    return place->second;
}

OrtEp* Factory::make_provider(const OrtSessionOptions* session)
{
    OrtKeyValuePairs* made = nullptr;
    runtime_.check(runtime_.api().GetSessionOptionsConfigEntries(session, &made));
    const Pairs entries(made, {&runtime_.api()});
    const char* const* keys = nullptr;
    const char* const* values = nullptr;
    size_t count = 0;
    runtime_.api().GetKeyValuePairs(entries.get(), &keys, &values, &count);
    OptionPairs pairs;
    for (size_t i = 0; i < count; ++i)
        pairs.emplace_back(keys[i], values[i]);
    ProviderOptions options = value_of(read_options(pairs));
    options.device.log = [this](LogLevel level, std::string_view text) {
        runtime_.log(level == LogLevel::info      ? ORT_LOGGING_LEVEL_INFO
                     : level == LogLevel::warning ? ORT_LOGGING_LEVEL_WARNING
                                                  : ORT_LOGGING_LEVEL_ERROR,
                     std::string(text));
    };
    Device device = open(options.device);
    return new Provider(runtime_, std::move(device), std::move(options));
}

}  // namespace

}  // namespace vkonnx::onnxruntime

extern "C" {

VKONNX_PLUGIN_API OrtStatus* CreateEpFactories(const char*, const OrtApiBase* base, const OrtLogger* logger,
                                               OrtEpFactory** factories, size_t room, size_t* count)
{
    using namespace vkonnx;
    using namespace vkonnx::onnxruntime;
    OrtStatus* refusal = nullptr;
    const std::optional<Runtime> runtime = Runtime::of(*base, logger, refusal);
    *count = 0;
    if (!runtime)
        return refusal;
    return runtime->answer([&] {
        if (room == 0)
            throw Failure{Status(Code::invalid_argument, "there is no room for a factory")};
        factories[(*count)++] = new Factory(*runtime);
    });
}

VKONNX_PLUGIN_API OrtStatus* ReleaseEpFactory(OrtEpFactory* factory)
{
    delete static_cast<vkonnx::onnxruntime::Factory*>(factory);
    return nullptr;
}
}
