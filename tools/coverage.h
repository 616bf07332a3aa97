// The table of conformance: operator, version and type on each device, with what ran in each cell.
#pragma once

#include <map>

#include "report.h"

namespace vkonnx::tools {

struct CellCounts {
    Counts counts = {};
    std::optional<double> ulp = {};  // the largest error; none where nothing was measured, as for Shape
};

class Coverage {
public:
    explicit Coverage(const Report& report);

    // nullptr where no case ran.
    const CellCounts* find(size_t device, const Cell& cell) const;
    bool has_run(OperatorKind op) const;
    // Cells of all devices, and those in which no case ran.
    size_t cells() const;
    size_t holes() const { return cells() - counts_.size(); }
    // Results that belong to no cell: other operators, or a model that could not be prepared.
    const Counts& elsewhere() const { return elsewhere_; }

private:
    size_t devices_ = 0;
    std::map<std::pair<size_t, Cell>, CellCounts> counts_;
    Counts elsewhere_;
};

// What a cell shows besides its numbers.
inline constexpr std::string_view not_run = "not run";
inline constexpr std::string_view not_in_this_version = "not in this version";

// One block for each operator and device. Types with equal rows share a line, devices with equal blocks share a block.
std::string coverage_text(const Report& report);

// A list of all cells: "state" is "run", "not run" or "not in this version", and only "run" has numbers.
nlohmann::json coverage_json(const Report& report);

// For the page of report_html, with the rules that its style sheet needs.
std::string coverage_html(const Report& report);
std::string_view coverage_style();

}  // namespace vkonnx::tools
