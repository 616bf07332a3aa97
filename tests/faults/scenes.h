// What an application does with the library, in scenes that can be played again and again with one call or allocation failing.
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

// What a scene uses. Handles stay empty where it has no need of them.
struct World {
    World(const gpu_test::PresentDevice& present, const kit::ShimOptions& shim_options);

    kit::VulkanShim shim;
    DeviceOptions options;
    std::vector<std::byte> kept;  // what options.store_cache was given, until the last device has gone

    std::optional<app::Engine> engine;  // of an application with a device of its own
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

    // What the descriptions and values of a scene are, made beforehand: only the library allocates while something fails.
    std::vector<TensorDesc> input_descs;
    TensorDesc y_desc;
    std::vector<float> expected;
    std::vector<std::byte> model_bytes;
    kit::TemporaryFolder folder;
    std::string model_file = folder / "model.onnx";
    std::vector<onnx::HostTensor> host_inputs;
    std::vector<float> taken;  // out of the library, where a scene compares that

    // Lets all handles go.
    void clear();
};

struct Scene {
    const char* name;
    bool split_memory = false;   // as on a discrete GPU, so that tensors are staged
    bool drops_handles = false;  // in an attempt: where the end of their work can't be seen, the device is given up
    // Nothing fails here: what must stand before, once; and before each attempt.
    std::function<void(World&)> set_up = [](World&) {};
    std::function<void(World&)> before = [](World&) {};
    // The calls under test. May be repeated.
    std::function<Status(World&)> attempt;
    // Nothing fails here: what is wrong after an attempt that succeeded, or "".
    std::function<std::string(World&)> check;
};

const std::vector<Scene>& scenes();

}  // namespace vkonnx::faults
