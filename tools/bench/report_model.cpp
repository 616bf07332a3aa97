#include "report_model.h"

#include <algorithm>

#include "counters.h"
#include "format.h"

namespace vkonnx::bench {

static void describe(ReportRow& row, std::string_view line)
{
    const auto trimmed = [](std::string_view text) {
        const size_t first = text.find_first_not_of(" #"), last = text.find_last_not_of(' ');
        return std::string(first == text.npos ? std::string_view() : text.substr(first, last - first + 1));
    };
    const size_t reason = std::min(line.find('#'), line.size());
    row.problem = trimmed(line.substr(0, reason));
    row.what = trimmed(line.substr(reason));
}

ReportModel report_model(std::span<const RunResult> runs)
{
    ReportModel model{.runs = runs};
    for (const RunResult& run : runs)
        for (const CaseResult& one : run.cases) {
            const auto same = [&](const ReportRow& row) { return row.name == one.name; };
            if (std::any_of(model.rows.begin(), model.rows.end(), same))
                continue;
            ReportRow row{.number = model.rows.size() + 1, .name = one.name};
            for (const RunResult& other : runs)
                row.results.push_back(other.find(one.name));
            describe(row, run.text(std::string(context::case_prefix) + one.name));
            model.rows.push_back(std::move(row));
        }
    std::vector<std::string> names;
    for (const ReportRow& row : model.rows)
        names.push_back(row.name);
    names = short_names(names);
    for (size_t i = 0; i < names.size(); ++i)
        model.rows[i].label = names[i];

    if (runs.size() == 2) {
        const Result<Comparison> comparison = compare(runs[0], runs[1]);
        if (!comparison) {
            model.compared.push_back("Not compared: " + std::string(comparison.message()));
            return model;
        }
        for (const CaseComparison& one : comparison->cases)
            for (ReportRow& row : model.rows)
                if (row.name == one.name) {
                    row.verdict = verdict_text(one);
                    row.ratio = one.ratio;
                }
        model.compared.push_back(comparison->compared
                                     ? "Geometric mean B/A of " + mean_text(*comparison) + " over " +
                                           std::to_string(comparison->compared) + (comparison->compared == 1 ? " case" : " cases")
                                     : "No case has a time in both.");
        model.compared.insert(model.compared.end(), comparison->notes.begin(), comparison->notes.end());
    }
    return model;
}

std::vector<Remark> remarks(const RunResult& run)
{
    std::vector<Remark> list;
    if (run.text(context::validation) == "on")
        list.push_back({"validation layer on: times are unusable", true});
    if (const size_t errors = error_count(run))
        list.push_back({std::to_string(errors) + (errors == 1 ? " case" : " cases") + " went wrong", true});
    for (const auto& [peak, words] :
         {std::pair(run.peak_f32(), "f32"), std::pair(run.peak_f16(), "f16"), std::pair(run.peak_copy(), "copy")})
        if (peak && peak->drift() > 0.05)
            list.push_back(
                {std::string(words) + " peak drifted by " + percent_text(peak->drift()) + ": throttling or busy", true});
    if (run.text(context::device_kind) == "cpu")
        list.push_back({"software driver", false});
    if (const std::string_view how = run.text(context::timed_by); !how.empty())
        list.push_back({"timed by " + std::string(how), false});
    if (const std::string_view mode = run.text(context::cache_mode); !mode.empty())
        list.push_back({std::string(mode) + " caches", false});
    return list;
}

std::optional<double> mean_efficiency(const RunResult& run)
{
    std::vector<double> shares;
    for (const CaseResult& one : run.cases)
        if (const std::optional<double> share = one.efficiency())
            shares.push_back(*share);
    return shares.empty() ? std::nullopt : std::optional(geometric_mean(shares));
}

size_t error_count(const RunResult& run)
{
    return size_t(std::count_if(run.cases.begin(), run.cases.end(), [](const CaseResult& one) { return !one.error.empty(); }));
}

std::string driver_line(const RunResult& run)
{
    std::string line(run.text(context::driver));
    if (const std::string_view api = run.text(context::api_version); !api.empty())
        line += (line.empty() ? "Vulkan " : ", Vulkan ") + std::string(api);
    return line;
}

std::string date_text(const RunResult& run)
{
    std::string date(run.text("date"));
    if (date.size() > 10 && date[10] == 'T')
        date[10] = ' ';
    return date;
}

std::string peak_text(const Peak& peak, std::string_view unit)
{
    std::string words = text(rate_quantity(peak.before, unit));
    if (peak.after)
        words += ", then " + text(rate_quantity(*peak.after, unit));
    return words;
}

std::vector<std::pair<std::string, std::string>> context_lines(const RunResult& run)
{
    std::vector<std::pair<std::string, std::string>> lines;
    const auto add = [&](std::string_view label, std::string value) {
        if (!value.empty())
            lines.emplace_back(label, std::move(value));
    };
    const auto add_text = [&](std::string_view label, std::string_view key) { add(label, std::string(run.text(key))); };
    add("Device", run.device());
    add_text("Kind", context::device_kind);
    add_text("Driver", context::driver);
    add_text("Vulkan", context::api_version);
    add_text("UUID", context::uuid);
    add_text("Subgroup size", context::subgroup_size);
    add_text("Capabilities used", context::capabilities);
    if (const auto peak = run.peak_f32())
        add("f32 peak", peak_text(*peak, "FLOP/s"));
    if (const auto peak = run.peak_f16())
        add("f16 peak", peak_text(*peak, "FLOP/s"));
    if (const auto peak = run.peak_copy())
        add("Copy peak", peak_text(*peak, "B/s"));
    if (const auto seconds = run.number(context::empty_pair_s))
        add("Empty timestamp pair", time_text(*seconds));
    add_text("Timed by", context::timed_by);
    add_text("Caches", context::cache_mode);
    add_text("Validation", context::validation);
    add_text("Suite", context::suite);
    add_text("Host processor", context::cpu);
    add("Date", date_text(run));
    add_text("vkonnx", context::version);
    add_text("Revision", context::git_revision);
    add_text("SPIR-V hash", context::spirv_hash);
    add_text("Sample seed", context::verify_seed);
    add_text("Command", context::command);
    add("File", run.path);
    return lines;
}

}  // namespace vkonnx::bench
