// SPDX-License-Identifier: Apache-2.0
#include "api/operands.h"
#include "return_if_error.h"

#include <algorithm>

namespace vkonnx::api {
namespace {

Status check_counts(const OpState& op, size_t inputs, size_t outputs)
{
    const bool none_needed = !op.reads_inputs && inputs == 0;
    if (inputs != op.inputs.size() && !none_needed)
        return Status(Code::invalid_argument, op.label + ": " + std::to_string(inputs) +
                                                  " inputs bound, but it was prepared for " + std::to_string(op.inputs.size()));
    if (outputs != op.explanation.outputs.size())
        return Status(Code::invalid_argument, op.label + ": " + std::to_string(outputs) + " outputs bound, but it gives " +
                                                  std::to_string(op.explanation.outputs.size()));
    return {};
}

// A Memory is an operand in the eyes of the rules for memory.
struct Memory {
    std::string name;       // such as "input[0]"
    gpu::Slice slice;       // without bytes where the tensor has no elements, so that it overlaps nothing
    bool in_place = false;  // whether the first output may be the same memory
};

gpu::Slice slice_of(const Tensor& tensor)
{
    gpu::Slice slice = state_of(tensor)->buffer->slice();
    if (state_of(tensor)->bytes == 0)
        slice.size = 0;
    return slice;
}

bool share_memory(const Memory& a, const Memory& b)
{
    return a.slice.size != 0 && b.slice.size != 0 && a.slice.overlaps(b.slice);
}

std::string element(const char* list, size_t index)
{
    return list + ("[" + std::to_string(index) + "]");
}

// Returns what the steps read: the bound inputs, unless nothing reads them, and the constant ones that are read as they are.
std::vector<Memory> read_memory(const OpState& op, std::span<const Tensor> inputs)
{
    std::vector<Memory> read;
    const std::vector<uint8_t>& in_place = op.program->plan().in_place;
    size_t bound = 0;
    for (size_t i = 0; i < op.plan_inputs.size(); ++i) {
        if (!op.plan_inputs[i].bound)
            continue;
        const bool may_be = std::find(in_place.begin(), in_place.end(), i) != in_place.end();
        read.push_back({element("input", bound), slice_of(inputs[bound]), may_be});
        ++bound;
    }
    for (size_t i = 0; i < op.plan_inputs.size(); ++i)
        if (op.plan_inputs[i].buffer)
            read.push_back({"constant input " + std::to_string(i), op.plan_inputs[i].buffer->slice()});
    return read;
}

bool in_place(const Memory& input, const Memory& output)
{
    const gpu::Slice& a = input.slice;
    const gpu::Slice& b = output.slice;
    return input.in_place && a.buffer == b.buffer && a.offset == b.offset && a.size == b.size;
}

// Checks that each output shares memory with nothing. Only the first one may be an input that the plan can spare.
Status check_aliasing(const OpState& op, const std::vector<Memory>& read, std::span<const Tensor> outputs)
{
    std::vector<Memory> others = read;
    for (size_t o = 0; o < outputs.size(); ++o) {
        const Memory output = {element("output", o), slice_of(outputs[o])};
        for (const Memory& other : others)
            if (share_memory(other, output) && !(o == 0 && in_place(other, output)))
                return Status(Code::invalid_argument, op.label + ": " + output.name + " shares memory with " + other.name);
        others.push_back(output);
    }
    return {};
}

// Checks the memory that the plan needs besides the tensors: it must be large enough, and apart from them.
Status check_scratch(const OpState& op, std::vector<Memory> others, std::span<const Tensor> outputs, const Tensor& scratch)
{
    if (state_of(scratch)->device->gpu != op.device->gpu)
        return Status(Code::invalid_argument, op.label + ": scratch belongs to another device");
    const uint64_t needed = op.program->plan().scratch_bytes;
    if (needed == 0)
        return {};
    if (state_of(scratch)->bytes < needed)
        return Status(Code::invalid_argument, op.label + ": scratch " + to_string(state_of(scratch)->desc) + " has " +
                                                  std::to_string(state_of(scratch)->bytes) + " bytes, but " +
                                                  std::to_string(needed) + " are needed (Explanation::scratch_bytes)");
    for (size_t o = 0; o < outputs.size(); ++o)
        others.push_back({element("output", o), slice_of(outputs[o])});
    for (const Memory& other : others)
        if (share_memory(other, {"scratch", slice_of(scratch)}))
            return Status(Code::invalid_argument, op.label + ": scratch shares memory with " + other.name);
    return {};
}

}  // namespace

Status check_tensor(const std::string& place, const gpu::Device& device, const Tensor& tensor, const TensorDesc& expected)
{
    if (!state_of(tensor))
        return Status(Code::invalid_argument, place + " is an empty handle, but " + to_string(expected) + " is expected");
    return check_described(place, device, *state_of(tensor)->device->gpu, state_of(tensor)->desc, expected);
}

Status check_described(const std::string& place, const gpu::Device& device, const gpu::Device& of, const TensorDesc& desc,
                       const TensorDesc& expected)
{
    if (&of != &device)
        return Status(Code::invalid_argument, place + " belongs to another device");
    const Result<int64_t> wanted = element_count(expected);
    const Result<int64_t> present = element_count(desc);
    const bool other_layout = desc.layout != Layout::ncx && desc.layout != expected.layout;  // NCX, the default, may mean nothing
    if (!wanted || !present || desc.dtype != expected.dtype || *wanted != *present || other_layout)
        return Status(Code::invalid_argument, place + " is " + to_string(desc) + ", but " + to_string(expected) + " is expected");
    return {};
}

Status check_views(const plan::Plan& plan, std::span<const NamedBuffer> tensors, const gpu::Device& device)
{
    for (const plan::Step& step : plan.steps) {
        const plan::PipelineKey& key = plan::pipeline_of(plan, step);
        for (size_t i = 0; i < step.operands.size(); ++i) {
            const plan::Operand& operand = step.operands[i];
            if (key.views[i] == plan::View::storage || operand.place != plan::Place::tensor)
                continue;
            const NamedBuffer& tensor = tensors[operand.tensor];
            const std::string by = ", by which kernel " + std::string(kernel_name(key.kernel)) + " reads it";
            if (!(tensor.buffer->usage() & VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT))
                return Status(Code::invalid_argument, tensor.place +
                                                          " is wrapped without VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT "
                                                          "(BufferSlice::usage)" +
                                                          by);
            const uint32_t alignment = device.physical().info.capabilities.texel_buffer_alignment;
            if (tensor.buffer->slice().offset % alignment != 0)
                return Status(Code::unsupported, tensor.place + " is wrapped at offset " +
                                                     std::to_string(tensor.buffer->slice().offset) + ", not a multiple of " +
                                                     std::to_string(alignment) + " as the device wants of texels" + by);
        }
    }
    return {};
}

Result<std::vector<std::shared_ptr<gpu::Buffer>>> tensors_of(const OpState& op, std::span<const Tensor> inputs,
                                                             std::span<const Tensor> outputs, const Tensor& scratch)
{
    VKONNX_RETURN_IF_ERROR(check_span(op.label.c_str(), "inputs", inputs));
    VKONNX_RETURN_IF_ERROR(check_span(op.label.c_str(), "outputs", outputs));
    VKONNX_RETURN_IF_ERROR(check_counts(op, inputs.size(), outputs.size()));
    const plan::Plan& plan = op.program->plan();
    const gpu::Device& device = *op.device->gpu;
    for (size_t i = 0; i < inputs.size(); ++i)
        VKONNX_RETURN_IF_ERROR(check_tensor(op.label + ": " + element("input", i), device, inputs[i], op.inputs[i]));
    std::vector<NamedBuffer> tensors;
    size_t bound = 0;
    for (const OpState::PlanInput& input : op.plan_inputs) {
        if (input.bound) {
            tensors.push_back({op.label + ": " + element("input", bound), state_of(inputs[bound])->buffer});
            ++bound;
        } else {
            tensors.push_back({op.label + ": constant input " + std::to_string(tensors.size()), input.buffer});
        }
    }
    for (size_t o = 0; o < outputs.size(); ++o) {
        const std::string place = op.label + ": " + element("output", o);
        VKONNX_RETURN_IF_ERROR(check_tensor(place, device, outputs[o], op.explanation.outputs[o]));
        if (!plan.constant.empty() && !(state_of(outputs[o])->buffer->usage() & VK_BUFFER_USAGE_TRANSFER_DST_BIT))
            return Status(Code::invalid_argument, place + " is wrapped without VK_BUFFER_USAGE_TRANSFER_DST_BIT "
                                                          "(BufferSlice::usage), which it is written by");
        tensors.push_back({place, state_of(outputs[o])->buffer});
    }
    VKONNX_RETURN_IF_ERROR(check_aliasing(op, read_memory(op, inputs), outputs));
    if (state_of(scratch))
        VKONNX_RETURN_IF_ERROR(check_scratch(op, read_memory(op, inputs), outputs, scratch));
    VKONNX_RETURN_IF_ERROR(check_views(plan, tensors, device));
    std::vector<std::shared_ptr<gpu::Buffer>> buffers;
    for (NamedBuffer& tensor : tensors)
        buffers.push_back(std::move(tensor.buffer));
    return buffers;
}

}  // namespace vkonnx::api
