// This header has the table of conformance: operator, version and type on each device, with what ran in each cell.
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

    // Returns nullptr where no case ran.
    const CellCounts* find(size_t device, const Cell& cell) const;
    bool has_run(OperatorKind op) const;
    // These count the cells of all devices, and those in which no case ran.
    size_t cells() const;
    size_t holes() const { return cells() - counts_.size(); }
    // Counts results that belong to no cell: those of other operators, or of a model that could not be prepared.
    const Counts& elsewhere() const { return elsewhere_; }

private:
    size_t devices_ = 0;
    std::map<std::pair<size_t, Cell>, CellCounts> counts_;
    Counts elsewhere_;
};

// These words stand in a cell that has no numbers.
inline constexpr std::string_view not_run = "not run";
inline constexpr std::string_view not_in_this_version = "not in this version";

// Returns a block for each operator and device. Types with equal rows share a line, and devices with equal blocks share a block.
std::string coverage_text(const Report& report);

// Returns a list of all cells. "state" is "run", "not run" or "not in this version", and only "run" has numbers.
nlohmann::json coverage_json(const Report& report);

// These return a part of the page of report_html, and the rules that its style sheet needs.
std::string coverage_html(const Report& report);
std::string_view coverage_style();

}  // namespace vkonnx::tools
