#include "test_case.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "console.h"
#include "file.h"

namespace vkonnx::tools {
namespace fs = std::filesystem;

// ------------------------------------------------------------------------------------------------------------ finding

static std::vector<fs::path> sorted_entries(const fs::path& folder)
{
    std::vector<fs::path> entries;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        entries.push_back(entry->path());
    // test_data_set_10 comes after test_data_set_9.
    std::sort(entries.begin(), entries.end(), [](const fs::path& a, const fs::path& b) {
        const std::string left = a.filename().string(), right = b.filename().string();
        const bool same_family = left.starts_with("test_data_set_") && right.starts_with("test_data_set_");
        return same_family && left.size() != right.size() ? left.size() < right.size() : left < right;
    });
    return entries;
}

static bool is_case(const fs::path& folder)
{
    std::error_code error;
    return fs::is_regular_file(folder / "model.onnx", error);
}

static void add_case(const fs::path& folder, std::vector<TestCase>& cases)
{
    // "dir/." and "dir/" do not end in a name, so the path is resolved first.
    std::error_code error;
    const std::string name = visible(fs::weakly_canonical(folder, error).filename().string());
    std::vector<fs::path> data_sets;
    for (const fs::path& entry : sorted_entries(folder))
        if (entry.filename().string().starts_with("test_data_set_") && fs::is_directory(entry, error))
            data_sets.push_back(entry);
    if (data_sets.empty())
        cases.push_back({name, folder, {}});
    for (const fs::path& data_set : data_sets) {
        const std::string suffix = data_set.filename().string().substr(std::string_view("test_data_set").size());
        cases.push_back({data_sets.size() == 1 ? name : name + "/" + visible(suffix.substr(1)), folder, data_set});
    }
}

Result<std::vector<TestCase>> find_cases(const std::string& path)
{
    std::error_code error;
    if (!fs::is_directory(path, error))
        return Status(Code::io, path + ": is no folder");
    std::vector<TestCase> cases;
    if (is_case(path))
        add_case(path, cases);
    else
        for (const fs::path& entry : sorted_entries(path))
            if (is_case(entry))
                add_case(entry, cases);
    return cases;
}

Result<std::vector<TestCase>> find_all_cases(std::span<const std::string> folders)
{
    std::vector<TestCase> cases;
    std::set<fs::path> seen;
    std::map<std::string, size_t> uses;
    for (const std::string& folder : folders) {
        const Result<std::vector<TestCase>> found = find_cases(folder);
        if (!found)
            return found.status();
        for (const TestCase& test : *found) {
            std::error_code error;
            const auto identity = test.data_set.empty() ? test.folder : test.data_set;
            if (!seen.insert(fs::weakly_canonical(identity, error)).second)
                continue;  // named twice
            cases.push_back(test);
            ++uses[test.name];
        }
    }
    for (TestCase& test : cases)
        if (uses[test.name] > 1) {
            std::error_code error;
            const fs::path parent = fs::weakly_canonical(test.folder, error).parent_path();
            test.name = visible(parent.filename().string()) + "/" + test.name;
        }
    return cases;
}

// ------------------------------------------------------------------------------------------------------------ running

static std::string file_name(std::string_view stem, size_t index)
{
    return std::string(stem) + "_" + std::to_string(index) + ".pb";
}

static Result<std::vector<onnx::HostTensor>> read_tensors(const fs::path& folder, std::string_view stem, size_t count)
{
    std::vector<onnx::HostTensor> tensors;
    for (size_t i = 0; i < count; ++i) {
        const std::string path = (folder / file_name(stem, i)).string();
        const Result<std::vector<std::byte>> content = read_file(path);
        if (!content)
            return content.status();
        Result<onnx::HostTensor> tensor = onnx::parse_tensor(*content);
        if (!tensor)
            return Status(tensor.code(), path + ": " + std::string(tensor.message()));
        tensors.push_back(std::move(*tensor));
    }
    std::error_code error;
    if (fs::exists(folder / file_name(stem, count), error))
        return Status(Code::invalid_argument,
                      (folder / file_name(stem, count)).string() + ": the model has only " + std::to_string(count) + " of them");
    return tensors;
}

static CaseResult not_passed(const Status& status)
{
    return {.outcome = status.code() == Code::unsupported ? Outcome::skipped : Outcome::failed,
            .message = std::string(status.message())};
}

// Returns the cells of a model's nodes. All operators but Shape and Cast give the type that they take. What type one of these
// takes is known only where it is the whole model.
static std::vector<Cell> cells_of_nodes(std::span<const onnx::NodeReport> nodes, std::span<const onnx::HostTensor> inputs)
{
    std::vector<Cell> cells;
    for (const onnx::NodeReport& node : nodes) {
        const bool changes_type = node.op_type == Shape::name || node.op_type == Cast::name;
        if (node.explanation.outputs.empty() || (changes_type && (nodes.size() != 1 || inputs.size() != 1)))
            continue;
        const DType dtype = changes_type ? inputs[0].desc.dtype : node.explanation.outputs[0].dtype;
        const std::optional<Cell> cell = cell_of_node(node.op_type, node.domain, node.opset, dtype);
        if (cell && std::find(cells.begin(), cells.end(), *cell) == cells.end())
            cells.push_back(*cell);
    }
    return cells;
}

Result<LoadedCase> load_case(const TestCase& test)
{
    LoadedCase loaded;
    Result<onnx::Model> model = onnx::Model::load((test.folder / "model.onnx").string());
    if (!model)
        return model.status();
    if (test.data_set.empty())
        return Status(Code::unsupported, "there is no test_data_set_* folder");
    for (const onnx::ValueInfo& value : model->inputs())
        if (value.dtype == DType::undefined)
            return Status(Code::unsupported, "input \"" + visible(value.name) + "\" is no tensor");

    Result<std::vector<onnx::HostTensor>> inputs = read_tensors(test.data_set, "input", model->inputs().size());
    if (!inputs)
        return inputs.status();
    Result<std::vector<onnx::HostTensor>> expected = read_tensors(test.data_set, "output", model->outputs().size());
    if (!expected)
        return expected.status();
    for (size_t i = 0; i < inputs->size(); ++i)
        loaded.descs.push_back({.name = model->inputs()[i].name,
                                .desc = (*inputs)[i].desc,
                                .value = model->inputs()[i].decides_dimensions ? std::optional((*inputs)[i]) : std::nullopt});
    loaded.model = std::move(*model);
    loaded.inputs = std::move(*inputs);
    loaded.expected = std::move(*expected);
    return loaded;
}

Comparison compare_outputs(const LoadedCase& loaded, std::span<const onnx::HostTensor> outputs, const Tolerance& tolerance)
{
    Comparison all;
    for (size_t i = 0; i < outputs.size(); ++i) {
        const Comparison comparison = compare(outputs[i], loaded.expected[i], tolerance);
        widen(all.errors, comparison.errors);
        if (!comparison.mismatch.empty())
            all.mismatch += (all.mismatch.empty() ? "output \"" : "; output \"") + visible(loaded.model.outputs()[i].name) +
                            "\" " + comparison.mismatch;
    }
    return all;
}

static CaseResult run_data_set(const Device& device, const TestCase& test, const CaseOptions& options)
{
    const Result<LoadedCase> loaded = load_case(test);
    if (!loaded)
        return not_passed(loaded.status());
    Result<onnx::Session> session = onnx::Session::prepare(device, loaded->model, loaded->descs, {.rules = options.rules});
    if (!session)
        return not_passed(session.status());
    CaseResult result = {.cells = cells_of_nodes(session->nodes(), loaded->inputs)};
    const Result<std::vector<onnx::HostTensor>> outputs = session->run(loaded->inputs);
    if (!outputs) {
        result.outcome = Outcome::failed;
        result.message = outputs.message();
        return result;
    }
    for (const onnx::NodeReport& node : session->nodes())
        result.kernels.push_back(node.explanation.kernel);
    Comparison comparison = compare_outputs(*loaded, *outputs, options.tolerance);
    result.errors = comparison.errors;
    result.message = std::move(comparison.mismatch);
    result.outcome = result.message.empty() ? Outcome::passed : Outcome::failed;
    return result;
}

CaseResult run_case(const Device& device, const TestCase& test, const CaseOptions& options)
{
    const auto begin = std::chrono::steady_clock::now();
    CaseResult result = run_data_set(device, test, options);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

// --------------------------------------------------------------------------------------------------------------- JSON

std::string_view outcome_text(Outcome outcome)
{
    switch (outcome) {
    case Outcome::passed:
        return "passed";
    case Outcome::failed:
        return "failed";
    case Outcome::skipped:
        break;
    }
    return "skipped";
}

nlohmann::json number_to_json(double value)
{
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json("infinity");
}

static nlohmann::json errors_to_json(const std::optional<Errors>& errors)
{
    if (!errors)
        return nullptr;
    return {{"absolute", number_to_json(errors->absolute)},
            {"relative", number_to_json(errors->relative)},
            {"ulp", number_to_json(errors->ulp)}};
}

static double number_from_json(const nlohmann::json& value)
{
    return value.is_string() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

static std::vector<Cell> cells_from_json(const nlohmann::json& json)
{
    std::vector<Cell> cells;
    for (const nlohmann::json& one : json) {
        const auto op = parse_operator(one.at("operator").get<std::string>());
        const auto dtype = parse_type(one.at("type").get<std::string>());
        if (op && dtype)
            cells.push_back({*op, one.at("version"), *dtype});
    }
    return cells;
}

static std::optional<Errors> errors_from_json(const nlohmann::json& json)
{
    if (json.is_null())
        return std::nullopt;
    return Errors{number_from_json(json.at("absolute")), number_from_json(json.at("relative")), number_from_json(json.at("ulp"))};
}

static nlohmann::json cells_to_json(std::span<const Cell> cells)
{
    nlohmann::json json = nlohmann::json::array();
    for (const Cell& cell : cells)
        json.push_back(to_json(cell));
    return json;
}

nlohmann::json to_json(const Cell& cell)
{
    return {{"operator", operator_text(cell.op)}, {"version", cell.version}, {"type", name(cell.dtype)}};
}

nlohmann::json to_json(const CaseResult& result)
{
    return {{"outcome", outcome_text(result.outcome)},    {"message", result.message},
            {"max_error", errors_to_json(result.errors)}, {"kernels", result.kernels},
            {"cells", cells_to_json(result.cells)},       {"seconds", result.seconds}};
}

Result<CaseResult> case_result_from_json(std::string_view text)
{
    try {
        const nlohmann::json json = nlohmann::json::parse(text);
        CaseResult result;
        for (const Outcome outcome : {Outcome::passed, Outcome::failed, Outcome::skipped})
            if (json.at("outcome") == outcome_text(outcome))
                result.outcome = outcome;
        result.message = json.at("message");
        result.errors = errors_from_json(json.at("max_error"));
        result.kernels = json.at("kernels").get<std::vector<std::string>>();
        result.cells = cells_from_json(json.at("cells"));
        result.seconds = json.at("seconds");
        return result;
    } catch (const nlohmann::json::exception&) {
        return Status(Code::io, "the case's process ended without a result");
    }
}

}  // namespace vkonnx::tools
