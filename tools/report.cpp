#include "report.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "cli.h"
#include "coverage.h"
#include "file.h"
#include "html.h"
#include "json.h"

namespace vkonnx::tools {

void add(Counts& counts, Outcome outcome)
{
    switch (outcome) {
    case Outcome::passed:
        ++counts.passed;
        break;
    case Outcome::failed:
        ++counts.failed;
        break;
    case Outcome::skipped:
        ++counts.skipped;
        break;
    }
}

Counts count(const Report& report)
{
    Counts counts;
    for (const ReportEntry& entry : report.entries)
        add(counts, entry.result.outcome);
    return counts;
}

std::string counts_text(const Counts& counts)
{
    return std::to_string(counts.passed) + " passed, " + std::to_string(counts.failed) + " failed, " +
           std::to_string(counts.skipped) + " skipped";
}

std::string error_text(double error)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.2g", error);
    return text;
}

std::string ulp_text(double ulp)
{
    char text[32];
    std::snprintf(text, sizeof text, ulp >= 10 && ulp < 1e6 ? "%.0f" : "%.2g", ulp);
    return text;
}

std::array<std::string, 3> errors_text(const std::optional<Errors>& errors)
{
    if (!errors)
        return {"-", "-", "-"};
    return {error_text(errors->absolute), error_text(errors->relative), ulp_text(errors->ulp)};
}

std::string device_label(const DeviceInfo& device)
{
    std::string name = std::to_string(device.index) + "_";
    for (const char c : device.name) {
        if (c == ' ' || c == '(')
            break;
        name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    }
    return name;
}

std::string device_name(const DeviceInfo& device)
{
    return device.name.substr(0, device.name.find(" ("));
}

static std::string_view rules_text(Rules rules)
{
    return word_of(Spellings<Rules>(rules_words), rules);
}

Status check_report_path(const std::string& path)
{
    const std::string extension = std::filesystem::path(path).extension().string();
    if (extension != ".json" && extension != ".html")
        return Status(Code::invalid_argument, path + ": a report's extension must be .json or .html");
    return check_writable(path);
}

Status write_report(const std::string& path, const Report& report)
{
    const bool json = std::filesystem::path(path).extension() == ".json";
    return write_file(path, std::string_view(json ? report_json(report) : report_html(report)));
}

std::string report_json(const Report& report)
{
    nlohmann::json devices = nlohmann::json::array();
    for (const DeviceInfo& device : report.devices)
        devices.push_back({{"index", device.index},
                           {"name", device.name},
                           {"kind", kind_text(device.kind)},
                           {"driver", device.driver},
                           {"api_version", version_text(device.api_version)},
                           {"uuid", device.uuid}});
    nlohmann::json results = nlohmann::json::array();
    for (const ReportEntry& entry : report.entries) {
        nlohmann::json result = to_json(entry.result);
        result["case"] = entry.test.name;
        if (entry.test.problem)
            result["problem"] = kit::to_string(*entry.test.problem);
        else
            result["folder"] = entry.test.folder.string();
        result["device"] = entry.device;
        result["repeat"] = entry.repeat;
        results.push_back(std::move(result));
    }
    const Counts counts = count(report);
    const nlohmann::json json = {{"vkonnx", version()},
                                 {"date", report.date},
                                 {"command", report.command},
                                 {"relative_tolerance", report.options.tolerance.relative},
                                 {"absolute_tolerance", report.options.tolerance.absolute},
                                 {"rules", rules_text(report.options.rules)},
                                 {"validated", report.validated},
                                 {"isolated", report.isolated},
                                 {"passed", counts.passed},
                                 {"failed", counts.failed},
                                 {"skipped", counts.skipped},
                                 {"devices", devices},
                                 {"table", coverage_json(report)},
                                 {"results", results}};
    return json_text(json, 2) + "\n";
}

// --------------------------------------------------------------------------------------------------------------- HTML

static constexpr std::string_view page_begin = R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>vkonnx-test</title>
<style>
:root { color-scheme: light dark; --ink: #1c2024; --soft: #60666c; --line: #dfe3e6; --page: #fbfcfd; --card: #fff;
  --ok: #18794e; --ok-back: #e6f6eb; --bad: #b42318; --bad-back: #feeceb; --skip: #8a6100; --skip-back: #fff4d5; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ecedee; --soft: #9ba1a6; --line: #2b3136; --page: #111416; --card: #181c1f;
    --ok: #4cc38a; --ok-back: #11291c; --bad: #ff8b80; --bad-back: #3a1512; --skip: #f1c04f; --skip-back: #33270a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 2rem 1.25rem 4rem; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
code { font: 13px/1.5 ui-monospace, monospace; }
details code, .soft code { overflow-wrap: anywhere; }
.soft { color: var(--soft); }
.counts { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.25rem 0; }
.counts div { padding: .5rem 1rem; border-radius: .5rem; }
.counts b { font-size: 1.35rem; margin-right: .4rem; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); }
table { border-collapse: collapse; width: 100%; }
table.cases { min-width: 56rem; }
@media (max-width: 40rem) { table.drivers { white-space: nowrap; } }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem; border-top: 1px solid var(--line); }
tr:first-child > * { border-top: 0; }
th { font-weight: 600; white-space: nowrap; }
th.case { white-space: normal; overflow-wrap: anywhere; min-width: 16rem; font-weight: 500; }
td.n { font-variant-numeric: tabular-nums; white-space: nowrap; }
.passed { color: var(--ok); } .failed { color: var(--bad); } .skipped { color: var(--skip); }
div.passed { background: var(--ok-back); }
div.failed { background: var(--bad-back); }
div.skipped { background: var(--skip-back); }
td.passed, td.failed, td.skipped { font-weight: 600; }
tr.note > * { border-top: 0; padding-top: 0; }
summary { cursor: pointer; }
tr.failed > * { background: var(--bad-back); color: var(--ink); }
)";

static std::string summary_html(const Report& report)
{
    const Counts counts = count(report);
    const bool has_built_in = std::any_of(report.entries.begin(), report.entries.end(),
                                          [](const ReportEntry& entry) { return entry.test.problem.has_value(); });
    std::string html = "<h1>vkonnx-test</h1>\n<div class=\"soft\">vkonnx " + std::string(version()) + ", " +
                       html_escape(report.date) + "</div>\n<div class=\"counts\">";
    const std::pair<const char*, size_t> cards[] = {
        {"passed", counts.passed}, {"failed", counts.failed}, {"skipped", counts.skipped}};
    for (const auto& [word, number] : cards)
        html +=
            "<div class=\"" + std::string(number ? word : "soft") + "\"><b>" + std::to_string(number) + "</b>" + word + "</div>";
    html += "</div>\n<div class=\"soft\">relative tolerance " + error_text(report.options.tolerance.relative) +
            ", absolute tolerance " + error_text(report.options.tolerance.absolute) +
            (has_built_in ? ", but built-in cases within the bounds of rounding" : "") + ", rules " +
            std::string(rules_text(report.options.rules)) + (report.validated ? ", with the validation layer" : "") +
            (report.isolated ? ", in child processes" : "") + "</div>\n<details class=\"soft\"><summary>command</summary><code>" +
            html_escape(report.command) + "</code></details>\n";
    return html;
}

static std::string devices_html(const Report& report)
{
    std::string html =
        "<h2>Devices</h2>\n<div class=\"wide\"><table class=\"drivers\">\n<tr><th>Device<th>Kind<th>Driver<th>Vulkan<th>UUID"
        "<th>Results\n";
    for (size_t d = 0; d < report.devices.size(); ++d) {
        const DeviceInfo& device = report.devices[d];
        Report own;
        for (const ReportEntry& entry : report.entries)
            if (entry.device == d)
                own.entries.push_back(entry);
        html += "<tr><th>" + html_escape(device.name) + "<td>" + std::string(kind_text(device.kind)) + "<td>" +
                html_escape(device.driver) + "<td class=\"n\">" + version_text(device.api_version) + "<td><code>" +
                html_escape(device.uuid) + "</code><td class=\"n\">" + counts_text(count(own)) + "\n";
    }
    return html + "</table></div>\n";
}

static std::string entry_html(const Report& report, const ReportEntry& entry)
{
    const CaseResult& result = entry.result;
    const bool failed = result.outcome == Outcome::failed;
    const std::string word(outcome_text(result.outcome)), number = "<td class=\"n\">";
    std::string kernels;
    for (const std::string& kernel : result.kernels)
        kernels += (kernels.empty() ? "" : ", ") + kernel;
    std::string html = failed ? "<tr class=\"failed\">" : "<tr>";
    const std::string device = device_name(report.devices[entry.device]);
    html += "<th class=\"case\">" + html_escape(entry.test.name) + "<td class=\"n\">" + html_escape(device);
    html += "<td class=\"" + word + "\">" + word;
    for (const std::string& error : errors_text(result.errors))
        html += number + error;
    html += "<td><code>" + html_escape(kernels) + "</code>\n";
    if (result.message.empty())
        return html;
    html += failed ? "<tr class=\"failed note\">" : "<tr class=\"note\">";
    html += "<td colspan=\"7\">" + html_escape(result.message);
    if (failed)
        html += "<div class=\"soft\">repeat: <code>" + html_escape(entry.repeat) + "</code></div>";
    return html + "\n";
}

// Returns the cases with these outcomes, in this order of outcomes, or nothing when there is none.
static std::string cases_html(const Report& report, std::initializer_list<Outcome> outcomes)
{
    std::string rows;
    for (const Outcome outcome : outcomes)
        for (const ReportEntry& entry : report.entries)
            if (entry.result.outcome == outcome)
                rows += entry_html(report, entry);
    return rows.empty()
               ? ""
               : "<div class=\"wide\"><table class=\"cases\">\n<tr><th>Case<th>Device<th>Result<th>Absolute<th>Relative<th>ULP"
                 "<th>Kernels\n" +
                     rows + "</table></div>\n";
}

std::string report_html(const Report& report)
{
    constexpr size_t most_shown = 200;
    std::string html(page_begin);
    html += std::string(coverage_style()) + "</style>\n" + summary_html(report) + devices_html(report) + coverage_html(report);
    html += "<h2>Cases, with their greatest errors</h2>\n";
    // What needs attention stands on top, and many that passed are folded away.
    const size_t passed = count(report).passed;
    if (passed <= most_shown)
        html += cases_html(report, {Outcome::failed, Outcome::passed, Outcome::skipped});
    else
        html += cases_html(report, {Outcome::failed, Outcome::skipped}) + "<details><summary>" + std::to_string(passed) +
                " passed</summary>\n" + cases_html(report, {Outcome::passed}) + "</details>\n";
    return html + "</html>\n";
}

}  // namespace vkonnx::tools
