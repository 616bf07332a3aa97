#include "case_devices.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>

#include "kit/draw.h"

namespace vkonnx::gpu_test {
namespace {

// Returns the usual name of a known driver; else the name up to a bracket, with '_' for what is no letter or digit.
std::string label_of(const DeviceInfo& info)
{
    std::string label;
    for (const char letter : info.name.substr(0, info.name.find('(')))
        label += std::isalnum(static_cast<unsigned char>(letter)) ? char(std::tolower(static_cast<unsigned char>(letter))) : '_';
    if (label.find("llvmpipe") != std::string::npos)
        return "lavapipe";
    if (label.find("swiftshader") != std::string::npos)
        return "swiftshader";
    while (!label.empty() && label.back() == '_')
        label.pop_back();
    return label;
}

}  // namespace

std::vector<PresentDevice> present_devices(std::string& problem)
{
    const Result<std::vector<DeviceInfo>> all = Device::list();
    if (!all) {
        problem = all.message();
        return {};
    }
    std::vector<PresentDevice> present;
    for (const DeviceInfo& info : *all) {
        if (!info.rejected.empty()) {
            problem += info.name + ": " + info.rejected + "; ";
            continue;
        }
        PresentDevice device = {info.index, label_of(info), info.capabilities};
        const auto twin = [&](const PresentDevice& other) { return other.label == device.label; };
        if (std::any_of(present.begin(), present.end(), twin))
            device.label += "_" + std::to_string(info.index);
        present.push_back(device);
    }
    return present;
}

const std::vector<PresentDevice>& every_device()
{
    static std::string nothing;
    static const std::vector<PresentDevice> devices = present_devices(nothing);
    return devices;
}

std::vector<PresentDevice> devices_in_turn(size_t n)
{
    const std::vector<PresentDevice>& all = every_device();
    return kit::full_run() || all.empty() ? all : std::vector{all[n % all.size()]};
}

// Tests open their devices with this rate in place of a measured one, so that every machine plans the same dispatches. A software
// driver on two busy cores does about so much.
constexpr double work_per_second = 0x1p24;

Capabilities unlimited()
{
    Capabilities capabilities = *Capabilities::preset("desktop");
    capabilities.max_storage_buffer_range = UINT64_MAX;
    capabilities.max_loop_iterations = UINT32_MAX;
    capabilities.work_per_second = 1e300;
    return capabilities;
}

bool validation_available()
{
    const char* wanted = std::getenv("VKONNX_TEST_VALIDATION");
    if (wanted && std::string_view(wanted) == "0")
        return false;
    static const bool present = Device::list({.validation = true}).ok();
    return present;
}

bool gpu_assisted()
{
    const char* enabled = std::getenv("VK_LAYER_ENABLES");
    return validation_available() && enabled && std::string_view(enabled).find("GPU_ASSISTED") != std::string_view::npos;
}

bool checks_shaders(uint32_t index)
{
    const std::vector<PresentDevice>& all = every_device();
    const auto one =
        std::find_if(all.begin(), all.end(), [](const PresentDevice& present) { return present.capabilities.float64; });
    return kit::full_run() || gpu_assisted() || one == all.end() || one->index == index;
}

kit::ShimOptions CaseDevice::default_options()
{
    return {.robust_buffer_access = false};
}

Result<std::shared_ptr<CaseDevice>> CaseDevice::open(uint32_t index, kit::ShimOptions options,
                                                     const std::optional<Capabilities>& lowered_to)
{
    options.checks_shaders = options.checks_shaders && checks_shaders(index);
    std::shared_ptr<CaseDevice> opened(new CaseDevice(options));
    if (!opened->shim_.error().empty())
        return Status(Code::no_loader, opened->shim_.error());
    opened->validated_ = validation_available();
    DeviceOptions device_options;
    device_options.select = std::to_string(index);
    device_options.get_instance_proc_addr = opened->shim_.get_instance_proc_addr();
    device_options.validation = opened->validated_;
    device_options.debug_names = true;
    device_options.timeout_seconds = patience;
    device_options.capabilities = lowered_to;
    device_options.work_per_second = work_per_second;
    const LogLevel least = gpu_assisted() ? LogLevel::error : LogLevel::warning;
    device_options.log = [messages = opened->messages_, least](LogLevel level, std::string_view text) {
        const std::lock_guard lock(messages->mutex);
        if (level >= least)
            messages->text += std::string(text) + "\n";
    };
    Result<Device> device = Device::open(device_options);
    if (!device)
        return device.status();
    opened->device_ = std::move(*device);
    return opened;
}

namespace {

struct Shared {
    std::shared_ptr<CaseDevice> device;
    uint32_t index = 0;
    std::optional<Capabilities> lowered_to = {};
    std::optional<int> driver_id = {};
};

Shared shared_one;
std::map<uint32_t, Result<Device>> shared_devices;  // by their indices

}  // namespace

Result<std::shared_ptr<CaseDevice>> CaseDevice::shared(uint32_t index, const std::optional<Capabilities>& lowered_to,
                                                       std::optional<int> driver_id)
{
    if (!shared_one.device || shared_one.index != index || shared_one.lowered_to != lowered_to ||
        shared_one.driver_id != driver_id) {
        kit::ShimOptions options = default_options();
        options.driver_id = driver_id;
        const Result<std::shared_ptr<CaseDevice>> device = open(index, options, lowered_to);
        if (!device)
            return device;
        shared_one = {*device, index, lowered_to, driver_id};
        kit::VulkanShim::make_room = [] { shared_one = {}; };
    }
    return shared_one.device;
}

const Result<Device>& shared_device(uint32_t index)
{
    const auto known = shared_devices.find(index);
    if (known != shared_devices.end())
        return known->second;
    const DeviceOptions options = {
        .select = std::to_string(index), .work_per_second = work_per_second, .timeout_seconds = patience};
    return shared_devices.emplace(index, Device::open(options)).first->second;
}

void close_shared_devices()
{
    shared_one = {};
    shared_devices.clear();
}

std::string CaseDevice::take_messages()
{
    const std::lock_guard lock(messages_->mutex);
    return std::exchange(messages_->text, {});
}

}  // namespace vkonnx::gpu_test
