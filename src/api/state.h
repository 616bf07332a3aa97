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
    std::vector<int64_t> host_result;
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

}  // namespace vkonnx::api
