// SPDX-License-Identifier: Apache-2.0
// This file has host tensors, models and what is told of them without a device.
#include "c/onnx/handles.h"

#include "return_if_error.h"

using namespace vkonnx;
using namespace vkonnx::c;

namespace {

using onnx::ValuePlace;
static_assert(VKONNX_PLACE_NONE == int(ValuePlace::none) && VKONNX_PLACE_INPUT == int(ValuePlace::input) &&
              VKONNX_PLACE_OUTPUT == int(ValuePlace::output) && VKONNX_PLACE_CONSTANT == int(ValuePlace::constant) &&
              VKONNX_PLACE_ARENA == int(ValuePlace::arena));
static_assert(VKONNX_FUSION_PADDING == uint32_t(onnx::Fusion::padding) &&
              VKONNX_FUSION_PATTERN == uint32_t(onnx::Fusion::pattern) &&
              VKONNX_FUSION_WEIGHTS == uint32_t(onnx::Fusion::weights) &&
              VKONNX_FUSION_ACTIVATION == uint32_t(onnx::Fusion::activation) &&
              VKONNX_FUSION_CHAIN == uint32_t(onnx::Fusion::chain) &&
              VKONNX_FUSION_PROLOGUE == uint32_t(onnx::Fusion::prologue) &&
              VKONNX_FUSION_CONSTANTS == uint32_t(onnx::Fusion::constants));

using OwnedTensors = OwnedFrom<vkonnx_host_tensors, std::vector<onnx::HostTensor>>;

Result<onnx::ModelOptions> options_of(const vkonnx_model_options* given)
{
    const Result<vkonnx_model_options> c = read("vkonnx_model_options", given);
    VKONNX_RETURN_IF_ERROR(c.status());
    return onnx::ModelOptions{.external_data_folder = text(c->external_data_folder)};
}

void fill(vkonnx_host_tensor& place, const onnx::HostTensor& tensor, Memory& memory)
{
    auto* desc = memory.make<vkonnx_tensor_desc>();
    c::fill(*desc, tensor.desc);
    place.desc = desc;
    place.data = tensor.data.empty() ? nullptr : tensor.data.data();
    place.bytes = tensor.data.size();
    place.strings = make_texts(tensor.strings, memory);
    place.string_sizes = memory.list(tensor.strings, [](const std::string& one) { return one.size(); });
    place.string_count = tensor.strings.size();
}

}  // namespace

namespace vkonnx::c {

Status hand_out_tensors(Result<std::vector<onnx::HostTensor>> tensors, const vkonnx_host_tensors** result)
{
    VKONNX_RETURN_IF_ERROR(tensors.status());
    auto owned = std::make_unique<OwnedTensors>(std::move(*tensors));
    owned->count = owned->source.size();
    owned->tensors = make_list<vkonnx_host_tensor>(
        owned->source, owned->memory, [&](auto& one, const onnx::HostTensor& tensor) { ::fill(one, tensor, owned->memory); });
    *result = owned.release();
    return {};
}

Result<std::vector<onnx::NamedDesc>> named_descs_of(const char* function, const vkonnx_named_desc* const* inputs, size_t count)
{
    return read_list(std::string(function) + ": inputs", inputs, count,
                     [](const std::string& what, const vkonnx_named_desc* given) -> Result<onnx::NamedDesc> {
                         if (!given)
                             return Status(Code::invalid_argument, what + " is NULL");
                         const Result<vkonnx_named_desc> named = read("vkonnx_named_desc", given);
                         VKONNX_RETURN_IF_ERROR(named.status());
                         Result<TensorDesc> desc = desc_of(what + "::desc", named->desc);
                         VKONNX_RETURN_IF_ERROR(desc.status());
                         if (!named->value && named->value_bytes > 0)
                             return Status(Code::invalid_argument,
                                           what + ": value is NULL, but value_bytes is " + std::to_string(named->value_bytes));
                         onnx::NamedDesc made = {.name = text(named->name), .desc = std::move(*desc)};
                         if (named->value) {
                             const auto* bytes = static_cast<const std::byte*>(named->value);
                             made.value = {.desc = made.desc, .data = {bytes, bytes + named->value_bytes}};
                         }
                         return made;
                     });
}

Result<onnx::SessionOptions> options_of(const vkonnx_session_options* given)
{
    const Result<vkonnx_session_options> c = read("vkonnx_session_options", given);
    VKONNX_RETURN_IF_ERROR(c.status());
    const Result<Rules> rules = rules_of("vkonnx_session_options", c->rules);
    Result<PrepareOptions> prepare = options_of(c->prepare);
    if (!rules || !prepare)
        return rules ? prepare.status() : rules.status();
    onnx::SessionOptions options = {.rules = *rules, .prepare = std::move(*prepare)};
    if (c->prepare_threads != 0)
        options.prepare_threads = c->prepare_threads;
    if (c->max_folded_bytes != 0)
        options.max_folded_bytes = c->max_folded_bytes;
    options.without_fusions = c->without_fusions;
    if (c->max_plans != 0)
        options.max_plans = c->max_plans;
    if (c->max_loop_iterations != 0)
        options.max_loop_iterations = c->max_loop_iterations;
    return options;
}

void fill(vkonnx_value_infos& place, std::span<const onnx::ValueInfo> infos, Memory& memory)
{
    place.struct_size = sizeof(place);
    place.count = infos.size();
    place.values = make_list<vkonnx_value_info>(infos, memory, [](auto& one, const onnx::ValueInfo& info) {
        one.name = info.name.c_str();
        one.dtype = vkonnx_dtype(info.dtype);
        one.has_shape = info.has_shape;
        one.rank = info.dims.size();
        one.dims = info.dims.data();
        one.decides_dimensions = info.decides_dimensions;
    });
}

namespace {

void fill(vkonnx_node_report& place, const onnx::NodeReport& node, Memory& memory)
{
    place.name = node.name.c_str();
    place.op_type = node.op_type.c_str();
    place.domain = node.domain.c_str();
    place.opset = node.opset;
    place.inputs = make_texts(node.inputs, memory);
    place.input_count = node.inputs.size();
    place.outputs = make_texts(node.outputs, memory);
    place.output_count = node.outputs.size();
    auto* explanation = memory.make<vkonnx_explanation>();
    c::fill(*explanation, node.explanation, memory);
    place.explanation = explanation;
    place.fused_into = node.fused_into ? int64_t(*node.fused_into) : -1;
    place.seconds = node.seconds;
}

void fill(vkonnx_value_report& place, const onnx::ValueReport& value, Memory& memory)
{
    place.name = value.name.c_str();
    auto* desc = memory.make<vkonnx_tensor_desc>();
    c::fill(*desc, value.desc);
    place.desc = desc;
    place.place = vkonnx_value_place(value.place);
    place.bytes = value.bytes;
    place.arena = value.arena;
    place.offset = value.offset;
    place.first = value.first;
    place.last = value.last;
}

}  // namespace

Status hand_out_report(onnx::GraphReport report, const vkonnx_graph_report** result)
{
    auto owned = std::make_unique<OwnedFrom<vkonnx_graph_report, onnx::GraphReport>>(std::move(report));
    const onnx::GraphReport& source = owned->source;
    Memory& memory = owned->memory;
    owned->nodes =
        make_list<vkonnx_node_report>(source.nodes, memory, [&](auto& one, const auto& node) { fill(one, node, memory); });
    owned->node_count = source.nodes.size();
    owned->values =
        make_list<vkonnx_value_report>(source.values, memory, [&](auto& one, const auto& value) { fill(one, value, memory); });
    owned->value_count = source.values.size();
    owned->arenas = source.arenas.data();
    owned->arena_count = source.arenas.size();
    owned->arena_bytes = source.arena_bytes;
    owned->unshared_bytes = source.unshared_bytes;
    owned->constant_bytes = source.constant_bytes;
    owned->packed_bytes = source.packed_bytes;
    owned->scratch_bytes = source.scratch_bytes;
    *result = owned.release();
    return {};
}

}  // namespace vkonnx::c

vkonnx_model::vkonnx_model(onnx::Model given) : model(std::move(given))
{
    fill(inputs, model.inputs(), memory);
    fill(outputs, model.outputs(), memory);
    metadata.struct_size = sizeof(metadata);
    metadata.count = model.metadata().size();
    metadata.entries =
        make_list<vkonnx_metadata_entry>(model.metadata(), memory, [](auto& one, const onnx::MetadataEntry& entry) {
            one.key = entry.key.c_str();
            one.value = entry.value.c_str();
            one.value_bytes = entry.value.size();
        });
}

void vkonnx_host_tensors_destroy(const vkonnx_host_tensors* tensors)
{
    delete static_cast<const OwnedTensors*>(tensors);
}

vkonnx_status* vkonnx_parse_tensor(const void* tensor_proto, size_t bytes, const vkonnx_host_tensors** result)
{
    return call(__func__, {{"result", result}}, [&]() -> Status {
        Result<onnx::HostTensor> tensor = onnx::parse_tensor({static_cast<const std::byte*>(tensor_proto), bytes});
        VKONNX_RETURN_IF_ERROR(tensor.status());
        std::vector<onnx::HostTensor> one;
        one.push_back(std::move(*tensor));
        return hand_out_tensors(std::move(one), result);
    });
}

vkonnx_status* vkonnx_model_load(const char* path, const vkonnx_model_options* options, vkonnx_model** result)
{
    return call(__func__, {{"path", path}, {"result", result}}, [&] {
        const Result<onnx::ModelOptions> wanted = options_of(options);
        return wanted ? hand_out(onnx::Model::load(path, *wanted), result) : wanted.status();
    });
}

vkonnx_status* vkonnx_model_parse(const void* data, size_t bytes, const vkonnx_model_options* options, vkonnx_model** result)
{
    return call(__func__, {{"result", result}}, [&] {
        const Result<onnx::ModelOptions> wanted = options_of(options);
        return wanted ? hand_out(onnx::Model::parse({static_cast<const std::byte*>(data), bytes}, *wanted), result)
                      : wanted.status();
    });
}

void vkonnx_model_destroy(vkonnx_model* model)
{
    delete model;
}

const vkonnx_value_infos* vkonnx_model_get_inputs(const vkonnx_model* model)
{
    return model ? &model->inputs : nullptr;
}

const vkonnx_value_infos* vkonnx_model_get_outputs(const vkonnx_model* model)
{
    return model ? &model->outputs : nullptr;
}

const vkonnx_metadata* vkonnx_model_get_metadata(const vkonnx_model* model)
{
    return model ? &model->metadata : nullptr;
}

vkonnx_status* vkonnx_model_explain(const vkonnx_model* model, const vkonnx_named_desc* const* inputs, size_t input_count,
                                    const vkonnx_capabilities* capabilities, const vkonnx_session_options* options,
                                    const vkonnx_graph_report** result)
{
    const char* function = __func__;
    return call(function, {{"model", model}, {"capabilities", capabilities}, {"result", result}}, [&]() -> Status {
        const auto descs = named_descs_of(function, inputs, input_count);
        const Result<Capabilities> offered = capabilities_of(capabilities);
        const Result<onnx::SessionOptions> wanted = options_of(options);
        if (!descs || !offered || !wanted)
            return !descs ? descs.status() : !offered ? offered.status() : wanted.status();
        Result<onnx::GraphReport> report = onnx::explain(model->model, *descs, *offered, *wanted);
        return report ? hand_out_report(std::move(*report), result) : report.status();
    });
}

void vkonnx_graph_report_destroy(const vkonnx_graph_report* report)
{
    delete static_cast<const OwnedFrom<vkonnx_graph_report, onnx::GraphReport>*>(report);
}
