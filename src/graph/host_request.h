// SPDX-License-Identifier: Apache-2.0
// This header has what the functions share that compute operators on the host. host.cpp has those of a few lines; others have a
// file of their own.
#pragma once

#include "graph/host.h"

namespace vkonnx::graph {

struct HostRequest {
    std::string_view name = {};               // of the operator
    std::span<const HostTensor> inputs = {};  // of an undefined type where one is left out
    const Content* value = nullptr;           // ConstantOfShape's attribute
    uint64_t most_bytes = 0;                  // of an output

    bool has(size_t input) const { return input < inputs.size() && inputs[input].desc.dtype != DType::undefined; }
    Status invalid(const std::string& what) const { return Status(Code::invalid_argument, std::string(name) + ": " + what); }
    Status unsupported(const std::string& what) const { return Status(Code::unsupported, std::string(name) + ": " + what); }
    // Returns a tensor of zeros, which is to be filled.
    Result<HostTensor> sized(TensorDesc desc) const;
    // Returns such a tensor of these numbers.
    Result<HostTensor> numbers(std::vector<int64_t> dims, std::span<const int64_t> values) const;
};

using HostTensors = std::vector<HostTensor>;

Result<HostTensors> compute(const NonMaxSuppression& op, const HostRequest& request);
Result<HostTensors> compute(const Unique& op, const HostRequest& request);

}  // namespace vkonnx::graph
