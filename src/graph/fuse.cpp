// SPDX-License-Identifier: Apache-2.0
#include "graph/fuse.h"

namespace vkonnx::graph {
namespace {

struct Pass {
    onnx::Fusion fusion;
    Status (*run)(Calls& calls);
};

// What is spelled out goes first: its Add is no bias, and its Clip no activation.
constexpr Pass passes[] = {
    {onnx::Fusion::padding, fuse_padding},       {onnx::Fusion::spelled, fuse_spelled}, {onnx::Fusion::weights, fuse_weights},
    {onnx::Fusion::activation, fuse_activation}, {onnx::Fusion::chain, fuse_chain},
};

}  // namespace

Status fuse(const Graph& graph, Rewritten& rewritten, const onnx::SessionOptions& options, Memo& memo)
{
    Calls calls(graph, rewritten, memo);
    for (const Pass& pass : passes)
        if ((options.without_fusions & uint32_t(pass.fusion)) == 0)
            if (Status status = pass.run(calls); !status)
                return status;
    calls.finish();
    return {};
}

}  // namespace vkonnx::graph
