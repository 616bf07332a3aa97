#include "operators.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace vkonnx::tools {
namespace {

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : ", ") + word;
    return text;
}

constexpr std::string_view option_words[] = {"single", "optional", "variadic"};

// Returns " from 13", " until 10" or " from 7 until 12", for example, and nothing for what is in all versions.
std::string span_text(const Schema& schema, int64_t since, int64_t until)
{
    const std::string from = since > schema.versions.front() ? " from " + std::to_string(since) : "";
    return from + (until < schema.versions.back() ? " until " + std::to_string(until) : "");
}

std::string types_text(const Schema& schema, std::span<const Schema::Type> types)
{
    std::vector<std::string> words;
    for (const Schema::Type& type : types)
        words.push_back(std::string(name(type.dtype)) + span_text(schema, type.since, Schema::newest));
    return joined(words);
}

nlohmann::json until_json(int64_t until)
{
    return until == Schema::newest ? nlohmann::json() : nlohmann::json(until);
}

}  // namespace

Result<std::vector<const Schema*>> schemas_of(const std::vector<std::string>& names)
{
    const auto have = [](std::string_view wanted) {
        return std::ranges::any_of(every_operator(), [&](const Operator& op) { return name(op) == wanted; });
    };
    for (const std::string& wanted : names)
        if (!have(wanted))
            return Status(Code::invalid_argument, "vkonnx computes no operator '" + wanted + "'");
    std::vector<const Schema*> schemas;
    for (const Operator& op : every_operator())
        if (names.empty() || std::ranges::find(names, name(op)) != names.end())
            schemas.push_back(schema(op));
    return schemas;
}

std::string text_of(const Schema& schema)
{
    std::vector<std::string> versions;
    for (const int64_t version : schema.versions)
        versions.push_back(std::to_string(version));
    std::string text = std::string(schema.name) + (schema.domain.empty() ? "" : " of " + std::string(schema.domain)) +
                       ", version" + (versions.size() > 1 ? "s " : " ") + joined(versions) + "\n";
    const auto option_text = [](Schema::Option option) {
        return option == Schema::Option::single ? "" : " (" + std::string(option_words[size_t(option)]) + ")";
    };
    for (const Schema::Input& input : schema.inputs)
        text += "   input " + std::string(input.name) + option_text(input.option) + span_text(schema, input.since, input.until) +
                ": " + types_text(schema, input.types) + "\n";
    for (const Schema::Output& output : schema.outputs)
        text += "   output " + std::string(output.name) + option_text(output.option) +
                span_text(schema, output.since, Schema::newest) + "\n";
    for (const Schema::Attribute& attribute : schema.attributes)
        text += "   attribute " + std::string(attribute.name) + span_text(schema, attribute.since, attribute.until) + "\n";
    return text;
}

nlohmann::json json_of(const Schema& schema)
{
    nlohmann::json inputs = nlohmann::json::array(), outputs = inputs, attributes = inputs;
    for (const Schema::Input& input : schema.inputs) {
        nlohmann::json types = nlohmann::json::array();
        for (const Schema::Type& type : input.types)
            types.push_back({{"type", name(type.dtype)}, {"since", type.since}});
        inputs.push_back({{"name", input.name},
                          {"type_constraint", input.type_constraint},
                          {"types", types},
                          {"option", option_words[size_t(input.option)]},
                          {"member", input.member},
                          {"since", input.since},
                          {"until", until_json(input.until)}});
    }
    for (const Schema::Output& output : schema.outputs)
        outputs.push_back({{"name", output.name}, {"option", option_words[size_t(output.option)]}, {"since", output.since}});
    for (const Schema::Attribute& attribute : schema.attributes)
        attributes.push_back({{"name", attribute.name}, {"since", attribute.since}, {"until", until_json(attribute.until)}});
    return {{"domain", schema.domain}, {"name", schema.name}, {"versions", schema.versions},
            {"inputs", inputs},        {"outputs", outputs},  {"attributes", attributes}};
}

}  // namespace vkonnx::tools
