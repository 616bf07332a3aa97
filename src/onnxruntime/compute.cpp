// SPDX-License-Identifier: Apache-2.0
#include "onnxruntime/compute.h"

#include <algorithm>

#include "onnxruntime/model_bytes.h"
#include "onnxruntime/tensor.h"
#include "return_if_error.h"

namespace vkonnx::onnxruntime {

namespace {

ComputedGroup& group_of(void* state)
{
    return *static_cast<ComputedGroup*>(state);
}

// Returns the inputs' descriptions, or nothing where a dimension is not known before a run. Without dimensions the rank may not
// be known either: see Value.
std::optional<std::vector<onnx::NamedDesc>> known_inputs(const Graph& graph, const Part& part, const onnx::Model& model)
{
    std::vector<onnx::NamedDesc> inputs;
    for (const std::string& name : part.inputs) {
        const Value& value = graph.values.at(name);
        if (!value.has_known_dims())
            return std::nullopt;
        inputs.push_back({.name = name, .desc = {value.dtype, value.dims}});
    }
    const std::span<const onnx::ValueInfo> infos = model.inputs();
    const bool decides = std::any_of(infos.begin(), infos.end(), [](const auto& info) { return info.decides_dimensions; });
    return decides ? std::nullopt : std::optional(std::move(inputs));
}

}  // namespace

ComputedGroup::ComputedGroup(const Runtime& runtime, const Device& device, const onnx::SessionOptions& options)
    : OrtNodeComputeInfo{}, runtime_(runtime), device_(device), options_(options)
{
    ort_version_supported = ORT_API_VERSION;
    CreateState = [](OrtNodeComputeInfo* self, OrtNodeComputeContext*, void** state) noexcept -> OrtStatus* {
        *state = static_cast<ComputedGroup*>(self);
        return nullptr;
    };
    Compute = [](OrtNodeComputeInfo*, void* state, OrtKernelContext* context) noexcept -> OrtStatus* {
        return group_of(state).runtime_.answer([&] { group_of(state).run(context); });
    };
    ReleaseState = [](OrtNodeComputeInfo*, void*) {};  // the state is the group itself
}

std::unique_ptr<ComputedGroup> ComputedGroup::compile(const Runtime& runtime, const Device& device,
                                                      const onnx::SessionOptions& options, const OrtGraph* handle,
                                                      const OrtNode* node)
{
    std::unique_ptr<ComputedGroup> group(new ComputedGroup(runtime, device, options));
    const Graph graph = read_graph(runtime, handle);
    Part part;
    for (const Node& one : graph.nodes)
        part.nodes.push_back(&one);
    const std::vector<std::string> inputs = input_names(runtime, node);
    for (size_t i = 0; i < inputs.size(); ++i)
        if (const auto value = graph.values.find(inputs[i]); value != graph.values.end() && !value->second.is_constant) {
            part.inputs.push_back(inputs[i]);
            group->inputs_.push_back(i);
        }
    part.outputs = output_names(runtime, node);
    const ModelBytes bytes = write_model(runtime, graph, part, WeightsAs::elements);
    group->model_ = value_of(onnx::Model::parse(std::as_bytes(std::span(bytes.bytes))));
    if (const auto known = known_inputs(graph, part, group->model_))
        group->session_ = value_of(onnx::Session::prepare(device, group->model_, *known, options));
    return group;
}

void ComputedGroup::run(OrtKernelContext* context)
{
    std::vector<onnx::HostView> inputs;
    for (const size_t input : inputs_) {
        const OrtValue* value = nullptr;
        runtime_.check(runtime_.api().KernelContext_GetInput(context, input, &value));
        inputs.push_back(view_of(runtime_, value));
    }
    const std::lock_guard lock(mutex_);
    if (!session_) {
        std::vector<onnx::NamedDesc> named;
        for (size_t i = 0; i < inputs.size(); ++i) {
            const onnx::ValueInfo& info = model_.inputs()[i];
            named.push_back({.name = info.name, .desc = inputs[i].desc});
            if (info.decides_dimensions)
                named.back().value =
                    onnx::HostTensor{.desc = inputs[i].desc, .data = {inputs[i].data.begin(), inputs[i].data.end()}};
        }
        session_ = value_of(onnx::Session::prepare(device_, model_, named, options_));
    }
    check(session_->run_into(inputs, [&](size_t output, const TensorDesc& desc) -> Result<std::span<std::byte>> {
        const OrtApi& api = runtime_.api();
        OrtValue* value = nullptr;
        VKONNX_RETURN_IF_ERROR(
            runtime_.take(api.KernelContext_GetOutput(context, output, desc.dims.data(), desc.dims.size(), &value)));
        void* data = nullptr;
        VKONNX_RETURN_IF_ERROR(runtime_.take(api.GetTensorMutableData(value, &data)));
        const Result<uint64_t> size = byte_size(desc);
        return size ? Result(std::span(static_cast<std::byte*>(data), *size)) : size.status();
    }));
}

}  // namespace vkonnx::onnxruntime
