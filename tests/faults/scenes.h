// This header lists scenes of an application that uses the library. Each can be played again and again with one call or
// allocation failing.
#pragma once

#include <vkonnx/onnx.hpp>
#include <vkonnx/vulkan.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "examples/adopt_engine.hpp"
#include "gpu/case_devices.h"
#include "kit/temporary_folder.h"
#include "kit/vulkan_shim.h"

namespace vkonnx::faults {

// A world holds what a scene uses. Handles stay empty where the scene doesn't need them.
struct World {
    World(const gpu_test::PresentDevice& present, const kit::ShimOptions& shim_options);

    kit::VulkanShim shim;
    DeviceOptions options;
    std::vector<std::byte> kept;  // what options.store_cache was given last; it outlives the devices

    std::optional<app::Engine> engine;  // an application with a device of its own
    app::Buffer x_buffer, y_buffer;
    VkCommandBuffer commands = VK_NULL_HANDLE;

    std::vector<DeviceInfo> infos, expected_infos;
    Capabilities expected_capabilities;
    Device device;
    std::vector<Tensor> inputs;
    Tensor y;
    Op op;
    Binding binding;
    Recording recording;
    Job job;
    onnx::Model model;
    onnx::Session session;

    // The descriptions and values of a scene are made beforehand, so that only the library allocates while something fails.
    std::vector<TensorDesc> input_descs;
    TensorDesc y_desc;
    std::vector<float> expected;
    std::vector<std::byte> model_bytes;
    kit::TemporaryFolder folder;
    std::string model_file = folder / "model.onnx";
    std::vector<onnx::HostTensor> host_inputs;
    std::vector<float> taken;  // from the library, where a scene compares it

    // Lets all handles go.
    void clear();
};

struct Scene {
    const char* name;
    bool split_memory = false;   // as on a discrete GPU, so that tensors are staged
    bool drops_handles = false;  // in the attempt: where the end of their work can't be seen, the device is given up
    // Nothing fails in these two: `set_up` runs once, and `before` runs before each attempt.
    std::function<void(World&)> set_up = [](World&) {};
    std::function<void(World&)> before = [](World&) {};
    // Makes the calls under test. It may be repeated.
    std::function<Status(World&)> attempt;
    // Nothing fails here. Returns what is wrong after an attempt that succeeded, or "".
    std::function<std::string(World&)> check;
};

const std::vector<Scene>& scenes();

}  // namespace vkonnx::faults
