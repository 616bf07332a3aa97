// SPDX-License-Identifier: Apache-2.0
// This file runs a graph in stages where elements that are computed on the device decide sizes in it:
//
//   scores -> NonZero -> Gather        stage 1 on the device:  makes scores
//                                      on the host:            NonZero of scores, as many columns as there are
//                                      stage 2 on the device:  Gather, planned for these sizes
//
// A stage has a graph of its own, which numbers values as the whole graph does. What later stages read goes through host memory.
#pragma once

#include <deque>

#include "graph/run.h"

namespace vkonnx::graph {

// The values that are there while a graph runs, by their numbers.
class Environment {
public:
    explicit Environment(size_t values) : views_(values) {}

    // Returns a value, or nothing where it is not there yet.
    const std::optional<onnx::HostView>& operator[](int32_t value) const { return views_[size_t(value)]; }
    // Adds a value whose elements stay where they are.
    void look_at(int32_t value, onnx::HostView view) { views_[size_t(value)] = view; }
    void keep(int32_t value, HostTensor tensor)
    {
        const HostTensor& kept = kept_.emplace_back(std::move(tensor));
        look_at(value, {.desc = kept.desc, .data = kept.data, .strings = kept.strings});
    }

private:
    std::vector<std::optional<onnx::HostView>> views_;
    std::deque<HostTensor> kept_ = {};
};

// Returns the descriptions of a graph's inputs, with the elements of those for which plans are made by value.
std::vector<onnx::NamedDesc> described(const Graph& graph, std::span<const onnx::HostView> inputs,
                                       const std::vector<bool>& by_value);

// These are the parts of a graph whose nodes can't all be planned at once.
struct Parts {
    Graph first = {};
    std::vector<size_t> first_nodes = {};  // where the nodes of `first` stand in the whole graph
    std::vector<const Node*> host = {};    // HostOperators, which the host computes behind `first`
    Graph rest = {};
};

// Divides the graph, which must outlive the parts. Nodes that read nothing but constants are in both `first` and `rest`, so that
// what they make is constant there, too.
Parts divided(const Graph& graph, const Deferral& deferral);

// A stage is a graph that is planned as a whole, or divided into stages where that is refused.
class Stage {
public:
    Stage(Device device, std::shared_ptr<const onnx::ModelState> model, onnx::SessionOptions options);

    Plans& plans() { return plans_; }
    // Returns the plan for these inputs, or null where the graph must be run in stages; then its first stage is prepared. Any
    // thread may call it.
    Result<std::shared_ptr<Plan>> plan(std::span<const onnx::NamedDesc> inputs);
    Result<onnx::GraphReport> explain(std::span<const onnx::NamedDesc> inputs) const;
    // Computes the graph's outputs from its inputs, which are there. Any thread may call it; one at a time runs.
    Status run(Environment& environment);

private:
    struct Split {
        std::unique_ptr<Stage> first;  // null where nothing comes first
        std::vector<const Node*> host;
        std::unique_ptr<Stage> rest;  // null where the host computes the rest
    };

    std::vector<onnx::HostView> inputs_in(const Environment& environment) const;
    Result<std::shared_ptr<Plan>> plan_or_divide(std::vector<onnx::NamedDesc> inputs, const Environment* environment);
    bool ask_for_elements(const Deferral& deferral);
    Status divide(const Deferral& deferral);
    Status run_plan(Plan& plan, Environment& environment);
    Status run_host(const Node& node, Environment& environment) const;

    const std::shared_ptr<const onnx::ModelState> model_;
    const onnx::SessionOptions options_;
    Plans plans_;
    std::mutex mutex_;            // guards all below
    std::vector<bool> by_value_;  // of each input: whether plans are made for its elements
    std::optional<Split> split_;
};

// Explains a graph as onnx::explain does. Of one that is run in stages it explains the first stage.
Result<onnx::GraphReport> explain_stages(const Graph& graph, std::span<const onnx::NamedDesc> inputs,
                                         const Capabilities& capabilities, const onnx::SessionOptions& options);

}  // namespace vkonnx::graph
