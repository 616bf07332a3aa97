// SPDX-License-Identifier: Apache-2.0
#include "graph/fold.h"

#include "return_if_error.h"

namespace vkonnx::graph {
namespace {

bool fits(const TensorDesc& desc, uint64_t most_bytes)
{
    const Result<uint64_t> bytes = byte_size(desc);
    return bytes && *bytes <= most_bytes;
}

}  // namespace

Result<std::optional<std::vector<HostTensor>>> folded(const Operator& op, std::span<const KnownInput> inputs,
                                                      std::span<const TensorDesc> outputs, uint64_t most_bytes)
{
    using Folded = std::optional<std::vector<HostTensor>>;
    for (const TensorDesc& output : outputs)
        if (!fits(output, most_bytes))
            return Folded();
    std::vector<TensorDesc> descs;
    std::vector<HostTensor> tensors;
    for (const KnownInput& input : inputs) {
        if (input.content && !fits(input.desc, most_bytes))
            return Folded();
        Result<HostTensor> tensor = input.content ? input.content->read() : HostTensor();
        VKONNX_RETURN_IF_ERROR(tensor.status());
        descs.push_back(input.desc);
        tensors.push_back(std::move(*tensor));
    }
    std::vector<std::span<const std::byte>> data;
    for (const HostTensor& tensor : tensors)
        data.emplace_back(tensor.data);
    Result<std::vector<std::vector<std::byte>>> made = evaluate(op, descs, data);
    if (!made)
        return made.code() == Code::unsupported ? Result(Folded()) : made.status();
    std::vector<HostTensor> results;
    for (size_t i = 0; i < made->size(); ++i)
        results.push_back({.desc = outputs[i], .data = std::move(made->at(i))});
    return Folded(std::move(results));
}

}  // namespace vkonnx::graph
