#include "counters.h"
#include "format.h"
#include "report.h"
#include "report_model.h"
#include "report_style.h"
#include "roofline.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace vkonnx::bench {
namespace {

std::string unit_html(const std::string& unit)
{
    return unit == "us" ? "µs" : html_escape(unit);
}

const char* series(size_t run)
{
    return run == 0 ? "a" : "b";
}

std::string letter_html(const ReportModel& model, size_t run)
{
    return model.runs.size() < 2 ? "" : run == 0 ? "<span class=\"letter a\">A</span>" : "<span class=\"letter b\">B</span>";
}

std::string paragraph(std::string_view kind, std::string_view text)
{
    return text.empty() ? "" : "<p class=\"" + std::string(kind) + "\">" + html_escape(text) + "</p>\n";
}

// -------------------------------------------------------------------------------------------------------------- devices

std::string tile(std::string_view label, const std::string& number, const std::string& unit)
{
    return "<div><dt>" + std::string(label) + "</dt><dd>" + html_escape(number) +
           (unit.empty() ? "" : "<small>" + html_escape(unit) + "</small>") + "</dd></div>\n";
}

std::string peak_tile(std::string_view label, const std::optional<Peak>& peak, std::string_view unit)
{
    if (!peak)
        return "";
    const Quantity quantity = rate_quantity(peak->best(), unit);
    return tile(label, quantity.number, quantity.unit);
}

std::string device_html(const ReportModel& model, size_t index)
{
    const RunResult& run = model.runs[index];
    const char* heading = model.runs.size() == 1 ? "h1" : "h3";
    std::string html = std::string("<section class=\"card device ") + series(index) + "\">\n<" + heading + ">" +
                       letter_html(model, index) + html_escape(run.device()) + "</" + heading + ">\n" +
                       paragraph("soft", driver_line(run)) + paragraph("soft", date_text(run)) + "<div class=\"marks\">";
    for (const Remark& remark : remarks(run))
        html += std::string("<span") + (remark.serious ? " class=\"bad\"" : "") + ">" + html_escape(remark.text) + "</span>";
    html += "</div>\n<dl class=\"tiles\">\n";
    if (const std::optional<double> share = mean_efficiency(run))
        html += tile("of the best possible", percent_text(*share), "mean");
    html += peak_tile("f32 peak", run.peak_f32(), "FLOP/s") + peak_tile("f16 peak", run.peak_f16(), "FLOP/s") +
            peak_tile("copy peak", run.peak_copy(), "B/s");
    const size_t errors = error_count(run);
    html += tile("cases", std::to_string(run.cases.size() - errors), errors ? "and " + std::to_string(errors) + " wrong" : "");
    return html + "</dl>\n</section>\n";
}

std::string head_html(const ReportModel& model)
{
    std::string title;
    for (const RunResult& run : model.runs)
        title += (title.empty() ? "" : " and ") + run.device();
    std::string html = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
                       html_escape(title) + " - vkonnx-bench</title>\n<style>" + report_style +
                       "</style>\n<main>\n<p class=\"kicker\">vkonnx-bench " +
                       html_escape(model.runs.front().text(context::version)) + "</p>\n";
    if (model.runs.size() == 2)
        html += "<h1>Two results side by side</h1>\n<div class=\"pair\" style=\"margin-top:1.1rem\">\n";
    for (size_t i = 0; i < model.runs.size(); ++i)
        html += device_html(model, i);
    if (model.runs.size() == 2) {
        html += "</div>\n<section class=\"card sum\">\n";
        for (size_t i = 0; i < model.compared.size(); ++i)
            html += i == 0 ? "<p><b>" + html_escape(model.compared[0]) + "</b></p>\n" : paragraph("", model.compared[i]);
        html += "</section>\n";
    }
    return html;
}

std::string errors_html(const ReportModel& model)
{
    std::string items;
    for (size_t i = 0; i < model.runs.size(); ++i)
        for (const CaseResult& one : model.runs[i].cases)
            if (!one.error.empty())
                items += "<li>" + letter_html(model, i) + "<b>" + html_escape(one.name) + "</b>: " + html_escape(one.error) +
                         "</li>\n";
    return items.empty() ? "" : "<h2>What went wrong</h2>\n<section class=\"card errors\"><ul>\n" + items + "</ul></section>\n";
}

// ---------------------------------------------------------------------------------------------------------------- plots

std::string plot_html(const ReportModel& model, size_t index, const RooflineRange& range)
{
    const RunResult& run = model.runs[index];
    const bool alone = model.runs.size() == 1;
    RooflineOptions options{.series = series(index),
                            .caption = "Roofline plot of " + run.device() + "; the table below holds its numbers"};
    const auto label_by = [&](bool names) {
        options.labels.clear();
        for (const CaseResult& one : run.cases)
            for (const ReportRow& row : model.rows)
                if (row.name == one.name)
                    options.labels.push_back(names ? row.label : std::to_string(row.number));
    };
    std::string html = "<section class=\"card plot\">\n";
    if (!alone)
        html += "<h3>" + letter_html(model, index) + html_escape(run.device()) + "</h3>\n";
    label_by(alone);
    options.width = alone ? 1100 : 560;
    options.height = alone ? 580 : 470;
    html += "<div class=\"wide\">" + roofline_svg(run, range, options) + "</div>\n";
    label_by(false);
    options.width = 350;
    options.height = 400;
    html += "<div class=\"narrow\">" + roofline_svg(run, range, options) + "</div>\n";
    return html + "<div class=\"key\"><span><svg viewBox=\"0 0 11 11\"><circle cx=\"5.5\" cy=\"5.5\" "
                  "r=\"4.5\"/></svg>sums of products</span>"
                  "<span><svg viewBox=\"0 0 11 11\"><path d=\"M5.5 .3 10.7 5.5 5.5 10.7 .3 "
                  "5.5z\"/></svg>pools and reductions</span></div>\n</section>\n";
}

std::string roofline_html(const ReportModel& model)
{
    const std::optional<RooflineRange> range = roofline_range(model.runs);
    if (!range)
        return "";
    const bool alone = model.runs.size() == 1;
    std::string html =
        "<h2>Roofline</h2>\n<p class=\"lead\">What the device could do at each arithmetic intensity, from the peaks measured "
        "in the same run, and what each case does. A case on the line is as fast as it can be. " +
        std::string(alone ? "<span class=\"narrow\">" : "<span>") + "Numbers are those of the list below.</span></p>\n";
    html += alone ? "<div>\n" : "<div class=\"pair\">\n";
    for (size_t i = 0; i < model.runs.size(); ++i)
        html += plot_html(model, i, *range);
    return html + "</div>\n";
}

// This is the scale of the bars. It is linear to 100 %, or to more where caches make a case faster than memory would allow. It is
// logarithmic where many bars would be too short to be told apart.
struct BarScale {
    double low = 0, high = 1;  // low: a power of ten of a logarithmic scale, 0 of a linear one

    double place(double share) const { return low > 0 ? std::log(share / low) / std::log(high / low) : share / high; }
};

BarScale bar_scale(const ReportModel& model)
{
    std::vector<double> shares;
    for (const RunResult& run : model.runs)
        for (const CaseResult& one : run.cases)
            if (const std::optional<double> share = one.efficiency())
                shares.push_back(*share);
    std::sort(shares.begin(), shares.end());
    BarScale scale;
    if (shares.empty())
        return scale;
    scale.high = std::max(1.0, shares.back());
    if (shares[shares.size() / 4] < 0.05)
        scale.low = std::pow(10, std::floor(std::log10(0.9 * shares.front())));
    return scale;
}

std::string style_percent(std::string_view property, double place)
{
    char text[48];
    std::snprintf(text, sizeof text, "%.*s:%.2f%%", int(property.size()), property.data(), 100 * place);
    return text;
}

// Returns "0.01 %", "1 %" or "100 %", for example.
std::string percent_mark(double share)
{
    char text[32];
    std::snprintf(text, sizeof text, "%g %%", 100 * share);
    return text;
}

std::string bar_axis_html(const BarScale& scale)
{
    std::string marks;
    const auto mark = [&](double share) {
        marks += "<span style=\"" + style_percent("left", scale.place(share)) + "\">" + percent_mark(share) + "</span>";
    };
    if (scale.low > 0)
        for (double share = scale.low; share < 1.01; share *= 10)
            mark(share);
    else
        for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0})
            mark(share);
    return "<div class=\"bar scale\"><span class=\"lines\">" + marks + "</span></div>\n";
}

std::string bar_html(const ReportRow& row, const BarScale& scale)
{
    std::string tracks, shares, times;
    for (size_t i = 0; i < row.results.size(); ++i) {
        const CaseResult* one = row.results[i];
        const double share = one ? one->efficiency().value_or(0) : 0;
        const std::string begin = std::string("<span class=\"track ") + series(i) + "\">";
        if (share <= 0) {  // not known
            tracks += begin + "</span>";
            shares += "<span>-</span>";
            times += "<span>-</span>";
            continue;
        }
        const Quantity time = time_quantity(one->median_s);
        tracks += begin + "<i style=\"" + style_percent("width", scale.place(share)) + "\"></i></span>";
        shares += "<span>" + percent_text(share) + "</span>";
        times += "<span>" + time.number + " " + unit_html(time.unit) + "</span>";
    }
    const std::string two = row.results.size() == 2 ? " two" : "";
    return "<div class=\"bar\"><span class=\"no\">" + std::to_string(row.number) + "</span><span class=\"name\" title=\"" +
           html_escape(row.name + (row.problem.empty() ? "" : "  " + row.problem)) + "\">" + html_escape(row.label) +
           (row.what.empty() ? "" : "<small>" + html_escape(row.what) + "</small>") + "</span><span class=\"lines" + two + "\">" +
           tracks + "</span><span class=\"value" + two + "\"><b>" + shares + "</b></span><span class=\"value soft" + two + "\">" +
           times + "</span></div>\n";
}

std::string bars_html(const ReportModel& model)
{
    const BarScale scale = bar_scale(model);
    std::string html, group = "\n";
    for (const ReportRow& row : model.rows) {
        const auto has_share = [](const CaseResult* one) { return one && one->efficiency(); };
        if (std::none_of(row.results.begin(), row.results.end(), has_share))
            continue;
        if (operator_of(row.name) != group) {
            group = operator_of(row.name);
            html += "<h3>" + html_escape(group) + "</h3>\n";
        }
        html += bar_html(row, scale);
    }
    if (html.empty())
        return "";
    const char* kind = scale.low > 0 ? "The scale is logarithmic." : "";
    char decade[48] = "";
    if (scale.low > 0)
        std::snprintf(decade, sizeof decade, " log\" style=\"--decade:%.3f%%", 100 * scale.place(10 * scale.low));
    return "<h2>How close to the best possible</h2>\n<p class=\"lead\">The best possible time, from the measured peaks, as a "
           "share of "
           "the time taken. " +
           std::string(kind) + "</p>\n<section class=\"card bars" + decade + "\">\n" + bar_axis_html(scale) + html +
           "</section>\n";
}

// --------------------------------------------------------------------------------------------------------------- tables

std::string cell(std::string_view kind, std::string_view text)
{
    return "<td class=\"" + std::string(kind) + "\">" + html_escape(text) + "</td>";
}

std::string quantity_cell(const Quantity& quantity)
{
    return "<td class=\"n\">" + html_escape(quantity.number) + "<i>" + unit_html(quantity.unit) + "</i></td>";
}

std::string time_cell(const std::optional<double>& seconds)
{
    return seconds ? quantity_cell(time_quantity(*seconds)) : "<td class=\"n\"></td>";
}

std::string median_cell(const CaseResult* one)
{
    if (!one)
        return cell("n same", "missing");
    return one->error.empty() ? time_cell(one->median_s) : cell("n bad", "error");
}

std::string number_cell(const CaseResult* one, std::string_view counter)
{
    const std::optional<double> value = one ? one->counter(counter) : std::nullopt;
    return cell("n", value ? number_text(*value) : "");
}

std::string share_cell(const CaseResult* one)
{
    const std::optional<double> share = one ? one->efficiency() : std::nullopt;
    return cell("n", share ? percent_text(*share) : "");
}

std::string case_cells(const ReportRow& row)
{
    return "<tr>" + cell("no", std::to_string(row.number)) + "<td class=\"case\" title=\"" + html_escape(row.problem) + "\">" +
           html_escape(row.label) + (row.what.empty() ? "" : "<small>" + html_escape(row.what) + "</small>") + "</td>";
}

std::string table_html(std::string_view head, const std::string& body)
{
    return "<section class=\"card scroll\"><table>\n<thead>" + std::string(head) + "</thead>\n<tbody>\n" + body +
           "</tbody>\n</table></section>\n";
}

std::string one_table(const ReportModel& model)
{
    std::string body;
    for (const ReportRow& row : model.rows) {
        const CaseResult* one = row.results[0];
        body += case_cells(row) + "<td><code>" + html_escape(one->kernel) + "</code></td>" + median_cell(one) +
                cell("n", one->error.empty() ? spread_text(*one) : "") + time_cell(one->counter(counter::floor_s)) +
                share_cell(one) + number_cell(one, counter::gflops) + number_cell(one, counter::gbps) + "</tr>\n";
    }
    return table_html(
        "<tr><th class=\"no\">#<th>Case<th>Kernel<th class=\"n\">Time<th class=\"n\">&plusmn;<th class=\"n\">Best possible"
        "<th class=\"n\">of best<th class=\"n\">GFLOP/s<th class=\"n\">GB/s</tr>",
        body);
}

std::string two_table(const ReportModel& model)
{
    std::string body;
    for (const ReportRow& row : model.rows) {
        const CaseResult *a = row.results[0], *b = row.results[1];
        std::string_view kind = "same";
        if (row.verdict.ends_with("faster"))
            kind = "faster";
        else if (row.verdict.ends_with("slower"))
            kind = "slower";
        else if (row.verdict == "error")
            kind = "bad";
        body += case_cells(row) + median_cell(a) + median_cell(b) + cell("n", row.ratio > 0 ? number_text(row.ratio) : "") +
                cell(kind, row.verdict) + share_cell(a) + share_cell(b) + number_cell(a, counter::gflops) +
                number_cell(b, counter::gflops) + number_cell(a, counter::gbps) + number_cell(b, counter::gbps) + "</tr>\n";
    }
    return table_html(
        "<tr><th class=\"no\"><th><th class=\"group\" colspan=\"2\">Time<th><th><th class=\"group\" colspan=\"2\">of best"
        "<th class=\"group\" colspan=\"2\">GFLOP/s<th class=\"group\" colspan=\"2\">GB/s</tr>\n"
        "<tr><th class=\"no\">#<th>Case<th class=\"n\">A<th class=\"n\">B<th class=\"n\">B/A<th>B is<th class=\"n\">A"
        "<th class=\"n\">B<th class=\"n\">A<th class=\"n\">B<th class=\"n\">A<th class=\"n\">B</tr>",
        body);
}

std::string cold_table(const ReportModel& model, size_t index)
{
    static constexpr std::pair<const char*, const char*> columns[] = {{counter::wall_s, "Submit and wait"},
                                                                      {counter::prepare_s, "Prepare"},
                                                                      {counter::bind_s, "Bind"},
                                                                      {counter::record_s, "Record"},
                                                                      {counter::first_run_cold_s, "First run, cold"},
                                                                      {counter::first_run_cached_s, "First run, cached"}};
    const auto& cases = model.runs[index].cases;
    std::string head = "<tr><th class=\"no\">#<th>Case<th class=\"n\">Warm", body;
    const auto known = [&](const char* name) {
        return std::any_of(cases.begin(), cases.end(), [&](const CaseResult& one) { return one.counter(name).has_value(); });
    };
    for (const auto& [name, title] : columns)
        if (known(name))
            head += std::string("<th class=\"n\">") + title;
    for (const ReportRow& row : model.rows) {
        const CaseResult* one = row.results[index];
        if (!one || !one->error.empty())
            continue;
        body += case_cells(row) + time_cell(one->median_s);
        for (const auto& [name, title] : columns)
            if (known(name))
                body += time_cell(one->counter(name));
        body += "</tr>\n";
    }
    return table_html(head + "</tr>", body);
}

// Returns the section on whole models, or "" where there is none.
std::string models_html(const ReportModel& model)
{
    const auto bytes_cell = [](const CaseResult& one, const char* name) {
        return quantity_cell(rate_quantity(one.counter(name).value_or(0) / 1e9, "B"));
    };
    std::string body;
    for (const ReportRow& row : model.rows)
        for (size_t i = 0; i < row.results.size(); ++i)
            if (const CaseResult* one = row.results[i]; one && one->counter(counter::arena_bytes))
                body += case_cells(row) + "<td>" + letter_html(model, i) + html_escape(one->kernel) + "</td>" +
                        number_cell(one, counter::dispatches) + bytes_cell(*one, counter::arena_bytes) +
                        bytes_cell(*one, counter::constant_bytes) + "</tr>\n";
    if (body.empty())
        return "";
    return "<h2>Whole models</h2>\n<p class=\"lead\">What one run dispatches, and the device memory beside inputs and outputs: "
           "of "
           "values between operators, and of constants as they are and as kernels pack them.</p>\n" +
           table_html("<tr><th class=\"no\">#<th>Case<th>Runs<th class=\"n\">Dispatches<th class=\"n\">Arena"
                      "<th class=\"n\">Constants</tr>",
                      body);
}

std::string tables_html(const ReportModel& model)
{
    std::string html = "<h2>Cases</h2>\n<p class=\"lead\">Medians; useful operations and bytes only, as the notes say.</p>\n" +
                       (model.runs.size() == 2 ? two_table(model) : one_table(model));
    html += "<h2>Cold and warm</h2>\n<p class=\"lead\">What the first run costs, and what every later one does.</p>\n";
    for (size_t i = 0; i < model.runs.size(); ++i) {
        if (model.runs.size() == 2)
            html +=
                "<h3 style=\"margin:1.2rem 0 .5rem\">" + letter_html(model, i) + html_escape(model.runs[i].device()) + "</h3>\n";
        html += cold_table(model, i);
    }
    return html + models_html(model);
}

std::string context_html(const ReportModel& model)
{
    std::string html = "<h2>Context</h2>\n<div class=\"pair\" style=\"margin-top:.7rem\">\n";
    for (size_t i = 0; i < model.runs.size(); ++i) {
        html += "<dl class=\"card context\">\n";
        for (const auto& [label, value] : context_lines(model.runs[i]))
            html += "<dt>" + html_escape(label) + "</dt><dd" +
                    (label == "Command" || label == "UUID" || label == "SPIR-V hash" ? " class=\"mono\"" : "") + ">" +
                    (label == "Device" ? letter_html(model, i) : "") + html_escape(value) + "</dd>\n";
        html += "</dl>\n";
    }
    return html + "</div>\n";
}

constexpr char notes_html[] = R"html(<h2>How to read it</h2>
<section class="notes">
<p><b>Time</b> is the median time of one run of the operator on the device, outputs verified against the reference before timing;
<b>&plusmn;</b> is half of the spread: from the fastest to the slowest repetition, or between the quartiles of a single one.</p>
<p><b>Best possible</b> is the greater of useful operations over the arithmetic peak and bytes over the copy peak, where
what is no sum of products counts its bytes alone. Useful operations are those that land in the output; bytes are inputs, weights and
outputs, each once. Peaks are measured in the same run, before and after the cases; the better reading counts for the plot. A pool may
stand above the arithmetic peak: it is counted by the additions of its definition, and neighbouring windows can share theirs.</p>
<p><b>First run</b> is everything from attributes to the first result: prepare, bind, record, run; cold with no pipeline compiled yet,
cached with the pipelines at hand. <b>Submit and wait</b> is a warm run on the host's clock.</p>
</section>
)html";

}  // namespace

std::string report_html(std::span<const RunResult> runs)
{
    const ReportModel model = report_model(runs);
    return head_html(model) + errors_html(model) + roofline_html(model) + bars_html(model) + tables_html(model) +
           context_html(model) + notes_html + "</main>\n</html>\n";
}

}  // namespace vkonnx::bench
