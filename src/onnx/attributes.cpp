#include "attributes.h"

namespace vkonnx::onnx {

namespace {

template <class Value>
struct Choice {
    std::string_view word;
    Value value;
};

std::string lower_case(std::string_view word)
{
    std::string lower(word);
    for (char& c : lower)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return lower;
}

// A string attribute that is exactly one of these words; the first one's value where it is not given.
template <class Value, size_t count>
Value read_choice(AttributeReader& reader, std::string_view name, const Choice<Value> (&choices)[count],
                  bool or_lower_case = false)
{
    std::string_view word = reader.string(name).value_or(choices[0].word);
    std::string list;
    for (size_t i = 0; i < count; ++i) {
        if (word == choices[i].word || (or_lower_case && word == lower_case(choices[i].word)))
            return choices[i].value;
        list += (i == 0 ? "" : i + 1 < count ? ", " : " or ") + std::string(choices[i].word);
    }
    reader.fail(std::string(name) + " is " + quote(word) + ", expected " + list);
    return choices[0].value;
}

AutoPad read_auto_pad(AttributeReader& reader)
{
    return read_choice<AutoPad>(reader, "auto_pad",
                                {{"NOTSET", AutoPad::notset},
                                 {"SAME_UPPER", AutoPad::same_upper},
                                 {"SAME_LOWER", AutoPad::same_lower},
                                 {"VALID", AutoPad::valid}});
}

AutoPad read_onednn_auto_pad(AttributeReader& reader)
{
    return read_choice<AutoPad>(reader, "auto_pad",
                                {{"None", AutoPad::notset},
                                 {"SAME_UPPER", AutoPad::same_upper},
                                 {"SAME_LOWER", AutoPad::same_lower},
                                 {"VALID", AutoPad::valid}},
                                true);
}

}  // namespace

AttributeReader::AttributeReader(const Node& node, int64_t version)
    : node_(node), version_(version), asked_(node.proto->attributes.size())
{
    const std::vector<AttributeProto>& list = node.proto->attributes;
    for (const AttributeProto& attribute : list)
        if (!attribute.ref_attr_name.empty())
            fail("attribute " + quote(attribute.name) + " refers to a function's attribute " + quote(attribute.ref_attr_name) +
                 ", but the node is not in a function");
}

const AttributeProto* AttributeReader::find(std::string_view name, AttributeType type, int64_t since, int64_t until)
{
    bool exists = version_ >= since && (until == 0 || version_ <= until);
    if (exists)
        known_ += (known_.empty() ? "" : ", ") + std::string(name);
    const AttributeProto* found = nullptr;
    for (size_t i = 0; i < asked_.size(); ++i) {
        const AttributeProto& attribute = node_.proto->attributes[i];
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

std::optional<int64_t> AttributeReader::integer(std::string_view name, int64_t since)
{
    const AttributeProto* attribute = find(name, AttributeType::integer, since);
    return attribute ? std::optional(attribute->i) : std::nullopt;
}

std::vector<int64_t> AttributeReader::integers(std::string_view name)
{
    const AttributeProto* attribute = find(name, AttributeType::integers);
    return attribute ? attribute->ints : std::vector<int64_t>();
}

std::optional<std::string_view> AttributeReader::string(std::string_view name)
{
    const AttributeProto* attribute = find(name, AttributeType::string);
    return attribute ? std::optional(attribute->s) : std::nullopt;
}

void AttributeReader::fail(std::string sentence)
{
    if (error_.empty())
        error_ = std::string(node_.proto->op_type) + ": " + std::move(sentence);
}

Status AttributeReader::finish()
{
    for (size_t i = 0; i < asked_.size(); ++i)
        if (!asked_[i])
            fail("unknown attribute " + quote(node_.proto->attributes[i].name) + "; expected " +
                 (known_.empty() ? "none" : "one of " + known_));
    return error_.empty() ? Status() : Status(Code::invalid_argument, error_);
}

Result<ConvTranspose> read_conv_transpose(const Node& node, Rules rules)
{
    AttributeReader reader(node, node.opset);
    ConvTranspose attributes{.opset = node.opset, .rules = rules};
    attributes.auto_pad = read_auto_pad(reader);
    attributes.kernel_shape = reader.integers("kernel_shape");
    attributes.strides = reader.integers("strides");
    attributes.dilations = reader.integers("dilations");
    attributes.pads = reader.integers("pads");
    attributes.output_padding = reader.integers("output_padding");
    attributes.output_shape = reader.integers("output_shape");
    attributes.group = reader.integer("group").value_or(1);
    if (Status right = reader.finish(); !right)
        return right;
    return attributes;
}

Result<onednn::ConvTranspose> read_onednn_conv_transpose(const Node& node)
{
    AttributeReader reader(node, 1);
    for (const AttributeProto& attribute : node.proto->attributes)
        if (attribute.name == "output_shape")
            reader.fail("attribute output_shape must not be given: oneDNN Graph's equation mentions it, but its list of "
                        "attributes does not have it");
    onednn::ConvTranspose attributes;
    attributes.strides = reader.integers("strides");
    attributes.pads_begin = reader.integers("pads_begin");
    attributes.pads_end = reader.integers("pads_end");
    attributes.dilations = reader.integers("dilations");
    attributes.auto_pad = read_onednn_auto_pad(reader);
    attributes.output_padding = reader.integers("output_padding");
    attributes.groups = reader.integer("groups").value_or(1);
    attributes.data_format = read_choice<Layout>(reader, "data_format", {{"NXC", Layout::nxc}, {"NCX", Layout::ncx}});
    attributes.filter_format = read_choice<onednn::FilterFormat>(
        reader, "filter_format",
        {{"XIO", onednn::FilterFormat::xio}, {"OIX", onednn::FilterFormat::oix}, {"IOX", onednn::FilterFormat::iox}});
    if (Status right = reader.finish(); !right)
        return right;
    return attributes;
}

// Whether a version has dilations, ceil_mode and count_include_pad is checked with the operator's other rules, not here.
Result<AveragePool> read_average_pool(const Node& node, Rules rules)
{
    AttributeReader reader(node, node.opset);
    AveragePool attributes{.opset = node.opset, .rules = rules};
    attributes.auto_pad = read_auto_pad(reader);
    attributes.kernel_shape = reader.integers("kernel_shape");
    attributes.strides = reader.integers("strides");
    attributes.dilations = reader.integers("dilations");
    attributes.pads = reader.integers("pads");
    attributes.ceil_mode = reader.integer("ceil_mode");
    attributes.count_include_pad = reader.integer("count_include_pad");
    if (Status right = reader.finish(); !right)
        return right;
    return attributes;
}

Result<Shape> read_shape(const Node& node)
{
    AttributeReader reader(node, node.opset);
    Shape attributes{.opset = node.opset, .start = reader.integer("start"), .end = reader.integer("end")};
    if (Status right = reader.finish(); !right)
        return right;
    return attributes;
}

int64_t version_at(std::span<const int64_t> versions, int64_t opset)
{
    int64_t newest = 1;
    for (int64_t version : versions)
        if (version <= opset)
            newest = version;
    return newest;
}

}  // namespace vkonnx::onnx
