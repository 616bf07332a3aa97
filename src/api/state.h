// What stands behind the public handles. In each struct the device comes first, so that it is destroyed last.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include "gpu/execution.h"
#include "guard.h"

namespace vkonnx::api {

struct DeviceState {
    std::shared_ptr<gpu::Device> gpu;
};

struct TensorState {
    std::shared_ptr<DeviceState> device;
    TensorDesc desc;
    uint64_t bytes = 0;
    std::shared_ptr<gpu::Buffer> buffer;
};

struct OpState {
    std::shared_ptr<DeviceState> device;
    std::string label;  // the operator's name, for messages
    std::vector<TensorDesc> inputs;
    Explanation explanation;
    bool reads_inputs = true;
    std::shared_ptr<const gpu::Program> program;
};

struct BindingState {
    std::shared_ptr<const OpState> op;
    std::unique_ptr<gpu::Binding> binding;
    std::unique_ptr<gpu::Execution> execution;  // made by the first run or submit; waits for what is in flight
};

struct RecordingState {
    std::shared_ptr<DeviceState> device;
    std::vector<std::shared_ptr<BindingState>> bindings;
    bool changed = true;                        // since its commands were recorded
    std::unique_ptr<gpu::Execution> execution;  // made by the first run or submit; waits for what is in flight
};

// A handle in the eyes of the rule for handles, which vkonnx.hpp states.
struct Handle {
    const char* name;
    const gpu::Device* device;    // null: the handle is empty
    std::optional<size_t> index;  // in a list of that name
};

inline Handle handle(const Device& device)
{
    return {"the Device", device.state ? device.state->gpu.get() : nullptr, {}};
}

inline Handle handle(const Op& op)
{
    return {"the Op", op.state ? op.state->device->gpu.get() : nullptr, {}};
}

inline Handle handle(const Binding& binding)
{
    return {"the Binding", binding.state ? binding.state->op->device->gpu.get() : nullptr, {}};
}

inline Handle handle(std::span<const Binding> bindings, size_t index)
{
    return {"bindings", handle(bindings[index]).device, index};
}

inline Handle handle(const Recording& recording)
{
    return {"the Recording", recording.state ? recording.state->device->gpu.get() : nullptr, {}};
}

// Refuses the first that is empty or of another device than the first of all.
inline Status check_handles(const char* function, std::initializer_list<Handle> handles)
{
    for (const Handle& handle : handles) {
        if (handle.device && handle.device == handles.begin()->device)
            continue;
        const std::string name = handle.index ? handle.name + ("[" + std::to_string(*handle.index) + "]") : handle.name;
        if (!handle.device)
            return refuse_empty(function, name);
        return Status(Code::invalid_argument, std::string(function) + ": " + name + " belongs to another device");
    }
    return {};
}

// DeviceOptions::allocation_callbacks: what Vulkan calls without asking must be there.
Status check_callbacks(const DeviceOptions& options);

}  // namespace vkonnx::api
