// SPDX-License-Identifier: Apache-2.0
// This header has the class that rewrites a graph, node by node. rewrite.cpp places values and adds calls, rewrite_if.cpp goes
// through branches, rewrite_loop.cpp through bodies, rewrite_known.cpp reads what must be known while preparing, and
// rewrite_deferral.cpp finds the nodes that must wait for a run.
#pragma once

#include "graph/fuse.h"
#include "graph/host.h"
#include "graph/rewrite.h"

namespace vkonnx::graph {

inline Status invalid_argument(std::string sentence)
{
    return Status(Code::invalid_argument, std::move(sentence));
}

class Rewriter {
public:
    Rewriter(const Graph& graph, const onnx::SessionOptions& options, const Capabilities& capabilities, Memo& memo)
        : graph_(graph), options_(options), capabilities_(capabilities),
          without_fusions_(options.without_fusions | fusions_beyond(capabilities)), memo_(memo)
    {
    }

    Result<Rewritten> run(std::span<const onnx::NamedDesc> inputs);
    Result<Deferral> find_deferral(std::span<const onnx::NamedDesc> inputs);

private:
    Status begin(std::span<const onnx::NamedDesc> inputs);
    Status add_nodes(size_t first, size_t end);
    void take_back(size_t first_node, size_t calls);
    std::vector<bool> inner_values() const;
    bool reads_any(size_t node, const std::vector<bool>& values) const;
    Status place_inputs(std::span<const onnx::NamedDesc> inputs);
    void place_initializers(std::span<const int32_t> values);
    Result<bool> enter(int32_t branch);
    Status in_branch(int32_t branch, const Status& status) const;
    Status check_rank(const Node& node, const std::vector<int64_t>& output) const;
    Status cannot_run(const Branch& branch, const Status& status) const;
    Status check_outputs() const;
    Status add(const Node& node);
    Status add_operator(const Node& node, Operator op);
    Status add_composite(const Node& node, const Composite& op);
    Result<Fate::Kind> compute(Call call, const Node& node, Memo::Key key);
    Status add_shape(const Node& node, const Operator& op);
    Status add_host(const Node& node, const HostOperator& op);
    Status add_constant(const Node& node);
    Status add_view(const Node& node, const View& view);
    Status add_mask(const Node& node, const TensorDesc& data);
    Status add_if(const Node& node, const If& op);
    Status add_both(const Node& node, const If& op);
    Status end_branch(int32_t branch);
    Status check_branch_outputs(const Branch& branch) const;
    Status add_loop(const Node& node, const Loop& op);
    Status add_scan(const Node& node, const Scan& op);
    Status check_body(const Node& node, const Branch& body, size_t filled, size_t passed) const;
    bool begin_calls();
    void end_calls(bool outermost);
    void begin_iteration(const Branch& body);
    Status run_body(const Node& node, int32_t index, int64_t iteration);
    Status fill(int32_t input, const Node& node, HostTensor value, const std::string& how);
    Result<PlacedValue> element_of(const Node& node, int32_t scanned, size_t axis, int64_t index);
    Status join(const Node& node, const ValueInfo& info, std::vector<PlacedValue> elements, size_t axis, int32_t to);
    bool is_within(int32_t branch, int32_t other) const;
    Result<std::optional<bool>> condition_of(const Node& node) const;
    std::string both_run(const Node& node) const;
    Status check_training(const Node& node) const;
    Status fold(const Node& node, std::vector<HostTensor> made);
    Status place_known(const Node& node, std::span<const int32_t> outputs, const Memo::Contents& made);
    Memo::Key key_of(std::span<const int32_t> inputs, std::string how) const;
    Result<std::vector<int32_t>> take_lists(const Node& node, Operator& op) const;
    Result<HostTensor> known(int32_t value, const std::string& label) const;
    Result<bool> known_bool(int32_t value, const std::string& what) const;
    Result<std::vector<int64_t>> known_values(int32_t value, const std::string& what, bool narrow = false) const;
    Result<int64_t> known_number(int32_t value, const std::string& what) const;
    Result<std::vector<float>> known_floats(int32_t value, const std::string& what) const;
    void remove_unread();

    // Returns the number of what stands for a value of the graph, or the value itself. In a body it is another one for each
    // iteration.
    int32_t stands_for(int32_t value) const
    {
        return value >= 0 && size_t(value) < stand_ins_.size() ? stand_ins_[size_t(value)] : value;
    }
    PlacedValue& at(int32_t value) { return made_.values[size_t(stands_for(value))]; }
    const PlacedValue& at(int32_t value) const { return made_.values[size_t(stands_for(value))]; }
    const std::shared_ptr<const Content>& content(int32_t value) const { return made_.blocks[size_t(at(value).block)].content; }

    void place(int32_t value, Block block)
    {
        block.desc.layout = vkonnx::Layout::ncx;  // see PlacedValue
        at(value) = {.block = int32_t(made_.blocks.size()), .desc = block.desc};
        made_.blocks.push_back(std::move(block));
    }

    // Adds a value without a name.
    int32_t add_value(PlacedValue value = {})
    {
        made_.values.push_back(std::move(value));
        return int32_t(made_.values.size() - 1);
    }

    std::string name_of(int32_t value) const
    {
        return value == no_value ? std::string() : std::string(graph_.values[size_t(value)].name);
    }

    const Graph& graph_;
    const onnx::SessionOptions& options_;
    const Capabilities& capabilities_;
    const uint32_t without_fusions_;
    Memo& memo_;
    Rewritten made_;
    std::vector<std::optional<bool>> taken_;  // of each branch, once it is known
    std::vector<int32_t> stand_ins_;          // of each value of the graph
    size_t node_ = 0;                         // which of Graph::nodes is being added
    uint64_t iterations_ = 0;                 // of all bodies so far
    size_t body_nodes_ = 0;                   // the nodes of all these iterations
    bool in_body_ = false;
    size_t body_calls_ = 0;  // the calls that the outermost Loop or Scan has become so far
    uint64_t folded_bytes_ = 0;
    mutable std::vector<int32_t> unknown_;  // the values whose elements were asked for while they are not known
};

}  // namespace vkonnx::graph
