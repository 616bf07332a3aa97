// SPDX-License-Identifier: Apache-2.0
// This file has what stands behind the public handles. In each struct the device comes first, so that it is destroyed last.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include "api/tune.h"
#include "gpu/host_copies.h"
#include "gpu/packing.h"
#include "guard.h"

namespace vkonnx::api {

struct DeviceState {
    explicit DeviceState(std::shared_ptr<gpu::Device> opened) : gpu(std::move(opened)), packing(*gpu) {}

    std::shared_ptr<gpu::Device> gpu;
    gpu::Packing packing;
    Tuner tuner;
};

struct TensorState {
    std::shared_ptr<DeviceState> device;
    TensorDesc desc;
    uint64_t bytes = 0;
    std::shared_ptr<gpu::Buffer> buffer;
};

struct StagingState {
    std::shared_ptr<DeviceState> device;
    std::shared_ptr<gpu::Staging> staging;
};

struct WeightsState {
    // Any thread may call these two. The elements are in the buffer once the staging is finished.
    //
    // Gives the device buffer of the weights. It is made and filled at the first call, and again after everybody has let go of
    // it.
    Result<std::shared_ptr<gpu::Buffer>> memory(gpu::Staging& staging);
    // Gives the same buffer where somebody holds it, and memory of the staging else. It is for work that is part of the staging.
    Result<std::shared_ptr<gpu::Buffer>> staged(gpu::Staging& staging);

    std::shared_ptr<DeviceState> device;
    TensorDesc desc;
    uint64_t bytes = 0;
    std::function<Status(Tensor&)> fill;

private:
    std::shared_ptr<gpu::Buffer> held(const gpu::Staging& staging) const;
    Status fill_mapped(std::shared_ptr<gpu::Buffer> buffer) const;

    std::mutex mutex_ = {};
    std::weak_ptr<gpu::Buffer> made_ = {};
    gpu::Staging::Ticket filled_ = {};
};

struct OpState {
    std::shared_ptr<DeviceState> device;
    std::string label;               // the operator's name, for messages
    std::vector<TensorDesc> inputs;  // those that are bound
    Explanation explanation;
    bool reads_inputs = true;
    // A PlanInput is one input of the plan: whether it is bound, or else constant or not given, and where a constant one lies, if
    // a step reads it as it is.
    struct PlanInput {
        bool bound = false;
        std::shared_ptr<gpu::Buffer> buffer;
    };
    std::vector<PlanInput> plan_inputs;
    std::shared_ptr<const gpu::Program> program;
    // What the Op needs on the device is there once `staged` is finished, which needs the staging.
    std::shared_ptr<gpu::Staging> staging;
    gpu::Staging::Ticket staged;
};

// A JobState is what is submitted. It is a part of a Binding or Recording, and a Job's pointer shares the ownership of that.
struct JobState {
    std::unique_ptr<gpu::Execution> execution;  // made by the first run or submit; waits for what is in flight
};

struct BindingState {
    std::shared_ptr<const OpState> op;
    std::unique_ptr<gpu::Binding> binding;
    JobState work;
};

struct RecordingState {
    explicit RecordingState(std::shared_ptr<DeviceState> of) : device(std::move(of)), copies(*device->gpu) {}

    std::shared_ptr<DeviceState> device;
    std::vector<std::shared_ptr<BindingState>> bindings;
    gpu::HostCopies copies;
    bool changed = true;  // whether anything was added since its commands were recorded
    JobState work;
};

// Access is the only friend of the handles.
struct Access {
    template <class Handle>
    static const auto& state(const Handle& handle)
    {
        return handle.state_;
    }
    template <class Handle, class State>
    static Handle handle(State state)
    {
        Handle made;
        made.state_ = std::move(state);
        return made;
    }
    static Job job(std::shared_ptr<JobState> state)
    {
        Job made = handle<Job>(std::move(state));
        made.number_ = made.state_->execution->number();
        return made;
    }
};

template <class Handle>
const auto& state_of(const Handle& handle)
{
    return Access::state(handle);
}

// A Handle is what the rule for handles, which vkonnx.hpp states, needs to know of one.
struct Handle {
    const char* name;
    const gpu::Device* device;    // null: the handle is empty
    std::optional<size_t> index;  // the place in a list of that name
};

inline Handle handle(const Device& device)
{
    return {"the Device", state_of(device) ? state_of(device)->gpu.get() : nullptr, {}};
}

inline Handle handle(const Tensor& tensor)
{
    return {"the Tensor", state_of(tensor) ? state_of(tensor)->device->gpu.get() : nullptr, {}};
}

inline Handle handle(const Staging& staging)
{
    return {"the Staging", state_of(staging) ? state_of(staging)->device->gpu.get() : nullptr, {}};
}

inline Handle handle(const Op& op)
{
    return {"the Op", state_of(op) ? state_of(op)->device->gpu.get() : nullptr, {}};
}

inline Handle handle(const Binding& binding)
{
    return {"the Binding", state_of(binding) ? state_of(binding)->op->device->gpu.get() : nullptr, {}};
}

inline Handle handle(std::span<const Binding> bindings, size_t index)
{
    return {"bindings", handle(bindings[index]).device, index};
}

inline Handle handle(const Recording& recording)
{
    return {"the Recording", state_of(recording) ? state_of(recording)->device->gpu.get() : nullptr, {}};
}

// Refuses the first handle that is empty, or of another device than the first one in the list.
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

// Checks that DeviceOptions::allocation_callbacks has the functions that Vulkan calls without asking.
Status check_callbacks(const DeviceOptions& options);

}  // namespace vkonnx::api
