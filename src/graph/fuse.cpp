// SPDX-License-Identifier: Apache-2.0
#include "graph/fuse.h"
#include "return_if_error.h"

namespace vkonnx::graph {
namespace {

struct Pass {
    onnx::Fusion fusion;
    Status (*run)(Calls& calls);
};

// Patterns go before weights and activation, because the Add of a pattern is no bias, and its Clip no activation.
constexpr Pass passes[] = {
    {onnx::Fusion::padding, fuse_padding},
    {onnx::Fusion::pattern, fuse_pattern},
    {onnx::Fusion::pattern, fuse_layer_normalization},
    {onnx::Fusion::pattern, fuse_attention},
    {onnx::Fusion::weights, fuse_weights},
    {onnx::Fusion::activation, fuse_activation},
    {onnx::Fusion::prologue, fuse_prologue},
    {onnx::Fusion::chain, fuse_chain},
};

// The kernels of last resort, which run any problem, bind X, W, B, a prologue's numbers, and Y.
constexpr uint32_t prologue_buffers = 5;

}  // namespace

uint32_t fusions_beyond(const Capabilities& capabilities)
{
    return capabilities.max_storage_buffers < prologue_buffers ? uint32_t(onnx::Fusion::prologue) : 0;
}

Status fuse(const Graph& graph, Rewritten& rewritten, uint32_t without, Memo& memo, const Capabilities& capabilities,
            const PrepareOptions& options)
{
    Calls calls(graph, rewritten, memo, capabilities, options);
    for (const Pass& pass : passes)
        if ((without & uint32_t(pass.fusion)) == 0)
            VKONNX_RETURN_IF_ERROR(pass.run(calls));
    calls.finish();
    return {};
}

}  // namespace vkonnx::graph
