// SPDX-License-Identifier: Apache-2.0
#include "onnxruntime/provider.h"

#include <algorithm>

#include "onnxruntime/capability.h"
#include "onnxruntime/compute.h"

namespace vkonnx::onnxruntime {

namespace {

Provider& provider_of(OrtEp* self)
{
    return *static_cast<Provider*>(self);
}

bool reads_outer_values(const Graph& graph)
{
    return std::any_of(graph.values.begin(), graph.values.end(), [](const auto& value) { return value.second.is_outer; });
}

}  // namespace

Provider::Provider(const Runtime& runtime, Device device, ProviderOptions options)
    : OrtEp{}, runtime_(runtime), device_(std::move(device)), options_(std::move(options)),
      support_(runtime_, device_.capabilities(), options_.session)
{
    ort_version_supported = ORT_API_VERSION;
    GetName = [](const OrtEp*) noexcept { return provider_name; };
    GetCapability = [](OrtEp* self, const OrtGraph* graph, OrtEpGraphSupportInfo* info) noexcept -> OrtStatus* {
        return provider_of(self).runtime_.answer([&] { provider_of(self).get_capability(graph, info); });
    };
    Compile = [](OrtEp* self, const OrtGraph** graphs, const OrtNode** nodes, size_t count, OrtNodeComputeInfo** groups,
                 OrtNode**) noexcept -> OrtStatus* {
        return provider_of(self).runtime_.answer([&] { provider_of(self).compile(graphs, nodes, count, groups); });
    };
    ReleaseNodeComputeInfos = [](OrtEp*, OrtNodeComputeInfo** groups, size_t count) noexcept {
        std::for_each(groups, groups + count, [](OrtNodeComputeInfo* group) { delete static_cast<ComputedGroup*>(group); });
    };
}

// ONNX Runtime asks about the graphs of an If or a Loop before it asks about the node itself. They are left alone where the node
// itself will be taken, or may be and runs them many times: then going to the device and back in each would cost too much.
bool Provider::belongs_to_a_taken_node(const Graph& graph)
{
    if (!graph.parent)
        return false;
    const Graph outer = read_parent(runtime_, graph);
    const Verdict& verdict = support_.of(outer, part_of(outer, {0}));
    return verdict.refusal.empty() && (graph.is_repeated() || (verdict.doubt.empty() && verdict.decides.empty()));
}

void Provider::get_capability(const OrtGraph* handle, OrtEpGraphSupportInfo* info)
{
    const Graph graph = read_graph(runtime_, handle);
    if (graph.nodes.empty() || belongs_to_a_taken_node(graph) || (reads_outer_values(graph) && !runtime_.names_nested_groups()))
        return;
    const Capability capability = capability_of(graph, support_, options_.capability);
    for (const std::string& note : capability.notes)
        runtime_.log(ORT_LOGGING_LEVEL_INFO, note);
    for (const std::vector<size_t>& group : capability.groups) {
        std::vector<const OrtNode*> nodes;
        for (const size_t node : group)
            nodes.push_back(graph.nodes[node].handle);
        OrtNodeFusionOptions fusion = {};
        fusion.ort_version_supported = ORT_API_VERSION;
        fusion.drop_constant_initializers = true;
        runtime_.check(runtime_.ep().EpGraphSupportInfo_AddNodesToFuse(info, nodes.data(), nodes.size(), &fusion));
    }
}

void Provider::compile(const OrtGraph** graphs, const OrtNode** nodes, size_t count, OrtNodeComputeInfo** groups)
{
    std::vector<std::unique_ptr<ComputedGroup>> compiled;
    for (size_t i = 0; i < count; ++i)
        compiled.push_back(ComputedGroup::compile(runtime_, device_, options_.session, graphs[i], nodes[i]));
    for (size_t i = 0; i < count; ++i)
        groups[i] = compiled[i].release();
}

}  // namespace vkonnx::onnxruntime
