// SPDX-License-Identifier: Apache-2.0
#include "attributes.h"

namespace vkonnx::onnx {

namespace {

std::string lower_case(std::string_view word)
{
    std::string lower(word);
    for (char& c : lower)
        c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
    return lower;
}

// What fields() visits: sets each member whose attribute is given.
struct FieldReader {
    AttributeReader& reader;
    bool or_lower_case = false;  // of an auto_pad's words

    void operator()(std::string_view name, std::vector<int64_t>& list) const { list = reader.integers(name); }
    void operator()(std::string_view name, std::optional<int64_t>& number) const { number = reader.integer(name); }
    void operator()(std::string_view name, std::optional<float>& number) const
    {
        if (const AttributeProto* given = reader.find(name, AttributeType::real))
            number = given->f;
    }
    void operator()(std::string_view name, int64_t& number) const { number = reader.integer(name).value_or(number); }

    // A string that is exactly one of the words.
    template <class Value>
    void operator()(std::string_view name, Value& value, Spellings<Value> spellings) const
    {
        const std::optional<std::string_view> given = reader.string(name);
        if (!given)
            return;
        const bool also_lower_case = or_lower_case && std::is_same_v<Value, AutoPad>;
        std::string list;
        for (const Spelling<Value>& one : spellings) {
            if (*given == one.word || (also_lower_case && *given == lower_case(one.word))) {
                value = one.value;
                return;
            }
            list += (list.empty() ? "" : &one == &spellings.back() ? " or " : ", ") + std::string(one.word);
        }
        reader.fail(std::string(name) + " is " + quote(*given) + ", expected " + list);
    }
};

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

Status read_attributes(const Node& node, Rules rules, Operator& op)
{
    const bool is_onednn = std::holds_alternative<onednn::ConvTranspose>(op);
    AttributeReader reader(node, is_onednn ? 1 : node.opset);
    if (int64_t* opset = opset_of(op))
        *opset = node.opset;
    if (Rules* own = rules_of(op))
        *own = rules;
    for (const AttributeProto& attribute : node.proto->attributes)
        if (is_onednn && attribute.name == "output_shape")
            reader.fail("attribute output_shape must not be given: oneDNN Graph's equation mentions it, but its list of "
                        "attributes does not have it");
    fields(op, FieldReader{reader, is_onednn});
    return reader.finish();
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
