// docs/operators.md has a table of the operators with their versions and types, which this test writes from the library's
// schemas. Which of a schema's types are computed, `explain` says. Of what a schema lacks, tests/python/lacking.txt has a list,
// which tests/python/schemas.py compares with the onnx package.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "cell.h"
#include "kit/source_path.h"
#include "operators.h"

namespace vkonnx::tools {
namespace {

using Types = std::set<DType>;

// The table says these words in place of all of the types beside them.
const std::pair<std::string_view, Types> words_of_types[] = {
    {"integers of 8 to 64 bits",
     {DType::int8, DType::int16, DType::int32, DType::int64, DType::uint8, DType::uint16, DType::uint32, DType::uint64}},
    {"integers of 32 and 64 bits", {DType::int32, DType::int64, DType::uint32, DType::uint64}},
    {"integers of 8 and 16 bits", {DType::int8, DType::int16, DType::uint8, DType::uint16}},
    {"signed integers of 8 to 64 bits", {DType::int8, DType::int16, DType::int32, DType::int64}},
    {"unsigned integers of 8 to 64 bits", {DType::uint8, DType::uint16, DType::uint32, DType::uint64}},
    {"integers of 2 and 4 bits", {DType::int2, DType::int4, DType::uint2, DType::uint4}},
    {"float8", {DType::float8e4m3fn, DType::float8e4m3fnuz, DType::float8e5m2, DType::float8e5m2fnuz}},
};

std::string joined(const std::vector<std::string>& words, std::string_view between)
{
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : std::string(between)) + word;
    return text;
}

// Returns "bool, float, double, integers of 8 to 64 bits", for example: single types, and then words for several.
std::string text_of(Types types)
{
    std::vector<std::string> several;
    for (const auto& [word, all] : words_of_types)
        if (std::ranges::includes(types, all)) {
            several.emplace_back(word);
            for (const DType dtype : all)
                types.erase(dtype);
        }
    std::vector<std::string> words;
    for (const DType dtype : {DType::boolean, DType::float32, DType::float16, DType::bfloat16, DType::float64})
        if (types.erase(dtype) != 0)
            words.emplace_back(name(dtype));
    for (const DType dtype : types)
        words.emplace_back(name(dtype));
    words.insert(words.end(), several.begin(), several.end());
    return joined(words, ", ");
}

// Returns the inputs of a version, without those that are lists in the operator's struct.
std::vector<const Schema::Input*> inputs_at(const Schema& schema, int64_t version)
{
    std::vector<const Schema::Input*> inputs;
    for (const Schema::Input& input : schema.inputs)
        if (input.member.empty() && input.is_at(version))
            inputs.push_back(&input);
    return inputs;
}

// Tells whether the library computes the operator in this version, where its first input has one type and the inputs of a type
// constraint have another, or the same. Of an optional input with a constraint of its own the schema is believed.
bool is_computed(const Cell& cell, std::span<const Schema::Input* const> inputs, std::string_view constraint, DType dtype)
{
    kit::Case specimen = specimen_of(cell);
    for (size_t i = 0; i < specimen.inputs.size(); ++i)
        if (inputs[std::min(i, inputs.size() - 1)]->type_constraint == constraint)
            specimen.inputs[i].dtype = dtype;
    return bool(explain(specimen.attributes, specimen.inputs, Capabilities()));
}

// Tells whether the library computes the operator where this input has the type, in the input's newest version. A type that came
// after that is one of the operator's other inputs.
bool is_taken(OperatorKind op, const Schema& schema, const Schema::Input& input, const Schema::Type& type)
{
    const int64_t version = std::min(input.until, schema.versions.back());
    const std::vector<const Schema::Input*> inputs = inputs_at(schema, version);
    const std::string_view constraint = input.type_constraint;
    if (inputs[0]->type_constraint == constraint)
        return type.since > version || is_computed({op, version, type.dtype}, inputs, constraint, type.dtype);
    return type.since > version || std::ranges::any_of(inputs[0]->types, [&](const Schema::Type& first) {
               return is_computed({op, version, first.dtype}, inputs, constraint, type.dtype);
           });
}

// Returns "float, float16, double; bfloat16 from 22", for example, and adds what the library does not compute to `lacking`.
std::string types_of_input(OperatorKind op, const Schema& schema, const Schema::Input& input, Types& lacking)
{
    std::map<int64_t, Types> types;
    for (const Schema::Type& type : input.types)
        if (is_taken(op, schema, input, type))
            types[std::max(type.since, schema.versions.front())].insert(type.dtype);
        else
            lacking.insert(type.dtype);
    std::vector<std::string> parts;
    for (const auto& [since, some] : types)
        parts.push_back(text_of(some) + (parts.empty() ? "" : " from " + std::to_string(since)));
    return joined(parts, "; ");
}

// Returns "X" or "Y until 11", for example.
std::string name_of_input(const Schema& schema, const Schema::Input& input)
{
    const std::string since = input.since > schema.versions.front() ? " from " + std::to_string(input.since) : "";
    return std::string(input.name) + since +
           (input.until < schema.versions.back() ? " until " + std::to_string(input.until) : "");
}

// Returns the types alone where all inputs have the same, and else a line for all inputs that have.
std::string types_of_inputs(OperatorKind op, const Schema& schema, Types& lacking)
{
    std::vector<std::pair<std::string, std::vector<std::string>>> lines;  // types, and the inputs that have them
    for (const Schema::Input& input : schema.inputs) {
        if (!input.member.empty())
            continue;
        const std::string types = types_of_input(op, schema, input, lacking);
        auto line = std::ranges::find(lines, types, [](const auto& each) { return each.first; });
        if (line == lines.end())
            line = lines.insert(lines.end(), {types, {}});
        line->second.push_back(name_of_input(schema, input));
    }
    std::vector<std::string> texts;
    for (const auto& [types, inputs] : lines)
        texts.push_back((lines.size() > 1 ? joined(inputs, ", ") + ": " : "") + types);
    return joined(texts, "<br>");
}

// Reads the types that the schemas lack, by operator.
std::map<std::string, std::set<std::string>> lacking_in_schemas()
{
    std::ifstream file(kit::source_path("tests/python/lacking.txt"));
    EXPECT_TRUE(file);
    std::map<std::string, std::set<std::string>> lacking;
    for (std::string line, op; std::getline(file, line);) {
        std::istringstream words(line.substr(0, line.find('#')));
        words >> op;
        for (std::string type; words >> type;)
            lacking[op].insert(type);
    }
    return lacking;
}

std::string versions_text(const Schema& schema)
{
    std::vector<std::string> versions;
    for (const int64_t version : schema.versions)
        versions.push_back(std::to_string(version));
    return joined(versions, ", ");
}

// Returns the types that the operator's document has and the library does not take.
std::string lacking_text(const Schema& schema, Types lacking)
{
    static const std::map<std::string, std::set<std::string>> in_schemas = lacking_in_schemas();
    std::vector<std::string> others;  // that no DType is
    const auto found = in_schemas.find(std::string(schema.name));
    if (schema.domain.empty() && found != in_schemas.end()) {
        for (const std::string& type : found->second) {
            if (const std::optional<DType> dtype = parse_type(type))
                lacking.insert(*dtype);
            else
                others.push_back(type);
        }
    }
    if (!lacking.empty())
        others.insert(others.begin(), text_of(lacking));
    return joined(others, ", ");
}

// Returns the table. A row has all operators that differ in nothing but their names.
std::string table()
{
    std::map<std::string, std::vector<std::string>> rows;  // operators, by what is behind them
    for (const Operator& op : every_operator()) {
        const Schema& known = *schema(op);
        Types lacking;
        const std::string types = types_of_inputs(kind_of(op), known, lacking), not_taken = lacking_text(known, lacking);
        const std::string row = versions_text(known) + " | " + types + (not_taken.empty() ? " |" : " | " + not_taken);
        rows[row].push_back(std::string(known.name) + (known.domain.empty() ? "" : " of `" + std::string(known.domain) + "`"));
    }
    std::vector<std::string> lines;
    for (auto& [row, names] : rows) {
        std::ranges::sort(names);
        lines.push_back("| " + joined(names, ", ") + " | " + row + " |\n");
    }
    std::ranges::sort(lines);
    return "| operator | versions | types | types of its document that it does not take |\n|---|---|---|---|\n" +
           joined(lines, "");
}

TEST(OperatorsPage, HasTheTable)
{
    const std::string path = kit::source_path("docs/operators.md");
    std::stringstream page;
    page << std::ifstream(path).rdbuf();
    const std::string text = page.str(), written = table();
    const size_t begin = text.find("| operator | versions |");
    ASSERT_NE(begin, std::string::npos) << path;
    const size_t end = text.find("\n\n", begin) + 1;
    if (std::getenv("VKONNX_UPDATE_GOLDEN")) {
        std::ofstream file(path);
        file << text.substr(0, begin) << written << text.substr(end);
        ASSERT_TRUE(file.good()) << path;
    } else {
        EXPECT_EQ(text.substr(begin, end - begin), written)
            << "VKONNX_UPDATE_GOLDEN=1 build/bin/unit_tools --gtest_filter=OperatorsPage.* writes the table anew";
    }
}

}  // namespace
}  // namespace vkonnx::tools
