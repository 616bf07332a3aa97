// SPDX-License-Identifier: Apache-2.0
#include "onnxruntime/capability.h"

#include <algorithm>

#include "onnxruntime/groups.h"

namespace vkonnx::onnxruntime {

namespace {

// When so many nodes had to be left out because their group could not run with them, the rest of a group is left out, too: each
// of them takes several questions about the whole group.
constexpr size_t most_removals = 16;

// A group in the body of a Loop or a Scan goes to the device and back in each iteration, which takes as long as a CPU needs for
// about so many multiply-adds. With less work it is left to the CPU.
constexpr double least_nested_work = 1e6;

std::string title_of(const Node& node)
{
    const std::string domain = node.domain.empty() ? "" : node.domain + ".";
    return domain + node.op_type + " '" + (node.name.empty() && !node.outputs.empty() ? node.outputs[0] : node.name) + "'";
}

std::string count_of_nodes(size_t count)
{
    return std::to_string(count) + (count == 1 ? " node" : " nodes");
}

// This class takes as many nodes as can run.
class Decision {
public:
    Decision(const Graph& graph, Support& support, const CapabilityOptions& options)
        : graph_(graph), support_(support), options_(options), sources_(graph.nodes.size()), taken_(graph.nodes.size(), true),
          decides_(graph.nodes.size())
    {
        std::map<std::string, size_t> producers;
        for (size_t i = 0; i < graph.nodes.size(); ++i) {
            for (const std::vector<std::string>* names : {&graph.nodes[i].inputs, &graph.nodes[i].captured})
                for (const std::string& name : *names)
                    if (const auto producer = producers.find(name); producer != producers.end())
                        sources_[i].push_back(producer->second);
            for (const std::string& name : graph.nodes[i].outputs)
                if (!name.empty())
                    producers[name] = i;
        }
    }

    Capability decide()
    {
        for (size_t i = 0; i < graph_.nodes.size(); ++i)
            ask_about_node(i);
        Capability result;
        for (size_t removals = 0;;) {
            leave_out_unknown_sizes();
            std::vector<std::vector<size_t>> groups = convex_groups(sources_, taken_);
            if (!leave_out_of_groups(groups, removals)) {
                keep_worthwhile(groups, result);
                break;
            }
        }
        result.notes = std::move(notes_);
        return result;
    }

private:
    void leave_out(size_t node, const std::string& why)
    {
        taken_[node] = false;
        notes_.push_back("leaves out the node " + title_of(graph_.nodes[node]) + ": " + why);
    }

    void ask_about_node(size_t node)
    {
        const Verdict& verdict = support_.of(graph_, part_of(graph_, {node}));
        decides_[node] = verdict.decides;
        if (!verdict.refusal.empty())
            leave_out(node, verdict.refusal);
    }

    // Leaves out nodes whose dimensions depend on elements that are not known when their group is prepared. Known are constants,
    // shapes of values, and what is computed of such values within the group.
    void leave_out_unknown_sizes()
    {
        for (bool again = true; again;) {
            again = false;
            for (const std::vector<size_t>& group : convex_groups(sources_, taken_)) {
                std::set<std::string> written;
                for (const size_t node : group)
                    written.insert(graph_.nodes[node].outputs.begin(), graph_.nodes[node].outputs.end());
                std::set<std::string> known;
                for (const size_t node : group)
                    again |= leave_out_unless_known(node, written, known);
                if (again)
                    break;  // the groups are others now
            }
        }
    }

    // Adds the node's outputs to those that are known where they are. `written` are the outputs of the whole group. Returns true
    // where the node is left out.
    bool leave_out_unless_known(size_t index, const std::set<std::string>& written, std::set<std::string>& known)
    {
        const Node& node = graph_.nodes[index];
        const auto is_known = [&](const std::string& name) {
            return name.empty() || known.contains(name) || graph_.values.at(name).is_constant;
        };
        const auto is_given = [&](const std::string& name) { return options_.take_all && !written.contains(name); };
        for (const std::string& name : decides_[index])
            if (!is_known(name) && !is_given(name)) {
                leave_out(index, "its input '" + name + "' decides dimensions, and its elements are not known before a run");
                return true;
            }
        const bool tells_shapes = node.domain.empty() && (node.op_type == "Shape" || node.op_type == "Size");
        if (tells_shapes || std::all_of(node.inputs.begin(), node.inputs.end(), is_known))
            known.insert(node.outputs.begin(), node.outputs.end());
        return false;
    }

    std::string refusal_of(const std::vector<size_t>& nodes)
    {
        const Verdict& verdict = support_.of(graph_, part_of(graph_, nodes));
        if (!verdict.refusal.empty() || !verdict.doubt.empty())
            return verdict.refusal.empty() ? verdict.doubt : verdict.refusal;
        if (!verdict.decides.empty() && !options_.take_all)
            return "the elements of '" + *verdict.decides.begin() + "', which decide dimensions, are not known before a run";
        return {};
    }

    // Leaves out a node of each group that can't run as a whole. Returns false where all can.
    bool leave_out_of_groups(const std::vector<std::vector<size_t>>& groups, size_t& removals)
    {
        bool any = false;
        for (const std::vector<size_t>& group : groups) {
            const std::string refusal = refusal_of(group);
            if (refusal.empty())
                continue;
            any = true;
            const size_t first = first_refused(group);
            leave_out(group[first], refusal);
            if (++removals > most_removals)
                for (size_t i = first + 1; i < group.size(); ++i)
                    leave_out(group[i], "other nodes of its group can't run");
        }
        return any;
    }

    // Returns the place of the node with which the group begins to be refused.
    size_t first_refused(const std::vector<size_t>& group)
    {
        size_t good = 0;  // so many nodes from the first on can run
        size_t bad = group.size();
        while (bad - good > 1) {
            const size_t middle = good + (bad - good) / 2;
            const std::vector<size_t> some(group.begin(), group.begin() + std::ptrdiff_t(middle));
            (refusal_of(some).empty() ? good : bad) = middle;
        }
        return bad - 1;
    }

    void keep_worthwhile(const std::vector<std::vector<size_t>>& groups, Capability& result)
    {
        for (const std::vector<size_t>& group : groups) {
            const Verdict& verdict = support_.of(graph_, part_of(graph_, group));
            const auto is_computed = [&](size_t node) {
                const std::vector<std::string>& outputs = graph_.nodes[node].outputs;
                return !outputs.empty() && verdict.computed.contains(outputs[0]);
            };
            std::vector<size_t> kept;
            for (const std::vector<size_t>& part : connected_parts(sources_, group))
                if (options_.take_all || std::any_of(part.begin(), part.end(), is_computed))
                    kept.insert(kept.end(), part.begin(), part.end());
                else
                    notes_.push_back("leaves out " + count_of_nodes(part.size()) + " from " + title_of(graph_.nodes[part[0]]) +
                                     " on, which need no device");
            std::sort(kept.begin(), kept.end());
            if (kept.empty())
                continue;
            const size_t computed = size_t(std::count_if(kept.begin(), kept.end(), is_computed));
            const std::string title =
                "leaves out the group of " + count_of_nodes(kept.size()) + " from " + title_of(graph_.nodes[kept[0]]) + " on: ";
            if (!options_.take_all && computed < options_.least_nodes)
                notes_.push_back(title + count_of_nodes(computed) + " in it for the device, and least_nodes asks for " +
                                 std::to_string(options_.least_nodes));
            else if (!options_.take_all && graph_.is_repeated() && verdict.work < least_nested_work)
                notes_.push_back(title + "it runs in each iteration of a " + graph_.parent_op_type +
                                 ", and has less work than going to the device and back");
            else
                result.groups.push_back(std::move(kept));
        }
    }

    const Graph& graph_;
    Support& support_;
    const CapabilityOptions& options_;
    Sources sources_;
    std::vector<bool> taken_;
    std::vector<std::set<std::string>> decides_;  // of each node: see Verdict
    std::vector<std::string> notes_ = {};
};

}  // namespace

Capability capability_of(const Graph& graph, Support& support, const CapabilityOptions& options)
{
    return Decision(graph, support, options).decide();
}

}  // namespace vkonnx::onnxruntime
