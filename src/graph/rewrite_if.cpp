// SPDX-License-Identifier: Apache-2.0
// This file replaces an If by the nodes of the branch that is taken, or by those of both and a Where for each output.
#include "graph/rewriter.h"
#include "graph/value_info.h"
#include "return_if_error.h"

namespace vkonnx::graph {

// Tells whether the nodes of a branch run. Those of both branches do where the condition is known only when running. The
// initializers of a branch are placed when it is first found to run. An error names the If, which may lie further out.
Result<bool> Rewriter::enter(int32_t branch)
{
    if (branch == no_branch)
        return true;
    std::optional<bool>& taken = taken_[size_t(branch)];
    if (taken)
        return *taken;
    const Branch& entered = graph_.branches[size_t(branch)];
    const Node& node = graph_.nodes[entered.node];
    const Result<bool> reached = enter(entered.within);
    VKONNX_RETURN_IF_ERROR(reached.status());
    taken = false;
    if (*reached && !std::holds_alternative<If>(*node.operation))
        return false;  // run_body enters a body
    if (*reached) {
        const Result<std::optional<bool>> condition = condition_of(node);
        if (!condition)
            return in_branch(entered.within, in_node(node, condition.status()));
        taken = condition->value_or(entered.when) == entered.when;
    }
    if (*taken)
        place_initializers(entered.initializers);
    return *taken;
}

// Adds to an error of a node in a branch why it counts although the branch may not be taken. Of Ifs in one another the innermost
// one tells that.
Status Rewriter::in_branch(int32_t branch, const Status& status) const
{
    for (; branch != no_branch; branch = graph_.branches[size_t(branch)].within) {
        const Branch& entered = graph_.branches[size_t(branch)];
        const Node& node = graph_.nodes[entered.node];
        if (!std::holds_alternative<If>(*node.operation))
            break;  // run_body tells of a body
        if (content(node.inputs[0]) || status.code() == Code::out_of_memory)
            continue;
        return in_node(node, cannot_run(entered, status));
    }
    return status;
}

// Returns the error of an If with a branch that can't run, without the If's name.
Status Rewriter::cannot_run(const Branch& branch, const Status& status) const
{
    return Status(status.code(), both_run(graph_.nodes[branch.node]) + "but " + std::string(branch.name) +
                                     " can't: " + std::string(status.message()));
}

// The outputs of the branch that is taken become those of the If.
Status Rewriter::add_if(const Node& node, const If& op)
{
    const Result<std::optional<bool>> condition = condition_of(node);
    VKONNX_RETURN_IF_ERROR(condition.status());
    if (!*condition)
        return add_both(node, op);
    const int32_t taken = **condition ? op.then_branch : op.else_branch;
    VKONNX_RETURN_IF_ERROR(end_branch(taken));
    const Branch& branch = graph_.branches[size_t(taken)];
    for (size_t i = 0; i < node.outputs.size(); ++i)
        if (node.outputs[i] != no_value)
            at(node.outputs[i]) = at(branch.outputs[i]);
    made_.fates.push_back({.kind = Fate::Kind::view,
                           .why = **condition ? "its condition is true: the nodes of then_branch take its place"
                                              : "its condition is false: the nodes of else_branch take its place"});
    return {};
}

// Adds a Where for each output, which takes it from the branch of the condition. Both branches have run by then, which changes
// nothing: a node has no effect but its outputs, and no element makes it fail on a device.
Status Rewriter::add_both(const Node& node, const If& op)
{
    for (const int32_t index : {op.then_branch, op.else_branch}) {
        const Branch& branch = graph_.branches[size_t(index)];
        if (!branch.refused)
            return cannot_run(branch, branch.refused);
        VKONNX_RETURN_IF_ERROR(end_branch(index));
    }
    const std::vector<int32_t>& if_true = graph_.branches[size_t(op.then_branch)].outputs;
    const std::vector<int32_t>& if_false = graph_.branches[size_t(op.else_branch)].outputs;
    // The condition may have dimensions of extent 1, which a Where would give to its output.
    const int32_t condition = add_value({.block = at(node.inputs[0]).block, .desc = {.dtype = DType::boolean}});
    Fate fate = {.kind = Fate::Kind::view, .why = "its branches give the same values"};
    size_t parts = 0;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
        const int32_t output = node.outputs[i];
        if (output == no_value)
            continue;
        const PlacedValue a = at(if_true[i]), b = at(if_false[i]);
        if (a.desc != b.desc)
            return Status(Code::unsupported, both_run(node) + "but output " + quote(name_of(output)) + " is " +
                                                 vkonnx::to_string(a.desc) + " in then_branch and " + vkonnx::to_string(b.desc) +
                                                 " in else_branch, expected the same");
        if (a.block == b.block) {
            at(output) = a;
            continue;
        }
        const Result<Fate::Kind> kind = compute(
            {.op = Where(), .inputs = {condition, if_true[i], if_false[i]}, .outputs = {output}, .part = parts++}, node, {});
        if (!kind)
            return Status(kind.code(),
                          both_run(node) + "but output " + quote(name_of(output)) + " can't: " + std::string(kind.message()));
        fate.kind = *kind;
    }
    made_.fates.push_back(fate);
    return {};
}

// Checks what a branch that runs gives. A branch without nodes is entered here.
Status Rewriter::end_branch(int32_t index)
{
    VKONNX_RETURN_IF_ERROR(enter(index).status());
    const Branch& branch = graph_.branches[size_t(index)];
    const Status status = branch.refused ? check_branch_outputs(branch) : branch.refused;
    return status ? status : Status(status.code(), "If: " + std::string(branch.name) + ": " + std::string(status.message()));
}

Status Rewriter::check_branch_outputs(const Branch& branch) const
{
    for (size_t i = 0; i < branch.outputs.size(); ++i) {
        const ValueInfo& info = branch.output_infos[i];
        const TensorDesc& output = at(branch.outputs[i]).desc;
        if (info.dtype != DType::undefined && info.dtype != output.dtype)
            return invalid_argument("output " + quote(info.name) + " is " + vkonnx::to_string(output) +
                                    ", but the subgraph declares " + to_string(info));
    }
    return {};
}

// Returns the condition of an If, or nothing where it is known only when running.
Result<std::optional<bool>> Rewriter::condition_of(const Node& node) const
{
    const Result<bool> condition = known_bool(node.inputs[0], "If: cond");
    if (condition)
        return std::optional(*condition);
    return condition.code() == Code::unsupported && !content(node.inputs[0]) ? Result(std::optional<bool>()) : condition.status();
}

// Returns the beginning of a sentence that says what an If asks for whose condition is known only when running.
std::string Rewriter::both_run(const Node& node) const
{
    return "If: cond (" + quote(name_of(node.inputs[0])) +
           ") is known only when running, because the host can't compute it from constants, dimensions and NamedDesc::value; "
           "both branches run, ";
}

}  // namespace vkonnx::graph
