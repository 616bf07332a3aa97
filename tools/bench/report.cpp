#include "report.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "counters.h"
#include "file.h"
#include "format.h"
#include "json.h"
#include "report_model.h"

namespace vkonnx::bench {

static std::string extension_of(const std::string& path)
{
    return std::filesystem::path(path).extension().string();
}

Status check_report_path(const std::string& path)
{
    const std::string extension = extension_of(path);
    if (extension != ".html" && extension != ".md" && extension != ".json")
        return Status(Code::invalid_argument, path + ": a report's extension must be .html, .md or .json");
    return tools::check_writable(path);
}

Status write_report(const std::string& path, std::span<const RunResult> runs)
{
    if (Status status = check_report_path(path); !status)
        return status;
    if (runs.empty() || runs.size() > 2)
        return Status(Code::invalid_argument, path + ": a report shows one or two results, not " + std::to_string(runs.size()));
    const std::string extension = extension_of(path);
    const std::string content = extension == ".html" ? report_html(runs)
                                : extension == ".md" ? report_markdown(runs)
                                                     : report_json(runs);
    return tools::write_file(path, std::string_view(content));
}

// ------------------------------------------------------------------------------------------------------------- Markdown

namespace {

class MarkdownTable {
public:
    // Columns whose title begins with '>' are aligned to the right.
    explicit MarkdownTable(const std::vector<std::string>& titles)
    {
        std::string rule;
        for (const std::string& title : titles) {
            const bool right = title.starts_with('>');
            text_ += "| " + title.substr(right ? 1 : 0) + " ";
            rule += right ? "| ---: " : "| --- ";
        }
        text_ += "|\n" + rule + "|\n";
    }
    void add(const std::vector<std::string>& cells)
    {
        for (const std::string& cell : cells)
            text_ += "| " + markdown_escape(cell) + " ";
        text_ += "|\n";
    }
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

std::string time_cell(const CaseResult* one, std::string_view name)
{
    const std::optional<double> seconds = one ? one->counter(name) : std::nullopt;
    return seconds ? time_text(*seconds) : "";
}

std::string number_cell(const CaseResult* one, std::string_view name)
{
    const std::optional<double> value = one ? one->counter(name) : std::nullopt;
    return value ? number_text(*value) : "";
}

std::string percent_cell(const CaseResult* one)
{
    const std::optional<double> share = one ? one->efficiency() : std::nullopt;
    return share ? percent_text(*share) : "";
}

std::string median_cell(const CaseResult* one)
{
    return !one ? "missing" : !one->error.empty() ? "error" : time_text(one->median_s);
}

std::string side(const ReportModel& model, size_t run)
{
    return model.runs.size() < 2 ? "" : run == 0 ? " A" : " B";
}

std::string markdown_devices(const ReportModel& model)
{
    std::string text;
    for (size_t i = 0; i < model.runs.size(); ++i) {
        const RunResult& run = model.runs[i];
        text += "**" + (model.runs.size() == 2 ? side(model, i).substr(1) + ": " : "") + markdown_escape(run.device()) + "**";
        if (const std::string driver = driver_line(run); !driver.empty())
            text += ", " + markdown_escape(driver);
        if (const std::string date = date_text(run); !date.empty())
            text += ", " + markdown_escape(date);
        text += "\n\n";
        for (const Remark& remark : remarks(run))
            text += "- " + std::string(remark.serious ? "**" : "") + markdown_escape(remark.text) + (remark.serious ? "**" : "") +
                    "\n";
        if (const auto share = mean_efficiency(run))
            text += "- " + percent_text(*share) + " of the best possible (geometric mean)\n";
        text += "\n";
    }
    return text;
}

std::string markdown_cases(const ReportModel& model)
{
    if (model.runs.size() == 2) {
        MarkdownTable table({">#", "Case", "What", ">A", ">B", ">B/A", "B is", ">of best, A", ">of best, B"});
        for (const ReportRow& row : model.rows)
            table.add({std::to_string(row.number), row.name, row.what, median_cell(row.results[0]), median_cell(row.results[1]),
                       row.ratio > 0 ? number_text(row.ratio) : "", row.verdict, percent_cell(row.results[0]),
                       percent_cell(row.results[1])});
        return table.text();
    }
    MarkdownTable table({">#", "Case", "What", "Kernel", ">Time", ">Spread", ">Best possible", ">of best", ">GFLOP/s", ">GB/s"});
    for (const ReportRow& row : model.rows) {
        const CaseResult* one = row.results[0];
        table.add({std::to_string(row.number), row.name, row.what, one->kernel, median_cell(one), spread_text(*one),
                   time_cell(one, counter::floor_s), percent_cell(one), number_cell(one, counter::gflops),
                   number_cell(one, counter::gbps)});
    }
    return table.text();
}

std::string markdown_cold(const ReportModel& model)
{
    std::string text;
    for (size_t i = 0; i < model.runs.size(); ++i) {
        MarkdownTable table({"Case" + side(model, i), ">Warm", ">Submit and wait", ">Prepare", ">Bind", ">Record",
                             ">First run, cold", ">First run, cached"});
        for (const ReportRow& row : model.rows)
            if (const CaseResult* one = row.results[i]; one && one->error.empty())
                table.add({row.name, median_cell(one), time_cell(one, counter::wall_s), time_cell(one, counter::prepare_s),
                           time_cell(one, counter::bind_s), time_cell(one, counter::record_s),
                           time_cell(one, counter::first_run_cold_s), time_cell(one, counter::first_run_cached_s)});
        text += table.text() + "\n";
    }
    return text;
}

// Returns the section on whole models, or "" where there is none.
std::string markdown_models(const ReportModel& model)
{
    const auto bytes_cell = [](const CaseResult& one, const char* name) {
        return text(rate_quantity(one.counter(name).value_or(0) / 1e9, "B"));
    };
    MarkdownTable table({"Model", ">Dispatches", ">Arena", ">Constants"});
    const std::string head = table.text();
    for (size_t i = 0; i < model.runs.size(); ++i)
        for (const CaseResult& one : model.runs[i].cases)
            if (one.counter(counter::arena_bytes))
                table.add({one.name + side(model, i), number_cell(&one, counter::dispatches),
                           bytes_cell(one, counter::arena_bytes), bytes_cell(one, counter::constant_bytes)});
    return table.text() == head ? "" : "## Whole models\n\n" + table.text() + "\n";
}

}  // namespace

std::string report_markdown(std::span<const RunResult> runs)
{
    const ReportModel model = report_model(runs);
    std::string text = "# vkonnx-bench\n\n" + markdown_devices(model);
    for (const std::string& sentence : model.compared)
        text += markdown_escape(sentence) + "\n\n";
    for (size_t i = 0; i < runs.size(); ++i)
        for (const CaseResult& one : runs[i].cases)
            if (!one.error.empty())
                text += "- **error**" + side(model, i) + " " + markdown_escape(one.name + ": " + one.error) + "\n";
    text += "\n## Cases\n\n" + markdown_cases(model) + "\n## Cold and warm\n\n" + markdown_cold(model) + markdown_models(model) +
            "## Context\n\n";
    for (size_t i = 0; i < runs.size(); ++i) {
        MarkdownTable table({"Context" + side(model, i), "Value"});
        for (const auto& [label, value] : context_lines(runs[i]))
            table.add({label, value});
        text += table.text() + "\n";
    }
    return text;
}

// ----------------------------------------------------------------------------------------------------------------- JSON

static nlohmann::json peak_json(const std::optional<Peak>& peak)
{
    if (!peak)
        return nullptr;
    return {{"before", peak->before}, {"after", peak->after ? nlohmann::json(*peak->after) : nlohmann::json(nullptr)}};
}

static nlohmann::json case_json(const CaseResult& one)
{
    if (!one.error.empty())
        return {{"name", one.name}, {"error", one.error}};
    nlohmann::json json = {{"name", one.name},   {"kernel", one.kernel}, {"samples", one.samples},  {"median_s", one.median_s},
                           {"low_s", one.low_s}, {"high_s", one.high_s}, {"counters", one.counters}};
    if (const std::optional<double> share = one.efficiency())
        json["efficiency"] = *share;
    return json;
}

std::string report_json(std::span<const RunResult> runs)
{
    const ReportModel model = report_model(runs);
    nlohmann::json results = nlohmann::json::array();
    for (const RunResult& run : runs) {
        nlohmann::json cases = nlohmann::json::array(), warnings = nlohmann::json::array();
        for (const CaseResult& one : run.cases)
            cases.push_back(case_json(one));
        for (const Remark& remark : remarks(run))
            if (remark.serious)
                warnings.push_back(remark.text);
        const std::optional<double> share = mean_efficiency(run);
        results.push_back({{"device", run.device()},
                           {"context", run.context},
                           {"peak_gflops_f32", peak_json(run.peak_f32())},
                           {"peak_gflops_f16", peak_json(run.peak_f16())},
                           {"peak_gbps", peak_json(run.peak_copy())},
                           {"mean_efficiency", share ? nlohmann::json(*share) : nlohmann::json(nullptr)},
                           {"warnings", warnings},
                           {"cases", cases}});
    }
    nlohmann::json json = {{"vkonnx_bench_report", 1}, {"results", results}};
    if (runs.size() == 2) {
        nlohmann::json ratios = nlohmann::json::array();
        for (const ReportRow& row : model.rows) {
            nlohmann::json one = {{"name", row.name}, {"verdict", row.verdict}};
            if (row.ratio > 0)
                one["ratio"] = row.ratio;
            ratios.push_back(std::move(one));
        }
        json["comparison"] = {{"cases", ratios}, {"notes", model.compared}};
    }
    return tools::json_text(json, 2) + "\n";
}

}  // namespace vkonnx::bench
