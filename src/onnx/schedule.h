// SPDX-License-Identifier: Apache-2.0
// What running a graph means, decided from descriptions alone: which memory each value is, which operators are dispatched in
// which order. Knows no device; what prepares an operator is passed in.
#pragma once

#include <vkonnx/onnx.hpp>

#include <functional>
#include <memory>
#include <vector>

#include "graph.h"

namespace vkonnx::onnx {

// Memory that a value and all its views share. Filled by exactly one of: a graph input, the file, preparing, a dispatch.
struct Block {
    TensorDesc desc = {};
    int32_t input = -1;                              // place in Graph::inputs
    std::shared_ptr<const TensorProto> stored = {};  // in the file
    std::shared_ptr<const HostTensor> made = {};     // known from preparing
    bool on_device = false;                          // a dispatch reads or writes it
};

// Its dimensions are only dimensions: TensorDesc::layout is never set. How they are read is each node's own matter, so that a
// value may pass from a node of NXC data to one that reads N, C, D1..Dn; whoever wrote the model meant it so.
struct PlacedValue {
    int32_t block = -1;
    TensorDesc desc = {};
};

// An operator that runs on the device; the indices are those of Schedule::blocks.
struct ScheduledOp {
    size_t node = 0;
    std::vector<int32_t> inputs = {};  // without the constant ones
    int32_t output = -1;
};

struct Schedule {
    std::vector<Block> blocks = {};
    std::vector<PlacedValue> values = {};  // as Graph::values
    std::vector<ScheduledOp> ops = {};     // in the order they run
    std::vector<NodeReport> reports = {};  // as Graph::nodes
};

// An operator's input whose elements are known before anything runs.
struct KnownInput {
    size_t input = 0;    // place among its inputs
    int32_t index = -1;  // of Schedule::blocks
    const Block& block;
};

// Called once for each of Schedule::ops, in order.
using PrepareOp = std::function<Result<Explanation>(const Operator&, std::span<const TensorDesc>, std::span<const KnownInput>)>;

Result<Schedule> make_schedule(const ModelState& model, std::span<const NamedDesc> inputs, const Capabilities& capabilities,
                               const SessionOptions& options, const PrepareOp& prepare);

// The elements of a block that is not computed by a dispatch nor given by the caller.
Result<HostTensor> content(const Block& block);

}  // namespace vkonnx::onnx
