// SPDX-License-Identifier: Apache-2.0
#include "graph/plans.h"

#include <algorithm>

#include "graph/report.h"
#include "graph/value_info.h"
#include "return_if_error.h"

namespace vkonnx::graph {
namespace {

// Tells whether the plan is the one for these inputs. Wrong inputs give false, and preparing then finds out what is wrong.
Result<bool> fits(const Schedule& schedule, const Graph& graph, std::span<const onnx::NamedDesc> inputs)
{
    size_t found = 0;
    for (size_t i = 0; i < graph.input_infos.size(); ++i) {
        const ValueInfo& info = graph.input_infos[i];
        const auto named = std::find_if(inputs.begin(), inputs.end(), [&](const auto& one) { return one.name == info.name; });
        if (named == inputs.end() && !is_complete(info))
            return false;
        const bool given = named != inputs.end();
        found += given;
        onnx::HostView value;
        if (given && named->value)
            value = {.desc = named->desc, .data = named->value->data, .strings = named->value->strings};
        const Result<bool> taken =
            takes(schedule, graph, i, given ? named->desc : TensorDesc{.dtype = info.dtype, .dims = info.dims},
                  given && named->value ? &value : nullptr);
        if (!taken || !*taken)
            return taken;
    }
    return found == inputs.size();
}

std::vector<const Explanation*> explanations_of(std::span<const Op> ops)
{
    std::vector<const Explanation*> explanations;
    for (const Op& op : ops)
        explanations.push_back(&op.explanation());
    return explanations;
}

}  // namespace

const onnx::GraphReport& Plan::report(const Graph& graph)
{
    const std::lock_guard lock(mutex_);
    if (!report_) {
        report_ = report_of(graph, schedule, explanations_of(prepared.ops));
        tell_seconds();
    }
    return *report_;
}

void Plan::keep_seconds(std::span<const double> seconds)
{
    const std::lock_guard lock(mutex_);
    seconds_.assign(seconds.begin(), seconds.end());
    if (report_)
        tell_seconds();
}

void Plan::tell_seconds()
{
    const std::vector<Call>& calls = schedule.graph.calls;
    for (const Call& call : calls)
        report_->nodes[call.node].seconds = 0;
    for (size_t i = 0; i < std::min(calls.size(), seconds_.size()); ++i)
        report_->nodes[calls[i].node].seconds += seconds_[i];
}

Result<bool> takes(const Schedule& schedule, const Graph& graph, size_t index, const TensorDesc& desc,
                   const onnx::HostView* value)
{
    // The layout does not count here, because each node knows how it reads the dimensions.
    const TensorDesc& expected = schedule.inputs[index];
    if (desc.dtype != expected.dtype || desc.dims != expected.dims)
        return false;
    const auto block = size_t(schedule.graph.values[size_t(graph.inputs[index])].block);
    const std::shared_ptr<const Content>& content = schedule.graph.blocks[block].content;
    if (!content || !value)
        return !content && !value;
    const Result<HostTensor> known = content->read();
    VKONNX_RETURN_IF_ERROR(known.status());
    return std::equal(known->data.begin(), known->data.end(), value->data.begin(), value->data.end()) &&
           std::equal(known->strings.begin(), known->strings.end(), value->strings.begin(), value->strings.end());
}

Result<std::shared_ptr<Plan>> Plans::prepare(std::span<const onnx::NamedDesc> inputs, const onnx::SessionOptions& options)
{
    Result<Rewritten> rewritten = rewrite(graph(), inputs, options, device_.capabilities(), memo_);
    VKONNX_RETURN_IF_ERROR(rewritten.status());
    name_built(*rewritten);
    if (device_.memory().limit != 0)
        VKONNX_RETURN_IF_ERROR(check_limit(*rewritten));
    Result<std::vector<Op>> ops = prepare_calls(device_, graph(), *rewritten, options, constants_);
    VKONNX_RETURN_IF_ERROR(ops.status());
    keep_built(*rewritten, *ops);
    Result<Schedule> schedule = make_schedule(graph(), std::move(*rewritten), explanations_of(*ops), device_.capabilities());
    VKONNX_RETURN_IF_ERROR(schedule.status());
    Result<Prepared> prepared = graph::prepare(device_, *schedule, std::move(*ops));
    VKONNX_RETURN_IF_ERROR(prepared.status());
    return std::make_shared<Plan>(std::move(*schedule), std::move(*prepared));
}

void Plans::name_built(Rewritten& rewritten) const
{
    for (Call& call : rewritten.calls)
        if (const auto built = built_.find({call.node, call.part}); built != built_.end())
            call.built = built->second;
}

// Keeps the pipelines of the first plan. On CPUs extents are specialized, so few pipelines would serve another size.
void Plans::keep_built(const Rewritten& rewritten, std::span<const Op> ops)
{
    if (built_.empty() && !device_.capabilities().is_cpu)
        for (size_t i = 0; i < ops.size(); ++i)
            built_.emplace(std::pair(rewritten.calls[i].node, rewritten.calls[i].part), ops[i].explanation().pipelines);
}

// Checks the memory limit before anything is allocated, by estimates of what will run.
Status Plans::check_limit(const Rewritten& rewritten) const
{
    const Result<std::vector<Explanation>> explanations =
        explain_calls(graph(), rewritten, device_.capabilities(), options_.prepare);
    VKONNX_RETURN_IF_ERROR(explanations.status());
    const Result<Schedule> schedule = make_schedule(graph(), rewritten, pointers_to(*explanations), device_.capabilities());
    return schedule ? check_memory(device_, schedule->totals) : schedule.status();
}

Result<std::shared_ptr<Plan>> Plans::get(std::span<const onnx::NamedDesc> inputs)
{
    const std::lock_guard lock(mutex_);
    for (auto plan = kept_.begin(); plan != kept_.end(); ++plan) {
        const Result<bool> found = fits((*plan)->schedule, graph(), inputs);
        VKONNX_RETURN_IF_ERROR(found.status());
        if (!*found)
            continue;
        kept_.splice(kept_.begin(), kept_, plan);
        return kept_.front();
    }
    Result<std::shared_ptr<Plan>> plan = prepare(inputs, options_);
    if (!plan && plan.code() == Code::out_of_memory && !kept_.empty()) {
        // The plans for other sizes may hold the memory that is missing.
        kept_.clear();
        plan = prepare(inputs, options_);
    }
    if (!plan && plan.code() == Code::out_of_memory && (options_.without_fusions & uint32_t(onnx::Fusion::constants)) == 0) {
        // What is computed once keeps its memory, and what every run computes lends it to others.
        onnx::SessionOptions options = options_;
        options.without_fusions |= uint32_t(onnx::Fusion::constants);
        const Result<std::shared_ptr<Plan>> other = prepare(inputs, options);
        plan = other ? other : plan;
    }
    if (plan) {
        kept_.push_front(*plan);
        while (kept_.size() > options_.max_plans)
            kept_.pop_back();
    }
    constants_.sweep();
    return plan;
}

Result<Deferral> Plans::find_deferral(std::span<const onnx::NamedDesc> inputs)
{
    const std::lock_guard lock(mutex_);
    return graph::find_deferral(graph(), inputs, options_, device_.capabilities(), memo_);
}

bool Plans::keep_only(const Plan& plan)
{
    const std::lock_guard lock(mutex_);
    return kept_.remove_if([&](const std::shared_ptr<Plan>& one) { return one.get() != &plan; }) != 0;
}

}  // namespace vkonnx::graph
