// SPDX-License-Identifier: Apache-2.0
#include "graph/weights.h"
#include "return_if_error.h"

#include <algorithm>

namespace vkonnx::graph {
namespace {

// Uploads from a file in pieces, so that the host never holds all of the largest weights.
Status upload_parts(const Content& content, const Tensor& to)
{
    const Result<uint64_t> bytes = byte_size(content.desc);
    VKONNX_RETURN_IF_ERROR(bytes.status());
    constexpr uint64_t most = uint64_t(16) << 20;
    std::vector<std::byte> piece(std::min(*bytes, most));
    for (uint64_t done = 0; done < *bytes; done += most) {
        piece.resize(std::min(*bytes - done, most));
        VKONNX_RETURN_IF_ERROR(content.read_part(done, piece));
        Result<Tensor> part = to.part(done, {.dtype = DType::uint8, .dims = {int64_t(piece.size())}});
        Status status = part ? part->upload(std::span<const std::byte>(piece)) : part.status();
        if (!status)
            return status;
    }
    return {};
}

// Runs a computation, whose output of this number goes to the tensor.
Status compute(const Device& device, const Computation& computation, size_t output, const Tensor& to)
{
    std::vector<Tensor> inputs;
    for (const std::shared_ptr<const Content>& content : computation.inputs) {
        if (!content)
            continue;
        Result<Tensor> tensor = device.tensor(content->desc);
        VKONNX_RETURN_IF_ERROR(tensor.status());
        VKONNX_RETURN_IF_ERROR(fill(device, *content, *tensor));
        inputs.push_back(*tensor);
    }
    const Result<Op> op = device.prepare(computation.op, computation.descs, computation.options);
    VKONNX_RETURN_IF_ERROR(op.status());
    std::vector<Tensor> outputs;
    for (size_t i = 0; i < op->outputs().size(); ++i) {
        const Result<Tensor> tensor = i == output ? Result(to) : device.tensor(op->outputs()[i]);
        VKONNX_RETURN_IF_ERROR(tensor.status());
        outputs.push_back(*tensor);
    }
    return device.run(*op, inputs, outputs);
}

}  // namespace

Status fill(const Device& device, const Content& content, Tensor& to)
{
    if (!content.is_on_host())
        return compute(device, *content.computed, content.computed_output, to);
    if (!content.bytes.empty())
        return to.upload(content.bytes);
    if (content.read_part)
        return upload_parts(content, to);
    const Result<HostTensor> host = content.read();
    return host ? to.upload(std::span<const std::byte>(host->data)) : host.status();
}

Result<Weights> ConstantStore::get(const std::shared_ptr<const Content>& content)
{
    if (const auto found = known_.find(content); found != known_.end())
        return found->second;
    // The content is not held here, because `sweep` asks whether others hold it.
    const auto fill_held = [device = device_, held = std::weak_ptr<const Content>(content)](Tensor& to) -> Status {
        const std::shared_ptr<const Content> there = held.lock();
        return there ? fill(device, *there, to)
                     : Status(Code::driver_error, "a constant is asked for when nobody holds it any more");
    };
    Result<Weights> weights = Weights::create(device_, content->desc, fill_held);
    if (weights)
        known_.emplace(content, *weights);
    return weights;
}

void ConstantStore::sweep()
{
    std::erase_if(known_, [](const auto& entry) { return entry.first.use_count() == 1; });
}

}  // namespace vkonnx::graph
