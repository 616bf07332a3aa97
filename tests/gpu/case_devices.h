// This header has the devices that the case tests run on: found once, opened through the shim when the first case needs them.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kit/vulkan_shim.h"

namespace vkonnx::gpu_test {

// This is how many seconds a test waits for a device. Beside other work a dispatch of seconds may take minutes, and its time must
// not decide what a test says.
inline constexpr double patience = 1800;

struct PresentDevice {
    uint32_t index = 0;              // the index in Device::list
    std::string label = {};          // "lavapipe", "swiftshader", or the device's name in lower case; unique
    Capabilities capabilities = {};  // without the findings of the self-test
};

// Returns the devices that can be opened. `problem` says why there are none.
std::vector<PresentDevice> present_devices(std::string& problem);
// Returns these devices, found once. main() says why there are none.
const std::vector<PresentDevice>& every_device();
// Returns the devices that run the nth of a test's problems: each in a full run, else one of them, in turn.
std::vector<PresentDevice> devices_in_turn(size_t n);

// Returns capabilities of a desktop GPU without limits on what is bound and looped over, and on how long it takes.
Capabilities unlimited();

// Returns false when VKONNX_TEST_VALIDATION=0, or when the machine has no validation layer.
bool validation_available();
// Tells whether the validation layer validates the shaders of this device (by its index), which takes a fifth of a test's time.
// In an ordinary run it does so on one device, the first with doubles, because others are given nearly the same shaders.
bool checks_shaders(uint32_t index);
// Tells whether VK_LAYER_ENABLES has the layer check accesses in shaders, too (VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT).
// Then it warns of what it changes and of its own slowness, and only its errors count as messages.
bool gpu_assisted();

// Returns a device without the shim. It stays open, and all tests of the program that need no options share it.
const Result<Device>& shared_device(uint32_t index);

// Closes the devices that shared_device and CaseDevice::shared keep open. main() calls it before drivers are unloaded.
void close_shared_devices();

// This class opens a device with poisoned allocations, guard bands, no robust buffer access, and the validation layer where there
// is one.
class CaseDevice {
public:
    static Result<std::shared_ptr<CaseDevice>> open(uint32_t index, kit::ShimOptions options = default_options(),
                                                    const std::optional<Capabilities>& lowered_to = {});
    static kit::ShimOptions default_options();
    // Opens a device with default options, and with this driver's id if one is given. The device stays open for whoever asks for
    // the same one next, so that drivers compile once what many tests run. Another shim closes it.
    static Result<std::shared_ptr<CaseDevice>> shared(uint32_t index, const std::optional<Capabilities>& lowered_to = {},
                                                      std::optional<int> driver_id = {});

    const Device& device() const { return *device_; }
    kit::VulkanShim& shim() { return shim_; }
    bool validated() const { return validated_; }

    // Returns the warnings and errors that were logged since the last call.
    std::string take_messages();

private:
    struct Messages {
        std::mutex mutex;
        std::string text;
    };

    explicit CaseDevice(const kit::ShimOptions& options) : shim_(options) {}

    kit::VulkanShim shim_;
    bool validated_ = false;
    std::shared_ptr<Messages> messages_ = std::make_shared<Messages>();
    std::optional<Device> device_;  // destroyed before the shim
};

}  // namespace vkonnx::gpu_test
