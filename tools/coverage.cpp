#include "coverage.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "cli.h"
#include "html.h"

namespace vkonnx::tools {

Coverage::Coverage(const Report& report) : devices_(report.devices.size())
{
    for (const ReportEntry& entry : report.entries) {
        // A built-in case belongs to its cell even when the process that ran it left no result.
        std::vector<Cell> cells = entry.test.cell ? std::vector<Cell>{*entry.test.cell} : entry.result.cells;
        std::erase_if(cells, [](const Cell& cell) { return !has_type(cell); });
        if (cells.empty())
            add(elsewhere_, entry.result.outcome);
        for (const Cell& cell : cells) {
            CellCounts& counts = counts_[{entry.device, cell}];
            add(counts.counts, entry.result.outcome);
            if (entry.result.errors && cell.op != kind_of(Shape()))
                counts.ulp = std::max(counts.ulp.value_or(0), entry.result.errors->ulp);
        }
    }
}

const CellCounts* Coverage::find(size_t device, const Cell& cell) const
{
    const auto found = counts_.find({device, cell});
    return found == counts_.end() ? nullptr : &found->second;
}

bool Coverage::has_run(OperatorKind op) const
{
    return std::any_of(counts_.begin(), counts_.end(), [&](const auto& one) { return one.first.second.op == op; });
}

size_t Coverage::cells() const
{
    size_t count = 0;
    for (const OperatorKind op : all_operators())
        count += cells_of(op).size() * devices_;
    return count;
}

static std::string holes_text(const Coverage& coverage)
{
    return std::to_string(coverage.cells() - coverage.holes()) + " of " + std::to_string(coverage.cells()) + " cells ran";
}

static std::string elsewhere_text(const Coverage& coverage)
{
    const Counts& counts = coverage.elsewhere();
    return counts.passed + counts.failed + counts.skipped == 0 ? "" : "in no cell: " + counts_text(counts);
}

// ----------------------------------------------------------------------------------------------------------------- text

// Returns, for example, "24 (0.5 ulp)", "2 FAILED, 22 (1e+06 ulp)" or "20 skipped".
static std::string cell_text(const Coverage& coverage, size_t device, const Cell& cell)
{
    if (!has_type(cell))
        return "-";
    const CellCounts* found = coverage.find(device, cell);
    if (!found)
        return std::string(not_run);
    const auto& [counts, ulp] = *found;
    std::string text = counts.failed ? std::to_string(counts.failed) + " FAILED" : "";
    if (counts.passed)
        text += (text.empty() ? "" : ", ") + std::to_string(counts.passed);
    if (counts.skipped)
        text += (text.empty() ? "" : ", ") + std::to_string(counts.skipped) + " skipped";
    return ulp ? text + " (" + ulp_text(*ulp) + " ulp)" : text;
}

// Returns "uint4, int4" or "float to complex128 (15 types)", for example. The types are neighbours in the order of ONNX's
// numbers.
static std::string types_text(std::span<const DType> types)
{
    constexpr size_t most_named = 3;
    if (types.size() > most_named)
        return std::string(name(types.front())) + " to " + std::string(name(types.back())) + " (" + std::to_string(types.size()) +
               " types)";
    std::string text;
    for (const DType dtype : types)
        text += (text.empty() ? "" : ", ") + std::string(name(dtype));
    return text;
}

static std::string block_text(const Coverage& coverage, OperatorKind op, size_t device)
{
    Table table;
    std::vector<std::string> header = {"version"};
    for (const int64_t version : versions_of(op))
        header.push_back(std::to_string(version));
    table.add(header);
    const std::vector<DType> types = types_of(op);
    const auto row_of = [&](DType dtype) {
        std::vector<std::string> row;
        for (const int64_t version : versions_of(op))
            row.push_back(cell_text(coverage, device, {op, version, dtype}));
        return row;
    };
    for (size_t i = 0, same = 0; i < types.size(); i += same) {
        std::vector<std::string> row = row_of(types[i]);
        for (same = 1; i + same < types.size() && row_of(types[i + same]) == row;)
            ++same;
        row.insert(row.begin(), types_text(std::span(types).subspan(i, same)));
        table.add(row);
    }
    return table.text("  ");
}

std::string coverage_text(const Report& report)
{
    const Coverage coverage(report);
    std::string text =
        "cases passed, with the largest error of a cell in units of the last place, which grows where the terms of a "
        "sum cancel; -: " +
        std::string(not_in_this_version) + "\n";
    for (const OperatorKind op : all_operators()) {
        const std::string title = operator_text(op);
        if (!coverage.has_run(op)) {
            text += title + ": " + std::string(not_run) + "\n";
            continue;
        }
        std::vector<std::pair<std::string, std::string>> blocks;  // the devices' labels, the block that they share
        for (size_t device = 0; device < report.devices.size(); ++device) {
            const std::string block = block_text(coverage, op, device), label = device_label(report.devices[device]);
            const auto twin =
                std::find_if(blocks.begin(), blocks.end(), [&](const auto& other) { return other.second == block; });
            if (twin == blocks.end())
                blocks.emplace_back(label, block);
            else
                twin->first += ", " + label;
        }
        for (const auto& [devices, block] : blocks)
            text += title + " on " + devices + "\n" + block;
    }
    const std::string elsewhere = elsewhere_text(coverage);
    return text + holes_text(coverage) + (elsewhere.empty() ? "" : "; " + elsewhere) + "\n";
}

// ----------------------------------------------------------------------------------------------------------------- JSON

nlohmann::json coverage_json(const Report& report)
{
    const Coverage coverage(report);
    nlohmann::json cells = nlohmann::json::array();
    for (size_t device = 0; device < report.devices.size(); ++device)
        for (const OperatorKind op : all_operators())
            for (const int64_t version : versions_of(op))
                for (const DType dtype : types_of(op)) {
                    const Cell cell = {op, version, dtype};
                    nlohmann::json json = to_json(cell);
                    json["device"] = device;
                    json["state"] = has_type(cell) ? not_run : not_in_this_version;
                    if (const CellCounts* found = coverage.find(device, cell)) {
                        json["state"] = "run";
                        json["passed"] = found->counts.passed;
                        json["failed"] = found->counts.failed;
                        json["skipped"] = found->counts.skipped;
                        json["max_ulp_error"] = found->ulp ? number_to_json(*found->ulp) : nullptr;
                    }
                    cells.push_back(std::move(json));
                }
    return cells;
}

// ----------------------------------------------------------------------------------------------------------------- HTML

std::string_view coverage_style()
{
    return R"(.devices { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 1rem; }
table.cells { font-size: .9rem; line-height: 1.3; }
table.cells caption { text-align: left; font-weight: 600; padding: .5rem .75rem; }
table.cells th, table.cells td { padding: .3rem .4rem; border: 1px solid var(--line); border-bottom: 0; vertical-align: middle; }
table.cells tr > :first-child { border-left: 0; position: sticky; left: 0; background: var(--card); }
table.cells tr > :last-child { border-right: 0; }
table.cells tr:first-child > * { border-top: 1px solid var(--line); }
table.cells th { font-weight: 500; padding-left: .75rem; }
table.cells td { text-align: center; font-weight: 600; font-variant-numeric: tabular-nums; }
table.cells small { display: block; font-weight: 400; font-size: .75rem; white-space: nowrap; color: var(--soft); }
.cells td.passed { background: var(--ok-back); }
.cells td.failed { background: var(--bad-back); }
.cells td.skipped { background: var(--skip-back); }
table.cells td.hole { padding: 0; font-weight: 400; font-size: .8rem; white-space: nowrap; color: var(--skip);
  background: repeating-linear-gradient(-45deg, var(--skip-back) 0 4px, transparent 4px 8px); }
table.cells td.absent { font-weight: 400; color: var(--soft); }
@media (min-width: 40rem) { table.cells { table-layout: fixed; } table.cells tr > :first-child { width: 8.6rem; } }
@media (max-width: 40rem) { table.cells { font-size: .8rem; } table.cells th, table.cells td { padding: .25rem .3rem; }
  table.cells td.hole { padding: 0 .2rem; font-size: .7rem; } }
)";
}

static std::string cell_html(const Coverage& coverage, size_t device, const Cell& cell)
{
    if (!has_type(cell))
        return "<td class=\"absent\" title=\"" + std::string(not_in_this_version) + "\" aria-label=\"" +
               std::string(not_in_this_version) + "\">–";
    const CellCounts* found = coverage.find(device, cell);
    if (!found)
        return "<td class=\"hole\">" + std::string(not_run);
    const auto& [counts, ulp] = *found;
    std::string html = counts.failed   ? "<td class=\"failed\">" + std::to_string(counts.failed) + " failed"
                       : counts.passed ? "<td class=\"passed\">" + std::to_string(counts.passed)
                                       : "<td class=\"skipped\">" + std::to_string(counts.skipped) + " skipped";
    if (counts.failed && counts.passed)
        html += "<small>" + std::to_string(counts.passed) + " passed</small>";
    if (counts.skipped && (counts.failed || counts.passed))
        html += "<small>" + std::to_string(counts.skipped) + " skipped</small>";
    return ulp ? html + "<small>" + ulp_text(*ulp) + " ulp</small>" : html;
}

static std::string device_html(const Coverage& coverage, OperatorKind op, const Report& report, size_t device)
{
    std::string html = "<div class=\"wide\"><table class=\"cells\"><caption>" + html_escape(device_name(report.devices[device])) +
                       "</caption>\n<tr><th>Version";
    for (const int64_t version : versions_of(op))
        html += "<td>" + std::to_string(version);
    html += "\n";
    for (const DType dtype : types_of(op)) {
        html += "<tr><th>" + std::string(name(dtype));
        for (const int64_t version : versions_of(op))
            html += cell_html(coverage, device, {op, version, dtype});
        html += "\n";
    }
    return html + "</table></div>\n";
}

std::string coverage_html(const Report& report)
{
    const Coverage coverage(report);
    const std::string elsewhere = elsewhere_text(coverage);
    std::string html = "<h2>Operators, versions and types</h2>\n<p class=\"soft\">Cases passed, with the largest error of a cell "
                       "in units of the last place, which grows where the terms of a sum cancel. “" +
                       std::string(not_run) + "”: no case ran. –: " + std::string(not_in_this_version) + ". " +
                       holes_text(coverage) + (elsewhere.empty() ? "" : "; " + elsewhere) + ".</p>\n";
    for (const OperatorKind op : all_operators()) {
        html += "<h3>" + operator_text(op) + "</h3>\n";
        if (!coverage.has_run(op)) {
            html += "<p class=\"soft\">" + std::string(not_run) + "</p>\n";
            continue;
        }
        html += "<div class=\"devices\">\n";
        for (size_t device = 0; device < report.devices.size(); ++device)
            html += device_html(coverage, op, report, device);
        html += "</div>\n";
    }
    return html;
}

}  // namespace vkonnx::tools
