// SPDX-License-Identifier: Apache-2.0
#include "attributes.h"

#include <optional>

#include "return_if_error.h"
#include "sparse.h"
#include "tensor.h"

namespace vkonnx::onnx {

namespace {

// Reads attributes by name and remembers the first thing wrong; `finish` also refuses those that nobody asked for.
class AttributeReader {
public:
    // `version` is the operator's version, because not every version has every attribute.
    AttributeReader(const NodeProto& node, int64_t version);

    const AttributeProto* find(std::string_view name, AttributeType type, graph::Versions versions = {});
    void fail(std::string sentence);
    Status finish();

private:
    const NodeProto& node_;
    int64_t version_;
    std::vector<bool> asked_;
    std::string known_;
    std::string error_;
};

std::string lower_case(std::string_view word)
{
    std::string lower(word);
    for (char& c : lower)
        c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
    return lower;
}

// This visitor of fields() sets each member whose attribute is given.
class FieldReader {
public:
    explicit FieldReader(AttributeReader& of, bool auto_pad_in_lower_case = false)
        : reader_(of), or_lower_case_(auto_pad_in_lower_case)
    {
    }

    void operator()(std::string_view name, std::vector<int64_t>& list) const
    {
        if (const AttributeProto* given = reader_.find(name, AttributeType::integers))
            list = given->ints;
    }
    void operator()(std::string_view name, std::vector<float>& list, graph::Versions versions = {}) const
    {
        if (const AttributeProto* given = reader_.find(name, AttributeType::reals, versions))
            list = given->floats;
    }
    void operator()(std::string_view name, int64_t& number) const
    {
        if (const AttributeProto* given = reader_.find(name, AttributeType::integer))
            number = given->i;
    }
    void operator()(std::string_view name, std::optional<int64_t>& number, graph::Versions versions = {}) const
    {
        if (const AttributeProto* given = reader_.find(name, AttributeType::integer, versions))
            number = given->i;
    }
    void operator()(std::string_view name, std::optional<float>& number, graph::Versions versions = {}) const
    {
        if (const AttributeProto* given = reader_.find(name, AttributeType::real, versions))
            number = given->f;
    }
    void operator()(std::string_view name, std::optional<std::string>& text, graph::Versions versions = {}) const
    {
        if (const AttributeProto* given = reader_.find(name, AttributeType::string, versions))
            text = given->s;
    }
    void operator()(std::string_view name, graph::OptionalList& list, graph::Versions versions) const
    {
        if (const AttributeProto* given = reader_.find(name, AttributeType::integers, versions))
            list = given->ints;
    }

    // Reads a string that must be one of the words. Only oneDNN Graph's auto_pad may be in lower case.
    template <class Value>
    void operator()(std::string_view name, Value& value, Spellings<Value> spellings) const
    {
        if (const AttributeProto* given = reader_.find(name, AttributeType::string))
            read(name, given->s, value, spellings, or_lower_case_ && std::is_same_v<Value, AutoPad>);
    }
    // Reads a list of such strings. Lower case is taken, too, as for ONNX Runtime's LSTM and GRU.
    template <class Value>
    void operator()(std::string_view name, std::vector<Value>& list, Spellings<Value> spellings) const
    {
        const AttributeProto* given = reader_.find(name, AttributeType::strings);
        if (!given)
            return;
        list.clear();
        for (const std::string_view word : given->strings)
            read(name, word, list.emplace_back(), spellings, true);
    }

private:
    template <class Value>
    void read(std::string_view name, std::string_view word, Value& value, Spellings<Value> spellings, bool also_lower_case) const
    {
        std::string list;
        for (const Spelling<Value>& one : spellings) {
            if (word == one.word || (also_lower_case && word == lower_case(one.word))) {
                value = one.value;
                return;
            }
            list += (list.empty() ? "" : &one == &spellings.back() ? " or " : ", ") + std::string(one.word);
        }
        reader_.fail(std::string(name) + " is " + quote(word) + ", expected " + list);
    }

    AttributeReader& reader_;
    bool or_lower_case_;
};

AttributeReader::AttributeReader(const NodeProto& node, int64_t version)
    : node_(node), version_(version), asked_(node.attributes.size())
{
    for (const AttributeProto& attribute : node.attributes)
        if (!attribute.ref_attr_name.empty())
            fail("attribute " + quote(attribute.name) + " refers to a function's attribute " + quote(attribute.ref_attr_name) +
                 ", but the node is not in a function");
}

const AttributeProto* AttributeReader::find(std::string_view name, AttributeType type, graph::Versions versions)
{
    const auto [since, until] = versions;
    const bool exists = version_ >= since && (until == 0 || version_ <= until);
    if (exists)
        known_ += (known_.empty() ? "" : ", ") + std::string(name);
    const AttributeProto* found = nullptr;
    for (size_t i = 0; i < asked_.size(); ++i) {
        const AttributeProto& attribute = node_.attributes[i];
        if (attribute.name != name)
            continue;
        asked_[i] = true;
        if (found)
            fail("attribute " + std::string(name) + " is given twice");
        if (attribute.type != type)
            fail("attribute " + std::string(name) + " has type " + onnx::name(attribute.type) + ", expected " + onnx::name(type));
        found = &attribute;
    }
    if (found && version_ < since)
        fail("attribute " + std::string(name) + " exists from version " + std::to_string(since) + "; this node has version " +
             std::to_string(version_));
    if (found && until != 0 && version_ > until)
        fail("attribute " + std::string(name) + " exists only until version " + std::to_string(until) +
             "; this node has version " + std::to_string(version_));
    return error_.empty() ? found : nullptr;
}

void AttributeReader::fail(std::string sentence)
{
    if (error_.empty())
        error_ = std::string(node_.op_type) + ": " + std::move(sentence);
}

Status AttributeReader::finish()
{
    for (size_t i = 0; i < asked_.size(); ++i)
        if (!asked_[i])
            fail("unknown attribute " + quote(node_.attributes[i].name) + "; expected " +
                 (known_.empty() ? "none" : "one of " + known_));
    return error_.empty() ? Status() : Status(Code::invalid_argument, error_);
}

template <class T>
std::shared_ptr<const graph::Content> made_from(DType dtype, std::vector<int64_t> dims, const T* values, size_t count)
{
    HostTensor host;
    host.desc = {.dtype = dtype, .dims = std::move(dims)};
    std::span<const std::byte> bytes = std::as_bytes(std::span(values, count));
    host.data.assign(bytes.begin(), bytes.end());
    return graph::content_of(std::move(host));
}

std::shared_ptr<const graph::Content> made_from_strings(std::vector<int64_t> dims, const std::string_view* values, size_t count)
{
    HostTensor host;
    host.desc = {.dtype = DType::string, .dims = std::move(dims)};
    host.strings.assign(values, values + count);
    return graph::content_of(std::move(host));
}

Result<std::shared_ptr<const graph::Content>> constant_from(const AttributeProto& attribute, const ExternalFolder& folder)
{
    auto length = [](const auto& list) { return std::vector<int64_t>{int64_t(list.size())}; };
    switch (attribute.type) {
    case AttributeType::tensor: {
        auto content = content_of(*attribute.t, folder);
        return content ? content : Status(content.code(), "Constant: " + std::string(content.message()));
    }
    case AttributeType::real:
        return made_from(DType::float32, {}, &attribute.f, 1);
    case AttributeType::integer:
        return made_from(DType::int64, {}, &attribute.i, 1);
    case AttributeType::string:
        return made_from_strings({}, &attribute.s, 1);
    case AttributeType::reals:
        return made_from(DType::float32, length(attribute.floats), attribute.floats.data(), attribute.floats.size());
    case AttributeType::integers:
        return made_from(DType::int64, length(attribute.ints), attribute.ints.data(), attribute.ints.size());
    case AttributeType::strings:
        return made_from_strings(length(attribute.strings), attribute.strings.data(), attribute.strings.size());
    default: {  // sparse_value
        auto content = content_of(*attribute.sparse_tensor, folder);
        return content ? content : Status(content.code(), "Constant: " + std::string(content.message()));
    }
    }
}

Status read_constant(AttributeReader& reader, const ExternalFolder& folder, graph::Node& node)
{
    struct Known {
        const char* name;
        AttributeType type;
        int64_t since;
    };
    constexpr Known known[] = {{"value", AttributeType::tensor, 1},         {"sparse_value", AttributeType::sparse_tensor, 11},
                               {"value_float", AttributeType::real, 12},    {"value_floats", AttributeType::reals, 12},
                               {"value_int", AttributeType::integer, 12},   {"value_ints", AttributeType::integers, 12},
                               {"value_string", AttributeType::string, 12}, {"value_strings", AttributeType::strings, 12}};
    const AttributeProto* value = nullptr;
    for (const Known& one : known) {
        const AttributeProto* found = reader.find(one.name, one.type, {one.since});
        if (found && value)
            reader.fail("attributes " + std::string(value->name) + " and " + one.name + " are both given, expected one");
        value = found ? found : value;
    }
    VKONNX_RETURN_IF_ERROR(reader.finish());
    if (!value)
        return Status(Code::invalid_argument, "Constant: it has no value");
    auto content = constant_from(*value, folder);
    VKONNX_RETURN_IF_ERROR(content.status());
    node.content = std::move(*content);
    return {};
}

// Reads the attributes of an operator. Those of oneDNN Graph have one version only, whatever the import says.
void read_fields(AttributeReader& reader, const NodeProto& proto, int64_t opset, Operator& op)
{
    const bool is_onednn = !opset_of(op);
    for (const AttributeProto& attribute : proto.attributes)
        if (is_onednn && attribute.name == "output_shape")
            reader.fail("attribute output_shape must not be given: oneDNN Graph's equation mentions it, but its list of "
                        "attributes does not have it");
    if (int64_t* own = opset_of(op))
        *own = opset;
    fields(op, FieldReader(reader, is_onednn));
}

template <class Variant>
void read_fields(AttributeReader& reader, const NodeProto&, int64_t, Variant& of)
{
    std::visit([&](auto& one) { graph::fields(one, FieldReader(reader)); }, of);
}

// Reads ConstantOfShape's value, of one element. Without it the value is zero.
Status read_value(AttributeReader& reader, const ExternalFolder& folder, graph::Node& node)
{
    const AttributeProto* value = reader.find("value", AttributeType::tensor);
    if (!value)
        return {};
    auto content = content_of(*value->t, folder);
    if (!content)
        return Status(content.code(), std::string(node.op_type) + ": " + std::string(content.message()));
    node.content = std::move(*content);
    return {};
}

// Looks for subgraphs, which are built with the nodes around them.
void read_subgraphs(AttributeReader& reader, std::initializer_list<const char*> names)
{
    for (const char* name : names)
        if (!reader.find(name, AttributeType::graph))
            reader.fail("attribute " + std::string(name) + " is required");
}

// Returns the content of a checked tensor. It checks that the file is there and large enough, so that an error comes before
// anything is prepared.
Result<std::shared_ptr<const graph::Content>> external_content(const TensorProto& tensor, const TensorDesc& desc,
                                                               const ExternalFolder& folder)
{
    Result<ExternalData> data = external_data(tensor, desc);
    VKONNX_RETURN_IF_ERROR(data.status());
    if (folder.path.empty())
        return in_tensor(tensor, Status(Code::invalid_argument,
                                        "its data lies in the file " + quote(data->location) +
                                            ", but a model that is parsed from memory has no folder with such files unless "
                                            "ModelOptions::external_data_folder names one"));
    if (Status status = check_external(folder, *data); !status)
        return in_tensor(tensor, status);
    const auto read_part = [&tensor, folder, data = *data](uint64_t offset, std::span<std::byte> to) {
        Status status = read_external(folder, data, offset, to);
        return status ? status : in_tensor(tensor, status);
    };
    const auto read = [desc, bytes = data->bytes, read_part]() -> Result<HostTensor> {
        HostTensor host{.desc = desc};
        host.data.resize(bytes);
        Status status = read_part(0, host.data);
        return status ? Result<HostTensor>(std::move(host)) : status;
    };
    return std::make_shared<const graph::Content>(graph::Content{.desc = desc, .read = read, .read_part = read_part});
}

}  // namespace

Result<std::shared_ptr<const graph::Content>> content_of(const TensorProto& tensor, const ExternalFolder& folder)
{
    Result<TensorDesc> desc = check(tensor);
    VKONNX_RETURN_IF_ERROR(desc.status());
    desc->layout = Layout::ncx;
    if (is_external(tensor))
        return external_content(tensor, *desc, folder);
    return std::make_shared<const graph::Content>(
        graph::Content{.desc = std::move(*desc),
                       .bytes = tensor.has_raw_data ? raw_bytes(tensor) : std::span<const std::byte>(),
                       .read = [&tensor] { return read(tensor); }});
}

Status read_attributes(const NodeProto& proto, const ExternalFolder& folder, graph::Node& node)
{
    AttributeReader reader(proto, node.info->version_at(node.opset));
    graph::Operation operation = node.info->make();
    if (std::holds_alternative<graph::Constant>(operation)) {
        VKONNX_RETURN_IF_ERROR(read_constant(reader, folder, node));
    } else if (std::holds_alternative<graph::If>(operation)) {
        read_subgraphs(reader, {"then_branch", "else_branch"});
    } else if (std::holds_alternative<graph::Loop>(operation)) {
        read_subgraphs(reader, {"body"});
    } else if (auto* scan = std::get_if<graph::Scan>(&operation)) {
        read_subgraphs(reader, {"body"});
        graph::fields(*scan, FieldReader(reader));
    } else if (auto* composite = std::get_if<graph::Composite>(&operation)) {
        std::visit([&](auto& one) { one.fields(FieldReader(reader)); }, *composite);
    } else if (auto* op = std::get_if<Operator>(&operation)) {
        read_fields(reader, proto, node.opset, *op);
    } else if (auto* view = std::get_if<graph::View>(&operation)) {
        read_fields(reader, proto, node.opset, *view);
    } else {
        auto& host = std::get<graph::HostOperator>(operation);
        read_fields(reader, proto, node.opset, host);
        if (std::holds_alternative<graph::ConstantOfShape>(host))
            VKONNX_RETURN_IF_ERROR(read_value(reader, folder, node));
    }
    node.operation = std::make_unique<const graph::Operation>(std::move(operation));
    return reader.finish();
}

}  // namespace vkonnx::onnx
