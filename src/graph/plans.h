// SPDX-License-Identifier: Apache-2.0
// This file keeps a model on a device for inputs of several sizes: a plan each, sharing everything that does not depend on sizes.
#pragma once

#include <list>
#include <map>
#include <mutex>

#include "graph/prepare.h"

namespace vkonnx::graph {

class Plan {
public:
    Plan(Schedule made, Prepared ready) : schedule(std::move(made)), prepared(std::move(ready)) {}

    // Returns the report, which is made when it is first asked for. Any thread may call it.
    const onnx::GraphReport& report(const Graph& graph);
    // Keeps how many seconds each call took in the last run.
    void keep_seconds(std::span<const double> seconds);

    const Schedule schedule;
    const Prepared prepared;
    // Session::run binds these. The first run makes them.
    std::vector<Tensor> inputs = {};  // empty handles where no operator reads the input
    std::vector<Tensor> outputs = {};
    // The recording gives its copies to and from these tensors numbers; a tensor that is copied by itself has none.
    std::vector<std::optional<size_t>> uploads = {};
    std::vector<std::optional<size_t>> downloads = {};
    std::optional<Recording> recording = {};
    // Tells whether Session::bind has given the arenas away: a job in flight may then use them while Session::run uploads.
    bool bound = false;

private:
    void tell_seconds();

    std::mutex mutex_ = {};  // guards all below
    std::optional<onnx::GraphReport> report_ = {};
    std::vector<double> seconds_ = {};
};

class Plans {
public:
    Plans(Device device, std::shared_ptr<const onnx::ModelState> model, onnx::SessionOptions options)
        : device_(std::move(device)), model_(std::move(model)), options_(std::move(options)), constants_(device_)
    {
    }

    const Device& device() const { return device_; }
    const Graph& graph() const { return model_->graph; }

    // Returns the plan for these inputs, and prepares it where it isn't kept. The last SessionOptions::max_plans plans that were
    // asked for are kept, but where memory is short only those that sessions hold. Any thread may call it.
    Result<std::shared_ptr<Plan>> get(std::span<const onnx::NamedDesc> inputs);
    // Returns what must wait for a run, where `get` is refused for these inputs. Any thread may call it.
    Result<Deferral> find_deferral(std::span<const onnx::NamedDesc> inputs);
    // Drops all other plans, which is done where memory is short. Returns false where there were none. Any thread may call it.
    bool keep_only(const Plan& plan);

private:
    Result<std::shared_ptr<Plan>> prepare(std::span<const onnx::NamedDesc> inputs, const onnx::SessionOptions& options);
    Status check_limit(const Rewritten& rewritten) const;
    void name_built(Rewritten& rewritten) const;
    void keep_built(const Rewritten& rewritten, std::span<const Op> ops);

    const Device device_;
    const std::shared_ptr<const onnx::ModelState> model_;  // schedules look into it
    const onnx::SessionOptions options_;
    std::mutex mutex_;  // guards all below
    Memo memo_;
    ConstantStore constants_;
    // The pipelines of the first plan, by a call's node and its place among those of the node. There are none on CPUs.
    std::map<std::pair<size_t, size_t>, std::vector<PlannedPipeline>> built_;
    std::list<std::shared_ptr<Plan>> kept_;  // the one asked for last comes first
};

// Tells whether input `index` of the graph may have this description in the plan, with these elements where they are known.
Result<bool> takes(const Schedule& schedule, const Graph& graph, size_t index, const TensorDesc& desc,
                   const onnx::HostView* value);

}  // namespace vkonnx::graph
