// SPDX-License-Identifier: Apache-2.0
#include "inline.h"

#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "nodes.h"
#include "return_if_error.h"

namespace vkonnx::onnx {

namespace {

constexpr size_t most_calls_deep = 64;       // Functions may call functions so deep.
constexpr size_t most_made_nodes = 200'000;  // All calls together may make so many, those of functions in functions counted, too.
constexpr uint64_t most_made_bytes = uint64_t(256) << 20;
constexpr uint64_t bytes_of_entry = 64;  // A name takes about so many in a map.

struct Function {
    const FunctionProto* proto = nullptr;
    size_t imports = 0;  // its place in imports_of
    std::unordered_set<std::string_view> inputs = {};
    std::unordered_set<std::string_view> attributes = {};
    std::unordered_map<std::string_view, const AttributeProto*> defaults = {};
};

// A source says where nodes are copied from, and so how.
enum class Source : uint8_t {
    model,     // They keep their names, and calls among them are replaced.
    function,  // They get new names and the call's attributes, and calls among them are replaced.
    argument,  // They are of a subgraph that is an attribute of a call. Both are done for them, as for the call itself.
};

struct Copy {
    Source source = Source::model;
    const Function* function = nullptr;
    const Copy* around = nullptr;  // that of the call
    size_t calls_deep = 0;
    std::string path = {};                                                        // New names begin with it.
    std::unordered_map<std::string_view, std::string_view> names = {};            // The function's names lead to the model's.
    std::unordered_map<std::string_view, const AttributeProto*> attributes = {};  // the call's
};

uint64_t size_of(const AttributeProto& attribute)
{
    return sizeof attribute + 4 * attribute.floats.size() + 8 * attribute.ints.size() + 16 * attribute.strings.size();
}

uint64_t size_of(const NodeProto& node)
{
    return sizeof node + sizeof(std::string_view) * (node.inputs.size() + node.outputs.size());
}

uint64_t size_of(const TensorProto& tensor)
{
    return sizeof tensor + 8 * tensor.dims.size() + sizeof(StringStringEntryProto) * tensor.external_data.size();
}

uint64_t size_of(const std::shared_ptr<const SparseTensorProto>& tensor)
{
    return size_of(tensor->values) + size_of(tensor->indices) + 8 * tensor->dims.size();
}

uint64_t size_of(const ValueInfoProto& info)
{
    return sizeof info + 8 * info.dims.size();
}

class Inliner {
public:
    explicit Inliner(ModelProto& model) : model_(model) {}

    Status run();

private:
    Status add_functions();
    Status add_function(const FunctionProto& proto, size_t imports);
    void add_names(const GraphProto& graph);

    const Function* called_by(const NodeProto& node) const;
    Status charge(const Copy& copy, size_t nodes, uint64_t bytes);
    Result<std::string_view> make_name(const Copy& copy, std::string_view name);
    Result<std::string_view> renamed(Copy& copy, std::string_view name);
    Status rename_made(Copy& copy, std::string_view& name);

    Result<const AttributeProto*> referred(const Copy& copy, const NodeProto& node, const AttributeProto& attribute) const;
    Status copy_attributes(Copy& copy, const NodeProto& from, size_t deep, NodeProto& to);
    Result<NodeProto> copied(Copy& copy, const NodeProto& from, size_t deep);
    Result<std::shared_ptr<const GraphProto>> copied(Copy& copy, const GraphProto& from, size_t deep);
    Status copy_nodes(Copy& copy, const std::vector<NodeProto>& from, size_t deep, std::vector<NodeProto>& to);
    Status bind(const NodeProto& call, const Function& function, Copy& copy, std::vector<NodeProto>& to);
    Status bind_attributes(const NodeProto& call, const Function& function, Copy& copy) const;
    Status expand(const Copy& copy, const NodeProto& call, const Function& function, size_t deep, std::vector<NodeProto>& to);

    ModelProto& model_;
    std::vector<Imports> imports_;
    std::map<std::tuple<std::string_view, std::string_view, std::string_view>, Function> functions_;  // domain, name, overload
    std::unordered_set<std::string_view> taken_;
    size_t next_suffix_ = 2;
    size_t nodes_ = 0;
    uint64_t bytes_ = 0;
};

Status Inliner::run()
{
    Result<std::vector<Imports>> imports = imports_of(model_);
    VKONNX_RETURN_IF_ERROR(imports.status());
    imports_ = std::move(*imports);
    VKONNX_RETURN_IF_ERROR(add_functions());
    add_names(model_.graph);
    Copy copy;
    std::vector<NodeProto> nodes;
    VKONNX_RETURN_IF_ERROR(copy_nodes(copy, model_.graph.nodes, 0, nodes));
    model_.graph.nodes = std::move(nodes);
    return {};
}

Status Inliner::add_functions()
{
    for (size_t i = 0; i < model_.functions.size(); ++i)
        VKONNX_RETURN_IF_ERROR(add_function(model_.functions[i], i + 1));
    return {};
}

Status Inliner::add_function(const FunctionProto& proto, size_t imports)
{
    const auto wrong = [&](std::string_view what, std::string_view name, const char* why) {
        return invalid(label(proto) + ": " + std::string(what) + " " + quote(name) + " " + why);
    };
    const auto [known, is_new] = functions_.try_emplace({domain_name(proto.domain), proto.name, proto.overload});
    if (!is_new)
        return invalid("the model defines " + label(proto) + " twice" +
                       (proto.overload.empty() ? "" : ", with the overload " + quote(proto.overload)));
    Function& function = known->second;
    function.proto = &proto;
    function.imports = imports;
    for (const std::string_view input : proto.inputs)
        if (!function.inputs.insert(input).second)
            return wrong("its input", input, "is given twice");
    for (const std::string_view attribute : proto.attributes)
        if (!function.attributes.insert(attribute).second)
            return wrong("its attribute", attribute, "is declared twice");
    for (const AttributeProto& attribute : proto.attribute_protos) {
        if (!attribute.ref_attr_name.empty())
            return wrong("the default of its attribute", attribute.name, "refers to another attribute, expected a value");
        if (!function.attributes.insert(attribute.name).second)
            return wrong("its attribute", attribute.name, "is declared twice");
        function.defaults.emplace(attribute.name, &attribute);
    }
    std::unordered_set<std::string_view> made(function.inputs), outputs;
    for (const NodeProto& node : proto.nodes)
        made.insert(node.outputs.begin(), node.outputs.end());
    for (const std::string_view output : proto.outputs) {
        if (!outputs.insert(output).second)
            return wrong("its output", output, "is given twice");
        if (!made.contains(output))
            return wrong("its output", output, "is neither one of its inputs nor a node's output");
    }
    return {};
}

// Adds every name of a value that a new one might be mistaken for.
void Inliner::add_names(const GraphProto& graph)
{
    for (const TensorProto& initializer : graph.initializers)
        taken_.insert(initializer.name);
    for (const auto& initializer : graph.sparse_initializers)
        taken_.insert(initializer->values.name);
    for (const ValueInfoProto& input : graph.inputs)
        taken_.insert(input.name);
    for (const ValueInfoProto& output : graph.outputs)
        taken_.insert(output.name);
    for (const NodeProto& node : graph.nodes) {
        taken_.insert(node.inputs.begin(), node.inputs.end());
        taken_.insert(node.outputs.begin(), node.outputs.end());
        for (const AttributeProto& attribute : node.attributes)
            if (attribute.g)
                add_names(*attribute.g);
    }
}

const Function* Inliner::called_by(const NodeProto& node) const
{
    const auto known = functions_.find({domain_name(node.domain), node.op_type, node.overload});
    return known == functions_.end() ? nullptr : &known->second;
}

// Counts what is about to be made, unless it is in the file as it is.
Status Inliner::charge(const Copy& copy, size_t nodes, uint64_t bytes)
{
    if (copy.source == Source::model)
        return {};
    nodes_ += nodes;
    bytes_ += bytes;
    if (nodes_ > most_made_nodes)
        return Status(Code::unsupported, "the calls of the model's functions make more than " + std::to_string(most_made_nodes) +
                                             " nodes, which is the limit of this library");
    if (bytes_ > most_made_bytes)
        return Status(Code::unsupported, "the calls of the model's functions make nodes and names of more than " +
                                             std::to_string(most_made_bytes) + " bytes, which is the limit of this library");
    return {};
}

Result<std::string_view> Inliner::make_name(const Copy& copy, std::string_view name)
{
    VKONNX_RETURN_IF_ERROR(charge(copy, 0, sizeof(std::string) + copy.path.size() + name.size()));
    return std::string_view(model_.made_names.emplace_back(copy.path + std::string(name)));
}

// Returns the name in the model of what has this name in the text that is copied.
Result<std::string_view> Inliner::renamed(Copy& copy, std::string_view name)
{
    if (copy.source != Source::function || name.empty())
        return name;
    if (const auto known = copy.names.find(name); known != copy.names.end())
        return known->second;
    VKONNX_RETURN_IF_ERROR(charge(copy, 0, 2 * bytes_of_entry));
    Result<std::string_view> made = make_name(copy, name);
    VKONNX_RETURN_IF_ERROR(made.status());
    if (taken_.contains(*made)) {
        std::string& text = model_.made_names.back();
        const size_t size = text.size();
        do {  // The numbers go on from name to name, so that each name of the file is met at most once.
            text.resize(size);
            text += "_" + std::to_string(next_suffix_++);
        } while (taken_.contains(text));
        made = std::string_view(text);
    }
    taken_.insert(*made);
    copy.names.emplace(name, *made);
    return made;
}

// Renames what a node or an initializer makes. It may not hide an input of the function, which ONNX forbids and which would hide
// values of the caller, too.
Status Inliner::rename_made(Copy& copy, std::string_view& name)
{
    if (copy.source == Source::function && copy.function->inputs.contains(name))
        return invalid(label(*copy.function->proto) + ": its input " + quote(name) +
                       " has the name of what a node or an initializer within it makes");
    Result<std::string_view> made = renamed(copy, name);
    VKONNX_RETURN_IF_ERROR(made.status());
    name = *made;
    return {};
}

// Returns the value of the function's attribute that the attribute refers to: the call's or the default, or null without both.
Result<const AttributeProto*> Inliner::referred(const Copy& copy, const NodeProto& node, const AttributeProto& attribute) const
{
    const auto wrong = [&](const std::string& what) {
        return invalid(label(*copy.function->proto) + ": attribute " + quote(attribute.name) + " of its " + label(node) +
                       " refers to the function's attribute " + quote(attribute.ref_attr_name) + ", which " + what);
    };
    if (!copy.function->attributes.contains(attribute.ref_attr_name))
        return wrong("it does not declare");
    const AttributeProto* value = nullptr;
    if (const auto given = copy.attributes.find(attribute.ref_attr_name); given != copy.attributes.end())
        value = given->second;
    else if (const auto known = copy.function->defaults.find(attribute.ref_attr_name); known != copy.function->defaults.end())
        value = known->second;
    if (value && attribute.type != AttributeType::undefined && attribute.type != value->type)
        return wrong(std::string("has type ") + name(value->type) + ", expected " + name(attribute.type));
    return value;
}

Status Inliner::copy_attributes(Copy& copy, const NodeProto& from, size_t deep, NodeProto& to)
{
    Copy argument = {.source = Source::argument};
    for (const AttributeProto& attribute : from.attributes) {
        const AttributeProto* value = &attribute;
        bool is_argument = copy.source == Source::argument;
        if (copy.source == Source::function && !attribute.ref_attr_name.empty()) {
            const Result<const AttributeProto*> found = referred(copy, from, attribute);
            VKONNX_RETURN_IF_ERROR(found.status());
            if (!*found)
                continue;
            value = *found;
            is_argument = copy.attributes.contains(attribute.ref_attr_name);
        }
        VKONNX_RETURN_IF_ERROR(charge(copy, 0, size_of(*value)));
        AttributeProto& made = to.attributes.emplace_back(*value);
        made.name = attribute.name;
        if (!value->g)
            continue;
        Result<std::shared_ptr<const GraphProto>> graph = copied(is_argument ? argument : copy, *value->g, deep + 1);
        VKONNX_RETURN_IF_ERROR(graph.status());
        made.g = std::move(*graph);
    }
    return {};
}

Result<NodeProto> Inliner::copied(Copy& copy, const NodeProto& from, size_t deep)
{
    VKONNX_RETURN_IF_ERROR(charge(copy, 1, size_of(from)));
    NodeProto node = {.index = from.index,
                      .imports = from.imports,
                      .name = from.name,
                      .op_type = from.op_type,
                      .domain = from.domain,
                      .overload = from.overload,
                      .inputs = from.inputs,
                      .outputs = from.outputs};
    if (copy.source == Source::function) {
        node.imports = copy.function->imports;
        const std::string_view own = name_of(from);
        const Result<std::string_view> made = make_name(copy, own.empty() ? "#" + std::to_string(from.index) : std::string(own));
        VKONNX_RETURN_IF_ERROR(made.status());
        node.name = *made;
        for (std::string_view& input : node.inputs) {
            const Result<std::string_view> actual = renamed(copy, input);
            VKONNX_RETURN_IF_ERROR(actual.status());
            input = *actual;
        }
        for (std::string_view& output : node.outputs)
            VKONNX_RETURN_IF_ERROR(rename_made(copy, output));
    }
    VKONNX_RETURN_IF_ERROR(copy_attributes(copy, from, deep, node));
    return node;
}

Result<std::shared_ptr<const GraphProto>> Inliner::copied(Copy& copy, const GraphProto& from, size_t deep)
{
    if (deep > most_subgraphs)
        return invalid("with the model's functions in their places, subgraphs lie in one another more than " +
                       std::to_string(most_subgraphs) + " deep");
    uint64_t bytes = sizeof from;
    const auto add_sizes = [&](const auto& list) {
        for (const auto& one : list)
            bytes += size_of(one);
    };
    add_sizes(from.initializers);
    add_sizes(from.sparse_initializers);
    add_sizes(from.inputs);
    add_sizes(from.outputs);
    VKONNX_RETURN_IF_ERROR(charge(copy, 0, bytes));
    auto graph = std::make_shared<GraphProto>();
    graph->initializers = from.initializers;
    graph->inputs = from.inputs;
    graph->outputs = from.outputs;
    for (TensorProto& initializer : graph->initializers)
        VKONNX_RETURN_IF_ERROR(rename_made(copy, initializer.name));
    for (const auto& one : from.sparse_initializers) {
        auto initializer = std::make_shared<SparseTensorProto>(*one);
        VKONNX_RETURN_IF_ERROR(rename_made(copy, initializer->values.name));
        graph->sparse_initializers.push_back(std::move(initializer));
    }
    for (ValueInfoProto& input : graph->inputs)
        VKONNX_RETURN_IF_ERROR(rename_made(copy, input.name));
    for (ValueInfoProto& output : graph->outputs) {
        const Result<std::string_view> actual = renamed(copy, output.name);
        VKONNX_RETURN_IF_ERROR(actual.status());
        if (actual->empty())
            return invalid(label(*copy.function->proto) + ": the output " + quote(output.name) +
                           " of a subgraph is an input that the call " + quote(copy.path) + " leaves out");
        output.name = *actual;
    }
    VKONNX_RETURN_IF_ERROR(copy_nodes(copy, from.nodes, deep, graph->nodes));
    return std::shared_ptr<const GraphProto>(std::move(graph));
}

Status Inliner::copy_nodes(Copy& copy, const std::vector<NodeProto>& from, size_t deep, std::vector<NodeProto>& to)
{
    for (const NodeProto& one : from) {
        Result<NodeProto> node = copied(copy, one, deep);
        VKONNX_RETURN_IF_ERROR(node.status());
        const Function* function = copy.source == Source::argument ? nullptr : called_by(*node);
        if (function)
            VKONNX_RETURN_IF_ERROR(expand(copy, *node, *function, deep, to));
        else
            to.push_back(std::move(*node));
    }
    return {};
}

// Gives the function's inputs and outputs the names that the call has for them.
Status Inliner::bind(const NodeProto& call, const Function& function, Copy& copy, std::vector<NodeProto>& to)
{
    const FunctionProto& proto = *function.proto;
    const auto counts = [&](const char* what, size_t given, size_t most) {
        return invalid(prefix(call) + "it has " + std::to_string(given) + " " + what + ", but " + label(proto) + " has " +
                       std::to_string(most));
    };
    if (call.inputs.size() > proto.inputs.size())
        return counts("inputs", call.inputs.size(), proto.inputs.size());
    if (call.outputs.size() > proto.outputs.size())
        return counts("outputs", call.outputs.size(), proto.outputs.size());
    for (size_t i = 0; i < proto.inputs.size(); ++i)
        copy.names.emplace(proto.inputs[i], i < call.inputs.size() ? call.inputs[i] : std::string_view());
    for (size_t i = 0; i < call.outputs.size(); ++i) {
        if (call.outputs[i].empty())
            continue;
        const std::string_view output = proto.outputs[i];
        if (!function.inputs.contains(output)) {
            copy.names.emplace(output, call.outputs[i]);
            continue;
        }
        const std::string_view input = copy.names.at(output);
        if (input.empty())
            return invalid(prefix(call) + "the output " + quote(output) + " of " + label(proto) +
                           " is an input that the call leaves out");
        VKONNX_RETURN_IF_ERROR(charge(copy, 1, sizeof(NodeProto)));
        const Result<std::string_view> made = make_name(copy, output);
        VKONNX_RETURN_IF_ERROR(made.status());
        to.push_back({.imports = imports_[function.imports].has({}) ? function.imports : 0,
                      .name = *made,
                      .op_type = "Identity",
                      .inputs = {input},
                      .outputs = {call.outputs[i]}});
    }
    return {};
}

Status Inliner::bind_attributes(const NodeProto& call, const Function& function, Copy& copy) const
{
    const auto wrong = [&](const std::string& what) { return invalid(prefix(call) + label(*function.proto) + ": " + what); };
    for (const AttributeProto& attribute : call.attributes) {
        if (copy.around->source == Source::model && !attribute.ref_attr_name.empty())
            return wrong("attribute " + quote(attribute.name) + " refers to a function's attribute " +
                         quote(attribute.ref_attr_name) + ", but the node is not in a function");
        if (!function.attributes.contains(attribute.name)) {
            std::string known;
            for (const std::string_view name : function.proto->attributes)
                known += (known.empty() ? "one of " : ", ") + visible(name);
            for (const AttributeProto& one : function.proto->attribute_protos)
                known += (known.empty() ? "one of " : ", ") + visible(one.name);
            return wrong("unknown attribute " + quote(attribute.name) + "; expected " + (known.empty() ? "none" : known));
        }
        if (!copy.attributes.emplace(attribute.name, &attribute).second)
            return wrong("attribute " + quote(attribute.name) + " is given twice");
    }
    return {};
}

// Adds the function's nodes in place of the call, which is a copy already: its names and attributes are those of the model.
Status Inliner::expand(const Copy& copy, const NodeProto& call, const Function& function, size_t deep, std::vector<NodeProto>& to)
{
    const FunctionProto& proto = *function.proto;
    VKONNX_RETURN_IF_ERROR(imports_[call.imports].version_for(call).status());
    for (const Copy* around = &copy; around; around = around->around)
        if (around->function == &function)
            return invalid(prefix(call) + label(proto) + " calls itself, which ONNX forbids");
    if (copy.calls_deep == most_calls_deep)
        return Status(Code::unsupported, prefix(call) + label(proto) + " is called by functions that call each other more than " +
                                             std::to_string(most_calls_deep) + " deep, which is the limit of this library");
    const std::string_view own = name_of(call);
    Copy body = {.source = Source::function,
                 .function = &function,
                 .around = &copy,
                 .calls_deep = copy.calls_deep + 1,
                 .path = (own.empty() ? "#" + std::to_string(call.index) : std::string(own)) + "/"};
    VKONNX_RETURN_IF_ERROR(
        charge(body, 0, bytes_of_entry * (proto.inputs.size() + call.outputs.size() + call.attributes.size())));
    VKONNX_RETURN_IF_ERROR(bind_attributes(call, function, body));
    VKONNX_RETURN_IF_ERROR(bind(call, function, body, to));
    return copy_nodes(body, proto.nodes, deep, to);
}

}  // namespace

Status inline_functions(ModelProto& model)
{
    return model.functions.empty() ? Status() : Inliner(model).run();
}

}  // namespace vkonnx::onnx
