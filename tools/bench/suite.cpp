#include "suite.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "file.h"
#include "suite_texts.h"

namespace vkonnx::bench {
namespace {

using Cases = std::vector<kit::Case>;

Result<Cases> cases_of_file(const std::string& path, const std::string& op)
{
    const Result<std::vector<std::byte>> content = tools::read_file(path, tools::most_text_bytes);
    if (!content)
        return content.status();
    const std::string_view text(reinterpret_cast<const char*>(content->data()), content->size());
    const std::string file_name = std::filesystem::path(path).filename().string();
    Result<Cases> cases = kit::parse_cases(op.empty() ? file_name.substr(0, file_name.find('.')) : op, text);
    if (!cases)
        return Status(cases.code(), path + ": " + std::string(cases.message()));
    return cases;
}

// Reads a case such as "average_pool x=1x3x64x64 kernel_shape=2,2". The operator stands where a file would have the case's name.
Result<kit::Case> case_of_text(const std::string& text, size_t number)
{
    std::istringstream words(text);
    std::string op, rest;
    words >> op;
    std::getline(words, rest, '\0');
    Result<kit::Case> parsed = kit::parse_case(op, "case" + std::to_string(number) + " " + rest);
    if (!parsed)
        return Status(parsed.code(), "--case \"" + text + "\": " + std::string(parsed.message()));
    return parsed;
}

Result<Cases> chosen_cases(const Options& options)
{
    if (options.suites.empty() && options.cases.empty() && options.models.empty())
        return built_in_cases(options.quick ? quick_suite : full_suite);
    Cases chosen;
    for (const std::string& suite : options.suites) {
        Result<Cases> cases = suite == networks_suite ? built_in_cases(suite) : cases_of_file(suite, options.op);
        if (!cases)
            return cases.status();
        chosen.insert(chosen.end(), cases->begin(), cases->end());
    }
    for (size_t i = 0; i < options.cases.size(); ++i) {
        Result<kit::Case> parsed = case_of_text(options.cases[i], i + 1);
        if (!parsed)
            return parsed.status();
        chosen.push_back(std::move(*parsed));
    }
    return chosen;
}

Result<std::vector<NamedCase>> chosen_models(const Options& options)
{
    for (const std::string& folder : options.models) {
        const Result<std::vector<tools::TestCase>> found = tools::find_cases(folder);
        if (!found)
            return found.status();
        if (found->empty())
            return Status(Code::invalid_argument, folder + ": neither it nor a folder in it has a model.onnx");
    }
    const Result<std::vector<tools::TestCase>> tests = tools::find_all_cases(options.models);
    if (!tests)
        return tests.status();
    std::vector<NamedCase> models;
    for (const tools::TestCase& test : *tests) {
        if (test.data_set.empty())
            return Status(Code::invalid_argument,
                          test.folder.string() + ": there is no test_data_set_* folder to verify the model with");
        models.push_back({.name = "model/" + test.name, .model = test});
    }
    return models;
}

// This filter reads its text as Google Benchmark does: it matches anywhere, '-' in front means all others, "all" means all.
class Filter {
public:
    static Result<Filter> create(std::string text)
    {
        Filter filter;
        filter.inverted_ = !text.empty() && text.front() == '-';
        if (filter.inverted_)
            text.erase(0, 1);
        filter.all_ = text.empty() || text == "all";
        try {
            filter.pattern_ = std::regex(text, std::regex::extended);
        } catch (const std::regex_error& error) {
            return Status(Code::invalid_argument, "--benchmark_filter=" + text + ": " + error.what());
        }
        return filter;
    }
    bool fits(const std::string& name) const { return (all_ || std::regex_search(name, pattern_)) != inverted_; }

private:
    std::regex pattern_;
    bool all_ = true;
    bool inverted_ = false;
};

// Tells whether the operator has the kernel, fit or not.
bool has_kernel(const kit::Case& problem, const std::string& kernel)
{
    const Result<std::vector<KernelInfo>> all = kernels(problem.attributes, problem.inputs, Capabilities());
    return all && std::any_of(all->begin(), all->end(), [&](const KernelInfo& one) { return one.name == kernel; });
}

std::optional<std::string> type_name(DType dtype)
{
    for (const auto& [name, type] : timed_types)
        if (type == dtype)
            return name;
    return std::nullopt;
}

Status check_timed(const NamedCase& named)
{
    if (std::holds_alternative<Shape>(named.problem.attributes))
        return Status(Code::invalid_argument, named.name + ": Shape has nothing to time: its result is known on the host");
    // BlockQuantizedMatMul is the only timed operator that has inputs of bytes: its packed weights.
    const bool has_packed_weights = std::holds_alternative<BlockQuantizedMatMul>(named.problem.attributes);
    for (const TensorDesc& input : named.problem.inputs)
        if (!type_name(input.dtype) && !(has_packed_weights && input.dtype == DType::uint8))
            return Status(Code::invalid_argument,
                          named.name + ": float, float16 and bfloat16 are timed, not " + to_string(input));
    const auto outputs = infer(named.problem.attributes, named.problem.inputs);
    if (!outputs)
        return Status(outputs.code(), named.name + ": " + std::string(outputs.message()));
    if (outputs->size() != 1)
        return Status(Code::invalid_argument, named.name + ": operators with one output are timed");
    if (element_count(outputs->front()).ok() && *element_count(outputs->front()) == 0)
        return Status(Code::invalid_argument, named.name + ": no output to compute");
    return Status();
}

}  // namespace

Result<Cases> built_in_cases(std::string_view suite)
{
    Cases all;
    for (const SuiteText& one : suite_texts) {
        if (one.suite != suite)
            continue;
        Result<Cases> cases = kit::parse_cases(one.op, one.text);
        if (!cases)
            return Status(cases.code(), std::string(one.suite) + "/" + std::string(one.op) + ": " + std::string(cases.message()));
        all.insert(all.end(), cases->begin(), cases->end());
    }
    return all;
}

Result<std::vector<NamedCase>> load_suite(const Options& options)
{
    Result<Cases> cases = chosen_cases(options);
    if (!cases)
        return cases.status();
    Result<Filter> filter = Filter::create(options.filter);
    if (!filter)
        return filter.status();
    const std::string mode = options.cold_cache ? "/cold" : options.batch > 0 ? "/many" + std::to_string(options.batch) : "";
    const bool forced = !options.kernel.empty() && options.kernel != every_kernel;
    const auto has_forced = [&](const kit::Case& problem) { return has_kernel(problem, options.kernel); };
    const bool known = forced && std::any_of(cases->begin(), cases->end(), has_forced);
    std::vector<NamedCase> named;
    std::set<std::string> names;
    for (kit::Case& problem : *cases) {
        const std::string op(kit::operator_of(problem));
        // Cases whose operator has no such kernel are left out. Where no case has it, those stay whose operator its name begins
        // with. The device then says which kernels they have.
        if (forced && !(known ? has_forced(problem) : options.kernel.starts_with(op)))
            continue;
        for (TensorDesc& input : problem.inputs)
            if (input.dtype == DType::float32)
                input.dtype = options.type;
        const std::string name = op + "/" + problem.name + "/" + type_name(problem.inputs[0].dtype).value_or("other") + mode;
        NamedCase one = {name, std::move(problem), forced ? options.kernel : ""};
        if (!filter->fits(one.name))
            continue;
        if (Status status = check_timed(one); !status)
            return status;
        if (!names.insert(one.name).second)
            return Status(Code::invalid_argument, "case " + one.name + " is there twice");
        named.push_back(std::move(one));
    }
    Result<std::vector<NamedCase>> models = chosen_models(options);
    if (!models)
        return models.status();
    for (NamedCase& one : *models)
        if (filter->fits(one.name))
            named.push_back(std::move(one));
    return named;
}

}  // namespace vkonnx::bench
